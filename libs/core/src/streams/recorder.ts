/**
 * Streams that are kept while they run: what is said is written down in batches, for all streams of the process together, and the process
 * says every few seconds that it lives (docs/decisions/0024-streams-that-survive.md).
 */
import { setTimeout as pauseFor } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/contracts';
import { createEventNumbering } from '@model-gateway/translate';
import type { Parts } from '../parts.ts';
import type { Store, StreamLife, StreamLogState, StreamUpdate, Tenant } from '../ports.ts';
import { sweepInSteps } from '../sweep-in-steps.ts';

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

export interface StreamRecorderOptions extends Pick<Parts, 'now' | 'log' | 'randomId'> {
  readonly store: Pick<Store, 'streamLogs'>;
  /** Streams of one tenant that run at once. */
  readonly maxRunning: number;
}

/** Begins, writes down and ends the streams of one process. */
export class StreamRecorder {
  private readonly options: StreamRecorderOptions;
  private readonly running = new Map<string, RunningStream>();
  /** By tenant, when it was last looked at whether it keeps too much, and the bytes of its streams that have ended here since. */
  private readonly roomChecks = new Map<string, { readonly at: number; ended: number }>();
  private flushTimer: NodeJS.Timeout | undefined;
  private flushTimerMs = 0;
  private tendTimer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  /** Whether the next batch says of every stream that it is alive. */
  private reportsAll = false;

  constructor(options: StreamRecorderOptions) {
    this.options = options;
  }

  /** Throws `rate_limited` where the tenant has too many streams of this sort that run. */
  async open({ tenant: { ownerId, mode }, format, gone }: NewRecording): Promise<Recording> {
    const { store, now, randomId, maxRunning } = this.options;
    const id = `stream_${randomId()}`;
    const at = now();
    const tenant = `${ownerId} ${mode}`;
    const checksRoom = this.isRoomCheckDue(tenant, at);
    if (checksRoom) this.roomChecks.set(tenant, { at, ended: 0 });
    const bounds = { running: maxRunning, bytes: checksRoom ? LARGEST_TENANT : undefined };
    const tryOpen = (): Promise<boolean> =>
      store.streamLogs.open({ id, ownerId, mode, format }, bounds, STREAM_LIFE, now());
    if (!(await tryOpen())) {
      // Those that ended here a moment ago run no more.
      if (!this.hasUnwrittenEnds()) throw tooManyStreams(maxRunning);
      await this.flushOrRetry();
      if (!(await tryOpen())) throw tooManyStreams(maxRunning);
    }
    const stream = new RunningStream(id, gone, {
      now,
      schedule: (ms) => this.schedule(ms),
      ended: (size) => {
        const check = this.roomChecks.get(tenant);
        if (check !== undefined) check.ended += size;
      },
      discard: () => this.discard(id),
    });
    this.running.set(id, stream);
    return stream;
  }

  /** Resolves when more of this stream was written down; undefined where it does not run here. */
  written(id: string): Promise<void> | undefined {
    return this.running.get(id)?.written();
  }

  /** Writes down what is known here of this stream, before somebody reads it. Never rejects. */
  async catchUp(id: string): Promise<void> {
    if (this.running.get(id)?.hasUnwritten() === true) await this.flushOrRetry();
  }

  /** Says that what runs is alive, lets go what nobody comes back for, and removes what is over. Runs by itself after `start`. */
  async tend(): Promise<void> {
    const { store, now } = this.options;
    const at = now();
    for (const stream of this.running.values()) stream.abandonAfter(at - READ_ON_MS);
    for (const tenant of this.roomChecks.keys()) if (this.isRoomCheckDue(tenant, at)) this.roomChecks.delete(tenant);
    this.reportsAll = true;
    await this.flush();
    await sweepInSteps({ remove: (limit) => store.streamLogs.sweep(at, limit), limit: SWEPT_AT_ONCE });
  }

  start(): void {
    this.tendTimer ??= setInterval(() => {
      this.tend().catch((error: unknown) => this.options.log.warn({ err: error }, 'streams could not be looked after'));
    }, TEND_MS).unref();
  }

  /** Waits so many milliseconds for what runs, and lets go what is left. */
  async stop(lastMs = LAST_STREAMS_MS): Promise<void> {
    clearInterval(this.tendTimer);
    const stopAt = performance.now() + lastMs;
    while (this.running.size > 0 && performance.now() < stopAt) {
      if (this.hasUnwrittenEnds()) await this.flushOrRetry();
      if (this.running.size > 0) await pauseFor(20);
    }
    for (const stream of this.running.values()) stream.lose();
    clearTimeout(this.flushTimer);
    await this.flush().catch((error: unknown) =>
      this.options.log.warn({ err: error }, 'the last streams could not be written down'),
    );
  }

  private isRoomCheckDue(tenant: string, at: number): boolean {
    const last = this.roomChecks.get(tenant);
    return last === undefined || at - last.at >= ROOM_MS || last.ended >= LARGEST_STREAM;
  }

  private hasUnwrittenEnds(): boolean {
    return [...this.running.values()].some(({ state }) => state !== 'open');
  }

  private async discard(id: string): Promise<void> {
    this.running.delete(id);
    await this.options.store.streamLogs
      .remove(id)
      .catch((error: unknown) =>
        this.options.log.warn({ err: error }, 'a stream that never began could not be removed'),
      );
  }

  // ---- writing down --------------------------------------------------------------------------------------------

  private schedule(ms: number): void {
    if (this.flushTimer !== undefined) {
      if (this.flushTimerMs <= ms) return;
      clearTimeout(this.flushTimer);
    }
    this.flushTimerMs = ms;
    this.flushTimer = setTimeout(() => {
      this.flushTimer = undefined;
      void this.flushOrRetry();
    }, ms).unref();
  }

  private async flushOrRetry(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      const streams = this.running.size;
      this.options.log.warn({ err: error, streams }, 'streams could not be written down; they are tried again');
      this.schedule(RETRY_MS);
    }
  }

  private async flush(): Promise<void> {
    // What is under way may have begun without the last events.
    await this.writing?.catch(() => undefined);
    await (this.writing ??= this.writeUpdates().finally(() => (this.writing = undefined)));
  }

  private async writeUpdates(): Promise<void> {
    const { store, now } = this.options;
    const { reportsAll } = this;
    const taken = [...this.running.values()].flatMap((stream) => {
      const update = stream.takeUpdate(reportsAll);
      return update === undefined ? [] : [{ stream, update }];
    });
    this.reportsAll = false;
    if (taken.length === 0) return;
    const updates = taken.map(({ update }) => update);
    try {
      await store.streamLogs.append(updates, STREAM_LIFE, now());
    } catch (error) {
      this.reportsAll ||= reportsAll;
      for (const { stream, update } of taken) stream.putBack(update);
      throw error;
    }
    for (const { stream, update } of taken) {
      if (stream.isOverAfter(update)) this.running.delete(stream.id);
      stream.wakeReaders();
    }
  }
}

/** What a stream asks of its recorder. */
interface StreamHost {
  readonly now: () => number;
  /** There is something to write down, within so many milliseconds. */
  readonly schedule: (ms: number) => void;
  readonly ended: (size: number) => void;
  readonly discard: () => Promise<void>;
}

/** A stream that runs, and what of it waits to be written down. */
class RunningStream implements Recording {
  readonly id: string;
  readonly signal: AbortSignal;
  state: StreamLogState = 'open';
  private readonly host: StreamHost;
  private readonly gone: AbortSignal;
  private readonly over = new AbortController();
  private readonly numbering = createEventNumbering();
  /** Told at every write to the database. */
  private readonly readers = new Set<() => void>();
  private events = 0;
  private size = 0;
  private waiting: Buffer[] = [];
  /** The number of the first event that waits. */
  private waitingFrom = 1;
  private leftAt: number | undefined;
  private isBegun = false;

  constructor(id: string, gone: AbortSignal, host: StreamHost) {
    this.id = id;
    this.gone = gone;
    this.host = host;
    this.signal = this.over.signal;
    gone.addEventListener('abort', this.onGone, { once: true });
    if (gone.aborted) this.onGone();
  }

  begin(): void {
    this.isBegun = true;
  }

  write(chunk: Uint8Array | string): Buffer {
    const { bytes, events, count } = this.numbering.push(chunk);
    if (this.state !== 'open' || events.length === 0) return bytes;
    if (this.size + events.length > LARGEST_STREAM) {
      this.state = 'cut';
      if (this.leftAt !== undefined) this.over.abort();
    } else {
      if (this.waiting.length === 0) this.waitingFrom = this.events + 1;
      this.waiting.push(events);
      this.events += count;
      this.size += events.length;
    }
    this.scheduleFlush();
    return bytes;
  }

  end(): void {
    this.gone.removeEventListener('abort', this.onGone);
    if (this.state === 'open') this.state = 'ended';
    this.host.ended(this.size);
    this.scheduleFlush();
  }

  discard(): Promise<void> {
    this.gone.removeEventListener('abort', this.onGone);
    return this.host.discard();
  }

  /** Resolves when more was written down. */
  written(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.readers.delete(wake);
        resolve();
      };
      this.readers.add(wake);
      if (this.hasUnwritten()) this.host.schedule(FOLLOWED_FLUSH_MS);
    });
  }

  wakeReaders(): void {
    for (const wake of this.readers) wake();
  }

  /** Whether the database does not know all of it. */
  hasUnwritten(): boolean {
    return this.waiting.length > 0 || this.state !== 'open';
  }

  /** Takes what waits; with its row where it has ended, or `withRow` says so. Undefined for nothing. */
  takeUpdate(withRow: boolean): StreamUpdate | undefined {
    const { id, state, events, size, waiting, waitingFrom } = this;
    const hasRow = withRow || state !== 'open';
    if (!hasRow && waiting.length === 0) return undefined;
    this.waiting = [];
    return {
      id,
      ...(hasRow && { row: { state, events, size } }),
      ...(waiting.length > 0 && { batch: { first: waitingFrom, last: events, bytes: Buffer.concat(waiting) } }),
    };
  }

  /** The update was not written: it waits again, before what came since. */
  putBack({ batch }: StreamUpdate): void {
    if (batch === undefined) return;
    this.waiting.unshift(Buffer.from(batch.bytes));
    this.waitingFrom = batch.first;
  }

  /** Whether nothing is left to be written after this update. */
  isOverAfter({ row }: StreamUpdate): boolean {
    return row !== undefined && row.state !== 'open' && this.waiting.length === 0;
  }

  /** Reads no further for a caller who left at that time or before. */
  abandonAfter(time: number): void {
    if (this.leftAt !== undefined && this.leftAt <= time) this.over.abort();
  }

  /** The process stops. */
  lose(): void {
    this.over.abort();
    if (this.state === 'open') this.state = 'lost';
  }

  private readonly onGone = (): void => {
    this.leftAt = this.host.now();
    // Nobody knows its id, or not all of it is there to come back for.
    if (!this.isBegun || this.state !== 'open') this.over.abort();
  };

  private scheduleFlush(): void {
    this.host.schedule(this.readers.size === 0 ? FLUSH_MS : FOLLOWED_FLUSH_MS);
  }
}

function tooManyStreams(most: number): GatewayError {
  return new GatewayError(
    'rate_limited',
    most === 0
      ? 'x-gateway-resumable: this gateway stores no streams; send the request without it'
      : `x-gateway-resumable: your account has ${most} resumable streams already; wait for one to end, or send the request without it`,
    { param: 'x-gateway-resumable', retryAfterSeconds: 5 },
  );
}
