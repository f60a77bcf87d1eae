/**
 * Answers in the background (docs/architecture.md#responses): a row with its hold, claimed by one process at a time. A model is asked once: when the
 * process that asked is gone, the response has failed and costs nothing.
 */
import { randomUUID } from 'node:crypto';
import { keptResponses } from '@model-gateway/translate';
import type { ResponseRecord, Tenant } from '../ports.ts';
import { CLAIM_MS, ClaimedWork, drain } from '../tasks/work-loop.ts';
import type { Archive } from './archive.ts';
import { BackgroundAnswerer } from './background-answerer.ts';
import { createEnqueue } from './enqueue.ts';
import type { EventLog } from './event-log.ts';
import type { Enqueue } from './kept-chat.ts';
import type { ResponseParts } from './types.ts';

const LONGEST_PAUSE_MS = 2_000;
const AT_ONCE = 64;
/** One tenant may have a quarter of all. */
const TENANT_SHARE = 4;

interface Run {
  readonly record: ResponseRecord;
  readonly controller: AbortController;
}

/** The worker of one process. */
export class Background {
  /** Puts a request into the queue; see `createEnqueue`. */
  readonly enqueue: Enqueue;
  private readonly parts: ResponseParts;
  private readonly archive: Archive;
  private readonly events: EventLog;
  private readonly answerer: BackgroundAnswerer;
  private readonly work: ClaimedWork;
  /** The name under which this process claims. */
  private readonly claimant: string;
  private readonly maxRuns: number;
  private readonly runs = new Map<string, Run>();

  constructor(parts: ResponseParts, archive: Archive, events: EventLog) {
    this.parts = parts;
    this.archive = archive;
    this.events = events;
    this.claimant = `${parts.process} ${randomUUID()}`;
    this.maxRuns = parts.atOnce ?? AT_ONCE;
    this.answerer = new BackgroundAnswerer({ parts, archive, events, claimant: this.claimant });
    this.work = new ClaimedWork({
      round: () => this.runRound(),
      renew: () => this.renew(),
      renewalFailed: (error) => parts.log.warn({ err: error }, 'claims of responses could not be renewed'),
      abort: () => {
        for (const { controller } of this.runs.values()) controller.abort();
      },
      pause: parts.pause,
    });
    this.enqueue = createEnqueue({ parts, archive, events, queued: () => this.work.wake() });
  }

  /** Ends an answer; a finished one stays as it is. Undefined where the tenant has none such. */
  async cancel(tenant: Tenant, record: ResponseRecord): Promise<ResponseRecord | undefined> {
    const { store, now } = this.parts;
    const reply = { ...this.archive.openReply(record), status: 'cancelled' };
    const number = (await store.responses.lastEvent(record.id)) + 1;
    const event = this.archive.sealEvents(record, [keptResponses.endingEvent(reply, number)], number);
    const cancelled = { reply: this.archive.sealReply(record, reply), event };
    const changed = await store.responses.cancel(tenant, record.id, cancelled, now());
    this.runs.get(record.id)?.controller.abort();
    this.events.changed(record.id);
    return changed;
  }

  /** Claims what is due and works until nothing is; tests. */
  async workAll(): Promise<void> {
    await drain(() => this.claimDue(), this.work.running);
  }

  /** Keeps the claims of what is worked on, and aborts what was cancelled or taken over; runs by itself every five seconds. */
  async renew(): Promise<void> {
    const { store, now } = this.parts;
    const ids = [...this.runs.keys()];
    if (ids.length === 0) return;
    const renewed = await store.responses.renewClaims(ids, this.claimant, now() + CLAIM_MS);
    const claims = new Map(renewed.map((each) => [each.id, each]));
    for (const id of ids) if (claims.get(id)?.cancelRequested !== false) this.runs.get(id)?.controller.abort();
  }

  start(): void {
    this.work.start();
  }

  /** Waits for what is under way, for ten seconds at most; what is not finished then has failed. */
  stop(): Promise<void> {
    return this.work.stop();
  }

  private async runRound(): Promise<number> {
    const { store, now, log } = this.parts;
    try {
      await this.claimDue();
      const due = await store.responses.nextDue();
      return Math.min(LONGEST_PAUSE_MS, Math.max(50, (due ?? Infinity) - now()));
    } catch (error) {
      log.warn({ err: error }, 'background responses could not be read');
      return LONGEST_PAUSE_MS;
    }
  }

  private async claimDue(): Promise<number> {
    const { store, now } = this.parts;
    const limit = this.maxRuns - this.runs.size;
    if (limit <= 0 || this.work.isStopping) return 0;
    const claimed = await store.responses.claimDue({
      by: this.claimant,
      now: now(),
      until: now() + CLAIM_MS,
      limit,
      except: this.tenantsAtTheirShare(),
    });
    for (const record of claimed) {
      // After a jump of the clock it may be this process's own.
      if (this.runs.has(record.id)) continue;
      this.work.begin(this.run(record));
    }
    return claimed.length;
  }

  private async run(record: ResponseRecord): Promise<void> {
    const controller = new AbortController();
    this.runs.set(record.id, { record, controller });
    try {
      await this.answerer.work(record, controller.signal);
    } finally {
      this.runs.delete(record.id);
    }
  }

  private tenantsAtTheirShare(): readonly Tenant[] {
    const most = this.maxRuns / TENANT_SHARE;
    const records = [...this.runs.values()].map(({ record }) => record);
    const byTenant = Map.groupBy(records, ({ ownerId, mode }) => `${ownerId} ${mode}`);
    return [...byTenant.values()].flatMap((each) => (each.length >= most ? each.slice(0, 1) : []));
  }
}
