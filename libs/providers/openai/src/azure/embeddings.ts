import type { EmbeddingAdapter } from '@model-gateway/provider-kit';
import { quirks as quirksOfOpenAi, embeddings as ofOpenAi } from '../embeddings.ts';
import { azureUpstream } from './addresses.ts';

export const quirks = quirksOfOpenAi;

export const embeddings: EmbeddingAdapter = {
  embed: (input, upstream) => ofOpenAi.embed(input, azureUpstream(upstream)),
};
