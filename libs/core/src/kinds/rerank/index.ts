/** Rerank models: a query and documents in, scores out. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { rerankOf } from './rerank-body.ts';
import { mostOfRerank } from './rerank.ts';

export { rerankOf, type RerankAsked } from './rerank-body.ts';
export { createReranker, type RerankCall, type Reranker } from './rerank.ts';
export { rerankTexts } from './texts.ts';

const quote = (body: JsonObject, row: ModelRow): Quoted => ({ usage: mostOfRerank(rerankOf(body, row).input) });

export const rerankKind: KindModule = {
  name: 'rerank',
  called: 'a rerank model',
  capability: 'rerank',
  likelyNames: /rerank/i,
  rows: { rerank: { pricedBy: ['input'] } },
  inputs: [],
  answersAtOnce: true,
  isGuarded: true,
  describe: () => ({ operations: ['createRerank', 'createRerankV2'], formats: ['rerank'] }),
  quote: { createRerank: quote, createRerankV2: quote },
};
