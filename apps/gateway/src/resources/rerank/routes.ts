/** Reranking in the form of Cohere and Jina. */
import { OPERATIONS, type JsonObject } from '@model-gateway/contracts';
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
      const { input, returned } = rerankOf(body, row);
      const { path: endpoint } = OPERATIONS.createRerank;
      const { id, scores, usage } = await reranker.rerank(
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
      return {
        id: id ?? `rerank-${caller.requestId}`,
        model: row.code,
        results: scores.map(({ index, score }) => ({
          index,
          relevance_score: score,
          ...documentOf(returned, index),
        })),
        meta: { api_version: { version: '2' }, billed_units: { search_units: usage.searchUnits ?? 0 } },
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    });
  return { createRerank: rerank, createRerankV2: rerank };
}

function documentOf(returned: readonly JsonObject[] | undefined, index: number): { document?: JsonObject } {
  const document = returned?.[index];
  return document === undefined ? {} : { document };
}
