import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import {
  isMissing,
  malformedReply,
  numberAt,
  objectAt,
  textAt,
  type ContextCacheAdapter,
  type KeptContext,
  type Upstream,
  type UpstreamReply,
} from '@model-gateway/provider-kit';

/** A large content is read before it is answered. */
const READING_SECONDS = 300;
const GONE = /cached ?content not found/i;

/** Google's cachedContents (docs/wire/gemini-generate.md#cached-contents). */
export const contextCaches: ContextCacheAdapter = {
  async create(body, upstream) {
    const json = { ...body, model: `models/${upstream.model}` };
    const path = `${prefix(upstream)}/cachedContents`;
    return keptIn(await upstream.send({ method: 'POST', path, json, firstByteSeconds: READING_SECONDS }));
  },

  async update(name, body, upstream) {
    return keptIn(await upstream.send({ method: 'PATCH', path: pathOf(name, upstream), json: body }));
  },

  async remove(name, upstream) {
    try {
      await upstream.send({ method: 'DELETE', path: pathOf(name, upstream), notFound: 'task' });
    } catch (error) {
      // Google says 403, as it does of a key; what is gone is told by the sentence.
      const isGone = error instanceof GatewayError && GONE.test(error.details.vendorWords ?? error.message);
      if (!isGone && !isMissing(error)) throw error;
    }
  },
};

/** Caches are not in every version. */
function prefix({ account }: Upstream): string {
  const { api_version: version = 'v1beta' } = account.settings;
  return `/${version}`;
}

function pathOf(name: string, upstream: Upstream): string {
  return `${prefix(upstream)}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

function keptIn({ json }: UpstreamReply): KeptContext {
  const name = textAt(json, 'name');
  const expiresAt = Date.parse(textAt(json, 'expireTime') ?? '');
  const tokens = numberAt(json, 'usageMetadata', 'totalTokenCount');
  if (name === undefined || !/^cachedContents\/[\w-]+$/.test(name))
    throw malformedReply('a cached content without a name');
  if (!Number.isFinite(expiresAt)) throw malformedReply('a cached content that does not say when it expires');
  if (tokens === undefined) throw malformedReply('a cached content that does not say how many tokens it has');
  const { contents: _contents, systemInstruction: _system, tools: _tools, ...about }: JsonObject = objectAt(json) ?? {};
  return { name, about, expiresAt, tokens };
}
