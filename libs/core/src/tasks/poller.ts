/**
 * Polling open tasks (docs/architecture.md#tasks). The rows are the queue; each account has its own number of polls at once, so
 * that a vendor that hangs delays no other.
 */
import type { TaskRecord, TaskWorkSpan } from '../ports.ts';
import { createClockWatch, type ClockWatch } from './clock-watch.ts';
import { createLeases, LEASE_MS, type Leases } from './leases.ts';
import type { ResultFiles } from './results.ts';
import type { Settler } from './settle.ts';
import { VendorCheck } from './vendor-check.ts';
import type { TaskParts } from './types.ts';
import { createWorkLoop, type WorkLoop } from './work-loop.ts';

const POLLS_PER_ACCOUNT = 32;
const POLL_TIMEOUT_SECONDS = 30;
const CLAIM_AT_ONCE = 256;
/** Rows of other processes fall due too: never sleep longer than this. */
const LONGEST_SLEEP_MS = 2_000;
const SHORTEST_SLEEP_MS = 20;

export interface PollerOptions {
  readonly parts: TaskParts;
  readonly settler: Settler;
  readonly results: ResultFiles;
}

/** Polls the tasks that fall due, for one process. */
export class Poller {
  private readonly parts: TaskParts;
  private readonly settler: Settler;
  private readonly check: VendorCheck;
  private readonly leases: Leases;
  private readonly clock: ClockWatch;
  private readonly loop: WorkLoop;
  private readonly maxPerAccount: number;
  /** Polls under way, by account. */
  private readonly inFlight = new Map<number, number>();
  private readonly polls = new Set<Promise<void>>();
  private onRoom: (() => void) | undefined;
  private claiming: Promise<number> | undefined;
  /** When the loop will look again by itself. */
  private nextRoundAt = 0;

  constructor({ parts, settler, results }: PollerOptions) {
    const { store, now, log, settings } = parts;
    const timeoutMs = (settings.pollTimeoutSeconds ?? POLL_TIMEOUT_SECONDS) * 1000;
    this.parts = parts;
    this.settler = settler;
    this.check = new VendorCheck(parts, results, timeoutMs);
    this.maxPerAccount = settings.pollsPerAccount ?? POLLS_PER_ACCOUNT;
    this.leases = createLeases({ store, now, log, longestMs: timeoutMs + results.longestMs });
    this.clock = createClockWatch({ now, elapsed: settings.elapsed }, (ms) =>
      log.warn({ seconds: Math.round(ms / 1000) }, 'the clock was set back; what was due by it is due now'),
    );
    this.loop = createWorkLoop(() => this.runRound());
  }

  /** Polls everything that is due, and waits for the answers. Returns how many tasks were polled. */
  async runDue(): Promise<number> {
    let asked = 0;
    for (;;) {
      const claimed = await this.claimDue();
      asked += claimed;
      if (this.polls.size === 0 && claimed === 0) return asked;
      if (this.polls.size > 0) await Promise.race([this.room(), Promise.all(this.polls)]);
    }
  }

  /** How many polls are under way. */
  running(): number {
    return this.polls.size;
  }

  /** Something falls due at this time. */
  wake(dueAt: number): void {
    if (dueAt < this.nextRoundAt) this.loop.wake();
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves when the polls under way have ended. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.polls);
  }

  // ---- claiming ----------------------------------------------------------------------------------------------

  private async runRound(): Promise<number> {
    this.onRoom = undefined;
    let pause = LONGEST_SLEEP_MS;
    try {
      await this.claimDue();
      pause = await this.sleepMs();
    } catch (error) {
      this.parts.log.error({ error }, 'the due tasks could not be claimed');
    }
    this.nextRoundAt = this.parts.now() + pause;
    this.onRoom = () => {
      this.onRoom = undefined;
      this.loop.wake();
    };
    return pause;
  }

  private async sleepMs(): Promise<number> {
    const due = await this.parts.store.tasks.nextDue();
    if (due === undefined) return LONGEST_SLEEP_MS;
    const wait = due - this.parts.now();
    // Overdue and yet not claimed: its account is at its bound, and room is announced.
    if (wait <= 0) return LONGEST_SLEEP_MS / 8;
    return Math.min(LONGEST_SLEEP_MS, Math.max(SHORTEST_SLEEP_MS, wait));
  }

  /** Claims what is due within the accounts' bounds and begins to poll. One claim runs at a time. */
  private claimDue(): Promise<number> {
    this.claiming ??= this.claimAll().finally(() => (this.claiming = undefined));
    return this.claiming;
  }

  private async claimAll(): Promise<number> {
    const { store, now } = this.parts;
    let launched = 0;
    await this.followClock();
    for (;;) {
      const free = [...this.inFlight].map(([id, count]) => [id, Math.max(0, this.maxPerAccount - count)] as const);
      const at = now();
      const leaseUntil = at + LEASE_MS;
      const claimed = await store.tasks.claimDue({
        now: at,
        leaseUntil,
        limit: CLAIM_AT_ONCE,
        perAccount: new Map(free),
        defaultPerAccount: this.maxPerAccount,
      });
      for (const task of claimed) this.launch(task, leaseUntil);
      launched += claimed.length;
      if (claimed.length === 0) return launched;
    }
  }

  /** What a clock that was ahead has made due is due now: to poll once too early does no harm. */
  private async followClock(): Promise<void> {
    const dueAfter = this.clock.wrongAfter();
    if (dueAfter === undefined) return;
    const { store, now } = this.parts;
    await store.tasks.makeDue(dueAfter, now());
    await store.webhooks.makeDue(dueAfter, now());
  }

  private launch(task: TaskRecord, leaseUntil: number): void {
    this.inFlight.set(task.accountId, (this.inFlight.get(task.accountId) ?? 0) + 1);
    const releaseLease = this.leases.hold(task.id, leaseUntil);
    const poll = this.traced(task)
      .catch((error: unknown) => this.parts.log.error({ task: task.id, error }, 'a task could not be polled'))
      .finally(() => {
        releaseLease();
        this.countEnd(task.accountId);
        this.polls.delete(poll);
      });
    this.polls.add(poll);
  }

  private countEnd(accountId: number): void {
    const left = (this.inFlight.get(accountId) ?? 1) - 1;
    if (left <= 0) this.inFlight.delete(accountId);
    else this.inFlight.set(accountId, left);
    // Claiming again for every answer would ask the database too often: half of the bound is room enough.
    if (left <= this.maxPerAccount / 2) this.onRoom?.();
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      this.onRoom = () => {
        this.onRoom = undefined;
        resolve();
      };
    });
  }

  // ---- one task ----------------------------------------------------------------------------------------------

  private traced(task: TaskRecord): Promise<void> {
    const { tracing } = this.parts;
    if (tracing === undefined) return this.poll(task, undefined);
    const { id, vendor, model, state, checks, traceParent } = task;
    const attributes = {
      'gateway.vendor': vendor,
      'gateway.task.state': state,
      'gateway.task.checks': checks,
      'gen_ai.request.model': model,
    };
    return tracing.work({ name: 'poll', taskId: id, traceParent, attributes }, (span) => this.poll(task, span));
  }

  private async poll(task: TaskRecord, span: TaskWorkSpan | undefined): Promise<void> {
    const { parts } = this;
    const { meter, log } = parts;
    const begun = performance.now();
    parts.step?.('poll.claimed');
    const news = await this.check.newsOf(task);
    if (news === undefined) return;
    parts.step?.('poll.answered');
    span?.outcome(news.state, news.state === 'fault' || news.state === 'unknown');
    meter.count('gateway_task_polls_total', { vendor: task.vendor, outcome: news.state });
    meter.observe('gateway_task_poll_seconds', (performance.now() - begun) / 1000, { vendor: task.vendor });
    if (news.state === 'unknown') {
      meter.count('gateway_task_unknown_words_total', { vendor: task.vendor });
      log.warn({ task: task.id, vendor: task.vendor, word: news.word.slice(0, 80) }, 'unknown status word');
    }
    await this.settler.apply(task, news, 'usage' in news ? news.usage : undefined);
  }
}
