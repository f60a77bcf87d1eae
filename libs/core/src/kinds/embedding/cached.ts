/** Vectors given again to the same request, where the model's row wants it (docs/decisions/0026-a-response-cache.md). */
import { createHash } from 'node:crypto';
import type { EmbeddingReply, Generated } from '@model-gateway/provider-kit';
import {
  chargeAgain,
  keepAnswer,
  findCachedAnswer,
  type CacheWord,
  type KeepingParts,
} from '../../cache/kept-answers.ts';
import { newTrace, type Trace } from '../../paid/trace.ts';
import type { EmbeddingCall, Embeddings } from './embeddings.ts';
import { hasManyNumbers } from './vectors.ts';

/** What callers say of answers that are kept. */
export interface CachedEmbeddingCall extends EmbeddingCall {
  readonly cache?: CacheWord;
}

/** The same embeddings, kept and given again by the rules of their rows; without such a row nothing is looked at. */
export function createCachedEmbeddings(parts: KeepingParts, embeddings: Embeddings): Embeddings {
  const embed = async (call: CachedEmbeddingCall, trace: Trace): Promise<Generated<EmbeddingReply>> => {
    const { caller, row, endpoint } = call;
    if (row.cache === undefined || call.cache === 'no-store') return embeddings.embed(call, trace);
    const request = { caller, row, rule: row.cache, endpoint, trace };
    const looked = await findCachedAnswer(parts, request, keyOf(call), call.cache);
    if (looked.hit !== undefined) {
      const { hit } = looked;
      await chargeAgain(parts, request, hit);
      const kept = JSON.parse(Buffer.from(hit.body).toString()) as EmbeddingReply;
      return { ...kept, usage: hit.usage, dropped: [...hit.dropped] };
    }
    try {
      const made = await embeddings.embed(call, trace);
      const { vectors, further, answer } = made;
      const kept: EmbeddingReply = {
        vectors,
        ...(further !== undefined && { further }),
        ...(answer !== undefined && { answer }),
      };
      // Larger ones are more than a cache holds, and would be written as one text.
      if (hasManyNumbers(vectors, further)) await looked.forget();
      else await keepAnswer(trace, Buffer.from(JSON.stringify(kept)), looked);
      return made;
    } catch (error) {
      await looked.forget();
      throw error;
    }
  };
  return {
    embed: (call, trace = newTrace()) =>
      parts.catalogue().caches === true ? embed(call, trace) : embeddings.embed(call, trace),
  };
}

/** Everything that vectors depend on, and whose they are. */
function keyOf({ caller: { key, mode }, row, endpoint, input, control }: CachedEmbeddingCall): string {
  return createHash('sha256')
    .update(JSON.stringify(['embedding', key.ownerId, mode, key.group, row.code, endpoint, control ?? null]))
    .update(JSON.stringify(input))
    .digest('base64url');
}
