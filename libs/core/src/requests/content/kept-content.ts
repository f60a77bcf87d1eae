/** What was asked and answered, kept beside the log of requests: for keys and operators who want it, sealed, for a time of its own. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError, type DialectName, type Json } from '@model-gateway/contracts';
import type { Guardrail } from '../../guardrails/guardrail.ts';
import type { Log, Meter } from '../../parts.ts';
import type { RequestContentRecord, RequestLogStore, RequestPlace, Tenant } from '../../ports.ts';
import type { Sealing } from '../../sealing.ts';
import { sweepInSteps } from '../../sweep-in-steps.ts';
import { assembled } from './assembled.ts';
import { keptScanner, reduced } from './reduced.ts';
import { wordsOf, type SaidMessage } from './words.ts';

const WRITE_EVERY_MS = 1_000;
/** Bytes of bodies that wait to be written. */
const MOST_WAITING = 64 * 1024 * 1024;
/** Of one transaction: on SQLite it holds the event loop up. */
const WRITTEN_AT_ONCE = 50;
const SWEEP_EVERY_MS = 10 * 60_000;
const SWEPT_AT_ONCE = 500;

export const DROPPED_CONTENTS = 'gateway_request_contents_dropped_total';

/** A request that has ended, as it was heard. */
export interface HeardRequest extends RequestPlace, Tenant {
  /** Of a chat. */
  readonly dialect: DialectName | undefined;
  readonly model: string | undefined;
  /** The JSON body; undefined where there was none. */
  readonly asked: Json | undefined;
  readonly askedBytes: number;
  readonly contentType: string;
  /** What was sent to the caller, as far as it was kept. */
  readonly answer: readonly Uint8Array[];
  readonly answerBytes: number;
  /** Credentials that came with the request. */
  readonly secrets: readonly string[];
}

export interface ContentKeeper {
  /** Takes a request and returns at once. When too much waits, it is dropped and counted. */
  readonly add: (heard: HeardRequest) => void;
  /** Writes what waits. */
  flush(): Promise<void>;
  /** Writes what waits and stops. */
  close(): Promise<void>;
}

export interface ContentKeeperOptions {
  readonly store: Pick<RequestLogStore, 'addContents'>;
  readonly sealing: Sealing;
  /** Read at every use. */
  readonly guardrails: () => readonly Guardrail[] | undefined;
  readonly log: Log;
  readonly meter: Meter;
  /** Characters of a prompt, and of an answer. */
  readonly limit: number;
}

/** What is sealed: short names, because there is much of it. */
interface Sealed {
  readonly d?: DialectName;
  readonly q: Json;
  readonly a: Json;
  readonly c: boolean;
}

/** Makes what keeps contents; it writes every second by itself. */
export function createContentKeeper(options: ContentKeeperOptions): ContentKeeper {
  const { store, sealing, guardrails, log, meter, limit } = options;
  const waiting: HeardRequest[] = [];
  /** Sealed, of a database that was away. */
  let unwritten: RequestContentRecord[] = [];
  let bytes = 0;
  let writing: Promise<void> | undefined;
  let isFailing = false;

  const write = async (): Promise<void> => {
    while (waiting.length > 0 || unwritten.length > 0) {
      while (unwritten.length < WRITTEN_AT_ONCE) {
        const heard = waiting.shift();
        if (heard === undefined) break;
        bytes -= sizeOf(heard);
        const record = seal(heard, { sealing, guardrails: guardrails(), limit });
        bytes += record.sealed.length;
        unwritten.push(record);
        // Each may be long to look through.
        await nextTurn();
      }
      await store.addContents(unwritten);
      for (const { sealed } of unwritten) bytes -= sealed.length;
      unwritten = [];
    }
  };
  const writeTold = async (): Promise<void> => {
    try {
      await write();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'prompts and answers cannot be stored');
      isFailing = true;
    }
  };
  const start = (): Promise<void> => (writing ??= writeTold().finally(() => (writing = undefined)));
  const flush = async (): Promise<void> => {
    await writing;
    await start();
  };
  const timer = setInterval(() => {
    if (waiting.length > 0 || unwritten.length > 0) void start();
  }, WRITE_EVERY_MS);
  timer.unref();

  return {
    add(heard) {
      const size = sizeOf(heard);
      if (bytes + size > MOST_WAITING && bytes > 0) {
        meter.count(DROPPED_CONTENTS, {});
        return;
      }
      bytes += size;
      waiting.push(heard);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

function sizeOf({ askedBytes, answer }: HeardRequest): number {
  return answer.reduce((sum, { length }) => sum + length, askedBytes);
}

function seal(
  heard: HeardRequest,
  { sealing, guardrails, limit }: { sealing: Sealing; guardrails: readonly Guardrail[] | undefined; limit: number },
): RequestContentRecord {
  const { id, at, ownerId, mode, dialect, model, asked, contentType, answerBytes: size, secrets } = heard;
  const bytes = Buffer.concat(heard.answer);
  const said = assembled({ dialect, model, asked, requestId: id, at, contentType, bytes, size });
  const rules = { scanner: keptScanner(guardrails), secrets, limit };
  const request = reduced(asked ?? null, rules);
  const answer = reduced(said, rules);
  const value = {
    ...(dialect !== undefined && { d: dialect }),
    ...{ q: request.value, a: answer.value },
    c: request.isCut || answer.isCut || bytes.length < size,
  };
  return { id, at, ownerId, mode, sealed: sealing.seal(value, placeOf(heard)) };
}

function placeOf({ id, ownerId, mode }: RequestPlace & Tenant): string {
  return `request ${id} ${ownerId} ${mode}`;
}

/** What was kept of one request. */
export interface KeptContent {
  readonly messages: readonly SaidMessage[];
  readonly request: Json;
  readonly answer: Json;
  readonly isCut: boolean;
  readonly keptUntil: number;
  /** Why it cannot be shown, where it cannot. */
  readonly fault?: string;
}

export interface ContentReader {
  /** What is kept of a request of this tenant; undefined when nothing is. */
  read(row: RequestPlace & Tenant): Promise<KeptContent | undefined>;
}

export interface ContentReaderOptions {
  readonly store: Pick<RequestLogStore, 'content'>;
  /** Undefined where there is no key now. */
  readonly sealing: Sealing | undefined;
  readonly now: () => number;
  readonly keepMs: number;
}

/** Makes what reads contents. What is older than its time is not shown, whether it was removed already or not. */
export function createContentReader({ store, sealing, now, keepMs }: ContentReaderOptions): ContentReader {
  return {
    async read(row) {
      const found = await store.content(row);
      const keptUntil = row.at + keepMs;
      if (found === undefined || found.ownerId !== row.ownerId || found.mode !== row.mode) return undefined;
      if (keptUntil <= now()) return undefined;
      try {
        const { d, q, a, c } = opened(sealing, found);
        const messages = d === undefined ? [] : wordsOf(d, q, a);
        return { messages, request: q, answer: a, isCut: c, keptUntil };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return { messages: [], request: null, answer: null, isCut: false, keptUntil, fault: error.message };
      }
    },
  };
}

function opened(sealing: Sealing | undefined, found: RequestContentRecord): Sealed {
  if (sealing !== undefined) return sealing.open(found.sealed, placeOf(found)) as unknown as Sealed;
  throw new GatewayError(
    'unavailable',
    'the stored data cannot be read: it is encrypted, and this gateway has no key; the operator can add the key to security.encryption_key again',
  );
}

export interface ContentSweeper {
  /** Removes what is out of date; runs by itself every ten minutes. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export interface ContentSweeperOptions {
  readonly store: Pick<RequestLogStore, 'sweepContents'>;
  readonly now: () => number;
  readonly log: Log;
  readonly keepMs: number;
}

/** Makes what removes contents that are out of date, also where nothing is kept any more. */
export function createContentSweeper({ store, now, log, keepMs }: ContentSweeperOptions): ContentSweeper {
  let sweeping: Promise<void> | undefined;
  const sweepAll = async (): Promise<void> => {
    try {
      await sweepInSteps({ remove: (limit) => store.sweepContents(now() - keepMs, limit), limit: SWEPT_AT_ONCE });
    } catch (error) {
      log.warn({ err: error }, 'prompts and answers that are out of date could not be removed');
    }
  };
  const sweep = (): Promise<void> => (sweeping ??= sweepAll().finally(() => (sweeping = undefined)));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS);
  timer.unref();
  return {
    sweep,
    async stop() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
