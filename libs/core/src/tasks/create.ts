/** Creating tasks: the body is read and checked, the money quoted, the offers ordered; then row, vendor, ticket, answer. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ProviderAdapter, SubjectCreate, Upstream, VideoCreate } from '@model-gateway/provider-kit';
import { answers, findModel, offersFor, type ModelRow, type Offer } from '../catalogue.ts';
import { refuseKept } from '../paid/kept-by-vendors.ts';
import type { Caller } from '../parts.ts';
import type { NewTask } from '../ports.ts';
import { pauseAfter } from './cadence.ts';
import { requireFetchable } from './embedded-videos.ts';
import type { JobQueue } from './job-queue.ts';
import type { Claim, Idempotency } from './idempotency.ts';
import type { MediaChecker } from '../kinds/video/media-limits.ts';
import { mayUseModel } from '../keys/api-keys.ts';
import { dedupeKeyOf } from './poller.ts';
import { storedInput } from './stored-input.ts';
import { defaultDuration } from '../kinds/video/row-limits.ts';
import type { Settler } from './settle.ts';
import { wrong } from '../kinds/video/shapes/fields.ts';
import { checkSubjects, readSubjectBody, storedSubject } from '../kinds/video/subjects.ts';
import { submit, submitGraceMs, type Started, type Submission } from './submit.ts';
import type { NewlyCreated, TaskEngine, TaskParts } from './types.ts';
import { inShapeOf, readVideoBody, type VideoEndpoint } from '../kinds/video/video-body.ts';
import type { VideoDraft } from '../kinds/video/shapes/shape.ts';
import { videoFactors, videoUsage } from '../kinds/video/video-price.ts';
import { UNTIL_TAKEN } from '../paid/repeat.ts';
import { routeMedia, rowsBelow, type MediaControl, type RoutedMedia } from '../paid/routed.ts';
import { notServed, videoWork } from './video-work.ts';

export interface CreatorOptions {
  readonly parts: TaskParts;
  readonly settler: Settler;
  readonly media: MediaChecker;
  readonly idempotency: Idempotency;
  readonly queue: JobQueue;
  /** A task has its ticket: it falls due at this time. */
  readonly created: (dueAt: number) => void;
}

interface Intent {
  readonly task: Pick<NewTask, 'id' | 'kind' | 'model' | 'input' | 'quota' | 'deadlineAt' | 'callbackUrl'>;
  readonly hold: { readonly amount: number; readonly detail: JsonObject } | undefined;
  readonly offers: readonly Offer[];
  /** How the offers were come to, where the model has routes. */
  readonly way?: Submission['way'];
  readonly start: (adapter: ProviderAdapter, upstream: Upstream) => Promise<Started>;
  readonly media?: Submission['media'];
  /** What a task of this kind would wait with; absent for a kind that never waits. */
  readonly waitsWith?: { readonly input: VideoCreate; readonly priority: number };
  readonly reconcile: (
    adapter: ProviderAdapter,
    upstream: Upstream,
    submittedAt: number,
  ) => Promise<JsonObject | undefined>;
}

/** Makes the two ways to create a task. */
export function createCreator(options: CreatorOptions): Pick<TaskEngine, 'createVideo' | 'createSubject'> {
  const { parts, settler, media, idempotency, queue } = options;
  const { store, now, settings, money } = parts;

  const run = async (caller: Caller, intent: Intent, claim: Claim | undefined): Promise<NewlyCreated> => {
    const first = intent.offers[0];
    if (first === undefined) throw new GatewayError('unavailable', 'no vendor account can take the task');
    const traceParent = parts.tracing?.traceParent();
    const { waitsWith } = intent;
    const admission =
      waitsWith === undefined
        ? undefined
        : queue.admission({
            offers: intent.offers,
            ...waitsWith,
            caller,
            answer: (queued) => claim?.answer(queued, []),
          });
    const task = await store.tasks.create(
      {
        ...intent.task,
        ...(traceParent !== undefined && { traceParent }),
        mode: caller.mode,
        ownerId: caller.key.ownerId,
        keyId: caller.key.id,
        group: caller.key.group,
        requestId: caller.requestId,
        accountId: first.account.id,
        accountName: first.account.name,
        vendor: first.account.vendor,
        upstreamModel: first.model,
        priceVersion: parts.catalogue().priceVersion,
        createdAt: now(),
        nextCheckAt: now() + submitGraceMs(parts, first.account),
      },
      intent.hold === undefined ? undefined : { payer: money.payer(caller), ...intent.hold },
      claim?.bind(intent.task.id),
      now(),
      admission,
    );
    if (task.waiting === true) {
      queue.wake();
      return { task, dropped: [], attempts: 0 };
    }
    const { offers: all, way, start, media: mediaOf, reconcile } = intent;
    const firstCheckMs = (offer: Offer): number => {
      const kind = { id: task.id, model: task.model, accountId: offer.account.id, upstreamModel: offer.model };
      return pauseAfter(0, settler.cadenceOf(kind));
    };
    const answer = ({ dropped }: Started) => claim?.answer(task, dropped);
    // Where it was let in comes first.
    const isFirst = ({ account, model }: Offer): number =>
      Number(account.id === task.accountId && model === task.upstreamModel);
    const offers = admission === undefined ? all : all.toSorted((a, b) => isFirst(b) - isFirst(a));
    const submitted = await submit(parts, {
      task,
      caller,
      offers,
      start,
      reconcile,
      firstCheckMs,
      answer,
      ...(way !== undefined && { way }),
      ...(mediaOf !== undefined && { media: mediaOf }),
    });
    options.created(submitted.task.nextCheckAt ?? 0);
    return submitted;
  };

  const makesVideos = ({ account }: Offer): boolean => parts.adapters.get(account.vendor)?.videos !== undefined;

  /** Where the caller's subjects live; undefined for a body that names none. */
  const homeOf = async (
    caller: Caller,
    subjects: readonly string[],
  ): Promise<((offer: Offer) => boolean) | undefined> => {
    const known = await checkSubjects(store.subjects, subjects, caller.key);
    const homes = new Set(known.map(({ accountId }) => accountId));
    return homes.size === 0 ? undefined : ({ account }) => homes.size === 1 && homes.has(account.id);
  };

  /** Offers that can make videos, where the caller's subjects live. */
  const videoOffers = async (caller: Caller, row: ModelRow, subjects: readonly string[]): Promise<readonly Offer[]> => {
    const isHome = await homeOf(caller, subjects);
    const able = offersFor(parts.catalogue(), row, caller.mode).filter(makesVideos);
    if (able.length === 0) throw notServed(row.code);
    const offers = isHome === undefined ? able : able.filter(isHome);
    if (offers.length === 0) throw liveElsewhere();
    return parts.router.order(offers, row);
  };

  /** Over the models that the row leads to, each with the body as it is for that one. */
  const routedVideo = async (
    caller: Caller,
    { row, body, endpoint, control }: AskedVideo,
  ): Promise<RoutedMedia<VideoDraft>> => {
    const { draft } = readVideoBody(body, row, endpoint);
    const isHome = await homeOf(caller, draft.subjects);
    try {
      return routeMedia(parts, {
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
        maySend: (offer) => makesVideos(offer) && (isHome === undefined || isHome(offer)),
      });
    } catch (error) {
      if (isHome !== undefined && error instanceof GatewayError && error.code === 'unavailable') throw liveElsewhere();
      throw error;
    }
  };

  /** Any of them may be the one that makes it. */
  const holdFor = (rows: readonly ModelRow[], input: VideoCreate, { key }: Caller) =>
    rows
      .map((row) => money.quote(row, input, key.group))
      .reduce((dearest, each) => (each.amount > dearest.amount ? each : dearest));
  const longestHours = (rows: readonly ModelRow[]): number =>
    Math.max(...rows.map(({ deadlineHours }) => deadlineHours ?? settings.deadlineHours));

  const subjectOffers = (caller: Caller, model: string | undefined): { row: ModelRow; offers: readonly Offer[] } => {
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
  };

  return {
    async createVideo(caller, body, { endpoint, priority = 0, control, idempotency: once }) {
      const row = modelOf(parts, body);
      const { draft, family, callbackUrl } = readVideoBody(body, row, endpoint);
      await refuseKept(parts, body);
      checkPriority(caller, priority);
      if (callbackUrl !== undefined) checkCallback(parts, caller, callbackUrl);
      return idempotency.once(caller, once, async (claim) => {
        const isRouted = row.route !== undefined || control !== undefined;
        const way = isRouted ? await routedVideo(caller, { row, body, endpoint, control }) : undefined;
        const offers = way?.candidates.map(({ offer }) => offer) ?? (await videoOffers(caller, row, draft.subjects));
        const first = way?.candidates[0]?.row ?? row;
        const id = `${family === 'seconds' ? 'video_' : 'task_'}${parts.randomId()}`;
        // Whatever shape the caller used: the limits are those of the model's family.
        const measured = family === 'content' ? await media.check(draft) : draft;
        requireFetchable(parts, measured, offers[0]?.account.twin === true);
        const input: VideoCreate = { ...measured, dedupeKey: dedupeKeyOf(id) };
        const hold = holdFor(way === undefined ? [row] : [...way.terms.keys()], input, caller);
        const usual = defaultDuration(first);
        const intent: Intent = {
          task: {
            id,
            kind: 'video',
            model: row.code,
            input: storedInput({ ...input }, { family, ...(usual !== undefined && { default_duration: usual }) }),
            quota: hold.amount,
            deadlineAt: now() + longestHours(way === undefined ? [row] : [...way.terms.keys()]) * 3_600_000,
            ...(callbackUrl !== undefined && { callbackUrl }),
          },
          hold,
          offers,
          ...(way !== undefined && { way }),
          waitsWith: { input, priority },
          ...videoWork(parts, input, { id, model: row.code, ownerId: caller.key.ownerId, mode: caller.mode }),
        };
        return run(caller, intent, claim);
      });
    },

    async createSubject(caller, body, { idempotency: once } = {}) {
      const { model, draft } = readSubjectBody(body);
      return idempotency.once(caller, once, async (claim) => {
        const { row, offers } = subjectOffers(caller, model);
        const id = `task_${parts.randomId()}`;
        const input: SubjectCreate = { ...draft, dedupeKey: dedupeKeyOf(id) };
        const intent: Intent = {
          task: {
            id,
            kind: 'subject',
            model: row.code,
            input: storedSubject(draft),
            quota: 0,
            deadlineAt: now() + settings.deadlineHours * 3_600_000,
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
        return run(caller, intent, claim);
      });
    },
  };
}

interface AskedVideo {
  readonly row: ModelRow;
  readonly body: JsonObject;
  readonly endpoint: VideoEndpoint;
  readonly control: MediaControl | undefined;
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
function checkCallback({ untrustedFetcher }: TaskParts, caller: Caller, url: string): void {
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
