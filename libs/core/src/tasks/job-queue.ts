/**
 * Tasks beyond what their account takes at once wait in rows, and are submitted when there is room (docs/decisions/0018-a-queue-for-jobs.md).
 * Every process looks; a row leaves the queue once, and comes back only while nobody was asked for it.
 */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { offersFor, rowNamed, type GatewayAccount, type ModelRow, type Offer } from '../catalogue.ts';
import { accountLabels } from '../paid/paid-metrics.ts';
import { answeringRow, rowsBelow } from '../paid/routed.ts';
import type { Caller } from '../parts.ts';
import type { Admission, JobPlace, PickedJob, TaskRecord } from '../ports.ts';
import { pauseAfter } from './cadence.ts';
import { chooseTurns, positionOf } from './job-turns.ts';
import type { Settler } from './settle.ts';
import { messageOf, submit, submitGraceMs } from './submit.ts';
import type { TaskParts } from './types.ts';
import { videoWork } from './video-work.ts';
import { createWorkLoop, drain, type WorkLoop } from './work-loop.ts';

const QUEUE_SECONDS = 3600;
/** Characters of an input that may be kept waiting. */
const LARGEST_INPUT = 16 * 1024 * 1024;
const LONGEST_SLEEP_MS = 2_000;
/** Submissions of one process under way, by account. */
const AT_ONCE = 32;
/** An account that refused is left alone for so long, unless the vendor says when to come back. */
const PAUSE_MS = 5_000;
/** Tasks of one owner that are told their exact place; those behind are told the least that it is. */
const TOLD = 1_000;

export interface JobQueueOptions {
  readonly settler: Settler;
  /** A task has its ticket: it falls due at this time. */
  readonly created: (dueAt: number) => void;
}

export interface AdmissionRequest {
  readonly offers: readonly Offer[];
  readonly input: VideoCreate;
  readonly priority: number;
  readonly caller: Caller;
  readonly answer: Admission['answer'];
}

/** What of a task may wait, and where; for a new task of these offers. */
export function placeAt(parts: Pick<TaskParts, 'settings' | 'now'>, { account, model }: Offer): JobPlace {
  return {
    task: {
      accountId: account.id,
      accountName: account.name,
      vendor: account.vendor,
      upstreamModel: model,
      nextCheckAt: parts.now() + submitGraceMs(parts, account),
    },
    ...(account.maxJobs !== undefined && { maxJobs: account.maxJobs }),
  };
}

/** The queue of one process. */
export class JobQueue {
  private readonly parts: TaskParts;
  private readonly settler: Settler;
  private readonly created: (dueAt: number) => void;
  private readonly loop: WorkLoop;
  private readonly submissions = new Set<Promise<void>>();
  /** Accounts that are left alone for a while, and until when. */
  private readonly pausedUntil = new Map<number, number>();
  private mayWait = true;

  constructor(parts: TaskParts, { settler, created }: JobQueueOptions) {
    this.parts = parts;
    this.settler = settler;
    this.created = created;
    this.loop = createWorkLoop(async () => {
      await this.pick().catch((error: unknown) => parts.log.error({ error }, 'the job queues could not be checked'));
      return LONGEST_SLEEP_MS;
    });
  }

  /** How a new task comes to one of these offers; undefined where none of their accounts has a bound. */
  admission({ offers, input, priority, caller, answer }: AdmissionRequest): Admission | undefined {
    if (offers.every(({ account }) => account.maxJobs === undefined)) return undefined;
    const { parts } = this;
    const plain = { ...input } as unknown as JsonObject;
    return {
      places: offers.map((offer) => placeAt(parts, offer)),
      entry: {
        input: plain,
        priority,
        weight: parts.catalogue().groupWeights?.[caller.key.group] ?? 1,
        expiresAt: parts.now() + (parts.settings.queueSeconds ?? QUEUE_SECONDS) * 1000,
      },
      answer: (task) => {
        this.mayWait = true;
        if (JSON.stringify(plain).length > LARGEST_INPUT) throw tooLarge();
        return answer(task);
      },
    };
  }

  /** The tasks with the places of those that wait. */
  async withPlaces(tasks: readonly TaskRecord[]): Promise<readonly TaskRecord[]> {
    const waiting = tasks.filter((task) => task.waiting === true);
    if (waiting.length === 0) return tasks;
    const placed = new Map<string, TaskRecord>();
    for (const [accountId, ofAccount] of Map.groupBy(waiting, (task) => task.accountId)) {
      const queue = await this.parts.store.jobQueue.look(accountId);
      for (const [ownerId, own] of Map.groupBy(ofAccount, (task) => task.ownerId)) {
        const order = await this.parts.store.jobQueue.waitingOf(accountId, ownerId, TOLD);
        for (const task of own) {
          const found = order.indexOf(task.id) + 1;
          // It has just left the queue.
          if (found === 0 && order.length < TOLD) continue;
          const position = positionOf(queue, ownerId, found === 0 ? TOLD + 1 : found);
          placed.set(task.id, { ...task, place: this.placeOf(task, position) });
        }
      }
    }
    return tasks.map((task) => placed.get(task.id) ?? task);
  }

  /** Submits everything there is room for, and waits for the answers. Returns how many tasks left the queue. */
  runDue(): Promise<number> {
    return drain(() => this.pick(), this.submissions);
  }

  /** There may be room, or something may wait. */
  wake(): void {
    this.loop.wake();
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves when the submissions under way have ended. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.submissions);
  }

  private placeOf({ accountId, model, upstreamModel }: TaskRecord, position: number): NonNullable<TaskRecord['place']> {
    const jobs = this.enabledAccount(accountId)?.maxJobs ?? 1;
    const usual = answeringRow(this.parts.catalogue(), model, { accountId, model: upstreamModel })?.usualSeconds;
    if (usual === undefined) return { position };
    return { position, expectedStart: this.parts.now() + Math.ceil(position / jobs) * usual * 1000 };
  }

  private enabledAccount(id: number): GatewayAccount | undefined {
    return this.parts.catalogue().accounts.find((account) => account.id === id && account.on);
  }

  /** Takes what there is room for out of the queues and begins to submit it. */
  private async pick(): Promise<number> {
    const { parts } = this;
    const { store, now } = parts;
    // Where no account has a bound nothing waits, but for what waited before the last restart or reload.
    if (!this.mayWait && parts.catalogue().accounts.every(({ maxJobs }) => maxJobs === undefined)) return 0;
    const accounts = await store.jobQueue.accounts();
    this.mayWait = accounts.length > 0;
    let picked = 0;
    for (const accountId of accounts) {
      if (this.loop.isStopped() || (this.pausedUntil.get(accountId) ?? 0) > now()) continue;
      const account = this.enabledAccount(accountId);
      const jobs = await store.jobQueue.pick({
        accountId,
        // An account that has gone serves nobody: its tasks are given to others.
        maxJobs: account?.maxJobs,
        limit: AT_ONCE,
        nextCheckAt: now() + (account === undefined ? 60_000 : submitGraceMs(parts, account)),
        now: now(),
        choose: chooseTurns,
      });
      picked += jobs.length;
      for (const job of jobs) this.launch(job);
      if (jobs.length === AT_ONCE) this.loop.wake();
    }
    return picked;
  }

  private launch(job: PickedJob): void {
    const { log, step } = this.parts;
    step?.('queue.picked');
    const done = this.submit(job)
      .catch((error: unknown) =>
        log.warn({ task: job.task.id, reason: messageOf(error) }, 'a task that waited was not submitted'),
      )
      .finally(() => this.submissions.delete(done));
    this.submissions.add(done);
  }

  private async submit({ task, input }: PickedJob): Promise<void> {
    const { parts } = this;
    const key = await parts.store.keys.get(task.keyId);
    const row = rowNamed(parts.catalogue(), task.model);
    const offers = this.offersBelow(row).filter(({ account }) => account.id === task.accountId && account.on);
    const offer = offers.find(({ model }) => model === task.upstreamModel) ?? offers[0];
    if (key === undefined || row === undefined || offer === undefined) {
      await this.moveToAnotherAccount(task, row);
      return;
    }
    const caller: Caller = { key, mode: task.mode, requestId: task.requestId, signal: new AbortController().signal };
    const { task: current } = await submit(parts, {
      task,
      caller,
      offers: [offer],
      // It was written by this gateway, from such a form.
      ...videoWork(parts, input as unknown as VideoCreate, task),
      firstCheckMs: ({ account, model }) =>
        pauseAfter(0, this.settler.cadenceOf({ ...task, accountId: account.id, upstreamModel: model })),
      answer: () => undefined,
      queued: { turn: task.queueTurn ?? 0, putBack: (error) => this.putBack(task, error) },
    });
    const waited = (parts.now() - (task.queuedAt ?? parts.now())) / 1000;
    const labels = { vendor: task.vendor, ...accountLabels(offer.account) };
    parts.meter.observe('gateway_task_queue_seconds', waited, labels);
    this.created(current.nextCheckAt ?? 0);
  }

  private async putBack(task: TaskRecord, error: GatewayError): Promise<boolean> {
    const { store, now } = this.parts;
    const pause = (error.details.retryAfterSeconds ?? PAUSE_MS / 1000) * 1000;
    this.pausedUntil.set(task.accountId, now() + pause);
    return store.jobQueue.putBack(task.id, task.queueTurn ?? 0, now());
  }

  /** Its account does not serve it any more: another one does, or it waits for the operator until its time is over. */
  private async moveToAnotherAccount(task: TaskRecord, row: ModelRow | undefined): Promise<void> {
    const { parts } = this;
    this.pausedUntil.set(task.accountId, parts.now() + PAUSE_MS);
    const [offer] =
      row === undefined || hasSubjects(task) ? [] : parts.router.order(this.offersElsewhere(row, task), row);
    const to = offer === undefined ? undefined : placeAt(parts, offer).task;
    if (await parts.store.jobQueue.putBack(task.id, task.queueTurn ?? 0, parts.now(), to)) return;
    const reason = 'no vendor account serves the task any more';
    await this.settler.apply(task, { state: 'ended', code: 'unavailable', reason });
  }

  private offersBelow(row: ModelRow | undefined): readonly Offer[] {
    return row === undefined ? [] : rowsBelow(this.parts.catalogue(), row).flatMap(({ offers }) => offers);
  }

  private offersElsewhere(row: ModelRow, { mode, accountId }: TaskRecord): readonly Offer[] {
    const { parts } = this;
    try {
      return offersFor(parts.catalogue(), { ...row, offers: this.offersBelow(row) }, mode).filter(
        ({ account }) => account.id !== accountId && parts.adapters.get(account.vendor)?.videos !== undefined,
      );
    } catch {
      return [];
    }
  }
}

/** Subjects live at one account. */
function hasSubjects({ input }: TaskRecord): boolean {
  return Array.isArray(input['subjects']) && input['subjects'].length > 0;
}

function tooLarge(): GatewayError {
  return new GatewayError(
    'rate_limited',
    'the vendor account has no room for another job, and a body with so much embedded media cannot wait; send media as URLs, or try again later',
    { retryAfterSeconds: 30, taken: 'no' },
  );
}
