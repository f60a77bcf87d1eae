/** Creating tasks: the body is read and checked, the money quoted, the offers ordered; then row, vendor, ticket, answer. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { SubjectCreate, VideoCreate } from '@model-gateway/provider-kit';
import { answers, findModel, offersFor, type ModelRow, type Offer } from '../catalogue.ts';
import { refuseKept } from '../paid/kept-by-vendors.ts';
import { taggedDetail } from '../money/spending.ts';
import type { Caller } from '../parts.ts';
import type { NewTask } from '../ports.ts';
import { pauseAfter } from './cadence.ts';
import { requireFetchable } from './embedded-videos.ts';
import type { JobQueue } from './job-queue.ts';
import type { Claim, Idempotency } from './idempotency.ts';
import type { MediaChecker } from '../kinds/video/media-limits.ts';
import { changeIntent, type ChangeOfVideo } from './change-video.ts';
import { mayUseModel } from '../keys/api-keys.ts';
import { dedupeKeyOf } from './vendor-check.ts';
import { storedInput } from './stored-input.ts';
import { defaultDuration, defaultSize } from '../kinds/video/row-limits.ts';
import type { Settler } from './settle.ts';
import { wrong } from '../kinds/video/shapes/fields.ts';
import { checkSubjects, readSubjectBody, storedSubject } from '../kinds/video/subjects.ts';
import { submit, submitGraceMs, type TaskIntent } from './submit.ts';
import type { Created, CreateOptions, NewlyCreated, TaskEngine, TaskParts } from './types.ts';
import { inShapeOf, readVideoBody, type VideoBody, type VideoEndpoint } from '../kinds/video/video-body.ts';
import type { VideoDraft } from '../kinds/video/shapes/shape.ts';
import { keptVendorWords } from '../kinds/video/video-class.ts';
import { videoFactors, videosAsked, videoUsage } from '../kinds/video/video-price.ts';
import { UNTIL_TAKEN } from '../paid/repeat.ts';
import { routeMedia, rowsBelow, type MediaControl, type RoutedMedia } from '../paid/routed.ts';
import { notServed, videoWork } from './video-work.ts';

export interface TaskCreatorOptions {
  readonly parts: TaskParts;
  readonly settler: Settler;
  readonly media: MediaChecker;
  readonly idempotency: Idempotency;
  readonly queue: JobQueue;
  /** A task has its ticket: it falls due at this time. */
  readonly created: (dueAt: number) => void;
}

/** The two ways to create a task. */
export class TaskCreator implements Pick<TaskEngine, 'createVideo' | 'createSubject'> {
  private readonly options: TaskCreatorOptions;
  private readonly parts: TaskParts;

  constructor(options: TaskCreatorOptions) {
    this.options = options;
    this.parts = options.parts;
  }

  async createVideo(caller: Caller, body: JsonObject, options: CreateOptions): Promise<Created> {
    const { parts } = this;
    const { endpoint, priority = 0, control } = options;
    const row = modelOf(parts, body);
    const read = readVideoBody(body, row, endpoint);
    checkPriority(caller, priority);
    if (read.callbackUrl !== undefined) checkCallback(parts, caller, read.callbackUrl);
    return this.options.idempotency.once(caller, options.idempotency, async (claim) => {
      const intent = await this.videoIntent(caller, { row, body, endpoint, control, priority, ...read });
      return this.run(caller, intent, claim);
    });
  }

  /** `source` is the caller's own, `address` where its film can be fetched. */
  async changeVideo(
    caller: Caller,
    asked: ChangeOfVideo,
    options: Pick<CreateOptions, 'idempotency'>,
  ): Promise<Created> {
    return this.options.idempotency.once(caller, options.idempotency, async (claim) =>
      this.run(caller, changeIntent(this.parts, caller, asked), claim),
    );
  }

  async createSubject(
    caller: Caller,
    body: JsonObject,
    options: Pick<CreateOptions, 'idempotency'> = {},
  ): Promise<Created> {
    const { parts } = this;
    const { model, draft } = readSubjectBody(body);
    return this.options.idempotency.once(caller, options.idempotency, async (claim) => {
      const { row, offers } = this.subjectOffers(caller, model);
      const id = `task_${parts.randomId()}`;
      const input: SubjectCreate = { ...draft, dedupeKey: dedupeKeyOf(id) };
      const intent: TaskIntent = {
        task: {
          id,
          kind: 'subject',
          model: row.code,
          input: storedSubject(draft),
          quota: 0,
          deadlineAt: parts.now() + parts.settings.deadlineHours * 3_600_000,
        },
        hold: undefined,
        offers,
        start: async (adapter, upstream) => {
          if (adapter.subjects === undefined) throw notServed(row.code);
          return { ...(await adapter.subjects.start(input, upstream)), dropped: [] };
        },
        reconcile: async ({ subjects }, upstream, submittedAt) =>
          subjects?.reconcile?.({ dedupeKey: input.dedupeKey, submittedAt }, upstream),
      };
      return this.run(caller, intent, claim);
    });
  }

  /** Row, hold and place in one transaction; then the vendor, unless the task has to wait. */
  private async run(caller: Caller, intent: TaskIntent, claim: Claim | undefined): Promise<NewlyCreated> {
    const { parts } = this;
    const { queue, settler, created } = this.options;
    const { offers, way, start, media, reconcile, waitsWith } = intent;
    const first = offers[0];
    if (first === undefined) throw new GatewayError('unavailable', 'no vendor account can take the task');
    const admission =
      waitsWith && queue.admission({ offers, ...waitsWith, caller, answer: (queued) => claim?.answer(queued, []) });
    const task = await parts.store.tasks.create(
      this.newTask(caller, intent, first),
      intent.hold && {
        payer: parts.money.payer(caller),
        amount: intent.hold.amount,
        detail: taggedDetail(intent.hold.detail, caller),
      },
      claim?.bind(intent.task.id),
      parts.now(),
      admission,
    );
    if (task.waiting === true) {
      queue.wake();
      return { task, dropped: [], attempts: 0 };
    }
    // Where it was let in comes first.
    const isFirst = ({ account, model }: Offer): number =>
      Number(account.id === task.accountId && model === task.upstreamModel);
    const submitted = await submit(parts, {
      task,
      caller,
      offers: admission === undefined ? offers : offers.toSorted((a, b) => isFirst(b) - isFirst(a)),
      start,
      reconcile,
      firstCheckMs: ({ account, model }) =>
        pauseAfter(0, settler.cadenceOf({ ...task, accountId: account.id, upstreamModel: model })),
      answer: ({ dropped }) => claim?.answer(task, dropped),
      ...(way !== undefined && { way }),
      ...(media !== undefined && { media }),
    });
    created(submitted.task.nextCheckAt ?? 0);
    return submitted;
  }

  private newTask(caller: Caller, { task }: TaskIntent, { account, model }: Offer): NewTask {
    const { parts } = this;
    const traceParent = parts.tracing?.traceParent();
    return {
      ...task,
      ...(traceParent !== undefined && { traceParent }),
      mode: caller.mode,
      ownerId: caller.key.ownerId,
      keyId: caller.key.id,
      group: caller.key.group,
      requestId: caller.requestId,
      accountId: account.id,
      accountName: account.name,
      vendor: account.vendor,
      upstreamModel: model,
      priceVersion: parts.catalogue().priceVersion,
      createdAt: parts.now(),
      nextCheckAt: parts.now() + submitGraceMs(parts, account),
    };
  }

  // ---- videos --------------------------------------------------------------------------------------------------

  private async videoIntent(caller: Caller, asked: AskedVideo): Promise<TaskIntent> {
    const { parts } = this;
    const { row, body, control, draft, family, callbackUrl, priority } = asked;
    const isRouted = row.route !== undefined || control !== undefined;
    const way = isRouted ? await this.routedVideo(caller, asked) : undefined;
    const offers = way?.candidates.map(({ offer }) => offer) ?? (await this.videoOffers(caller, row, draft.subjects));
    await refuseKept(parts, body, { ownerId: caller.key.ownerId, offers });
    const id = `${family === 'seconds' ? 'video_' : 'task_'}${parts.randomId()}`;
    // Whatever shape the caller used: the limits are those of the model's family.
    const measured = family === 'content' ? await this.options.media.check(draft) : draft;
    requireFetchable(parts, measured, offers[0]?.account.twin === true);
    const input: VideoCreate = { ...measured, dedupeKey: dedupeKeyOf(id) };
    const rows = way === undefined ? [row] : [...way.terms.keys()];
    const hold = this.highestQuote(rows, input, caller);
    // What is reported of several is believed then.
    const count = videosAsked(input);
    const elsewhere = keptVendorWords(input);
    const first = way?.candidates[0]?.row ?? row;
    const usual = defaultDuration(first);
    const size = defaultSize(first);
    const deadlineHours = Math.max(...rows.map((each) => each.deadlineHours ?? parts.settings.deadlineHours));
    return {
      task: {
        id,
        kind: 'video',
        model: row.code,
        input: storedInput(
          { ...input },
          {
            family,
            ...(usual !== undefined && { default_duration: usual }),
            ...(size !== undefined && { default_size: size }),
            ...(count > 1 && { extra: { count } }),
            ...(elsewhere !== undefined && { elsewhere }),
          },
        ),
        quota: hold.amount,
        deadlineAt: parts.now() + deadlineHours * 3_600_000,
        ...(callbackUrl !== undefined && { callbackUrl }),
      },
      hold,
      offers,
      ...(way !== undefined && { way }),
      waitsWith: { input, priority },
      ...videoWork(parts, input, { id, model: row.code, ownerId: caller.key.ownerId, mode: caller.mode }),
    };
  }

  /** Any of the models may be the one that makes it. */
  private highestQuote(
    rows: readonly ModelRow[],
    input: VideoCreate,
    { key }: Caller,
  ): NonNullable<TaskIntent['hold']> {
    return rows
      .map((row) => this.parts.money.quote(row, input, key.group))
      .reduce((highest, each) => (each.amount > highest.amount ? each : highest));
  }

  private readonly makesVideos = ({ account }: Offer): boolean =>
    this.parts.adapters.get(account.vendor)?.videos !== undefined;

  /** Whether an offer is where the caller's subjects live; undefined for a body that names none. */
  private async homeOf(caller: Caller, subjects: readonly string[]): Promise<((offer: Offer) => boolean) | undefined> {
    const known = await checkSubjects(this.parts.store.subjects, subjects, caller.key);
    const homes = new Set(known.map(({ accountId }) => accountId));
    return homes.size === 0 ? undefined : ({ account }) => homes.size === 1 && homes.has(account.id);
  }

  /** Offers that can make videos, where the caller's subjects live. */
  private async videoOffers(caller: Caller, row: ModelRow, subjects: readonly string[]): Promise<readonly Offer[]> {
    const isHome = await this.homeOf(caller, subjects);
    const able = offersFor(this.parts.catalogue(), row, caller.mode).filter(this.makesVideos);
    if (able.length === 0) throw notServed(row.code);
    const offers = isHome === undefined ? able : able.filter(isHome);
    if (offers.length === 0) throw liveElsewhere();
    return this.parts.router.order(offers, row);
  }

  /** Over the models that the row leads to, each with the body as it is for that one. */
  private async routedVideo(
    caller: Caller,
    { row, body, endpoint, control, draft }: AskedVideo,
  ): Promise<RoutedMedia<VideoDraft>> {
    const isHome = await this.homeOf(caller, draft.subjects);
    try {
      return routeMedia(this.parts, {
        caller,
        row,
        read: (each) => readVideoBody(body, inShapeOf(row, each), endpoint).draft,
        termsOf: (input, each) => ({ quote: { most: videoUsage(each, input) }, factors: videoFactors(each, input) }),
        facts: () => ({
          text: draft.prompt ?? '',
          inputs: new Set(VIDEO_INPUTS.flatMap(([input, list]) => (draft[list].length > 0 ? [input] : []))),
        }),
        repeat: UNTIL_TAKEN,
        ...(control !== undefined && { control }),
        maySend: (offer) => this.makesVideos(offer) && (isHome === undefined || isHome(offer)),
      });
    } catch (error) {
      if (isHome !== undefined && error instanceof GatewayError && error.code === 'unavailable') throw liveElsewhere();
      throw error;
    }
  }

  // ---- subjects ------------------------------------------------------------------------------------------------

  private subjectOffers(caller: Caller, model: string | undefined): { row: ModelRow; offers: readonly Offer[] } {
    const { parts } = this;
    const catalogue = parts.catalogue();
    const rows =
      model === undefined
        ? [...catalogue.models.values()].filter(({ kind, videoShape }) => kind === 'video' && videoShape === 'omni')
        : [findModel(catalogue, model, ['video'])];
    const allowed = rows.filter(({ code }) => mayUseModel(caller.key, code));
    if (rows.length > 0 && allowed.length === 0) throw modelForbidden(model);
    for (const row of allowed.flatMap((each) => rowsBelow(catalogue, each))) {
      const wantTwin = caller.mode === 'test' || catalogue.twinOnly;
      const offers = row.offers.filter(
        ({ account }) =>
          account.on &&
          answers(account, caller.mode, wantTwin) &&
          parts.adapters.get(account.vendor)?.subjects !== undefined,
      );
      if (offers.length > 0) return { row, offers: parts.router.order(offers, row) };
    }
    if (model !== undefined) throw wrong('model', `'${model}' knows no subjects`);
    throw new GatewayError('unavailable', 'no vendor account on this deployment makes subjects at the moment');
  }
}

interface AskedVideo extends VideoBody {
  readonly row: ModelRow;
  readonly body: JsonObject;
  readonly endpoint: VideoEndpoint;
  readonly control: MediaControl | undefined;
  readonly priority: number;
}

/** What a video may be made from, by where it stands in a draft. */
const VIDEO_INPUTS = [
  ['image', 'images'],
  ['audio', 'audios'],
  ['video', 'videos'],
] as const;

function liveElsewhere(): GatewayError {
  return wrong('subject_infos', 'name subjects that do not live together with this model; make them for this model');
}

function modelOf(parts: TaskParts, body: JsonObject): ModelRow {
  const { model } = body;
  if (typeof model !== 'string' || model === '') throw wrong('model', 'is required: a model code of GET /v1/models');
  return findModel(parts.catalogue(), model, ['video']);
}

/** What a webhook needs: a secret to sign it with, and an address that may be called. A name's address is checked when it is called. */
export function checkCallback({ untrustedFetcher }: TaskParts, caller: Caller, url: string): void {
  if (caller.key.webhookSecret === undefined)
    throw wrong('callback_url', 'needs a key with a webhook_secret: the webhook could not be signed');
  if (untrustedFetcher.isNeverCalled(url))
    throw wrong(
      'callback_url',
      'must lead to a public address; private, loopback and link-local ones are never called',
    );
}

function checkPriority({ key }: Caller, priority: number): void {
  const most = key.limits.maxPriority ?? 0;
  if (priority <= most) return;
  throw new GatewayError('forbidden', `the key may ask for priority ${most} at most, not ${priority}`, {
    param: 'x-gateway-priority',
  });
}

function modelForbidden(model: string | undefined): GatewayError {
  const message =
    model === undefined
      ? 'the key may not use any model that knows subjects'
      : `the key may not use the model '${model}'`;
  return new GatewayError('forbidden', message, { param: 'model' });
}
