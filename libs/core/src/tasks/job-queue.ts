/**
 * Tasks beyond what their account takes at once wait in rows, and are submitted when there is room (docs/decisions/0018-a-queue-for-jobs.md).
 * Every process looks; a row leaves the queue once, and comes back only while nobody was asked for it.
 */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { offersFor, rowNamed, type GatewayAccount, type ModelRow, type Offer } from '../catalogue.ts';
import { answeringRow, rowsBelow } from '../paid/routed.ts';
import type { Caller } from '../parts.ts';
import type { Admission, JobPlace, PickedJob, TaskRecord } from '../ports.ts';
import { pauseAfter } from './cadence.ts';
import { chooseTurns, positionOf } from './job-turns.ts';
import type { Settler } from './settle.ts';
import { messageOf, submit, submitGraceMs } from './submit.ts';
import type { TaskParts } from './types.ts';
import { videoWork } from './video-work.ts';
import { createWorkLoop, drain } from './work-loop.ts';

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

export interface JobQueue {
  /** How a new task comes to one of these offers; undefined where none of their accounts has a bound. */
  admission(asked: {
    readonly offers: readonly Offer[];
    readonly input: VideoCreate;
    readonly priority: number;
    readonly caller: Caller;
    readonly answer: Admission['answer'];
  }): Admission | undefined;
  /** The tasks with the places of those that wait. */
  placed(tasks: readonly TaskRecord[]): Promise<readonly TaskRecord[]>;
  /** Submits everything there is room for, and waits for the answers. Returns how many tasks left the queue. */
  runDue(): Promise<number>;
  /** There may be room, or something may wait. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
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

/** Makes the queue of one process. `created`: a task has its ticket and falls due at this time. */
export function createJobQueue(
  parts: TaskParts,
  { settler, created }: { readonly settler: Settler; readonly created: (dueAt: number) => void },
): JobQueue {
  const { store, now, log, meter, settings } = parts;
  const running = new Set<Promise<void>>();
  const pausedUntil = new Map<number, number>();
  let mayWait = true;

  const accountOf = (id: number): GatewayAccount | undefined =>
    parts.catalogue().accounts.find((account) => account.id === id && account.on);

  const pump = async (): Promise<number> => {
    // Where no account has a bound nothing waits, but for what waited before the last restart or reload.
    if (!mayWait && parts.catalogue().accounts.every(({ maxJobs }) => maxJobs === undefined)) return 0;
    const accounts = await store.jobQueue.accounts();
    mayWait = accounts.length > 0;
    let picked = 0;
    for (const accountId of accounts) {
      if (loop.isStopped() || (pausedUntil.get(accountId) ?? 0) > now()) continue;
      const account = accountOf(accountId);
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
      for (const job of jobs) launch(job);
      if (jobs.length === AT_ONCE) loop.wake();
    }
    return picked;
  };

  const launch = (job: PickedJob): void => {
    parts.step?.('queue.picked');
    const done = submitted(job)
      .catch((error: unknown) =>
        log.warn({ task: job.task.id, reason: messageOf(error) }, 'a task that waited was not submitted'),
      )
      .finally(() => running.delete(done));
    running.add(done);
  };

  const submitted = async ({ task, input: stored }: PickedJob): Promise<void> => {
    const key = await store.keys.get(task.keyId);
    const row = rowNamed(parts.catalogue(), task.model);
    const offers =
      row === undefined ? [] : offersBelow(row).filter(({ account }) => account.id === task.accountId && account.on);
    const offer = offers.find(({ model }) => model === task.upstreamModel) ?? offers[0];
    if (key === undefined || row === undefined || offer === undefined) {
      await elsewhere(task, row);
      return;
    }
    const caller: Caller = { key, mode: task.mode, requestId: task.requestId, signal: new AbortController().signal };
    // It was written by this gateway, from such a form.
    const input = stored as unknown as VideoCreate;
    const turn = task.queueTurn ?? 0;
    const { task: current } = await submit(parts, {
      task,
      caller,
      offers: [offer],
      ...videoWork(parts, input, task),
      firstCheckMs: ({ account, model }) =>
        pauseAfter(0, settler.cadenceOf({ ...task, accountId: account.id, upstreamModel: model })),
      answer: () => undefined,
      queued: { turn, putBack: (error) => putBack(task, error) },
    });
    const waited = (now() - (task.queuedAt ?? now())) / 1000;
    meter.observe('gateway_task_queue_seconds', waited, { vendor: task.vendor, account: String(task.accountId) });
    created(current.nextCheckAt ?? 0);
  };

  const putBack = async (task: TaskRecord, error: GatewayError): Promise<boolean> => {
    const pause = (error.details.retryAfterSeconds ?? PAUSE_MS / 1000) * 1000;
    pausedUntil.set(task.accountId, now() + pause);
    return store.jobQueue.putBack(task.id, task.queueTurn ?? 0, now());
  };

  /** Its account does not serve it any more: another one does, or it waits for the operator until its time is over. */
  const elsewhere = async (task: TaskRecord, row: ModelRow | undefined): Promise<void> => {
    pausedUntil.set(task.accountId, now() + PAUSE_MS);
    const [offer] = row === undefined || hasSubjects(task) ? [] : parts.router.order(offersOf(row, task), row);
    const to = offer === undefined ? undefined : placeAt(parts, offer).task;
    if (await store.jobQueue.putBack(task.id, task.queueTurn ?? 0, now(), to)) return;
    await settler.apply(task, {
      state: 'ended',
      code: 'unavailable',
      reason: 'no vendor account serves the task any more',
    });
  };
  const offersBelow = (row: ModelRow): readonly Offer[] =>
    rowsBelow(parts.catalogue(), row).flatMap(({ offers }) => offers);
  const offersOf = (row: ModelRow, { mode, accountId }: TaskRecord): readonly Offer[] => {
    try {
      return offersFor(parts.catalogue(), { ...row, offers: offersBelow(row) }, mode).filter(
        ({ account }) => account.id !== accountId && parts.adapters.get(account.vendor)?.videos !== undefined,
      );
    } catch {
      return [];
    }
  };

  const placed = async (tasks: readonly TaskRecord[]): Promise<readonly TaskRecord[]> => {
    const waiting = tasks.filter((task) => task.waiting === true);
    if (waiting.length === 0) return tasks;
    const places = new Map<string, TaskRecord>();
    for (const [accountId, ofAccount] of Map.groupBy(waiting, (task) => task.accountId)) {
      const queue = await store.jobQueue.look(accountId);
      const jobs = accountOf(accountId)?.maxJobs ?? 1;
      for (const [ownerId, own] of Map.groupBy(ofAccount, (task) => task.ownerId)) {
        const order = await store.jobQueue.waitingOf(accountId, ownerId, TOLD);
        for (const task of own) {
          const found = order.indexOf(task.id) + 1;
          // It has just left the queue.
          if (found === 0 && order.length < TOLD) continue;
          const rank = found === 0 ? TOLD + 1 : found;
          const position = positionOf(queue, ownerId, rank);
          const usual = answeringRow(parts.catalogue(), task.model, {
            accountId,
            model: task.upstreamModel,
          })?.usualSeconds;
          const place = {
            position,
            ...(usual !== undefined && { expectedStart: now() + Math.ceil(position / jobs) * usual * 1000 }),
          };
          places.set(task.id, { ...task, place });
        }
      }
    }
    return tasks.map((task) => places.get(task.id) ?? task);
  };

  const loop = createWorkLoop(async () => {
    await pump().catch((error: unknown) => log.error({ error }, 'the queues of jobs could not be looked at'));
    return LONGEST_SLEEP_MS;
  });

  return {
    placed,
    admission({ offers, input, priority, caller, answer }) {
      if (offers.every(({ account }) => account.maxJobs === undefined)) return undefined;
      const plain = { ...input } as unknown as JsonObject;
      return {
        places: offers.map((offer) => placeAt(parts, offer)),
        entry: {
          input: plain,
          priority,
          weight: parts.catalogue().groupWeights?.[caller.key.group] ?? 1,
          expiresAt: now() + (settings.queueSeconds ?? QUEUE_SECONDS) * 1000,
        },
        answer(task) {
          mayWait = true;
          if (JSON.stringify(plain).length > LARGEST_INPUT) throw tooLarge();
          return answer(task);
        },
      };
    },
    runDue: () => drain(pump, running),
    wake: () => loop.wake(),
    start: () => loop.start(),
    async stop() {
      await loop.stop();
      await Promise.all([...running]);
    },
  };
}

/** Subjects live at one account. */
function hasSubjects({ input }: TaskRecord): boolean {
  return Array.isArray(input['subjects']) && input['subjects'].length > 0;
}

function tooLarge(): GatewayError {
  return new GatewayError(
    'rate_limited',
    'the vendor account has no room for another job, and a body with so much embedded media cannot wait; give the media by address, or come back later',
    { retryAfterSeconds: 30, taken: 'no' },
  );
}
