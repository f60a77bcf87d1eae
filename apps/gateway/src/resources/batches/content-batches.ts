/** Batches in Google's form: requests come in the body, answers are part of the operation when it has ended. */
import type { Request } from 'express';
import { GatewayError, isJsonObject, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import type { Batches, BatchForm, BatchRecord, BatchStatus, EndedLine, NewLine } from '@model-gateway/core';
import { dialects } from '@model-gateway/translate';
import { jsonBody } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { pipeBody, sendJson } from '../../http/reply.ts';
import { isoTime, lineBody, makerOf, onOneLine, totalOf } from './lines.ts';

const FORMAT = 'gemini';
const { dialect: DIALECT } = OPERATIONS.generateContent;
const USUAL_PAGE = 50;
const LONGEST_METADATA = 4_096;

/** What the requests of a batch ask for: where, what its operation is called, and where its answers stand in it. */
const ASKED = {
  contents: {
    path: OPERATIONS.generateContent.path,
    type: 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
    answers: 'inlinedResponses',
  },
  embeddings: {
    path: OPERATIONS.embedContent.path,
    type: 'type.googleapis.com/google.ai.generativelanguage.v1main.EmbedContentBatch',
    answers: 'inlinedEmbedContentResponses',
  },
} as const;
const VERB = /:\w+$/;
const CANCELLED = new GatewayError('conflict', 'the batch was cancelled before this request began');
const EXPIRED = new GatewayError('upstream_timeout', 'the batch expired before this request began');

const STATES: Readonly<Record<BatchStatus, string>> = {
  receiving: 'BATCH_STATE_PENDING',
  validating: 'BATCH_STATE_PENDING',
  in_progress: 'BATCH_STATE_RUNNING',
  finalizing: 'BATCH_STATE_RUNNING',
  completed: 'BATCH_STATE_SUCCEEDED',
  failed: 'BATCH_STATE_FAILED',
  expired: 'BATCH_STATE_EXPIRED',
  cancelled: 'BATCH_STATE_CANCELLED',
};

export const contentForm: BatchForm = {
  headersOf: () => ({}),
  // The `metadata` of a request is kept as its id.
  resultLine: (batch, { state, result, customId }) => {
    const metadata = customId === '' ? '' : `,"metadata":${customId}`;
    if (state === 'succeeded') return `{"response":${onOneLine(result)}${metadata}}`;
    if (state === 'errored') return `{"error":${statusIn(result)}${metadata}}`;
    const error = contentForm.errorBody(batch, state === 'cancelled' ? CANCELLED : EXPIRED);
    return `{"error":${JSON.stringify(error['error'])}${metadata}}`;
  },
  errorBody: (batch, error) => dialects[DIALECT].encodeError(error, batch.id, error.status()),
};

/** The `error` of an answered error. */
function statusIn(result: EndedLine['result']): string {
  const body: unknown = JSON.parse(onOneLine(result));
  return JSON.stringify(isJsonObject(body) ? (body['error'] ?? body) : body);
}

/** Handlers of Google's batches. */
export function contentBatchRoutes(batches: Batches) {
  const create =
    ({ path }: (typeof ASKED)[keyof typeof ASKED]): Handler =>
    async (request, response) => {
      const key = makerOf(response.locals.exchange);
      const model = String(request.params['model']);
      const { displayName, inputConfig } = jsonBody(request)['batch'] as JsonObject;
      const batch = await batches.create(
        {
          ...{ format: FORMAT, key, endpoint: path.replace('{model}', encodeURIComponent(model)) },
          labels: response.locals.exchange.caller,
          detail: { model, displayName: typeof displayName === 'string' ? displayName.slice(0, 200) : '' },
        },
        readLines(inputConfig as JsonObject, model),
      );
      await sendJson(response, operationOf(batch));
    };
  const handlers = {
    createContentBatch: create(ASKED.contents),
    createEmbeddingBatch: create(ASKED.embeddings),
    listContentBatches: async (request, response) => {
      const { pageSize, pageToken } = request.query;
      const { batches: found, hasMore } = await batches.list(response.locals.exchange.caller.key, {
        format: FORMAT,
        limit: pageSize === undefined ? USUAL_PAGE : Number(pageSize),
        ...(typeof pageToken === 'string' && { after: pageToken }),
      });
      const last = found.at(-1);
      await sendJson(response, {
        operations: found.map(operationOf),
        ...(hasMore && last !== undefined && { nextPageToken: last.id }),
      });
    },
    getContentBatch: async (request, response) => {
      const batch = await batches.get(response.locals.exchange.caller.key, FORMAT, idOf(request));
      if (batch.endedAt === undefined) {
        await sendJson(response, operationOf(batch));
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      await pipeBody(endedOperation(batches, batch), response);
    },
    deleteContentBatch: async (request, response) => {
      await batches.remove(response.locals.exchange.caller.key, FORMAT, idOf(request));
      await sendJson(response, {});
    },
    cancelContentBatch: async (request, response) => {
      await batches.cancel(response.locals.exchange.caller.key, FORMAT, idOf(request));
      await sendJson(response, {});
    },
  } satisfies Handlers;
  const { createContentBatch, createEmbeddingBatch, cancelContentBatch, deleteContentBatch } = handlers;
  return {
    ...handlers,
    createContentBatchV1: createContentBatch,
    createEmbeddingBatchV1: createEmbeddingBatch,
    cancelContentBatchV1: cancelContentBatch,
    deleteContentBatchV1: deleteContentBatch,
  };
}

/** What its requests ask for. */
function askedBy({ endpoint }: BatchRecord): (typeof ASKED)[keyof typeof ASKED] {
  const { embeddings, contents } = ASKED;
  return VERB.exec(endpoint)?.[0] === VERB.exec(embeddings.path)?.[0] ? embeddings : contents;
}

/** `batches/…` is a name as well as the id behind it. */
function idOf(request: Request): string {
  return String(request.params['batch_id']).replace(/^batches\//, '');
}

function readLines(inputConfig: JsonObject, model: string): NewLine[] {
  const requests = isJsonObject(inputConfig['requests']) ? inputConfig['requests']['requests'] : undefined;
  const place = 'batch.inputConfig.requests.requests';
  if (!Array.isArray(requests))
    throw new GatewayError('invalid_request', `${place} is missing; send the requests inline`, { param: place });
  return requests.map((each, number) => {
    const { request, metadata } = each as JsonObject;
    const { model: _named, ...body } = request as JsonObject;
    const customId = metadata === undefined ? '' : JSON.stringify(metadata);
    if (customId.length > LONGEST_METADATA)
      throw new GatewayError(
        'invalid_request',
        `${place}[${number}].metadata has ${customId.length} characters; it may have ${LONGEST_METADATA}`,
        { param: `${place}[${number}].metadata` },
      );
    return { number, customId, model, body: lineBody(body, `${place}[${number}].request`) };
  });
}

function operationOf(batch: BatchRecord): JsonObject & { metadata: JsonObject } {
  const { id, status, detail, counts, createdAt, endedAt, startedAt } = batch;
  const name = `batches/${id}`;
  const stats = {
    requestCount: totalOf(batch),
    successfulRequestCount: counts.succeeded,
    failedRequestCount: counts.errored + counts.cancelled + counts.expired,
    pendingRequestCount: counts.waiting,
  };
  return {
    name,
    ...(endedAt !== undefined && { done: true }),
    metadata: {
      '@type': askedBy(batch).type,
      name,
      model: `models/${detail['model'] as string}`,
      displayName: detail['displayName'] ?? '',
      createTime: isoTime(createdAt),
      updateTime: isoTime(endedAt ?? startedAt ?? createdAt),
      ...(endedAt !== undefined && { endTime: isoTime(endedAt) }),
      state: STATES[status],
      // As Google writes large integers, and without those that are zero.
      batchStats: Object.fromEntries(
        Object.entries(stats).flatMap(([key, value]) => (value === 0 ? [] : [[key, String(value)]])),
      ),
    },
  };
}

/** The operation with its answers, where Google's SDK and where its documentation look for them. */
async function* endedOperation(batches: Batches, batch: BatchRecord): AsyncGenerator<string> {
  const { metadata, ...operation } = operationOf(batch);
  yield `${JSON.stringify(operation).slice(0, -1)},"metadata":${JSON.stringify(metadata).slice(0, -1)},"output":`;
  yield* outputOf(batches, batch);
  yield '},"response":';
  yield* outputOf(batches, batch);
  yield '}';
}

async function* outputOf(batches: Batches, batch: BatchRecord): AsyncGenerator<string> {
  yield `{"${askedBy(batch).answers}":{"inlinedResponses":[`;
  let between = '';
  for await (const line of batches.results(batch)) {
    yield `${between}${contentForm.resultLine(batch, line)}`;
    between = ',';
  }
  yield ']}}';
}
