import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  framedLines,
  listAt,
  lookThroughPages,
  malformedReply,
  objectAt,
  pollJob,
  readJsonObjects,
  textAt,
  numberAt,
  type BatchAdapter,
  type BatchProgress,
  type BatchResult,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { files } from './files.ts';

const PATHS: ReadonlySet<string> = new Set(['/chat/completions', '/responses', '/embeddings']);
/** Of the batch's metadata: what it is found by. */
const NAME = 'gateway_batch';
const DAY_SECONDS = 86_400;
/** Batches of one page. */
const PAGE = 100;

/** OpenAI's batches: a file of lines, a batch of it, files of what was answered and what was not (docs/wire/batches.md#openai). */
export const batches: BatchAdapter = {
  limits: { lines: 50_000, bytes: 190_000_000 },

  groupOf({ method, path, headers = {}, body, json }: UpstreamRequest) {
    const isBare = Object.keys(headers).every((name) => name === 'content-type');
    return method === 'POST' && isBare && PATHS.has(path) && (body ?? json) !== undefined ? `/v1${path}` : undefined;
  },

  async upload(batch, upstream) {
    const lines = framedLines(batch, {
      head: (id) => `{"custom_id":"${id}","method":"POST","url":"${batch.group}","body":`,
      tail: '}\n',
    });
    const { json } = await upstream.send({
      method: 'POST',
      path: '/files',
      form: [
        { name: 'purpose', value: 'batch' },
        { name: 'expires_after[anchor]', value: 'created_at' },
        { name: 'expires_after[seconds]', value: String(7 * DAY_SECONDS) },
        { name: 'file', filename: `${batch.name}.jsonl`, contentType: 'application/jsonl', ...lines },
      ],
      firstByteSeconds: 600,
    });
    return { file: idIn(json, 'an uploaded file') };
  },

  async create({ name, group }, uploaded, upstream) {
    const { json } = await upstream.send({
      method: 'POST',
      path: '/batches',
      json: {
        input_file_id: uploaded['file'] ?? '',
        endpoint: group,
        completion_window: '24h',
        metadata: { [NAME]: name },
      },
    });
    return { ...uploaded, id: idIn(json, 'a batch') };
  },

  async find({ name, askedAt }, upstream) {
    const page = async (after = '') => {
      const path = `/batches?limit=${PAGE}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`;
      const { json } = await upstream.send({ method: 'GET', path });
      const found = listAt(json, 'data');
      const next = textAt(found.at(-1), 'id');
      return { batches: found, ...(next !== undefined && { next }) };
    };
    const pick = (each: Json) => {
      if (textAt(each, 'metadata', NAME) !== name) return undefined;
      const file = textAt(each, 'input_file_id');
      return { ticket: { id: idIn(each, 'a batch'), ...(file !== undefined && { file }) }, isCertain: true };
    };
    return lookThroughPages({ page, pick, createdAt: createdAtOf }, askedAt);
  },

  async check(ticket, upstream) {
    const path = `/batches/${encodeURIComponent(textAt(ticket, 'id') ?? '')}`;
    const polled = await pollJob(upstream, { method: 'GET', path, notFound: 'task' });
    return 'missing' in polled ? { state: 'missing' } : progressOf(ticket, polled.json);
  },

  async *results(ticket, upstream) {
    for (const name of ['output', 'errors']) {
      const file = textAt(ticket, name);
      if (file === undefined) continue;
      const path = `/files/${encodeURIComponent(file)}/content`;
      const { body } = await upstream.stream({ method: 'GET', path });
      for await (const line of readJsonObjects(body)) {
        const result = resultOf(line);
        if (result !== undefined) yield result;
      }
    }
  },

  async cancel(ticket, upstream) {
    await upstream.send({ method: 'POST', path: `/batches/${encodeURIComponent(textAt(ticket, 'id') ?? '')}/cancel` });
  },

  async remove(ticket, upstream) {
    for (const name of ['file', 'output', 'errors']) {
      const file = textAt(ticket, name);
      if (file !== undefined) await files.remove(file, upstream);
    }
  },
};

function createdAtOf(batch: Json): number | undefined {
  const seconds = numberAt(batch, 'created_at');
  return seconds === undefined ? undefined : seconds * 1000;
}

function progressOf(ticket: JsonObject, json: Json | undefined): BatchProgress {
  const output = textAt(json, 'output_file_id');
  const errors = textAt(json, 'error_file_id');
  const files = { ...(output !== undefined && { output }), ...(errors !== undefined && { errors }) };
  const ended = { state: 'ended', ticket: { ...ticket, ...files } } as const;
  switch (textAt(json, 'status')) {
    case 'completed':
    case 'expired':
      return { ...ended, unanswered: 'expired' };
    case 'cancelled':
      return { ...ended, unanswered: 'cancelled' };
    case 'failed': {
      const reason = textAt(json, 'errors', 'data', 0, 'message');
      return { ...ended, unanswered: 'refused', ...(reason !== undefined && { reason }) };
    }
    default:
      return { state: 'running', ticket };
  }
}

function resultOf(line: JsonObject): BatchResult | undefined {
  const id = textAt(line, 'custom_id');
  if (id === undefined) return undefined;
  const response = objectAt(line, 'response');
  const status = numberAt(response, 'status_code');
  if (response !== undefined && status !== undefined && status > 0)
    return { id, status, body: response['body'] ?? null };
  const code = textAt(line, 'error', 'code') ?? '';
  if (code.includes('expired')) return { id, notRun: 'expired' };
  if (code.includes('cancel')) return { id, notRun: 'cancelled' };
  return { id, status: 500, body: { error: objectAt(line, 'error') ?? { message: 'the line has no answer' } } };
}

function idIn(json: Json | undefined, what: string): string {
  const id = textAt(json, 'id');
  if (id === undefined) throw malformedReply(`${what} without an id`);
  return id;
}
