import { isJsonObject } from '@model-gateway/contracts';
import {
  addBatch,
  answerLines,
  batchesOf,
  endOf,
  filesOf,
  jsonLines,
  missingFile,
  type BatchLine,
  type TwinBatch,
  type TwinFile,
} from '../core/batches.ts';
import type { Exchange } from '../core/exchange.ts';
import { isMultipart, readForm } from '../core/multipart.ts';
import type { Stage } from '../core/stage.ts';
import { unixSeconds } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { badRequest, complainAsOpenAi, refuseAsOpenAi } from './errors.ts';

const ENDPOINTS = ['/v1/responses', '/v1/chat/completions', '/v1/embeddings'] as const;
const MOST_LINES = 50_000;
const MOST_BYTES = 200_000_000;
const DAY_SECONDS = 86_400;
const PURPOSES: ReadonlySet<string> = new Set(['batch', 'user_data', 'vision']);
const FIELDS = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after']);
const one = (what: string, tail = ''): RegExp => new RegExp(`^/v1/${what}/(?<id>[^/]+)${tail}$`);

/** Files and batches (docs/wire/batches.md#openai). */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/files', operation: 'upload', handle: upload },
  { method: 'GET', path: one('files', '/content'), operation: 'content', handle: content },
  { method: 'DELETE', path: one('files'), operation: 'file', handle: remove },
  { method: 'POST', path: '/v1/batches', operation: 'batch', handle: create },
  { method: 'GET', path: '/v1/batches', operation: 'list', handle: list },
  {
    method: 'GET',
    path: one('batches'),
    operation: 'poll',
    handle: async (exchange) => show(exchange, find(exchange)),
  },
  { method: 'POST', path: one('batches', '/cancel'), operation: 'cancel', handle: cancel },
];

async function upload(exchange: Exchange): Promise<void> {
  if (!isMultipart(exchange)) throw badRequest('Missing required parameter: file.', 'file');
  const form = await readForm(exchange);
  const [file] = form.files.filter(({ name }) => name === 'file');
  if (file === undefined) throw badRequest("Missing required parameter: 'file'.", 'file');
  const purpose = form.fields.get('purpose')?.[0];
  if (purpose === undefined || !PURPOSES.has(purpose))
    throw badRequest(`'${purpose}' is not one of ['batch', 'user_data', 'vision'] - 'purpose'`, 'purpose');
  if (purpose === 'batch' && !file.filename.endsWith('.jsonl'))
    throw badRequest('Invalid file format for Batch API. Must be .jsonl', 'file', 'invalid_file_format');
  if (file.bytes.length > MOST_BYTES) throw badRequest('The file is too large.', 'file');
  const { stage } = exchange;
  const id = stage.newId('file-');
  const seconds = Number(form.fields.get('expires_after[seconds]')?.[0] ?? NaN);
  filesOf(stage).set(id, {
    ...{ id, name: file.filename, vendor: 'openai', createdAt: stage.now(), purpose, bytes: file.bytes },
  });
  const shown = shownFile(filesOf(stage).get(id) as TwinFile);
  exchange.reply(200, { ...shown, expires_at: Number.isFinite(seconds) ? unixSeconds(stage.now()) + seconds : null });
}

/** What a request names must be there. */
export function refuseMissingFile({ stage, vendor }: Exchange, body: unknown): void {
  const missing = vendor.name === 'openai' ? missingFile(stage, body, ['file_id']) : undefined;
  if (missing !== undefined) throw refuseAsOpenAi(404, { message: `Files [${missing}] were not found.` });
}

function shownFile({ id, name, createdAt, purpose, bytes }: TwinFile): object {
  return {
    ...{ id, object: 'file', bytes: bytes.length, created_at: unixSeconds(createdAt), filename: name, purpose },
    ...{ status: 'processed', expires_at: null, status_details: null },
  };
}

function fileIn(exchange: Exchange): TwinFile {
  const file = filesOf(exchange.stage).get(exchange.params['id'] ?? '');
  if (file?.vendor !== 'openai')
    throw refuseAsOpenAi(404, { message: `No such File object: ${exchange.params['id']}` });
  return file;
}

function content(exchange: Exchange): void {
  exchange.reply(200, fileIn(exchange).bytes, { 'content-type': 'application/octet-stream' });
}

function remove(exchange: Exchange): void {
  const { id } = fileIn(exchange);
  filesOf(exchange.stage).delete(id);
  exchange.reply(200, { id, object: 'file', deleted: true });
}

async function create(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsOpenAi);
  body.only(FIELDS);
  const { stage } = exchange;
  const fileId = body.string('input_file_id');
  const endpoint = body.oneOf('endpoint', ENDPOINTS);
  if (body.string('completion_window') !== '24h') body.fail('completion_window', "'24h'");
  const metadata = readMetadata(body.value['metadata']);
  const file = filesOf(stage).get(fileId);
  if (file?.purpose !== 'batch') throw badRequest(`Invalid input_file_id: ${fileId}`, 'input_file_id');
  const { lines, fault } = readLines(file.bytes, endpoint);
  const batch = addBatch(stage, {
    ...{ id: stage.newId('batch_'), vendor: 'openai', lines, details: { fileId, endpoint, metadata } },
    headers: { authorization: exchange.header('authorization') ?? '' },
    ...(fault !== undefined && { fault }),
  });
  await show(exchange, batch);
}

function readMetadata(metadata: unknown): Record<string, string> {
  if (metadata === undefined || metadata === null) return {};
  const isFine =
    isJsonObject(metadata) &&
    Object.keys(metadata).length <= 16 &&
    Object.entries(metadata).every(([key, text]) => key.length <= 64 && typeof text === 'string' && text.length <= 512);
  if (!isFine) throw badRequest("Invalid 'metadata'.", 'metadata');
  return metadata as Record<string, string>;
}

function readLines(bytes: Buffer, endpoint: string): { readonly lines: BatchLine[]; readonly fault?: string } {
  const lines: BatchLine[] = [];
  const ids = new Set<string>();
  const models = new Set<unknown>();
  for (const [index, line] of jsonLines(bytes).entries()) {
    const wrong = (what: string) => ({ lines: [], fault: `Line ${index + 1}: ${what}` });
    if (!isJsonObject(line)) return wrong('This line is not parseable as valid JSON.');
    const { custom_id: id, method, url, body } = line;
    if (typeof id !== 'string' || ids.has(id)) return wrong('custom_id is missing or a duplicate.');
    if (method !== 'POST') return wrong('method must be POST.');
    if (url !== endpoint) return wrong('The URL provided for this request does not match the batch endpoint.');
    if (!isJsonObject(body) || body['stream'] === true) return wrong('body must be an object without stream.');
    ids.add(id);
    models.add(body['model']);
    lines.push({ id, path: url, body });
  }
  if (lines.length === 0) return { lines, fault: 'The input file is empty.' };
  if (lines.length > MOST_LINES) return { lines: [], fault: 'The batch has too many requests.' };
  if (models.size > 1) return { lines: [], fault: 'All requests of a batch must be for the same model.' };
  return { lines };
}

function find(exchange: Exchange): TwinBatch {
  const { id } = exchange.params;
  const batch = batchesOf(exchange.stage, 'openai').find((each) => each.id === id);
  if (batch === undefined) throw refuseAsOpenAi(404, { message: `No batch found with id '${id}'.` });
  return batch;
}

async function list(exchange: Exchange): Promise<void> {
  const { stage, query } = exchange;
  const all = batchesOf(stage, 'openai');
  const limit = Number(query.get('limit') ?? 20);
  if (!(limit >= 1 && limit <= 100)) throw badRequest("Invalid 'limit'.", 'limit');
  const from = all.findIndex(({ id }) => id === query.get('after')) + 1;
  const page = all.slice(from, from + limit);
  const data = await Promise.all(page.map((batch) => shown(stage, batch)));
  exchange.reply(200, {
    ...{ object: 'list', data, has_more: from + limit < all.length },
    ...{ first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null },
  });
}

async function cancel(exchange: Exchange): Promise<void> {
  const batch = find(exchange);
  const { stage } = exchange;
  if (endOf(stage, batch) !== undefined)
    throw refuseAsOpenAi(409, { message: `Cannot cancel a batch with status '${endOf(stage, batch)}'.` });
  await answerLines(stage, batch);
  batch.cancelledAt = stage.now();
  await show(exchange, batch);
}

async function show(exchange: Exchange, batch: TwinBatch): Promise<void> {
  exchange.reply(200, await shown(exchange.stage, batch));
}

async function shown(stage: Stage, batch: TwinBatch): Promise<object> {
  // First: it may end while lines are answered, and has not answered all of them then.
  const end = endOf(stage, batch);
  const outcomes = await answerLines(stage, batch);
  const { details, lines, createdAt, cancelledAt, fault } = batch;
  const files = end === undefined || end === 'failed' ? {} : (batch.results ??= resultFiles(stage, batch, end));
  const completed = outcomes.filter(({ status }) => status < 400).length;
  return {
    id: batch.id,
    object: 'batch',
    endpoint: details['endpoint'],
    errors:
      fault === undefined
        ? null
        : { object: 'list', data: [{ code: 'invalid_request', message: fault, param: null, line: null }] },
    input_file_id: details['fileId'],
    completion_window: '24h',
    status: end ?? 'in_progress',
    output_file_id: files.output ?? null,
    error_file_id: files.errors ?? null,
    created_at: unixSeconds(createdAt),
    in_progress_at: unixSeconds(createdAt),
    expires_at: unixSeconds(createdAt) + DAY_SECONDS,
    cancelling_at: cancelledAt === undefined ? null : unixSeconds(cancelledAt),
    request_counts: { total: lines.length, completed, failed: outcomes.length - completed },
    metadata: details['metadata'],
  };
}

/** What was answered, and what was not. */
function resultFiles(stage: Stage, batch: TwinBatch, end: string): NonNullable<TwinBatch['results']> {
  const texts = { output: '', errors: '' };
  for (const [index, { id }] of batch.lines.entries()) {
    const outcome = batch.outcomes[index];
    const head = { id: `batch_req_${batch.id}_${index}`, custom_id: id };
    if (outcome === undefined) {
      const error = { code: `batch_${end}`, message: `This request was not executed: the batch is ${end}.` };
      texts.errors += `${JSON.stringify({ ...head, response: null, error })}\n`;
      continue;
    }
    const response = { status_code: outcome.status, request_id: `req_${batch.id}_${index}`, body: outcome.body };
    texts[outcome.status < 400 ? 'output' : 'errors'] += `${JSON.stringify({ ...head, response, error: null })}\n`;
  }
  const made: { output?: string; errors?: string } = {};
  for (const name of ['output', 'errors'] as const) {
    if (texts[name] === '') continue;
    const id = `file-${batch.id}-${name}`;
    const bytes = Buffer.from(texts[name]);
    filesOf(stage).set(id, {
      ...{ id, name: `${id}.jsonl`, vendor: 'openai', createdAt: stage.now(), purpose: 'batch_output', bytes },
    });
    made[name] = id;
  }
  return made;
}
