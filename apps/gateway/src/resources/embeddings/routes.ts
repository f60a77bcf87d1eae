/** Embeddings in OpenAI's form, in Google's and in Cohere's. */
import { OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import {
  bytesOfVectors,
  embeddingsOfContent,
  embeddingsOfContents,
  embeddingsOfInput,
  embeddingsOfTexts,
  findModel,
  type Catalogue,
  type EmbeddingCall,
  type Embeddings,
  type ModelRow,
} from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import type { BodyBudget } from '../../http/steps/body-budget.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { mediaControl, cacheWordOf } from '../../http/request-control.ts';
import { contentEmbeddingOf, contentEmbeddingsOf, embeddingListOf, typedEmbeddingsOf } from './view.ts';
import { sendWhole } from '../whole-answer.ts';

export interface EmbeddingRouteParts {
  readonly embeddings: Embeddings;
  readonly catalogue: () => Catalogue;
  /** What vectors may take of memory until they have been read. */
  readonly answers: Pick<BodyBudget, 'open'>;
}

interface Form {
  /** For the ledger. */
  readonly endpoint: string;
  readonly read: (body: JsonObject, row: ModelRow) => EmbeddingCall['input'];
  readonly print: (call: EmbeddingCall, answer: Awaited<ReturnType<Embeddings['embed']>>) => JsonObject | string;
}

/** Handlers of the embedding operations. */
export function embeddingRoutes({ embeddings, catalogue, answers }: EmbeddingRouteParts): Handlers {
  const handler =
    ({ endpoint, read, print }: Form): Handler =>
    (request, response) =>
      sendWhole(response, async (trace) => {
        const row = findModel(catalogue(), response.locals.exchange.model, ['embedding']);
        const caller = response.locals.exchange.caller;
        const body = jsonBody(request);
        const cache = cacheWordOf(request);
        const call = {
          caller,
          row,
          input: read(body, row),
          read: (each: ModelRow) => read(body, each),
          endpoint,
          ...mediaControl(request, catalogue, caller.key.group, true),
          ...(cache !== undefined && { cache }),
        };
        // Before a vendor is asked: what it has answered is charged.
        const hold = answers.open(response, caller.key.ownerId);
        const refusal = await hold.admitWhole(bytesOfVectors(call.input, row));
        if (refusal !== undefined) throw refusal;
        const work = embeddings.embed(call, trace);
        hold.keepFor(work);
        return print(call, await work);
      });
  const one = handler({
    endpoint: 'embedContent',
    read: embeddingsOfContent,
    print: (_call, answer) => contentEmbeddingOf(answer),
  });
  const several = handler({
    endpoint: 'batchEmbedContents',
    read: embeddingsOfContents,
    print: (_call, answer) => contentEmbeddingsOf(answer),
  });
  return {
    createEmbedding: handler({
      endpoint: OPERATIONS.createEmbedding.path,
      read: embeddingsOfInput,
      print: embeddingListOf,
    }),
    createEmbed: handler({
      endpoint: OPERATIONS.createEmbed.path,
      read: embeddingsOfTexts,
      print: (call, answer) => typedEmbeddingsOf(call, answer, true),
    }),
    createEmbedV2: handler({
      endpoint: OPERATIONS.createEmbedV2.path,
      read: embeddingsOfTexts,
      print: (call, answer) => typedEmbeddingsOf(call, answer, false),
    }),
    embedContent: one,
    embedContentV1: one,
    batchEmbedContents: several,
    batchEmbedContentsV1: several,
  };
}
