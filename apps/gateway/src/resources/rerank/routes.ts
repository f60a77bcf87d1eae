/** Reranking in the form of Cohere and Jina, and in Voyage's. */
import { isJsonObject, OPERATIONS, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import { findModel, rerankOf, type Catalogue, type Reranker } from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { mediaControl } from '../../http/request-control.ts';
import { sendWhole } from '../whole-answer.ts';

export interface RerankRouteParts {
  readonly reranker: Reranker;
  readonly catalogue: () => Catalogue;
}

/** Handlers of the rerank operations. */
export function rerankRoutes({ reranker, catalogue }: RerankRouteParts): Handlers {
  const rerank: Handler = (request, response) =>
    sendWhole(response, async (trace) => {
      const row = findModel(catalogue(), response.locals.exchange.model, ['rerank']);
      const caller = response.locals.exchange.caller;
      const body = jsonBody(request);
      const { input, returned, isVoyages } = rerankOf(body, row);
      const { path: endpoint } = OPERATIONS.createRerank;
      const {
        id,
        scores,
        usage,
        body: said = {},
      } = await reranker.rerank(
        {
          caller,
          row,
          input,
          read: (each) => rerankOf(body, each).input,
          endpoint,
          ...mediaControl(request, catalogue, caller.key.group),
        },
        trace,
      );
      const tokens = usage.inputTokens ?? 0;
      const results = scores.map(({ index, score, item }) => ({
        ...item,
        index,
        relevance_score: score,
        ...documentOf(returned, index),
      }));
      const { meta, usage: counted, ...more } = said;
      return {
        id: id ?? `rerank-${caller.requestId}`,
        ...more,
        model: row.code,
        results,
        ...(isVoyages && { object: 'list', data: results.map(asVoyageSays) }),
        meta: metaOf(usage, meta),
        usage: { prompt_tokens: tokens, total_tokens: tokens, ...objectIn(counted) },
      };
    });
  return { createRerank: rerank, createRerankV2: rerank };
}

/** Voyage's clients read documents as texts. */
function asVoyageSays({ document, ...result }: JsonObject): JsonObject {
  const text = isJsonObject(document) ? document['text'] : undefined;
  return { ...result, ...(document !== undefined && { document: text ?? document }) };
}

/** As Cohere's clients read it. */
function metaOf({ searchUnits = 0 }: Usage, said: Json | undefined): JsonObject {
  const { billed_units, ...meta } = objectIn(said);
  const units = { search_units: searchUnits, ...objectIn(billed_units) };
  return { api_version: { version: '2' }, ...meta, billed_units: units };
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function documentOf(returned: readonly JsonObject[] | undefined, index: number): { document?: JsonObject } {
  const document = returned?.[index];
  return document === undefined ? {} : { document };
}
