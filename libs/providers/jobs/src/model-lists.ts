/** The models that vendors of jobs list (docs/wire/fal.md#list-of-models, docs/wire/replicate.md#list-of-models): those that make pictures and videos. */
import { GatewayError, type Json } from '@model-gateway/contracts';
import {
  isMissing,
  listAt,
  malformedReply,
  textAt,
  valueAt,
  type ListedModel,
  type ModelListAdapter,
  type Upstream,
} from '@model-gateway/provider-kit';

type JobListKind = 'image' | 'video';

/** fal's queue has no list: another host of fal's has it, and tells everybody. */
const FAL_QUEUE = 'queue.fal.run';
const FAL_LIST = 'https://api.fal.ai/v1/models';
const FAL_CATEGORIES: readonly (readonly [category: string, kind: JobListKind])[] = [
  ['text-to-image', 'image'],
  ['image-to-image', 'image'],
  ['text-to-video', 'video'],
  ['image-to-video', 'video'],
];
/** Of a list that does not end. */
const MOST_PAGES = 40;

export const falModels: ModelListAdapter = {
  kinds: ['image', 'video'],
  async list(upstream) {
    const found: ListedModel[] = [];
    for (const [category, kind] of FAL_CATEGORIES) {
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const json = await falPage(upstream, { category, ...(cursor !== undefined && { cursor }) });
        const items = valueAt(json, 'models');
        if (!Array.isArray(items)) throw malformedReply('a list of models without models');
        found.push(...listAt(items).flatMap((item) => falModel(item, kind)));
        cursor = textAt(json, 'next_cursor');
        if (cursor === undefined) break;
      }
    }
    return onceEach(found);
  },
};

async function falPage(upstream: Upstream, query: Readonly<Record<string, string>>): Promise<Json | undefined> {
  const asked = new URLSearchParams(query).toString();
  const { host } = new URL(upstream.account.baseUrl);
  const at = host === FAL_QUEUE ? { path: '', url: `${FAL_LIST}?${asked}` } : { path: `/v1/models?${asked}` };
  return (await upstream.send({ method: 'GET', ...at })).json;
}

function falModel(item: Json, kind: JobListKind): readonly ListedModel[] {
  const id = textAt(item, 'endpoint_id');
  if (id === undefined) return [];
  const isDeprecated = textAt(item, 'metadata', 'status') === 'deprecated';
  return [{ id, kind, body: 'prompt', ...(isDeprecated && { isDeprecated: true as const }) }];
}

/** Collections that Replicate's staff keeps. All public models together are too many to compare. */
const REPLICATE_COLLECTIONS: readonly (readonly [slug: string, kind: JobListKind])[] = [
  ['text-to-image', 'image'],
  ['image-editing', 'image'],
  ['text-to-video', 'video'],
  ['image-to-video', 'video'],
];

export const replicateModels: ModelListAdapter = {
  kinds: ['image', 'video'],
  isPartial: true,
  async list(upstream) {
    const lists = await Promise.all(REPLICATE_COLLECTIONS.map(([slug, kind]) => collection(upstream, slug, kind)));
    if (lists.every((list) => list === undefined)) throw malformedReply('none of its collections of models is there');
    return onceEach(lists.flatMap((list) => list ?? []));
  },
};

/** Undefined where the vendor has no such collection any more. */
async function collection(
  upstream: Upstream,
  slug: string,
  kind: JobListKind,
): Promise<readonly ListedModel[] | undefined> {
  try {
    const { json } = await upstream.send({ method: 'GET', path: `/collections/${slug}`, notFound: 'task' });
    return listAt(json, 'models').flatMap((item) => {
      const [owner, name] = [textAt(item, 'owner'), textAt(item, 'name')];
      return owner === undefined || name === undefined ? [] : [{ id: `${owner}/${name}`, kind, body: 'prompt' }];
    });
  } catch (error) {
    if (error instanceof GatewayError && isMissing(error)) return undefined;
    throw error;
  }
}

/** A model of two lists is what the first says. */
function onceEach(models: readonly ListedModel[]): readonly ListedModel[] {
  return [...new Map(models.toReversed().map((model) => [model.id, model])).values()].toReversed();
}
