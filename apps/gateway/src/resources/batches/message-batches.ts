/** Batches in Anthropic's form: requests come in the body, results are read line by line. */
import type { Request } from 'express';
import { GatewayError, isJsonObject, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import type { Batches, BatchForm, BatchRecord, EndedLine, NewLine } from '@model-gateway/core';
import { dialects } from '@model-gateway/translate';
import { jsonBody } from '../../http/exchange.ts';
import type { Handlers } from '../../http/operation.ts';
import { pipeBody, sendJson } from '../../http/reply.ts';
import { isoTime, lineBody, makerOf, onOneLine } from './lines.ts';

const FORMAT = 'anthropic';
const { path: ENDPOINT, dialect: DIALECT } = OPERATIONS.createMessage;
const USUAL_PAGE = 20;
/** Headers of the request that makes a batch, which its lines are sent with. */
const HEADERS = ['anthropic-version', 'anthropic-beta'] as const;
const LONGEST_HEADER = 1_000;

export const messageForm: BatchForm = {
  headersOf: ({ detail }) => detail['headers'] as Record<string, string>,
  resultLine: (_batch, line) => `{"custom_id":${JSON.stringify(line.customId)},"result":${resultOf(line)}}`,
  errorBody: (batch, error) => dialects[DIALECT].encodeError(error, batch.id, error.status()),
};

function resultOf({ state, result }: EndedLine): string {
  switch (state) {
    case 'succeeded':
      return `{"type":"succeeded","message":${onOneLine(result)}}`;
    case 'errored':
      return `{"type":"errored","error":${onOneLine(result)}}`;
    case 'cancelled':
      return '{"type":"canceled"}';
    case 'expired':
    case 'waiting':
      return '{"type":"expired"}';
  }
}

/** Handlers of Anthropic's batches. */
export function messageBatchRoutes(batches: Batches, publicUrl: () => string): Handlers {
  const shown = (batch: BatchRecord): JsonObject => shownBatch(batch, publicUrl());
  return {
    createMessageBatch: async (request, response) => {
      const key = makerOf(response.locals.exchange);
      const lines = readLines(jsonBody(request)['requests'] as JsonObject[]);
      const detail = { headers: headersIn(request) };
      const labels = response.locals.exchange.caller;
      const batch = await batches.create({ format: FORMAT, key, labels, endpoint: ENDPOINT, detail }, lines);
      await sendJson(response, shown(batch));
    },
    listMessageBatches: async (request, response) => {
      const { limit, after_id: after, before_id: before } = request.query;
      const { batches: found, hasMore } = await batches.list(response.locals.exchange.caller.key, {
        format: FORMAT,
        limit: limit === undefined ? USUAL_PAGE : Number(limit),
        ...(typeof after === 'string' && { after }),
        ...(typeof before === 'string' && { before }),
      });
      const data = found.map(shown);
      await sendJson(response, {
        data,
        has_more: hasMore,
        first_id: found[0]?.id ?? null,
        last_id: found.at(-1)?.id ?? null,
      });
    },
    getMessageBatch: async (request, response) => {
      await sendJson(response, shown(await batches.get(response.locals.exchange.caller.key, FORMAT, idOf(request))));
    },
    deleteMessageBatch: async (request, response) => {
      const id = idOf(request);
      await batches.remove(response.locals.exchange.caller.key, FORMAT, id);
      await sendJson(response, { id, type: 'message_batch_deleted' });
    },
    cancelMessageBatch: async (request, response) => {
      await sendJson(response, shown(await batches.cancel(response.locals.exchange.caller.key, FORMAT, idOf(request))));
    },
    getMessageBatchResults: async (request, response) => {
      const batch = await batches.get(response.locals.exchange.caller.key, FORMAT, idOf(request));
      response.writeHead(200, { 'content-type': 'application/x-jsonl' });
      await pipeBody(resultLines(batches, batch), response);
    },
  };
}

async function* resultLines(batches: Batches, batch: BatchRecord): AsyncGenerator<string> {
  for await (const line of batches.results(batch)) yield `${messageForm.resultLine(batch, line)}\n`;
}

function idOf(request: Request): string {
  return String(request.params['batch_id']);
}

function headersIn({ headers }: Request): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value.slice(0, LONGEST_HEADER);
  }
  return kept;
}

function readLines(requests: readonly JsonObject[]): NewLine[] {
  const known = new Set<string>();
  return requests.map(({ custom_id: customId, params }, number) => {
    if (typeof customId !== 'string' || !isJsonObject(params)) throw new Error('the document asks for both');
    if (known.has(customId))
      throw new GatewayError('invalid_request', `requests[${number}].custom_id is used twice: '${customId}'`, {
        param: `requests[${number}].custom_id`,
      });
    known.add(customId);
    const { model } = params;
    return {
      ...{ number, customId, body: lineBody(params, `requests[${number}].params`) },
      model: typeof model === 'string' ? model.slice(0, 256) : '',
    };
  });
}

function shownBatch(batch: BatchRecord, publicUrl: string): JsonObject {
  const { id, counts, createdAt, expiresAt, endedAt, cancelledAt } = batch;
  const status = endedAt !== undefined ? 'ended' : cancelledAt !== undefined ? 'canceling' : 'in_progress';
  return {
    id,
    type: 'message_batch',
    processing_status: status,
    request_counts: {
      processing: counts.waiting,
      succeeded: counts.succeeded,
      errored: counts.errored,
      canceled: counts.cancelled,
      expired: counts.expired,
    },
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
    ended_at: endedAt === undefined ? null : isoTime(endedAt),
    cancel_initiated_at: cancelledAt === undefined ? null : isoTime(cancelledAt),
    archived_at: null,
    results_url:
      endedAt === undefined ? null : `${publicUrl}${OPERATIONS.getMessageBatchResults.path.replace('{batch_id}', id)}`,
  };
}
