import type { Route } from '../core/vendor.ts';
import { embeddingsAt } from '../openai/embeddings.ts';
import { complainAsArk, refuseUnknownArkModel } from './errors.ts';

export const routes: readonly Route[] = [
  embeddingsAt('/api/v3/embeddings', {
    complain: complainAsArk,
    refuseUnknown: refuseUnknownArkModel,
    mostInputs: 256,
    mostTokens: 4096,
    fields: ['dimensions', 'encoding_format'],
    dimensions: () => 2048,
    takesTokens: false,
    base64: false,
  }),
];
