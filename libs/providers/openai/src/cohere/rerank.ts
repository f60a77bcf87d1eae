import { rerank as ofCompatible } from '../compatible/rerank.ts';
import type { RerankAdapter } from '@model-gateway/provider-kit';

/** `POST /v2/rerank` (docs/wire/rerank.md#cohere), whose form compatible servers have, too. */
export const rerank: RerankAdapter = {
  rerank: (input, upstream) =>
    ofCompatible.rerank(input, { ...upstream, send: (request) => upstream.send({ ...request, path: '/v2/rerank' }) }),
};
