/** Creating tasks: the body is read and checked, the money quoted, the offers ordered; then row, vendor, ticket, answer. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ProviderAdapter, SubjectCreate, Upstream, VideoCreate } from '@model-gateway/provider-kit';
import { findModel, offersFor, type ModelRow, type Offer } from '../catalogue.ts';
import type { Caller } from '../parts.ts';
import type { NewTask, Tenant } from '../ports.ts';
import { pauseAfter } from './cadence.ts';
import { hostVideos, requireFetchable } from './embedded-videos.ts';
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
import { readVideoBody } from '../kinds/video/video-body.ts';

export interface CreatorOptions {
  readonly parts: TaskParts;
  readonly settler: Settler;
  readonly media: MediaChecker;
  readonly idempotency: Idempotency;
  /** A task has its ticket: it falls due at this time. */
  readonly created: (dueAt: number) => void;
}

interface Intent {
  readonly task: Pick<NewTask, 'id' | 'kind' | 'model' | 'input' | 'quota' | 'deadlineAt' | 'callbackUrl'>;
  readonly hold: { readonly amount: number; readonly detail: JsonObject } | undefined;
  readonly offers: readonly Offer[];
  readonly start: (adapter: ProviderAdapter, upstream: Upstream) => Promise<Started>;
  readonly media?: Submission['media'];
  readonly reconcile: (
    adapter: ProviderAdapter,
    upstream: Upstream,
    submittedAt: number,
  ) => Promise<JsonObject | undefined>;
}

/** Makes the two ways to create a task. */
export function createCreator(options: CreatorOptions): Pick<TaskEngine, 'createVideo' | 'createSubject'> {
  const { parts, settler, media, idempotency } = options;
  const { store, now, settings, money } = parts;

  const run = async (caller: Caller, intent: Intent, claim: Claim | undefined): Promise<NewlyCreated> => {
    const first = intent.offers[0];
    if (first === undefined) throw new GatewayError('unavailable', 'no vendor account can take the task');
    const task = await store.tasks.create(
      {
        ...intent.task,
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
    );
    const { offers, start, media: mediaOf, reconcile } = intent;
    const firstCheckMs = (offer: Offer): number => {
      const kind = { id: task.id, model: task.model, accountId: offer.account.id, upstreamModel: offer.model };
      return pauseAfter(0, settler.cadenceOf(kind));
    };
    const answer = ({ dropped }: Started) => claim?.answer(task, dropped);
    const submitted = await submit(parts, {
      task,
      caller,
      offers,
      start,
      reconcile,
      firstCheckMs,
      answer,
      ...(mediaOf !== undefined && { media: mediaOf }),
    });
    options.created(submitted.task.nextCheckAt ?? 0);
    return submitted;
  };

  /** Offers that can make videos, where the caller's subjects live. */
  const videoOffers = async (caller: Caller, row: ModelRow, subjects: readonly string[]): Promise<readonly Offer[]> => {
    const known = await checkSubjects(store.subjects, subjects, caller.key);
    const homes = new Set(known.map(({ accountId }) => accountId));
    const able = offersFor(parts.catalogue(), row, caller.mode).filter(
      ({ account }) => parts.adapters.get(account.vendor)?.videos !== undefined,
    );
    if (able.length === 0) throw notServed(row);
    const offers = homes.size === 0 ? able : able.filter(({ account }) => homes.size === 1 && homes.has(account.id));
    if (offers.length === 0) {
      throw wrong('subject_infos', 'name subjects that do not live together with this model; make them for this model');
    }
    return parts.router.order(offers);
  };

  /** After the money is set aside: nobody keeps files here for nothing. */
  const host = async (input: VideoCreate, id: string, { ownerId, mode }: Tenant): Promise<VideoCreate> => {
    try {
      return await hostVideos(parts, input, { id, ownerId, mode });
    } catch (error) {
      throw new GatewayError('internal', 'the embedded video could not be kept', { taken: 'no', cause: error });
    }
  };

  const subjectOffers = (caller: Caller, model: string | undefined): { row: ModelRow; offers: readonly Offer[] } => {
    const catalogue = parts.catalogue();
    const rows =
      model === undefined
        ? [...catalogue.models.values()].filter(({ kind, videoShape }) => kind === 'video' && videoShape === 'omni')
        : [findModel(catalogue, model, ['video'])];
    const usable = rows.filter(({ code }) => mayUseModel(caller.key, code));
    if (rows.length > 0 && usable.length === 0) throw modelForbidden(model);
    for (const row of usable) {
      const wantTwin = caller.mode === 'test' || catalogue.twinOnly;
      const offers = row.offers.filter(
        ({ account }) =>
          account.on && account.twin === wantTwin && parts.adapters.get(account.vendor)?.subjects !== undefined,
      );
      if (offers.length > 0) return { row, offers: parts.router.order(offers) };
    }
    if (model !== undefined) throw wrong('model', `'${model}' knows no subjects`);
    throw new GatewayError('unavailable', 'no vendor account on this deployment makes subjects at the moment');
  };

  return {
    async createVideo(caller, body, { endpoint, idempotency: once }) {
      const row = modelOf(parts, body);
      const { draft, family, callbackUrl } = readVideoBody(body, row, endpoint);
      if (callbackUrl !== undefined) checkCallback(parts, caller, callbackUrl);
      return idempotency.once(caller, once, async (claim) => {
        const offers = await videoOffers(caller, row, draft.subjects);
        const id = `${family === 'seconds' ? 'video_' : 'task_'}${parts.randomId()}`;
        // Whatever shape the caller used: the limits are those of the model's family.
        const measured = family === 'content' ? await media.check(draft) : draft;
        requireFetchable(parts, measured, offers[0]?.account.twin === true);
        const input: VideoCreate = { ...measured, dedupeKey: dedupeKeyOf(id) };
        const hold = money.quote(row, input, caller.key.group);
        const usual = defaultDuration(row);
        let hosted: Promise<VideoCreate> | undefined;
        const intent: Intent = {
          task: {
            id,
            kind: 'video',
            model: row.code,
            input: storedInput({ ...input }, { family, ...(usual !== undefined && { default_duration: usual }) }),
            quota: hold.amount,
            deadlineAt: now() + (row.deadlineHours ?? settings.deadlineHours) * 3_600_000,
            ...(callbackUrl !== undefined && { callbackUrl }),
          },
          hold,
          offers,
          media: ({ videos }, account) => videos?.media?.(input, account) ?? [],
          start: async (adapter, upstream) => {
            if (adapter.videos === undefined) throw notServed(row);
            hosted ??= host(input, id, caller.key);
            return adapter.videos.start(await hosted, upstream);
          },
          reconcile: async ({ videos }, upstream, submittedAt) =>
            videos?.reconcile?.({ dedupeKey: input.dedupeKey, submittedAt }, upstream),
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
            if (adapter.subjects === undefined) throw notServed(row);
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

function modelForbidden(model: string | undefined): GatewayError {
  const message =
    model === undefined
      ? 'the key may not use any model that knows subjects'
      : `the key may not use the model '${model}'`;
  return new GatewayError('forbidden', message, { param: 'model' });
}

function notServed({ code }: ModelRow): GatewayError {
  return new GatewayError('unavailable', `no vendor account serves the model '${code}' at the moment`, {
    param: 'model',
    taken: 'no',
  });
}
