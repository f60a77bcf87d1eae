/**
 * Looking after open tasks (docs/architecture.md#tasks). The rows are the queue; accounts are asked side by side, each within its
 * own bound, so that one that hangs delays no other. A question that goes wrong is not a task that failed.
 */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { cleanVendorText, type Fault, type ProviderAdapter, type Upstream } from '@model-gateway/provider-kit';
import type { GatewayAccount } from '../catalogue.ts';
import { answeringRow } from '../paid/routed.ts';
import type { TaskRecord, TaskWorkSpan } from '../ports.ts';
import { keepable } from './payload.ts';
import type { ResultFiles } from './results.ts';
import type { Settler } from './settle.ts';
import { createClockWatch } from './clock-watch.ts';
import { messageOf, submissionUnknownReason } from './submit.ts';
import { createLeases, LEASE_MS } from './leases.ts';
import type { TaskParts, UpstreamHandle } from './types.ts';
import type { TaskNews } from './video-task.ts';
import { createWorkLoop } from './work-loop.ts';

const POLLS_PER_ACCOUNT = 32;
const POLL_TIMEOUT_SECONDS = 30;
const CLAIM_AT_ONCE = 256;
/** How long an unanswered submission is looked for by its dedupe key. */
const RECONCILE_FOR_MS = 3_600_000;
/** Rows of other processes fall due too: never sleep longer than this. */
const LONGEST_SLEEP_MS = 2_000;
const SHORTEST_SLEEP_MS = 20;

export interface Poller {
  /** Asks about everything due, and waits for the answers. Returns how many tasks were asked about. */
  runDue(): Promise<number>;
  /** Polls under way. */
  running(): number;
  /** Claims what is due within the accounts' bounds and begins to ask; answers come later. */
  pump(): Promise<number>;
  /** Asks about one task now, whether it is due or not. */
  lookAfter(task: TaskRecord): Promise<void>;
  /** Something falls due at this time. */
  wake(dueAt: number): void;
  start(): void;
  stop(): Promise<void>;
}

export interface PollerOptions {
  readonly parts: TaskParts;
  readonly settler: Settler;
  readonly results: ResultFiles;
}

/** Makes the poller of one process. */
export function createPoller({ parts, settler, results }: PollerOptions): Poller {
  const { store, now, log, meter, settings } = parts;
  const bound = settings.pollsPerAccount ?? POLLS_PER_ACCOUNT;
  const timeoutMs = (settings.pollTimeoutSeconds ?? POLL_TIMEOUT_SECONDS) * 1000;
  const inFlight = new Map<number, number>();
  const running = new Set<Promise<void>>();
  const leases = createLeases({ store, now, log, longestMs: timeoutMs + results.longestMs });
  const clock = createClockWatch({ now, elapsed: settings.elapsed }, (ms) =>
    log.warn({ seconds: Math.round(ms / 1000) }, 'the clock was set back; what was due by it is due now'),
  );
  let roomWanted: (() => void) | undefined;
  let pumping: Promise<number> | undefined;
  /** When the loop will look again by itself. */
  let looksAt = 0;

  const leave = (accountId: number): void => {
    const left = (inFlight.get(accountId) ?? 1) - 1;
    if (left <= 0) inFlight.delete(accountId);
    else inFlight.set(accountId, left);
    // Claiming again for every answer would ask the database too often: half of the bound is room enough.
    if (left <= bound / 2) roomWanted?.();
  };

  const launch = (task: TaskRecord, leaseUntil: number): void => {
    inFlight.set(task.accountId, (inFlight.get(task.accountId) ?? 0) + 1);
    const letGo = leases.hold(task.id, leaseUntil);
    const poll = lookAfter(task)
      .catch((error: unknown) => log.error({ task: task.id, error }, 'a task could not be looked after'))
      .finally(() => {
        letGo();
        leave(task.accountId);
        running.delete(poll);
      });
    running.add(poll);
  };

  /** What a clock that was ahead has made due is due now: to ask once too early does no harm. */
  const followClock = async (): Promise<void> => {
    const dueAfter = clock.wrongAfter();
    if (dueAfter === undefined) return;
    await store.tasks.makeDue(dueAfter, now());
    await store.webhooks.makeDue(dueAfter, now());
  };
  const claimAll = async (): Promise<number> => {
    let launched = 0;
    await followClock();
    for (;;) {
      const perAccount = new Map([...inFlight].map(([id, count]) => [id, Math.max(0, bound - count)]));
      const at = now();
      const leaseUntil = at + LEASE_MS;
      const claimed = await store.tasks.claimDue({
        now: at,
        leaseUntil,
        limit: CLAIM_AT_ONCE,
        perAccount,
        defaultPerAccount: bound,
      });
      for (const task of claimed) launch(task, leaseUntil);
      launched += claimed.length;
      if (claimed.length === 0) return launched;
    }
  };
  const pump = (): Promise<number> => {
    pumping ??= claimAll().finally(() => (pumping = undefined));
    return pumping;
  };
  const room = (): Promise<void> =>
    new Promise((resolve) => {
      roomWanted = () => {
        roomWanted = undefined;
        resolve();
      };
    });

  // ---- one task ----------------------------------------------------------------------------------------------

  const lookAfter = (task: TaskRecord): Promise<void> => {
    if (parts.tracing === undefined) return ask(task, undefined);
    const { id, vendor, model, state, checks, traceParent } = task;
    const attributes = {
      'gateway.vendor': vendor,
      'gateway.task.state': state,
      'gateway.task.checks': checks,
      'gen_ai.request.model': model,
    };
    return parts.tracing.work({ name: 'poll', taskId: id, traceParent, attributes }, (span) => ask(task, span));
  };

  const ask = async (task: TaskRecord, span: TaskWorkSpan | undefined): Promise<void> => {
    const begun = performance.now();
    parts.step?.('poll.claimed');
    const account = parts.catalogue().accounts.find(({ id }) => id === task.accountId);
    const news = await newsOf(task, account).catch((error: unknown) => faultOf(task, error));
    if (news === undefined) return;
    parts.step?.('poll.answered');
    span?.outcome(news.state, news.state === 'fault' || news.state === 'unknown');
    meter.count('gateway_task_polls_total', { vendor: task.vendor, outcome: news.state });
    meter.observe('gateway_task_poll_seconds', (performance.now() - begun) / 1000, { vendor: task.vendor });
    if (news.state === 'unknown') {
      meter.count('gateway_task_unknown_words_total', { vendor: task.vendor });
      log.warn({ task: task.id, vendor: task.vendor, word: news.word.slice(0, 80) }, 'unknown status word');
    }
    await settler.apply(task, news, 'usage' in news ? news.usage : undefined);
  };

  type News = TaskNews & { readonly usage?: Parameters<Settler['apply']>[2] };

  const newsOf = async (task: TaskRecord, account: GatewayAccount | undefined): Promise<News | undefined> => {
    if (task.ticket === undefined && !task.submitted && task.queueTurn !== undefined) {
      // It goes on waiting: who took it out of the queue has died, or the clock was wrong.
      if (await store.jobQueue.putBack(task.id, task.queueTurn, now())) return undefined;
      return { state: 'ended', code: 'unavailable', reason: 'the vendor account had no room for the task in time' };
    }
    if (task.ticket === undefined && !task.submitted) {
      return { state: 'ended', code: 'unavailable', reason: 'the gateway stopped before the vendor was asked' };
    }
    if (account?.on !== true || !asksAfter(account.vendor, task.vendor)) {
      // The operator may bring it back; until the deadline nothing is lost.
      return { state: 'fault', code: 'unavailable', reason: 'the account of the task is not configured' };
    }
    const { adapter, upstream } = handleOf(task, account, AbortSignal.timeout(timeoutMs));
    if (task.ticket === undefined) return leftover(task, { account, adapter, upstream });
    return check(task, { ticket: task.ticket, account, adapter, upstream });
  };
  /** An account's vendor, or one that its adapter's tasks were stored under before. */
  const asksAfter = (vendor: string, stored: string): boolean =>
    vendor === stored || parts.adapters.get(vendor)?.formerIds?.includes(stored) === true;

  const check = (task: TaskRecord, handle: UpstreamHandle): Promise<News> =>
    task.kind === 'subject' ? checkSubject(task, handle) : checkVideo(task, handle);

  /** By the offer it was started with, where the catalogue still has it: its fine points apply to polls too. */
  const handleOf = (
    task: TaskRecord,
    account: GatewayAccount,
    signal: AbortSignal,
  ): { readonly adapter: ProviderAdapter; readonly upstream: Upstream } => {
    const { model } = task;
    const asked = { accountId: account.id, model: task.upstreamModel };
    const offer = answeringRow(parts.catalogue(), model, asked)?.offers.find(
      (one) => one.account.id === account.id && one.model === task.upstreamModel,
    );
    return offer === undefined
      ? parts.openAccount(account, task.upstreamModel, signal)
      : parts.openOffer(offer, signal);
  };

  const checkVideo = async (task: TaskRecord, handle: UpstreamHandle): Promise<News> => {
    const { videos } = handle.adapter;
    if (videos === undefined) throw new GatewayError('internal', 'the vendor of the task makes no videos');
    const progress = await videos.check(handle.ticket, handle.upstream);
    const payload = keepable(progress.payload, handle.account);
    if (progress.state === 'failed') return { ...progress, payload, fault: shownFault(progress.fault, handle.account) };
    if (progress.state !== 'succeeded') return { ...progress, payload };
    const files = await results.keep(task, progress.files, handle);
    return { state: 'succeeded', files, payload, usage: progress.usage };
  };

  const checkSubject = async (
    task: TaskRecord,
    { ticket, account, adapter, upstream }: UpstreamHandle,
  ): Promise<News> => {
    if (adapter.subjects === undefined) throw new GatewayError('internal', 'the vendor of the task makes no subjects');
    const progress = await adapter.subjects.check(ticket, upstream);
    const payload = keepable(progress.payload, account);
    if (progress.state === 'succeeded') {
      // Before the end is written: a subject without a known owner would be anybody's.
      await store.subjects.remember(
        progress.subjectIds.map((id) => ({
          id,
          ownerId: task.ownerId,
          mode: task.mode,
          accountId: task.accountId,
          taskId: task.id,
          createdAt: now(),
        })),
      );
      return { state: 'succeeded', files: [], payload };
    }
    if (progress.state === 'failed') return { ...progress, payload, fault: shownFault(progress.fault, account) };
    return { ...progress, payload };
  };

  /** A submission whose process died before the ticket was stored. It is looked up where the vendor can, and never sent again. */
  const leftover = async (task: TaskRecord, handle: Omit<UpstreamHandle, 'ticket'>): Promise<News> => {
    const { account, adapter, upstream } = handle;
    const capability = task.kind === 'video' ? adapter.videos : adapter.subjects;
    const unknown: News = {
      state: 'ended',
      code: 'submission_unknown',
      reason: submissionUnknownReason('the gateway stopped before the vendor answered'),
    };
    if (capability?.reconcile === undefined) return unknown;
    const submittedAt = task.submitTime ?? task.createdAt;
    let ticket: JsonObject | undefined;
    try {
      ticket = await capability.reconcile({ dedupeKey: dedupeKeyOf(task.id), submittedAt }, upstream);
    } catch (error) {
      if (now() - submittedAt > RECONCILE_FOR_MS) return unknown;
      throw error;
    }
    if (ticket === undefined) return unknown;
    await store.tasks.saveTicket(task.id, ticket, now(), undefined, now());
    log.warn({ task: task.id }, 'a submission of a stopped process was found by its dedupe key');
    const current = await store.tasks.get(task.id);
    if (current?.ticket === undefined) return unknown;
    return check(current, { ticket, account, adapter, upstream });
  };

  const faultOf = (task: TaskRecord, error: unknown): TaskNews => {
    if (error instanceof GatewayError && error.code === 'task_not_exist') return { state: 'missing', payload: null };
    const code = error instanceof GatewayError ? error.code : 'internal';
    const fields = { task: task.id, vendor: task.vendor, account: task.accountId, code, faults: task.faults + 1 };
    if (code === 'internal') log.error({ ...fields, error }, 'a poll went wrong');
    else log.warn({ ...fields, reason: messageOf(error) }, 'a poll went wrong');
    const wait = error instanceof GatewayError ? error.details.retryAfterSeconds : undefined;
    return {
      state: 'fault',
      code,
      reason: messageOf(error),
      ...(wait !== undefined && { retryAfterSeconds: wait }),
    };
  };

  // ---- the loop ----------------------------------------------------------------------------------------------

  const sleepMs = async (): Promise<number> => {
    const due = await store.tasks.nextDue();
    if (due === undefined) return LONGEST_SLEEP_MS;
    const wait = due - now();
    // Overdue and yet not claimed: its account is at its bound, and room is announced.
    if (wait <= 0) return LONGEST_SLEEP_MS / 8;
    return Math.min(LONGEST_SLEEP_MS, Math.max(SHORTEST_SLEEP_MS, wait));
  };
  const loop = createWorkLoop(async () => {
    roomWanted = undefined;
    let pause = LONGEST_SLEEP_MS;
    try {
      await pump();
      pause = await sleepMs();
    } catch (error) {
      log.error({ error }, 'the due tasks could not be claimed');
    }
    looksAt = now() + pause;
    roomWanted = () => {
      roomWanted = undefined;
      loop.wake();
    };
    return pause;
  });

  return {
    pump,
    running: () => running.size,
    lookAfter,
    async runDue() {
      let asked = 0;
      for (;;) {
        const claimed = await pump();
        asked += claimed;
        if (running.size === 0 && claimed === 0) return asked;
        if (running.size > 0) await Promise.race([room(), Promise.all([...running])]);
      }
    },
    wake(dueAt) {
      if (dueAt < looksAt) loop.wake();
    },
    start: () => loop.start(),
    async stop() {
      await loop.stop();
      await Promise.all([...running]);
    },
  };
}

/** A vendor's words end in the record: no key, host or organisation in them, whatever the adapter let through. */
function shownFault(fault: Fault, account: GatewayAccount): Fault {
  return { ...fault, message: cleanVendorText(fault.message, account) };
}

/** The vendor's dedupe key of a task: found again from its id alone, after a crash too. */
export function dedupeKeyOf(taskId: string): string {
  return taskId.slice(0, 40);
}
