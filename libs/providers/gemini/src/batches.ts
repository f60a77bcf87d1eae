import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  framedLines,
  listAt,
  lookThroughPages,
  malformedReply,
  numberAt,
  objectAt,
  pollJob,
  readJsonObjects,
  textAt,
  valueAt,
  type BatchAdapter,
  type BatchProgress,
  type BatchResult,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { removeAt, uploadFile } from './files.ts';

/** `/v1beta/models/gemini-3.1-pro:generateContent` */
const GENERATE = /^\/v1(?:beta|alpha)?\/((?:models|tunedModels)\/[^:/?]+):generateContent$/;
/** Batches and files are there alone. */
const VERSION = 'v1beta';
const MIME = 'application/jsonl';
const PAGE = 100;
/** google.rpc.Code, as HTTP says it. */
const STATUSES: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
};

/** Google's batches of generateContent: a file of lines by their keys, found by its display name (docs/wire/batches.md#google). */
export const batches: BatchAdapter = {
  limits: { lines: 50_000, bytes: 1_000_000_000 },

  groupOf({ method, path, headers = {}, body }: UpstreamRequest) {
    const isBare = Object.keys(headers).every((name) => name === 'content-type');
    return method === 'POST' && isBare && body !== undefined ? GENERATE.exec(path)?.[1] : undefined;
  },

  async upload(batch, upstream) {
    const lines = framedLines(batch, { head: (id) => `{"key":"${id}","request":`, tail: '}\n' });
    const what = { name: batch.name, mime: MIME, size: lines.size };
    const file = await uploadFile(what, { source: lines, firstByteSeconds: 600 }, upstream);
    return { file: nameIn(file, 'an uploaded file') };
  },

  async create({ name, group }, uploaded, upstream) {
    const { json } = await upstream.send({
      method: 'POST',
      path: `/${VERSION}/${group}:batchGenerateContent`,
      json: { batch: { displayName: name, inputConfig: { fileName: uploaded['file'] ?? '' } } },
    });
    return { ...uploaded, id: nameIn(json, 'a batch') };
  },

  async find({ name, askedAt }, upstream) {
    const page = async (after = '') => {
      const token = after === '' ? '' : `&pageToken=${encodeURIComponent(after)}`;
      const path = `/${VERSION}/batches?pageSize=${PAGE}${token}`;
      const { json } = await upstream.send({ method: 'GET', path });
      const next = textAt(json, 'nextPageToken');
      return { batches: listAt(json, 'operations'), ...(next !== undefined && { next }) };
    };
    const pick = (each: Json) => {
      if (textAt(each, 'metadata', 'displayName') !== name) return undefined;
      const file = textAt(each, 'metadata', 'inputConfig', 'fileName');
      return { ticket: { id: nameIn(each, 'a batch'), ...(file !== undefined && { file }) }, isCertain: true };
    };
    const createdAt = (each: Json) => Date.parse(textAt(each, 'metadata', 'createTime') ?? '');
    return lookThroughPages({ page, pick, createdAt }, askedAt);
  },

  async check(ticket, upstream) {
    const polled = await pollJob(upstream, { method: 'GET', path: pathOf(ticket, 'id'), notFound: 'task' });
    return 'missing' in polled ? { state: 'missing' } : progressOf(ticket, polled.json);
  },

  async *results(ticket, upstream) {
    const file = textAt(ticket, 'output');
    if (file === undefined) return;
    const path = `/download/${VERSION}/${encodeName(file)}:download?alt=media`;
    const { body } = await upstream.stream({ method: 'GET', path });
    for await (const line of readJsonObjects(body)) {
      const result = resultOf(line);
      if (result !== undefined) yield result;
    }
  },

  async cancel(ticket, upstream) {
    await upstream.send({ method: 'POST', path: `${pathOf(ticket, 'id')}:cancel` });
  },

  async remove(ticket, upstream) {
    for (const member of ['id', 'file'] as const)
      if (textAt(ticket, member) !== undefined) await removeAt(pathOf(ticket, member), upstream);
  },
};

/** `/v1beta/batches/…`, `/v1beta/files/…` */
function pathOf(ticket: JsonObject, member: 'id' | 'file'): string {
  return `/${VERSION}/${encodeName(textAt(ticket, member) ?? '')}`;
}

function encodeName(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

function progressOf(ticket: JsonObject, json: Json | undefined): BatchProgress {
  const output = textAt(json, 'response', 'responsesFile') ?? textAt(json, 'metadata', 'output', 'responsesFile');
  const ended = { state: 'ended', ticket: { ...ticket, ...(output !== undefined && { output }) } } as const;
  switch ((textAt(json, 'metadata', 'state') ?? '').replace('JOB_STATE_', 'BATCH_STATE_')) {
    case 'BATCH_STATE_SUCCEEDED':
    case 'BATCH_STATE_EXPIRED':
      return { ...ended, unanswered: 'expired' };
    case 'BATCH_STATE_CANCELLED':
      return { ...ended, unanswered: 'cancelled' };
    case 'BATCH_STATE_FAILED': {
      const reason = textAt(json, 'error', 'message');
      return { ...ended, unanswered: 'refused', ...(reason !== undefined && { reason }) };
    }
    default:
      return { state: 'running', ticket };
  }
}

function resultOf(line: JsonObject): BatchResult | undefined {
  const id = textAt(line, 'key');
  if (id === undefined) return undefined;
  const response = objectAt(line, 'response');
  if (response !== undefined) return { id, status: 200, body: response };
  const error = objectAt(line, 'error') ?? objectAt(line, 'status') ?? {};
  const code = numberAt(error, 'code') ?? 13;
  const status = code >= 400 ? code : (STATUSES[code] ?? 500);
  return { id, status, body: { error: { ...error, code: status, message: valueAt(error, 'message') ?? '' } } };
}

function nameIn(json: Json | undefined, what: string): string {
  const name = textAt(json, 'name');
  if (name === undefined) throw malformedReply(`${what} without a name`);
  return name;
}
