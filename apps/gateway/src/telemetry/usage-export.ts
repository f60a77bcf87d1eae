/**
 * Usage rows as files in a bucket: one for each hour (UTC), NDJSON under gzip. An hour's file is always written whole and under the same
 * name, and again when the ledger has more of it, so that a row is in exactly one file, once. Any number of processes export side by side: who
 * writes an hour holds a claim on it in the database.
 */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import type {
  BlobStore,
  ExportedHour,
  Log,
  Meter,
  RequestIdentity,
  UsageEntry,
  UsageExportStore,
} from '@model-gateway/core';

const HOUR_MS = 3_600_000;
/** How far back rows may come late; and as far at the start, when nobody knows how long the bucket was away. */
const LATE_MS = 48 * HOUR_MS;
const LONGEST_AWAY_MS = 31 * 24 * HOUR_MS;
/** A claim is longer than a file may take to be written. */
const CLAIM_MS = 15 * 60_000;
const LONGEST_FILE_MS = 10 * 60_000;
const PAGE = 2_000;
/** After a round that left something behind. */
const RETRY_MS = 60_000;

export interface UsageExportOptions {
  readonly store: UsageExportStore;
  /** Opens the bucket at a folder, which ends in a slash. */
  readonly bucket: (folder: string) => Pick<BlobStore, 'put'>;
  readonly everyMs: number;
  /** Unguessable name of this process. */
  readonly process: string;
  readonly now: () => number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly meter: Pick<Meter, 'count'>;
}

export interface UsageExport {
  /** Writes every hour whose file is not what the ledger has of it. Resolves with how many were written. */
  run(): Promise<number>;
  /** Milliseconds since the last round that left nothing behind; since the start where there was none. */
  lagMs(): number;
  start(): void;
  stop(): Promise<void>;
}

/** Makes the export of one process. */
export function createUsageExport(options: UsageExportOptions): UsageExport {
  const { store, bucket, everyMs, process, now, log, meter } = options;
  const startedAt = now();
  let cleanAt: number | undefined;
  let stopped = false;
  let running: Promise<number> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** False when somebody else has the hour in hand. */
  const write = async (hour: number): Promise<boolean> => {
    const begun = now();
    if (!(await store.claim(hour, { process, until: begun + CLAIM_MS, now: begun }))) return false;
    try {
      const { folder, name } = placeOf(hour);
      const written: Writing = { rows: 0, lastEntry: 0 };
      const lines = linesOf(store, hour, written, () => {
        if (now() - begun > LONGEST_FILE_MS) throw new Error('the hour took too long to be read');
      });
      const gzip = Readable.from(lines).compose(createGzip()) as AsyncIterable<Uint8Array>;
      await bucket(folder).put(name, 'application/gzip', gzip);
      await store.finish(hour, process, written, now());
      meter.count('gateway_usage_export_files_total', { outcome: 'written' });
      log.info({ file: folder + name, rows: written.rows }, 'usage was exported');
      return true;
    } catch (error) {
      meter.count('gateway_usage_export_files_total', { outcome: 'failed' });
      await store.release(hour, process).catch(() => undefined);
      throw error;
    }
  };

  const round = async (): Promise<number> => {
    const at = now();
    const first = (await store.firstHour()) ?? (await beginAt(store, hourOf(at), { process, now: at }));
    const back = Math.min(cleanAt ?? at - LONGEST_AWAY_MS + LATE_MS, at) - LATE_MS;
    let count = 0;
    for (const hour of await store.outdated(Math.max(first, hourOf(back)), at + HOUR_MS)) {
      if (stopped) return count;
      if (await write(hour)) count++;
    }
    cleanAt = at;
    return count;
  };
  const run = (): Promise<number> => (running ??= round().finally(() => (running = undefined)));

  const tick = async (): Promise<void> => {
    let pause = everyMs;
    try {
      await run();
    } catch (error) {
      log.warn({ err: error }, 'usage could not be exported; it is tried again');
      pause = Math.min(RETRY_MS, everyMs);
    }
    if (!isStopped()) timer = setTimeout(() => void tick(), pause).unref();
  };
  const isStopped = (): boolean => stopped;

  return {
    run,
    lagMs: () => now() - (cleanAt ?? startedAt),
    start: () => void tick(),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running?.catch(() => undefined);
    },
  };
}

type Writing = { -readonly [K in keyof ExportedHour]: ExportedHour[K] };

/** The first hour that is exported: the one in which the export was switched on. */
async function beginAt(
  store: UsageExportStore,
  hour: number,
  { process, now }: { readonly process: string; readonly now: number },
): Promise<number> {
  if (await store.claim(hour, { process, until: now, now })) await store.release(hour, process);
  return (await store.firstHour()) ?? hour;
}

function hourOf(time: number): number {
  return time - (time % HOUR_MS);
}

/** `2026-11-22/` and `10.ndjson.gz` */
function placeOf(hour: number): { readonly folder: string; readonly name: string } {
  const text = new Date(hour).toISOString();
  return { folder: `${text.slice(0, 10)}/`, name: `${text.slice(11, 13)}.ndjson.gz` };
}

/** The lines of an hour; `written` says at the end what they were. */
async function* linesOf(
  store: UsageExportStore,
  hour: number,
  written: Writing,
  check: () => void,
): AsyncGenerator<string> {
  for (;;) {
    const entries = await store.entries(hour, written.lastEntry, PAGE);
    check();
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries.map((entry) => `${JSON.stringify(lineOf(entry))}\n`).join('');
    written.rows += entries.length;
    written.lastEntry = last.id;
  }
}

/** One charge. Documented in docs/guides/observability.md: members are added, never changed. */
function lineOf(entry: UsageEntry): JsonObject {
  const { ownerId, detail } = entry;
  const identity = detail['identity'] as RequestIdentity | undefined;
  return {
    id: entry.id,
    at: new Date(entry.createdAt).toISOString(),
    request_id: entry.requestId ?? null,
    task_id: entry.taskId ?? null,
    owner_id: Math.abs(ownerId),
    key_id: entry.keyId ?? null,
    // Test keys pay from payers below zero.
    mode: ownerId < 0 ? 'test' : 'live',
    model: entry.model ?? null,
    endpoint: entry.endpoint ?? null,
    account_id: entry.accountId ?? null,
    input_tokens: entry.inputTokens,
    output_tokens: entry.outputTokens,
    usage: detail['usage'] ?? {},
    charged_units: entry.charged,
    charged_dollars: entry.charged / UNITS_PER_DOLLAR,
    shortfall_units: entry.shortfall,
    price_version: entry.priceVersion ?? null,
    tags: detail['tags'] ?? {},
    user: identity?.user ?? null,
    session: identity?.session ?? null,
    run: identity?.run ?? null,
  };
}
