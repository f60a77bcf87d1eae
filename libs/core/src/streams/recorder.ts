/**
 * Streams that are kept while they run: what is said is written down in batches, for all streams of the process together, and the process
 * says every few seconds that it lives (docs/decisions/0024-streams-that-survive.md).
 */
import { setTimeout as pauseFor } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/contracts';
import { createEventNumbering } from '@model-gateway/translate';
import type { Parts } from '../parts.ts';
import type { Store, StreamLife, StreamLogState, StreamUpdate, Tenant } from '../ports.ts';

/** How long a reader on another replica waits for what was just said, at most; a row holds what a stream said meanwhile. */
const FLUSH_MS = 250;
/** The same for one in this process. */
const FOLLOWED_FLUSH_MS = 100;
const RETRY_MS = 500;
export const STREAM_LIFE: StreamLife = { aliveMs: 20_000, keptMs: 10 * 60_000 };
const TEND_MS = 5_000;
/** Without its caller a stream is read on for so long. */
export const READ_ON_MS = 10 * 60_000;
/** More of one stream is not kept. */
export const LARGEST_STREAM = 8 * 1024 * 1024;
/** Of all streams of one tenant. Looked at when one begins, `ROOM_MS` or `LARGEST_STREAM` bytes of ended ones after the last look. */
export const LARGEST_TENANT = 64 * 1024 * 1024;
const ROOM_MS = 5_000;
const SWEPT_AT_ONCE = 200;
/** What was begun may end by itself when the process stops. */
const LAST_STREAMS_MS = 5_000;

/** One stream that is kept. */
export interface Recording {
  readonly id: string;
  /** Aborted when the stream is read for nobody: its caller left before it began, or longer ago or with more to come than is kept. */
  readonly signal: AbortSignal;
  /** The caller knows the id from now on: when it leaves the stream is read on. */
  begin(): void;
  /** Keeps some events and gives them with their numbers, to be sent. */
  write(events: Uint8Array | string): Buffer;
  /** There is nothing more to come. */
  end(): void;
  /** The stream never began. */
  discard(): Promise<void>;
}

export interface NewRecording {
  readonly tenant: Tenant;
  /** The dialect's name. */
  readonly format: string;
  /** Aborted when the caller has gone. */
  readonly gone: AbortSignal;
}

export interface StreamRecorder {
  /** Throws `rate_limited` where the tenant has too many streams of this sort that run. */
  open(stream: NewRecording): Promise<Recording>;
  /** Resolves when more of this stream was written down; undefined where it does not run here. */
  written(id: string): Promise<void> | undefined;
  /** Writes down what is known here of this stream, before somebody reads it. Never rejects. */
  catchUp(id: string): Promise<void>;
  /** Says that what runs is alive, lets go what nobody comes back for, and removes what is over. Runs by itself after `start`. */
  tend(): Promise<void>;
  start(): void;
  /** Waits so many milliseconds for what runs, and lets go what is left. */
  stop(lastMs?: number): Promise<void>;
}

export interface StreamRecorderOptions extends Pick<Parts, 'now' | 'log' | 'randomId'> {
  readonly store: Pick<Store, 'streamLogs'>;
  /** Streams of one tenant that run at once. */
  readonly mostRunning: number;
}

interface Running {
  readonly id: string;
  state: StreamLogState;
  events: number;
  size: number;
  waiting: Buffer[];
  waitingFrom: number;
  leftAt: number | undefined;
  readonly over: AbortController;
  /** Told at every write. */
  readonly readers: Set<() => void>;
}

/** Makes the recorder of one process. */
export function createStreamRecorder(options: StreamRecorderOptions): StreamRecorder {
  const { store, now, log, randomId, mostRunning } = options;
  const running = new Map<string, Running>();
  let timer: NodeJS.Timeout | undefined;
  /** How long the timer was set for. */
  let timerMs = 0;
  let tending: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let tellsAll = false;
  /** By tenant, when it was last looked at whether it keeps too much, and the bytes of its streams that have ended here since. */
  const looks = new Map<string, { readonly at: number; ended: number }>();
  const isLookDue = (tenant: string, at: number): boolean => {
    const last = looks.get(tenant);
    return last === undefined || at - last.at >= ROOM_MS || last.ended >= LARGEST_STREAM;
  };

  const schedule = (ms: number): void => {
    if (timer !== undefined) {
      if (timerMs <= ms) return;
      clearTimeout(timer);
    }
    timerMs = ms;
    timer = setTimeout(() => {
      timer = undefined;
      void flushOrRetry();
    }, ms).unref();
  };
  /** What waits of each stream now; when all are to be told alive, every stream. */
  const takeUpdates = (): { readonly update: StreamUpdate; readonly stream: Running }[] => {
    const taken = [];
    for (const stream of running.values()) {
      const { id, state, events, size, waiting, waitingFrom } = stream;
      const hasRow = tellsAll || state !== 'open';
      if (!hasRow && waiting.length === 0) continue;
      stream.waiting = [];
      const update = {
        id,
        ...(hasRow && { row: { state, events, size } }),
        ...(waiting.length > 0 && { batch: { first: waitingFrom, last: events, bytes: Buffer.concat(waiting) } }),
      };
      taken.push({ stream, update });
    }
    tellsAll = false;
    return taken;
  };
  const writeWaiting = async (): Promise<void> => {
    const toldAll = tellsAll;
    const taken = takeUpdates();
    if (taken.length === 0) return;
    try {
      await store.streamLogs.append(
        taken.map(({ update }) => update),
        STREAM_LIFE,
        now(),
      );
    } catch (error) {
      tellsAll ||= toldAll;
      for (const { stream, update } of taken) {
        if (update.batch === undefined) continue;
        stream.waiting.unshift(Buffer.from(update.batch.bytes));
        stream.waitingFrom = update.batch.first;
      }
      throw error;
    }
    for (const { stream, update } of taken) {
      const isOver = update.row !== undefined && update.row.state !== 'open';
      if (isOver && stream.waiting.length === 0) running.delete(stream.id);
      for (const tell of stream.readers) tell();
    }
  };
  const flush = async (): Promise<void> => {
    // What is under way may have begun without the last events.
    await writing?.catch(() => undefined);
    await (writing ??= writeWaiting().finally(() => (writing = undefined)));
  };

  const write = (
    stream: Running,
    number: ReturnType<typeof createEventNumbering>,
    events: Uint8Array | string,
  ): Buffer => {
    const { bytes, events: kept, count } = number.push(events);
    if (stream.state !== 'open' || kept.length === 0) return bytes;
    if (stream.size + kept.length > LARGEST_STREAM) {
      stream.state = 'cut';
      if (stream.leftAt !== undefined) stream.over.abort();
    } else {
      if (stream.waiting.length === 0) stream.waitingFrom = stream.events + 1;
      stream.waiting.push(kept);
      stream.events += count;
      stream.size += kept.length;
    }
    schedule(stream.readers.size === 0 ? FLUSH_MS : FOLLOWED_FLUSH_MS);
    return bytes;
  };
  const flushOrRetry = async (): Promise<void> => {
    try {
      await flush();
    } catch (error) {
      log.warn({ err: error, streams: running.size }, 'streams could not be written down; they are tried again');
      schedule(RETRY_MS);
    }
  };
  const hasUnwrittenEnds = (): boolean => [...running.values()].some(({ state }) => state !== 'open');
  const tend = async (): Promise<void> => {
    const at = now();
    for (const { leftAt, over } of running.values())
      if (leftAt !== undefined && at - leftAt >= READ_ON_MS) over.abort();
    for (const tenant of looks.keys()) if (isLookDue(tenant, at)) looks.delete(tenant);
    tellsAll = true;
    await flush();
    while ((await store.streamLogs.sweep(at, SWEPT_AT_ONCE)) === SWEPT_AT_ONCE);
  };

  return {
    async open({ tenant: { ownerId, mode }, format, gone }) {
      const id = `stream_${randomId()}`;
      const at = now();
      const tenant = `${ownerId} ${mode}`;
      const looksNow = isLookDue(tenant, at);
      if (looksNow) looks.set(tenant, { at, ended: 0 });
      const bounds = { running: mostRunning, bytes: looksNow ? LARGEST_TENANT : undefined };
      const isOpened = (): Promise<boolean> =>
        store.streamLogs.open({ id, ownerId, mode, format }, bounds, STREAM_LIFE, now());
      if (!(await isOpened())) {
        // Those that ended here a moment ago run no more.
        if (!hasUnwrittenEnds()) throw tooMany(mostRunning);
        await flushOrRetry();
        if (!(await isOpened())) throw tooMany(mostRunning);
      }
      const over = new AbortController();
      const stream: Running = {
        id,
        state: 'open',
        events: 0,
        size: 0,
        waiting: [],
        waitingFrom: 1,
        leftAt: undefined,
        over,
        readers: new Set(),
      };
      running.set(id, stream);
      let isBegun = false;
      const onGone = (): void => {
        stream.leftAt = now();
        // Nobody knows its id, or not all of it is there to come back for.
        if (!isBegun || stream.state !== 'open') over.abort();
      };
      gone.addEventListener('abort', onGone, { once: true });
      if (gone.aborted) onGone();
      const number = createEventNumbering();
      return {
        id,
        signal: over.signal,
        begin: () => (isBegun = true),
        write: (events) => write(stream, number, events),
        end() {
          gone.removeEventListener('abort', onGone);
          if (stream.state === 'open') stream.state = 'ended';
          const look = looks.get(tenant);
          if (look !== undefined) look.ended += stream.size;
          schedule(stream.readers.size === 0 ? FLUSH_MS : FOLLOWED_FLUSH_MS);
        },
        async discard() {
          gone.removeEventListener('abort', onGone);
          running.delete(id);
          await store.streamLogs
            .remove(id)
            .catch((error: unknown) => log.warn({ err: error }, 'a stream that never began could not be removed'));
        },
      };
    },
    written(id) {
      const stream = running.get(id);
      return stream === undefined
        ? undefined
        : new Promise((resolve) => {
            const tell = (): void => {
              stream.readers.delete(tell);
              resolve();
            };
            stream.readers.add(tell);
            if (hasMore(stream)) schedule(FOLLOWED_FLUSH_MS);
          });
    },
    async catchUp(id) {
      const stream = running.get(id);
      if (stream !== undefined && hasMore(stream)) await flushOrRetry();
    },
    tend,
    start() {
      tending ??= setInterval(() => {
        tend().catch((error: unknown) => log.warn({ err: error }, 'streams could not be looked after'));
      }, TEND_MS).unref();
    },
    async stop(lastMs = LAST_STREAMS_MS) {
      clearInterval(tending);
      const stopAt = performance.now() + lastMs;
      while (running.size > 0 && performance.now() < stopAt) {
        if (hasUnwrittenEnds()) await flushOrRetry();
        if (running.size > 0) await pauseFor(20);
      }
      for (const stream of running.values()) {
        stream.over.abort();
        if (stream.state === 'open') stream.state = 'lost';
      }
      clearTimeout(timer);
      await flush().catch((error: unknown) => log.warn({ err: error }, 'the last streams could not be written down'));
    },
  };
}

/** Whether the database does not know all of it. */
function hasMore({ waiting, state }: Running): boolean {
  return waiting.length > 0 || state !== 'open';
}

function tooMany(most: number): GatewayError {
  return new GatewayError(
    'rate_limited',
    most === 0
      ? 'x-gateway-resumable: this gateway keeps no streams; send the request without it'
      : `x-gateway-resumable: ${most} streams of your account that can be resumed run already; wait for one to end, or send the request without it`,
    { param: 'x-gateway-resumable', retryAfterSeconds: 5 },
  );
}
