/** Batches in OpenAI's form: requests are lines of an uploaded file, results those of files that the gateway writes. */
import type { Request } from 'express';
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type {
  Batches,
  BatchForm,
  BatchRecord,
  EndedLine,
  LineFault,
  NewLine,
  UploadedFiles,
} from '@model-gateway/core';
import { readJsonLines } from '@model-gateway/provider-kit';
import { dialects } from '@model-gateway/translate';
import { jsonBody } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { sendJson } from '../../http/reply.ts';
import { keepSecondsIn } from '../files/requests.ts';
import { LARGEST_LINE, lineBody, makerOf, MOST_LINES, onOneLine, totalOf } from './lines.ts';

const FORMAT = 'openai';
const INPUT_PURPOSE = 'batch';
const USUAL_PAGE = 20;
const LONGEST_ID = 512;
const MOST_METADATA = 16;
const LONGEST_METADATA = 512;
const NEVER_BEGAN = {
  cancelled: { code: 'batch_cancelled', message: 'The batch was cancelled before this request began.' },
  expired: {
    code: 'batch_expired',
    message: 'This request could not be executed before the completion window expired.',
  },
} as const;

export const fileForm: BatchForm = {
  readLines: ({ endpoint }, bytes) => new LineReader(endpoint).read(bytes),
  headersOf: () => ({}),
  resultLine: (batch, line) => {
    const id = JSON.stringify(`batch_req_${batch.id.replace(/^batch_gw_/, '')}_${line.number}`);
    return `{"id":${id},"custom_id":${JSON.stringify(line.customId)},${outcomeOf(line)}}`;
  },
  errorBody: (batch, error) => dialects['openai-chat'].encodeError(error, batch.id, error.status()),
};

function outcomeOf({ state, result, statusCode, requestId }: EndedLine): string {
  if (state === 'cancelled' || state === 'expired')
    return `"response":null,"error":${JSON.stringify(NEVER_BEGAN[state])}`;
  if (requestId !== undefined) {
    const head = `"status_code":${statusCode ?? 0},"request_id":${JSON.stringify(requestId)}`;
    return `"response":{${head},"body":${onOneLine(result)}},"error":null`;
  }
  const { code, message } = (JSON.parse(onOneLine(result)) as { error: JsonObject }).error;
  return `"response":null,"error":${JSON.stringify({ code, message })}`;
}

export interface FileBatchParts {
  readonly batches: Batches;
  readonly files: Pick<UploadedFiles, 'get'>;
  /** Google's SDK reads and lists batches at the same paths. */
  readonly googles: Required<Pick<Handlers, 'getContentBatch' | 'listContentBatches'>>;
}

/** Handlers of OpenAI's batches. */
export function fileBatchRoutes({ batches, files, googles }: FileBatchParts): Handlers {
  const orGoogles =
    (own: Handler, other: Handler): Handler =>
    (request, response) =>
      (request.headers['x-goog-api-client'] === undefined ? own : other)(request, response);
  return {
    createBatch: async (request, response) => {
      const key = makerOf(response.locals.exchange);
      const body = jsonBody(request);
      const file = await files.get(key, body['input_file_id'] as string);
      if (file.purpose !== INPUT_PURPOSE)
        throw new GatewayError(
          'invalid_request',
          `input_file_id names a file of the purpose '${file.purpose}'; upload it with the purpose '${INPUT_PURPOSE}'`,
          { param: 'input_file_id' },
        );
      const detail = { metadata: metadataIn(body), expiresAfter: expiryIn(body) };
      const endpoint = body['endpoint'] as string;
      const labels = response.locals.exchange.caller;
      const made = { format: FORMAT, key, labels, endpoint, detail, inputFileId: file.id } as const;
      const batch = await batches.createFromFile(made);
      await sendJson(response, shownBatch(batch));
    },
    listBatches: orGoogles(async (request, response) => {
      const { limit, after } = request.query;
      const { batches: found, hasMore } = await batches.list(response.locals.exchange.caller.key, {
        format: FORMAT,
        limit: limit === undefined ? USUAL_PAGE : Number(limit),
        ...(typeof after === 'string' && { after }),
      });
      await sendJson(response, {
        ...{ object: 'list', data: found.map(shownBatch), has_more: hasMore },
        ...{ first_id: found[0]?.id ?? null, last_id: found.at(-1)?.id ?? null },
      });
    }, googles.listContentBatches),
    getBatch: orGoogles(async (request, response) => {
      await sendJson(
        response,
        shownBatch(await batches.get(response.locals.exchange.caller.key, FORMAT, idOf(request))),
      );
    }, googles.getContentBatch),
    cancelBatch: async (request, response) => {
      await sendJson(
        response,
        shownBatch(await batches.cancel(response.locals.exchange.caller.key, FORMAT, idOf(request))),
      );
    },
  };
}

function idOf(request: Request): string {
  return String(request.params['batch_id']);
}

function metadataIn({ metadata }: JsonObject): Json {
  if (!isJsonObject(metadata)) return null;
  const entries = Object.entries(metadata);
  if (entries.length > MOST_METADATA || JSON.stringify(metadata).length > MOST_METADATA * 2 * LONGEST_METADATA)
    throw new GatewayError(
      'invalid_request',
      `metadata may have at most ${MOST_METADATA} texts of at most ${LONGEST_METADATA} characters`,
      { param: 'metadata' },
    );
  return metadata;
}

/** Seconds that result files live. */
function expiryIn({ output_expires_after: expiry }: JsonObject): Json {
  if (!isJsonObject(expiry)) return null;
  const { anchor } = expiry;
  return keepSecondsIn(typeof anchor === 'string' ? anchor : undefined, Number(expiry['seconds'])) ?? null;
}

/** Reads an input file line by line. */
class LineReader {
  private readonly endpoint: string;
  private readonly known = new Set<string>();
  private count = 0;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  async *read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<NewLine | LineFault> {
    let isEmpty = true;
    for await (const { number, text } of readJsonLines(bytes, LARGEST_LINE)) {
      isEmpty = false;
      if (this.count >= MOST_LINES) {
        yield { code: 'too_many_requests', message: `a batch has at most ${MOST_LINES} requests` };
        return;
      }
      yield this.take(number, text);
    }
    if (isEmpty) yield { code: 'empty_file', message: 'the input file has no requests' };
  }

  private take(number: number, text: string | undefined): NewLine | LineFault {
    const faultOf = (code: string, message: string, param?: string): LineFault => ({
      ...{ code, message, line: number },
      ...(param !== undefined && { param }),
    });
    if (text === undefined) return faultOf('line_too_large', `a line may have ${LARGEST_LINE} bytes`);
    const line = parsed(text);
    if (!isJsonObject(line)) return faultOf('invalid_json_line', 'this line is no JSON object');
    const { custom_id: customId, method, url, body } = line;
    if (typeof customId !== 'string' || customId === '' || customId.length > LONGEST_ID)
      return faultOf('invalid_custom_id', `custom_id is a text of 1 to ${LONGEST_ID} characters`, 'custom_id');
    if (this.known.has(customId))
      return faultOf('duplicate_custom_id', `the custom_id '${customId}' is there twice`, 'custom_id');
    this.known.add(customId);
    if (method !== 'POST') return faultOf('invalid_method', 'method is POST', 'method');
    if (url !== this.endpoint) return faultOf('invalid_url', `url is that of the batch, ${this.endpoint}`, 'url');
    if (!isJsonObject(body)) return faultOf('invalid_request', 'body is the JSON object of the request', 'body');
    try {
      const bytes = lineBody(body, 'body');
      const { model } = body;
      const named = typeof model === 'string' ? model.slice(0, 256) : '';
      return { number: this.count++, customId, model: named, body: bytes };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return faultOf('invalid_request', error.message, error.details.param);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shownBatch(batch: BatchRecord): JsonObject {
  const { id, endpoint, detail, counts, usage, cancelledAt, endedAt, faults } = batch;
  const isOpen = endedAt === undefined;
  const status = isOpen && cancelledAt !== undefined ? 'cancelling' : batch.status;
  const endedAs = (end: BatchRecord['status']): number | null => (batch.status === end ? secondsOf(endedAt) : null);
  return {
    id,
    object: 'batch',
    endpoint,
    errors:
      faults === undefined
        ? null
        : {
            object: 'list',
            data: faults.map(({ code, message, line, param }) => ({
              ...{ code, message, line: line ?? null, param: param ?? null },
            })),
          },
    input_file_id: batch.inputFileId ?? '',
    completion_window: '24h',
    status: status === 'receiving' ? 'validating' : status,
    output_file_id: batch.outputFileId ?? null,
    error_file_id: batch.errorFileId ?? null,
    created_at: secondsOf(batch.createdAt),
    in_progress_at: secondsOf(batch.startedAt),
    expires_at: secondsOf(batch.expiresAt),
    finalizing_at: secondsOf(batch.finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: secondsOf(cancelledAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: { total: totalOf(batch), completed: counts.succeeded, failed: counts.errored },
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedInputTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
    metadata: detail['metadata'] ?? null,
  };
}

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.floor(ms / 1000);
}
