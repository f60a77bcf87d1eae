import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  CLOCKS_DIFFER_MS,
  framedLines,
  listAt,
  lookThroughPages,
  malformedReply,
  objectAt,
  pollJob,
  readJsonObjects,
  removeIfThere,
  textAt,
  type BatchAdapter,
  type BatchProgress,
  type BatchResult,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';

const PATH = '/v1/messages/batches';
/** What a whole batch is asked with, so that its lines share it. */
const HEADERS = ['anthropic-version', 'anthropic-beta'] as const;
const PAGE = 100;
/** A `create` that was not answered has arrived within this time, or never does. */
const ARRIVES_WITHIN_MS = 900_000;
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Anthropic's message batches: requests come with the batch, which has no name of ours (docs/wire/batches.md#anthropic). */
export const batches: BatchAdapter = {
  limits: { lines: 100_000, bytes: 200_000_000 },

  groupOf({ method, path, headers = {}, body }: UpstreamRequest) {
    if (method !== 'POST' || path !== '/v1/messages' || body === undefined) return undefined;
    const isKnown = Object.keys(headers).every(
      (name) => name === 'content-type' || HEADERS.some((own) => own === name),
    );
    return isKnown ? JSON.stringify(HEADERS.map((name) => headers[name] ?? null)) : undefined;
  },

  async create(batch, _uploaded, upstream) {
    const source = framedLines(
      batch,
      { head: (id) => `{"custom_id":"${id}","params":`, between: ',', tail: '}' },
      { before: '{"requests":[', after: ']}' },
    );
    const headers = { 'content-type': 'application/json', ...headersOf(batch.group) };
    const { json } = await upstream.send({ method: 'POST', path: PATH, headers, source, firstByteSeconds: 600 });
    const id = textAt(json, 'id');
    if (id === undefined) throw malformedReply('a batch without an id');
    return { id, group: batch.group };
  },

  /** A batch has no name: those that were made at the time, of as many requests, may be it. */
  async find({ lines, askedAt }, upstream) {
    const page = async (after = '') => {
      const path = `${PATH}?limit=${PAGE}${after === '' ? '' : `&after_id=${encodeURIComponent(after)}`}`;
      const { json } = await upstream.send({ method: 'GET', path, headers: headersOf(undefined) });
      const data = listAt(json, 'data');
      const next = textAt(data.at(-1), 'id');
      return { batches: data, ...(next !== undefined && { next }) };
    };
    const pick = (each: Json) => {
      const id = textAt(each, 'id');
      const at = createdAtOf(each);
      const isAnotherTime = at < askedAt - CLOCKS_DIFFER_MS || at > askedAt + ARRIVES_WITHIN_MS;
      return id === undefined || isAnotherTime || countIn(each) !== lines
        ? undefined
        : { ticket: { id }, isCertain: false };
    };
    return lookThroughPages({ page, pick, createdAt: createdAtOf }, askedAt);
  },

  async check(ticket, upstream) {
    const headers = headersOf(textAt(ticket, 'group'));
    const polled = await pollJob(upstream, { method: 'GET', path: pathOf(ticket), headers, notFound: 'task' });
    return 'missing' in polled ? { state: 'missing' } : progressOf(ticket, polled.json);
  },

  async *results(ticket, upstream) {
    const headers = headersOf(textAt(ticket, 'group'));
    const { body } = await upstream.stream({ method: 'GET', path: `${pathOf(ticket)}/results`, headers });
    for await (const line of readJsonObjects(body)) {
      const result = resultOf(line);
      if (result !== undefined) yield result;
    }
  },

  async cancel(ticket, upstream) {
    const headers = headersOf(textAt(ticket, 'group'));
    await upstream.send({ method: 'POST', path: `${pathOf(ticket)}/cancel`, headers });
  },

  remove: (ticket, upstream) =>
    removeIfThere(upstream, { path: pathOf(ticket), headers: headersOf(textAt(ticket, 'group')) }),
};

function pathOf(ticket: JsonObject): string {
  return `${PATH}/${encodeURIComponent(textAt(ticket, 'id') ?? '')}`;
}

function headersOf(group: string | undefined): Record<string, string> {
  const values = group === undefined ? [] : (JSON.parse(group) as (string | null)[]);
  const headers: Record<string, string> = { 'anthropic-version': '2023-06-01' };
  for (const [index, name] of HEADERS.entries()) {
    const value = values[index];
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

/** NaN where it does not say. */
function createdAtOf(batch: Json): number {
  return Date.parse(textAt(batch, 'created_at') ?? '');
}

function countIn(batch: Json): number {
  const counts = objectAt(batch, 'request_counts') ?? {};
  return Object.values(counts).reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}

function progressOf(ticket: JsonObject, json: Json | undefined): BatchProgress {
  if (textAt(json, 'processing_status') !== 'ended') return { state: 'running', ticket };
  const isCancelled = textAt(json, 'cancel_initiated_at') !== undefined;
  return { state: 'ended', ticket, unanswered: isCancelled ? 'cancelled' : 'expired' };
}

function resultOf(line: JsonObject): BatchResult | undefined {
  const id = textAt(line, 'custom_id');
  if (id === undefined) return undefined;
  const result = objectAt(line, 'result');
  switch (textAt(result, 'type')) {
    case 'succeeded':
      return { id, status: 200, body: result?.['message'] ?? null };
    case 'canceled':
      return { id, notRun: 'cancelled' };
    case 'expired':
      return { id, notRun: 'expired' };
    default: {
      const error = objectAt(result, 'error') ?? {};
      const type = textAt(error, 'error', 'type') ?? textAt(error, 'type') ?? '';
      return { id, status: STATUSES[type] ?? 500, body: error };
    }
  }
}
