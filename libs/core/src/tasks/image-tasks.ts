/**
 * Pictures as tasks: the request is answered at once, and the picture is drawn as any other, in this process. The row tells how it went, to polls,
 * to followers and to a webhook; the money is that of the request which draws.
 */
import { GatewayError } from '@model-gateway/contracts';
import { offersFor, offersThatServe, type ModelRow, type Offer } from '../catalogue.ts';
import { rowsBelow } from '../paid/routed.ts';
import { newTrace } from '../paid/trace.ts';
import type { Caller } from '../parts.ts';
import type { TaskRecord } from '../ports.ts';
import { checkCallback } from './create.ts';
import { keepable } from './payload.ts';
import type { Settler } from './settle.ts';
import { soonerOrLater } from './sooner-or-later.ts';
import type { ImageWork, TaskParts } from './types.ts';
import { LONGEST_DRAWING_MS } from './vendor-check.ts';
import { notServed } from './video-work.ts';
import { OPEN_STATES, type TaskNews } from './video-task.ts';

/** Pictures of one process under way, in all and of one owner: each keeps the body of its request. */
const AT_ONCE = 128;
const AT_ONCE_OF_OWNER = 16;
/** How long a process that stops waits for them. */
const STOP_MS = 30_000;

interface UnderWay {
  readonly ownerId: number;
  readonly done: Promise<void>;
  readonly leave: () => void;
}

/** The pictures that one process draws in the background. */
export class ImageTasks {
  private readonly parts: TaskParts;
  private readonly settler: Settler;
  private readonly underWay = new Set<UnderWay>();

  constructor(parts: TaskParts, settler: Settler) {
    this.parts = parts;
    this.settler = settler;
  }

  /** Resolves when the row is written. */
  async create(caller: Caller, work: ImageWork): Promise<TaskRecord> {
    const { parts } = this;
    // The money of a line goes back when the line is answered, and the picture would be drawn for nothing.
    if (caller.spending !== undefined) {
      const message = 'a picture of a batch is drawn with its batch: leave async out';
      throw new GatewayError('invalid_request', message, { param: 'async' });
    }
    if (work.callbackUrl !== undefined) checkCallback(parts, caller, work.callbackUrl);
    const offer = this.offerOf(work.row, caller.mode);
    // Counted before the first write, so that a burst does not pass the bound.
    const place = this.takePlace(caller.key.ownerId);
    try {
      const task = await this.written(caller, work, offer);
      void this.draw(task, { ...caller, signal: new AbortController().signal }, work).finally(place.leave);
      return task;
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  /** Who the row names: of the model itself or, where it only leads to others, the first of theirs. */
  private offerOf(row: ModelRow, mode: Caller['mode']): Offer {
    const catalogue = this.parts.catalogue();
    const [offer] = [row, ...rowsBelow(catalogue, row)].flatMap((each) => offersThatServe(catalogue, each, mode));
    if (offer !== undefined) return offer;
    // Says why there is none.
    offersFor(catalogue, row, mode);
    throw notServed(row.code);
  }

  private async written(
    caller: Caller,
    { row, prompt, callbackUrl }: ImageWork,
    { account, model: upstreamModel }: Offer,
  ): Promise<TaskRecord> {
    const { parts } = this;
    const now = parts.now();
    const { ownerId, id: keyId, group } = caller.key;
    const place = { accountId: account.id, accountName: account.name, vendor: account.vendor, upstreamModel };
    const nextCheckAt = now + LONGEST_DRAWING_MS;
    const traceParent = parts.tracing?.traceParent();
    const task = await parts.store.tasks.create(
      {
        id: `task_${parts.randomId()}`,
        kind: 'image',
        ...{ mode: caller.mode, ownerId, keyId, group, requestId: caller.requestId, model: row.code, ...place },
        ...{ input: { family: 'image', prompt: prompt.slice(0, 4000) }, quota: 0, createdAt: now, nextCheckAt },
        deadlineAt: now + 2 * LONGEST_DRAWING_MS,
        priceVersion: parts.catalogue().priceVersion,
        ...(callbackUrl !== undefined && { callbackUrl }),
        ...(traceParent !== undefined && { traceParent }),
      },
      undefined,
      undefined,
      now,
    );
    await parts.store.tasks.markSubmitted(task.id, { ...place, nextCheckAt }, now);
    const begun = { state: 'IN_PROGRESS', startTime: now, nextCheckAt } as const;
    await parts.store.tasks.advance(task.id, OPEN_STATES, begun, { type: 'none' }, now);
    return task;
  }

  /** Waits for what is under way, for a while; a process that starts later ends the rest. */
  async stop(): Promise<void> {
    const all = Promise.allSettled([...this.underWay].map(({ done }) => done));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_MS).unref()));
    await Promise.race([all, late]);
    clearTimeout(timer);
  }

  private takePlace(ownerId: number): UnderWay {
    const own = [...this.underWay].filter((one) => one.ownerId === ownerId).length;
    const whose = own >= AT_ONCE_OF_OWNER ? `${AT_ONCE_OF_OWNER} pictures of an owner` : `${AT_ONCE} pictures in all`;
    if (own >= AT_ONCE_OF_OWNER || this.underWay.size >= AT_ONCE)
      throw new GatewayError('rate_limited', `at most ${whose} are drawn in the background at once`, {
        retryAfterSeconds: 5,
      });
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.underWay.delete(place);
      resolve();
    };
    const place: UnderWay = { ownerId, done, leave };
    this.underWay.add(place);
    return place;
  }

  /** Never rejects. */
  private async draw(task: TaskRecord, caller: Caller, work: ImageWork): Promise<void> {
    const news = await this.newsOf(caller, work);
    await soonerOrLater(this.parts.log, 'the end of a picture', async () => {
      const current = await this.parts.store.tasks.get(task.id);
      if (current !== undefined) await this.settler.apply(current, news);
    });
  }

  private async newsOf(caller: Caller, { draw }: ImageWork): Promise<TaskNews> {
    const trace = newTrace();
    try {
      const { files, answer } = await draw(caller, trace);
      if (files.length === 0) return { state: 'ended', code: 'upstream_malformed', reason: 'no picture came of it' };
      return { state: 'succeeded', files: [...files], payload: keepable(answer, undefined) };
    } catch (error) {
      if (error instanceof GatewayError) return { state: 'ended', code: error.code, reason: error.message };
      this.parts.log.error({ err: error }, 'a picture could not be drawn');
      return { state: 'ended', code: 'internal', reason: 'an internal fault' };
    } finally {
      // The request's own row was written when it was answered.
      const { requestId, key, mode } = caller;
      const { charged: units } = trace;
      if (units > 0) this.parts.chargedLate?.({ requestId, ownerId: key.ownerId, mode, units });
    }
  }
}
