/** The events of an answer in the background: written down in batches while it comes, read by whoever follows it, from any process. */
import type { JsonObject } from '@model-gateway/contracts';
import { keptResponses, nothingDelivered } from '@model-gateway/translate';
import type { ChatAnswer } from '../kinds/chat/types.ts';
import type { ResponseRecord } from '../ports.ts';
import type { Archive } from './archive.ts';
import type { ResponseParts } from './types.ts';

/** What comes in this time is written as one. */
const BATCH_MS = 100;
const BATCH_EVENTS = 256;
/** How often another process's answer is looked at. */
const LOOK_MS = 250;
const BATCHES_AT_ONCE = 50;

type Id = Pick<ResponseRecord, 'id' | 'ownerId' | 'mode'>;

export interface EventWriter {
  /** Gives the event its number and writes it with the next batch. */
  add(event: JsonObject): void;
  /** Writes what is left; rejects when the database does not take it. */
  flush(): Promise<void>;
  /** The number of the next event. */
  next(): number;
}

export interface EventLog {
  /** Numbers go on from `from`. */
  writer(of: Id, from: number): EventWriter;
  /** Events behind that number, as they come, to the end of the answer; ends early when the response is gone or the signal is aborted. */
  follow(of: Id, after: number, signal: AbortSignal): AsyncGenerator<JsonObject>;
  /** Those who follow it in this process look at once. */
  changed(id: string): void;
}

/** Makes the log of one process. */
export function createEventLog(parts: ResponseParts, archive: Archive): EventLog {
  const { store, now, log } = parts;
  const watchers = new Map<string, Set<() => void>>();
  const changed = (id: string): void => {
    for (const wake of watchers.get(id) ?? []) wake();
  };
  const change = (id: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const set = watchers.get(id) ?? new Set();
      watchers.set(id, set);
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        set.delete(done);
        if (set.size === 0 && watchers.get(id) === set) watchers.delete(id);
        resolve();
      };
      set.add(done);
      const timer = setTimeout(done, LOOK_MS);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });

  return {
    changed,
    writer(of, from) {
      let next = from;
      let waiting: JsonObject[] = [];
      let timer: NodeJS.Timeout | undefined;
      let writing: Promise<void> = Promise.resolve();
      const write = (): Promise<void> => {
        clearTimeout(timer);
        timer = undefined;
        if (waiting.length === 0) return writing;
        const batch = archive.sealEvents(of, waiting, next - 1);
        waiting = [];
        writing = writing.then(async () => {
          await store.responses.appendEvents(of.id, batch);
          changed(of.id);
        });
        return writing;
      };
      const writeSoon = (): void => {
        write().catch((error: unknown) => log.warn({ err: error, response: of.id }, 'events could not be written'));
      };
      return {
        add(event) {
          waiting.push({ ...event, sequence_number: next });
          next++;
          if (waiting.length >= BATCH_EVENTS) writeSoon();
          else timer ??= setTimeout(writeSoon, BATCH_MS);
        },
        flush: write,
        next: () => next,
      };
    },
    async *follow(of, after, signal) {
      let last = after;
      while (!signal.aborted) {
        // Its state first: what is written before its end is there when the end is seen.
        const record = await store.responses.find(of, of.id, now());
        if (record === undefined) return;
        for (;;) {
          const batches = await store.responses.events(of.id, last, BATCHES_AT_ONCE);
          for (const batch of batches) {
            for (const event of archive.openEvents(of, batch)) if (Number(event['sequence_number']) > last) yield event;
            last = batch.last;
          }
          if (batches.length < BATCHES_AT_ONCE) break;
        }
        if (!record.isOpen) return;
        await change(of.id, signal);
      }
    },
  };
}

/** The stream of what is written down. */
export function followed(
  events: EventLog,
  of: Pick<ResponseRecord, 'id' | 'ownerId' | 'mode'>,
  signal: AbortSignal,
  after = -1,
): ChatAnswer['reply'] & { readonly type: 'stream' } {
  return streamOf(events.follow(of, after, signal), signal);
}

/** The stream of events that were said before. */
export function streamOf(
  events: AsyncIterable<JsonObject | string>,
  signal: AbortSignal,
): ChatAnswer['reply'] & { readonly type: 'stream' } {
  return {
    type: 'stream',
    async pipe(sink) {
      for await (const event of events)
        if (!sink.write(typeof event === 'string' ? event : keptResponses.eventText(event))) await sink.drained();
      return {
        usage: undefined,
        delivered: nothingDelivered(),
        finished: true,
        failed: false,
        abandoned: signal.aborted,
        cut: false,
      };
    },
  };
}
