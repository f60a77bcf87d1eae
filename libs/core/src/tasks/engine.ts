/** The task engine: video tasks and subjects that cannot be lost, started twice or paid twice (docs/architecture.md#tasks). */
import { GatewayError } from '@model-gateway/contracts';
import type { Tenant } from '../ports/tenant.ts';
import type { TaskRecord } from '../ports.ts';
import { createDurations } from './cadence.ts';
import { createContentOpener, noFile } from './content.ts';
import { createCreator } from './create.ts';
import { createIdempotency } from './idempotency.ts';
import { createJobQueue } from './job-queue.ts';
import { createMediaChecker } from '../kinds/video/media-limits.ts';
import { createPoller } from './poller.ts';
import { createResultUrls } from './result-url.ts';
import { createResultFiles } from './results.ts';
import { createSettler } from './settle.ts';
import type { TaskChange, TaskEngine, TaskParts } from './types.ts';
import { OPEN_STATES } from './video-task.ts';
import { createWatch } from './watch.ts';
import { createWebhooks } from './webhooks.ts';

const PAGE = 20;
const LARGEST_PAGE = 100;
const FOLLOW_MS = 60_000;
const HOUSEKEEPING_MS = 60_000;

/** Makes the task engine of one process. */
export function createTaskEngine(parts: TaskParts): TaskEngine {
  const { store, now, log } = parts;
  const resultUrl = createResultUrls(parts);
  const watch = createWatch(store.tasks, log);
  const webhooks = createWebhooks(parts);
  const settler = createSettler({
    parts,
    watch,
    durations: createDurations(),
    resultUrl,
    ended: ({ callbackUrl }) => {
      queue.wake();
      if (callbackUrl !== undefined) webhooks.wake();
    },
  });
  const results = createResultFiles(parts);
  const content = createContentOpener(parts);
  const media = createMediaChecker();
  const poller = createPoller({ parts, settler, results });
  const queue = createJobQueue(parts, { settler, created: (dueAt) => poller.wake(dueAt) });
  const creator = createCreator({
    parts,
    settler,
    media,
    queue,
    idempotency: createIdempotency(parts),
    created: (dueAt) => poller.wake(dueAt),
  });
  let housekeeping: NodeJS.Timeout | undefined;

  const own = async (caller: { readonly key: Tenant }, id: string): Promise<TaskRecord> => {
    const task = await store.tasks.find(caller.key, id);
    if (task === undefined) throw new GatewayError('task_not_exist', 'there is no task of yours with this id');
    return task;
  };

  const placed = async (task: TaskRecord): Promise<TaskRecord> => (await queue.placed([task]))[0] ?? task;

  /** What a signed link shows: it dies with its task, and with the last key of its tenant. */
  const linked = async (id: string): Promise<TaskRecord> => {
    const task = await store.tasks.get(id);
    if (task === undefined || task.deletedAt !== undefined) throw noVideo();
    if (!(await store.keys.anyUsable(task, now()))) throw noVideo();
    return task;
  };

  /** Nobody has been asked: its money goes back, whoever comes next in the queue moves up. */
  const cancelWaiting = async (caller: { readonly key: Tenant }, task: TaskRecord): Promise<TaskRecord> => {
    const news = { state: 'ended', code: 'conflict', reason: 'task cancelled', payload: null } as const;
    if (await settler.apply(task, news)) return own(caller, task.id);
    const current = await own(caller, task.id);
    throw tooLate(
      OPEN_STATES.includes(current.state)
        ? 'it is just being handed to the vendor'
        : `it has ended in ${current.state}`,
    );
  };

  const cancel: TaskEngine['cancel'] = async (caller, id) => {
    const task = await own(caller, id);
    const { ticket } = task;
    if (!OPEN_STATES.includes(task.state)) throw tooLate(`it has ended in ${task.state}`);
    if (task.waiting === true) return cancelWaiting(caller, task);
    if (ticket === undefined) throw tooLate('it is just being handed to the vendor');
    const account = parts.catalogue().accounts.find((one) => one.id === task.accountId && one.on);
    if (account === undefined) throw new GatewayError('unavailable', 'the vendor of the task cannot be reached');
    const { adapter, upstream } = parts.openAccount(account, task.upstreamModel);
    if (task.kind !== 'video' || adapter.videos?.cancel === undefined) throw tooLate('its vendor cannot stop a job');
    await store.tasks.requestCancel(caller.key, id, now());
    parts.step?.('cancel.marked');
    await adapter.videos.cancel(ticket, upstream);
    parts.step?.('cancel.asked');
    // The vendor's own word for it, so that the record does not say `queued` beside FAILURE.
    const told = await adapter.videos.check(ticket, upstream).catch(() => undefined);
    const payload = told?.state === 'failed' ? told.payload : null;
    await settler.apply(task, { state: 'ended', code: 'conflict', reason: 'task cancelled', payload });
    const current = await own(caller, id);
    if (current.state !== 'FAILURE') throw tooLate(`it has ended in ${current.state}`);
    return current;
  };

  let ended = false;
  /** With one process on the database, whatever is leased or unfinished was left by the one before it. */
  const takeOver = async (): Promise<void> => {
    await store.tasks
      .takeOver(now())
      .catch((error: unknown) => log.error({ err: error }, 'what a lost process left could not be taken over at once'));
    if (ended) return;
    poller.start();
    queue.start();
  };

  const keepHouse = (): void => {
    const sweep = async (): Promise<void> => {
      await results.sweep();
      await store.idempotency.deleteExpired(now());
    };
    sweep().catch((error: unknown) => log.warn({ error }, 'expired files and answers could not be removed'));
  };

  return {
    ...creator,
    resultUrl,
    webhooks,
    get: async (caller, id) => placed(await own(caller, id)),
    cancel,
    async list(caller, { limit = PAGE, after, order, status, model }) {
      const most = Math.min(LARGEST_PAGE, Math.max(1, limit));
      const tasks = await store.tasks.listOf(caller.key, {
        kind: 'video',
        limit: most + 1,
        ...(after !== undefined && { after }),
        ...(order !== undefined && { order }),
        ...(status !== undefined && { state: status }),
        ...(model !== undefined && { model }),
      });
      return { tasks: await queue.placed(tasks.slice(0, most)), hasMore: tasks.length > most };
    },
    async remove(caller, id) {
      const task = await own(caller, id);
      if (OPEN_STATES.includes(task.state)) {
        throw new GatewayError('conflict', 'the task is still at work; cancel it first');
      }
      await store.tasks.markDeleted(caller.key, id, now());
    },
    async waitForEnd(caller, id, timeoutMs) {
      const until = performance.now() + timeoutMs;
      await own(caller, id);
      // The events are read before the task: a change in between is seen in the task, not waited for.
      let seen = (await store.tasks.events(id, 0)).at(-1)?.id ?? 0;
      for (;;) {
        const task = await own(caller, id);
        const left = until - performance.now();
        if (!OPEN_STATES.includes(task.state) || left <= 0 || caller.signal.aborted) return placed(task);
        seen = (await watch.wait(id, seen, left, caller.signal)).at(-1)?.id ?? seen;
      }
    },
    async *follow(caller, id, afterEventId = 0): AsyncGenerator<TaskChange> {
      let last = afterEventId;
      while (!caller.signal.aborted) {
        const task = await own(caller, id);
        const ended = !OPEN_STATES.includes(task.state);
        // An ended task has all its events: there is nothing to wait for.
        const events = await watch.wait(id, last, ended ? 0 : FOLLOW_MS, caller.signal);
        if (events.length === 0 && !ended) continue;
        if (events.length > 0) {
          last = events.at(-1)?.id ?? last;
          const current = await own(caller, id);
          yield { eventId: last, task: await placed(current) };
          if (OPEN_STATES.includes(current.state)) continue;
        }
        return;
      }
    },
    async openContent(caller, id, options) {
      const task = caller === undefined ? await linked(id) : await own(caller, id);
      if (task.kind !== 'video') throw noVideo();
      return content.open(task, options, options.signal);
    },
    async openFile(fileId, { part, signal }) {
      const file = await store.files.get(fileId);
      if (file === undefined || !(await store.keys.anyUsable(file, now()))) throw noFile();
      return content.openFile(fileId, part, signal);
    },
    async runDue() {
      const asked = await poller.runDue();
      return asked + (await queue.runDue());
    },
    nextDue: () => store.tasks.nextDue(),
    running: () => ({ polls: poller.running(), webhooks: webhooks.running() }),
    start() {
      if (parts.settings.soleProcess === true) void takeOver();
      else {
        poller.start();
        queue.start();
      }
      webhooks.start();
      housekeeping ??= setInterval(keepHouse, HOUSEKEEPING_MS).unref();
    },
    async stop() {
      ended = true;
      clearInterval(housekeeping);
      housekeeping = undefined;
      await Promise.all([poller.stop(), queue.stop(), webhooks.stop(), media.close()]);
      watch.close();
    },
  };
}

function noVideo(): GatewayError {
  return new GatewayError('task_not_exist', 'there is no video with this id');
}

function tooLate(why: string): GatewayError {
  return new GatewayError('conflict', `the task can no longer be cancelled: ${why}`);
}
