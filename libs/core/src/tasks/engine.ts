/** The task engine: video tasks and subjects that cannot be lost, started twice or paid twice (docs/architecture.md#tasks). */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { VendorWebhook } from '@model-gateway/provider-kit';
import type { Tenant } from '../ports/tenant.ts';
import type { Caller } from '../parts.ts';
import type { TaskRecord } from '../ports.ts';
import { createMediaChecker, type MediaChecker } from '../kinds/video/media-limits.ts';
import { createDurations } from './cadence.ts';
import { ContentOpener, noFile } from './content.ts';
import { TaskCreator } from './create.ts';
import { Idempotency } from './idempotency.ts';
import { ImageTasks } from './image-tasks.ts';
import { JobQueue } from './job-queue.ts';
import { Poller } from './poller.ts';
import { createResultFiles, createResultUrls, type ResultFiles } from './results.ts';
import { Settler } from './settle.ts';
import type {
  AskedChange,
  Content,
  ContentOptions,
  Created,
  CreateOptions,
  ImageWork,
  TaskChange,
  TaskEngine,
  TaskListFilter,
  TaskPage,
  TaskParts,
} from './types.ts';
import { OPEN_STATES } from './video-task.ts';
import { TaskWatch } from './watch.ts';
import { VendorWebhooks } from './vendor-webhooks.ts';
import { Webhooks } from './webhooks.ts';

const PAGE = 20;
const LARGEST_PAGE = 100;
const FOLLOW_MS = 60_000;
const HOUSEKEEPING_MS = 60_000;

type TenantCaller = { readonly key: Tenant };

/** Makes the task engine of one process. */
export function createTaskEngine(parts: TaskParts): TaskEngine {
  return new ProcessTaskEngine(parts);
}

class ProcessTaskEngine implements TaskEngine {
  readonly resultUrl: (task: TaskRecord, index?: number) => string;
  readonly webhooks: Webhooks;
  private readonly parts: TaskParts;
  private readonly watch: TaskWatch;
  private readonly settler: Settler;
  private readonly results: ResultFiles;
  private readonly content: ContentOpener;
  private readonly media: MediaChecker;
  private readonly poller: Poller;
  private readonly queue: JobQueue;
  private readonly creator: TaskCreator;
  private readonly pictures: ImageTasks;
  private readonly vendorWebhooks: VendorWebhooks;
  private housekeeping: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(parts: TaskParts) {
    const { store, log } = parts;
    this.parts = parts;
    this.resultUrl = createResultUrls(parts);
    this.watch = new TaskWatch(store.tasks, log);
    this.webhooks = new Webhooks(parts);
    this.results = createResultFiles(parts);
    this.content = new ContentOpener(parts);
    this.media = createMediaChecker();
    this.settler = new Settler({
      parts,
      watch: this.watch,
      durations: createDurations(),
      resultUrl: this.resultUrl,
      ended: ({ callbackUrl }) => {
        this.queue.wake();
        if (callbackUrl !== undefined) this.webhooks.wake();
      },
    });
    const { settler, results, media } = this;
    this.poller = new Poller({ parts, settler, results });
    const created = (dueAt: number): void => this.poller.wake(dueAt);
    this.queue = new JobQueue(parts, { settler, created });
    const { queue } = this;
    this.pictures = new ImageTasks(parts, settler);
    this.vendorWebhooks = new VendorWebhooks(parts, created);
    this.creator = new TaskCreator({ parts, settler, media, queue, idempotency: new Idempotency(parts), created });
  }

  createVideo(caller: Caller, body: JsonObject, options: CreateOptions): Promise<Created> {
    return this.creator.createVideo(caller, body, options);
  }

  changeVideo(caller: Caller, asked: AskedChange, options: Pick<CreateOptions, 'idempotency'>): Promise<Created> {
    return this.creator.changeVideo(caller, { ...asked, address: this.resultUrl(asked.source) }, options);
  }

  createSubject(caller: Caller, body: JsonObject, options?: Pick<CreateOptions, 'idempotency'>): Promise<Created> {
    return this.creator.createSubject(caller, body, options);
  }

  createImage(caller: Caller, work: ImageWork): Promise<TaskRecord> {
    return this.pictures.create(caller, work);
  }

  async get(caller: Caller, id: string): Promise<TaskRecord> {
    return this.withPlace(await this.ownTask(caller, id));
  }

  async list(caller: Caller, { limit = PAGE, after, order, status, model }: TaskListFilter): Promise<TaskPage> {
    const most = Math.min(LARGEST_PAGE, Math.max(1, limit));
    const tasks = await this.parts.store.tasks.listOf(caller.key, {
      kind: 'video',
      limit: most + 1,
      ...(after !== undefined && { after }),
      ...(order !== undefined && { order }),
      ...(status !== undefined && { state: status }),
      ...(model !== undefined && { model }),
    });
    return { tasks: await this.queue.withPlaces(tasks.slice(0, most)), hasMore: tasks.length > most };
  }

  async cancel(caller: TenantCaller, id: string): Promise<TaskRecord> {
    const { parts } = this;
    const task = await this.ownTask(caller, id);
    const { ticket } = task;
    if (!OPEN_STATES.includes(task.state)) throw tooLate(`it has ended in ${task.state}`);
    if (task.waiting === true) return this.cancelWaiting(caller, task);
    if (task.kind === 'image') throw tooLate('pictures are drawn in one piece');
    if (ticket === undefined) throw tooLate('it is just being handed to the vendor');
    const account = parts.catalogue().accounts.find((one) => one.id === task.accountId && one.on);
    if (account === undefined) throw new GatewayError('unavailable', 'the vendor of the task cannot be reached');
    const { adapter, upstream } = parts.openAccount(account, task.upstreamModel);
    if (task.kind !== 'video' || adapter.videos?.cancel === undefined) throw tooLate('its vendor cannot stop a job');
    await parts.store.tasks.requestCancel(caller.key, id, parts.now());
    parts.step?.('cancel.marked');
    await adapter.videos.cancel(ticket, upstream);
    parts.step?.('cancel.asked');
    // The vendor's own word for it, so that the record does not say `queued` beside FAILURE.
    const progress = await adapter.videos.check(ticket, upstream).catch(() => undefined);
    const payload = progress?.state === 'failed' ? progress.payload : null;
    await this.settler.apply(task, { state: 'ended', code: 'conflict', reason: 'task cancelled', payload });
    const current = await this.ownTask(caller, id);
    if (current.state !== 'FAILURE') throw tooLate(`it has ended in ${current.state}`);
    return current;
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const task = await this.ownTask(caller, id);
    if (OPEN_STATES.includes(task.state)) {
      throw new GatewayError('conflict', 'the task is still running; cancel it first');
    }
    await this.parts.store.tasks.markDeleted(caller.key, id, this.parts.now());
  }

  async waitForEnd(caller: Caller, id: string, timeoutMs: number): Promise<TaskRecord> {
    const until = performance.now() + timeoutMs;
    await this.ownTask(caller, id);
    // The events are read before the task: a change in between is seen in the task, not waited for.
    let seen = (await this.parts.store.tasks.events(id, 0)).at(-1)?.id ?? 0;
    for (;;) {
      const task = await this.ownTask(caller, id);
      const left = until - performance.now();
      if (!OPEN_STATES.includes(task.state) || left <= 0 || caller.signal.aborted) return this.withPlace(task);
      seen = (await this.watch.wait(id, seen, left, caller.signal)).at(-1)?.id ?? seen;
    }
  }

  async *follow(caller: Caller, id: string, afterEventId = 0): AsyncGenerator<TaskChange> {
    let last = afterEventId;
    while (!caller.signal.aborted) {
      const task = await this.ownTask(caller, id);
      const hasEnded = !OPEN_STATES.includes(task.state);
      // An ended task has all its events: there is nothing to wait for.
      const events = await this.watch.wait(id, last, hasEnded ? 0 : FOLLOW_MS, caller.signal);
      if (events.length === 0 && !hasEnded) continue;
      if (events.length > 0) {
        last = events.at(-1)?.id ?? last;
        const current = await this.ownTask(caller, id);
        yield { eventId: last, task: await this.withPlace(current) };
        if (OPEN_STATES.includes(current.state)) continue;
      }
      return;
    }
  }

  async openContent(
    caller: Caller | undefined,
    id: string,
    options: ContentOptions & { readonly signal: AbortSignal },
  ): Promise<Content> {
    const task = caller === undefined ? await this.linkedTask(id) : await this.ownTask(caller, id);
    if (task.kind !== 'video') throw noVideo();
    return this.content.open(task, options, options.signal);
  }

  async openFile(
    fileId: string,
    { part, signal }: Pick<ContentOptions, 'part'> & { readonly signal: AbortSignal },
  ): Promise<Content> {
    const { store, now } = this.parts;
    const file = await store.files.get(fileId);
    if (file === undefined || !(await store.keys.anyUsable(file, now()))) throw noFile();
    return this.content.openFile(fileId, part, signal);
  }

  receiveVendorWebhook(id: string, webhook: VendorWebhook): Promise<boolean> {
    return this.vendorWebhooks.receive(id, webhook);
  }

  async runDue(): Promise<number> {
    const polled = await this.poller.runDue();
    return polled + (await this.queue.runDue());
  }

  nextDue(): Promise<number | undefined> {
    return this.parts.store.tasks.nextDue();
  }

  running(): { readonly polls: number; readonly webhooks: number } {
    return { polls: this.poller.running(), webhooks: this.webhooks.running() };
  }

  start(): void {
    if (this.parts.settings.soleProcess === true) void this.takeOver();
    else this.startWork();
    this.webhooks.start();
    this.housekeeping ??= setInterval(() => {
      this.removeExpired().catch((error: unknown) =>
        this.parts.log.warn({ error }, 'expired files and answers could not be removed'),
      );
    }, HOUSEKEEPING_MS).unref();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.housekeeping);
    this.housekeeping = undefined;
    await this.pictures.stop();
    await Promise.all([this.poller.stop(), this.queue.stop(), this.webhooks.stop(), this.media.close()]);
    this.watch.close();
  }

  /** With one process on the database, whatever is leased or unfinished was left by the one before it. */
  private async takeOver(): Promise<void> {
    const { store, now, log } = this.parts;
    await store.tasks
      .takeOver(now())
      .catch((error: unknown) =>
        log.error({ err: error }, 'the work of a dead process could not be taken over at once'),
      );
    if (!this.isStopped) this.startWork();
  }

  private startWork(): void {
    this.poller.start();
    this.queue.start();
  }

  private async removeExpired(): Promise<void> {
    await this.results.sweep();
    await this.parts.store.idempotency.deleteExpired(this.parts.now());
  }

  private async ownTask(caller: TenantCaller, id: string): Promise<TaskRecord> {
    const task = await this.parts.store.tasks.find(caller.key, id);
    if (task === undefined) throw new GatewayError('task_not_exist', 'there is no task of yours with this id');
    return task;
  }

  private async withPlace(task: TaskRecord): Promise<TaskRecord> {
    return (await this.queue.withPlaces([task]))[0] ?? task;
  }

  /** What a signed link shows: it dies with its task, and with the last key of its tenant. */
  private async linkedTask(id: string): Promise<TaskRecord> {
    const { store, now } = this.parts;
    const task = await store.tasks.get(id);
    if (task === undefined || task.deletedAt !== undefined) throw noVideo();
    if (!(await store.keys.anyUsable(task, now()))) throw noVideo();
    return task;
  }

  /** Nobody has been asked: its money goes back, whoever comes next in the queue moves up. */
  private async cancelWaiting(caller: TenantCaller, task: TaskRecord): Promise<TaskRecord> {
    const news = { state: 'ended', code: 'conflict', reason: 'task cancelled', payload: null } as const;
    if (await this.settler.apply(task, news)) return this.ownTask(caller, task.id);
    const { state } = await this.ownTask(caller, task.id);
    throw tooLate(OPEN_STATES.includes(state) ? 'it is just being handed to the vendor' : `it has ended in ${state}`);
  }
}

function noVideo(): GatewayError {
  return new GatewayError('task_not_exist', 'there is no video with this id');
}

function tooLate(why: string): GatewayError {
  return new GatewayError('conflict', `the task can no longer be cancelled: ${why}`);
}
