/** Streams that are read again, from where their reader stopped: what is written down first, then what comes, whichever process brings it. */
import { GatewayError } from '@model-gateway/contracts';
import { eventBehind } from '@model-gateway/translate';
import type { Parts } from '../parts.ts';
import type { Store, StreamLogReading, StreamLogState, Tenant } from '../ports.ts';
import type { StreamRecorder } from './recorder.ts';

/** How often a stream of another process is looked at: at once after news, then more and more seldom. */
const FIRST_LOOK_MS = 50;
const SLOWEST_LOOK_MS = 1_000;
/** Readers of one tenant in one process. */
const MOST_READERS = 64;
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = Buffer.from(': keep-alive\n');

export interface Followed {
  /** The dialect's name. */
  readonly format: string;
  /** Whole events; its return value says how the stream ended. Leaves off, as `open`, when the reader goes. */
  readonly events: AsyncGenerator<Uint8Array, StreamLogState, undefined>;
}

export interface Following {
  readonly tenant: Tenant;
  readonly id: string;
  /** The number of the last event that is known; 0 for all of them. */
  readonly after: number;
  /** Aborted when the reader has gone. */
  readonly signal: AbortSignal;
}

export interface StreamFollowerOptions extends Pick<Parts, 'now'> {
  readonly store: Pick<Store, 'streamLogs'>;
  readonly recorder: Pick<StreamRecorder, 'written' | 'catchUp'>;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type FollowStream = (following: Following) => Promise<Followed>;

/**
 * Makes the reader of kept streams. It throws `not_found` for a stream that there is not, any more or for this tenant; `invalid_request` for
 * a number that no event of an ended stream has; `rate_limited` when the tenant reads too many.
 */
export function createStreamFollower({ store, recorder, now, pause }: StreamFollowerOptions): FollowStream {
  const readers = new Map<string, number>();

  const read = async ({ id, tenant }: Following, after: number): Promise<StreamLogReading> => {
    const reading = await store.streamLogs.read(id, tenant, after, now());
    if (reading === undefined) throw missing(id);
    return reading;
  };
  async function* eventsOf(following: Following, first: StreamLogReading) {
    const { id, signal } = following;
    let { after } = following;
    let wait = FIRST_LOOK_MS;
    let reading = first;
    let written = recorder.written(id);
    let saidAt = now();
    for (;;) {
      for (const { last, bytes } of reading.batches) {
        yield bytes.subarray(eventBehind(bytes, after));
        after = last;
        wait = FIRST_LOOK_MS;
        saidAt = now();
      }
      if (after >= reading.events && reading.state !== 'open') return reading.state;
      if (reading.batches.length === 0) {
        await (written === undefined ? pause(wait, signal) : Promise.race([written, pause(SLOWEST_LOOK_MS, signal)]));
        wait = Math.min(SLOWEST_LOOK_MS, wait * 2);
        if (signal.aborted) return 'open';
        if (now() - saidAt >= KEEP_ALIVE_MS) {
          saidAt = now();
          yield KEEP_ALIVE;
        }
      }
      // Before it is read: what is written meanwhile is told.
      written = recorder.written(id);
      reading = await read(following, after);
    }
  }
  async function* counted(tenant: string, events: ReturnType<typeof eventsOf>): Followed['events'] {
    readers.set(tenant, (readers.get(tenant) ?? 0) + 1);
    try {
      return yield* events;
    } finally {
      const left = (readers.get(tenant) ?? 1) - 1;
      if (left === 0) readers.delete(tenant);
      else readers.set(tenant, left);
    }
  }

  return async (following) => {
    const tenant = `${following.tenant.ownerId} ${following.tenant.mode}`;
    const count = readers.get(tenant) ?? 0;
    if (count >= MOST_READERS)
      throw new GatewayError('rate_limited', `your account reads ${MOST_READERS} streams already; close one first`, {
        retryAfterSeconds: 5,
      });
    await recorder.catchUp(following.id);
    const first = await read(following, following.after);
    if (first.state === 'ended' && following.after > first.events)
      throw new GatewayError(
        'invalid_request',
        `Last-Event-ID is ${following.after}, and the stream has ${first.events} events`,
        { param: 'Last-Event-ID' },
      );
    return { format: first.format, events: counted(tenant, eventsOf(following, first)) };
  };
}

function missing(id: string): GatewayError {
  return new GatewayError(
    'not_found',
    `there is no stream '${id.slice(0, 100)}': streams are kept for ten minutes after their end, for the owner and mode of the key that started them`,
    { param: 'stream_id' },
  );
}
