import type { Route } from '../core/vendor.ts';
import { embeddingsAt } from '../openai/embeddings.ts';
import { refuseAsCompatible } from './errors.ts';

/** In compatible mode, whose refusals are OpenAI's. */
export const routes: readonly Route[] = [
  {
    ...embeddingsAt('/compatible-mode/v1/embeddings', {
      mostInputs: 10,
      mostTokens: 8192,
      fields: ['dimensions', 'encoding_format'],
      dimensions: () => 1024,
      takesTokens: false,
      base64: false,
    }),
    refuse: refuseAsCompatible,
  },
];
