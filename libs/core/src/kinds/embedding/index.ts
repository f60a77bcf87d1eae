/** Embedding models: texts in, vectors out. */
import type { JsonObject } from '@model-gateway/contracts';
import type { EmbeddingCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { embeddingsOfContent, embeddingsOfContents, embeddingsOfInput, embeddingsOfTexts } from './embedding-body.ts';
import { mostOfEmbeddings } from './embeddings.ts';

export { embeddingsOfContent, embeddingsOfContents, embeddingsOfInput, embeddingsOfTexts } from './embedding-body.ts';
export { bytesOfVectors, createEmbeddings, type EmbeddingCall, type Embeddings } from './embeddings.ts';
export { base64Of, numbersOf } from './vectors.ts';
export { embeddingTexts } from './texts.ts';
export { createCachedEmbeddings, type CachedEmbeddingCall } from './cached.ts';

const quoting =
  (read: (body: JsonObject, row: ModelRow) => EmbeddingCreate) =>
  (body: JsonObject, row: ModelRow): Quoted => ({ usage: mostOfEmbeddings(read(body, row), row) });

export const embeddingKind: KindModule = {
  name: 'embedding',
  called: 'an embedding model',
  capability: 'embeddings',
  likelyNames: /embed|\bbge-|\be5-/i,
  rows: { embedding: { pricedBy: ['input'], hasDefaultPrice: true } },
  inputs: [],
  answersAtOnce: true,
  keepsAnswers: true,
  isGuarded: true,
  describe: () => ({
    operations: ['createEmbedding', 'embedContent', 'batchEmbedContents', 'createEmbedV2'],
    formats: ['embeddings', 'embed-contents', 'embed'],
  }),
  quote: {
    createEmbedding: quoting(embeddingsOfInput),
    createEmbed: quoting(embeddingsOfTexts),
    createEmbedV2: quoting(embeddingsOfTexts),
    embedContent: quoting(embeddingsOfContent),
    embedContentV1: quoting(embeddingsOfContent),
    batchEmbedContents: quoting(embeddingsOfContents),
    batchEmbedContentsV1: quoting(embeddingsOfContents),
  },
};
