import { isJsonObject } from '@model-gateway/contracts';
import {
  addBatch,
  answerLines,
  batchesOf,
  endOf,
  filesOf,
  jsonLines,
  type BatchLine,
  type TwinBatch,
  type TwinFile,
} from '../core/batches.ts';
import type { Exchange } from '../core/exchange.ts';
import { perStage, type Stage } from '../core/stage.ts';
import type { Route } from '../core/vendor.ts';
import { complainAsGoogle } from '../google-video/operations.ts';
import { badContent, refuseAsGoogle, refuseUnknownModel } from './errors.ts';

const KEPT_MS = 48 * 3_600_000;
const MODEL = /^\/v1beta\/models\/(?<model>[^/:]+):batchGenerateContent$/;
const BATCH = /^\/v1beta\/batches\/(?<id>[^/:]+)$/;
const STATES = {
  completed: 'BATCH_STATE_SUCCEEDED',
  expired: 'BATCH_STATE_EXPIRED',
  cancelled: 'BATCH_STATE_CANCELLED',
  failed: 'BATCH_STATE_FAILED',
} as const;

/** Files and batches (docs/wire/batches.md#google). */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/upload/v1beta/files', operation: 'upload', handle: upload },
  { method: 'DELETE', path: /^\/v1beta\/files\/(?<id>[^/:]+)$/, operation: 'file', handle: removeFile },
  {
    ...{ method: 'GET', path: /^\/download\/v1beta\/files\/(?<id>[^/:]+):download$/, operation: 'content' },
    handle: (exchange) => exchange.reply(200, fileIn(exchange).bytes, { 'content-type': 'application/octet-stream' }),
  },
  { method: 'POST', path: MODEL, operation: 'batch', handle: create },
  { method: 'GET', path: '/v1beta/batches', operation: 'list', handle: list },
  { method: 'GET', path: BATCH, operation: 'poll', handle: async (exchange) => show(exchange, find(exchange)) },
  { method: 'DELETE', path: BATCH, operation: 'file', handle: remove },
  { method: 'POST', path: /^\/v1beta\/batches\/(?<id>[^/:]+):cancel$/, operation: 'cancel', handle: cancel },
];

const uploads = perStage(
  () => new Map<string, { readonly name: string; readonly size: number; readonly mime: string }>(),
);

function uriOf(stage: Stage, id: string): string {
  return `${stage.url}/gemini/v1beta/files/${id}`;
}

/** A file of the vendor's own that a request names must be there. */
export function refuseMissingFile({ stage, body }: Exchange): void {
  for (const [, id] of body.toString().matchAll(/"fileUri":"[^"]*\/gemini\/v1beta\/files\/([^"/]+)"/g))
    if (!filesOf(stage).has(`files/${id}`))
      throw refuseAsGoogle(403, {
        message: `You do not have permission to access the File ${id} or it may not exist.`,
      });
}

/** The resumable protocol: an address first, then all bytes at once. */
function upload(exchange: Exchange): void {
  const { stage } = exchange;
  const command = exchange.header('x-goog-upload-command');
  if (command === 'start') {
    if (exchange.header('x-goog-upload-protocol') !== 'resumable') throw badContent('Unknown upload protocol.');
    const file = exchange.json(complainAsGoogle).object('file');
    const size = Number(exchange.header('x-goog-upload-header-content-length'));
    const id = stage.newId('upload');
    uploads(stage).set(id, {
      ...{ name: file.optionalString('display_name') ?? '', size },
      mime: file.optionalString('mime_type') ?? '',
    });
    exchange.reply(
      200,
      {},
      {
        'x-goog-upload-url': `${stage.url}/gemini/upload/v1beta/files?upload_id=${id}`,
        'x-goog-upload-status': 'active',
      },
    );
    return;
  }
  const begun = uploads(stage).get(exchange.query.get('upload_id') ?? '');
  if (command !== 'upload, finalize' || begun === undefined || exchange.header('x-goog-upload-offset') !== '0')
    throw badContent('There is no such upload.');
  if (begun.size !== exchange.body.length)
    throw badContent(`The upload has ${exchange.body.length} bytes, and ${begun.size} were announced.`);
  const id = stage.newId('f');
  filesOf(stage).set(`files/${id}`, {
    ...{ id: `files/${id}`, name: begun.name, vendor: 'gemini', createdAt: stage.now(), purpose: '' },
    bytes: exchange.body,
  });
  exchange.reply(200, {
    file: {
      ...{ name: `files/${id}`, displayName: begun.name, mimeType: begun.mime, state: 'ACTIVE' },
      uri: uriOf(stage, id),
      expirationTime: new Date(stage.now() + KEPT_MS).toISOString(),
    },
  });
}

function fileIn(exchange: Exchange): TwinFile {
  const file = filesOf(exchange.stage).get(`files/${exchange.params['id']}`);
  if (file === undefined) throw refuseAsGoogle(404);
  return file;
}

function removeFile(exchange: Exchange): void {
  filesOf(exchange.stage).delete(fileIn(exchange).id);
  exchange.reply(200, {});
}

async function create(exchange: Exchange): Promise<void> {
  const { stage } = exchange;
  const model = exchange.params['model'] ?? '';
  refuseUnknownModel(model);
  const batch = exchange.json(complainAsGoogle).object('batch');
  const displayName = batch.string('displayName');
  const fileName = batch.object('inputConfig').string('fileName');
  const file = filesOf(stage).get(fileName);
  if (file === undefined) throw badContent(`The file ${fileName} is not there.`);
  const path = `/v1beta/models/${model}:generateContent`;
  const read = jsonLines(file.bytes).map((line): BatchLine | undefined =>
    isJsonObject(line) && typeof line['key'] === 'string' && isJsonObject(line['request'])
      ? { id: line['key'], path, body: line['request'] }
      : undefined,
  );
  const lines = read.filter((line) => line !== undefined);
  const isFine = lines.length > 0 && lines.length === read.length;
  const added = addBatch(stage, {
    ...{
      id: stage.newId('b'),
      vendor: 'gemini',
      lines: isFine ? lines : [],
      details: { displayName, fileName, model },
    },
    headers: { 'x-goog-api-key': exchange.header('x-goog-api-key') ?? '' },
    ...(!isFine && { fault: 'The input file has lines that are no requests.' }),
  });
  await show(exchange, added);
}

function find(exchange: Exchange): TwinBatch {
  const batch = batchesOf(exchange.stage, 'gemini').find(({ id }) => id === exchange.params['id']);
  if (batch === undefined) throw refuseAsGoogle(404);
  return batch;
}

async function list(exchange: Exchange): Promise<void> {
  const { stage, query } = exchange;
  const all = batchesOf(stage, 'gemini');
  const size = Number(query.get('pageSize') ?? 50);
  const from = Number(query.get('pageToken') ?? 0);
  const page = all.slice(from, from + size);
  const operations = await Promise.all(page.map((batch) => shown(stage, batch)));
  exchange.reply(200, { operations, ...(from + size < all.length && { nextPageToken: String(from + size) }) });
}

async function cancel(exchange: Exchange): Promise<void> {
  const batch = find(exchange);
  const { stage } = exchange;
  if (endOf(stage, batch) !== undefined) throw badContent('The batch has ended.');
  await answerLines(stage, batch);
  batch.cancelledAt = stage.now();
  exchange.reply(200, {});
}

function remove(exchange: Exchange): void {
  find(exchange).removed = true;
  exchange.reply(200, {});
}

async function show(exchange: Exchange, batch: TwinBatch): Promise<void> {
  exchange.reply(200, await shown(exchange.stage, batch));
}

async function shown(stage: Stage, batch: TwinBatch): Promise<object> {
  // First: it may end while lines are answered, and has not answered all of them then.
  const end = endOf(stage, batch);
  const outcomes = await answerLines(stage, batch);
  const { id, details, createdAt, fault } = batch;
  const name = `batches/${id}`;
  const files =
    end === undefined || end === 'failed' ? undefined : (batch.results ??= { output: resultFile(stage, batch) });
  const output = files && { responsesFile: files.output };
  const isoTime = (ms: number): string => new Date(ms).toISOString();
  return {
    name,
    metadata: {
      '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
      ...{ name, displayName: details['displayName'], model: `models/${String(details['model'])}` },
      ...{ createTime: isoTime(createdAt), updateTime: isoTime(stage.now()) },
      inputConfig: { fileName: details['fileName'] },
      state: end === undefined ? 'BATCH_STATE_RUNNING' : STATES[end],
      batchStats: {
        requestCount: String(batch.lines.length),
        pendingRequestCount: String(batch.lines.length - outcomes.length),
      },
      ...(output !== undefined && { output }),
    },
    ...(end !== undefined && { done: true }),
    ...(fault !== undefined && { error: { code: 3, message: fault } }),
    ...(output !== undefined && { response: output }),
  };
}

/** What was answered; a line that was not is not in it. */
function resultFile(stage: Stage, { id, lines, outcomes }: TwinBatch): string {
  const name = `files/batch-${id}`;
  const text = outcomes.map(({ status, body }, index) => {
    const key = lines[index]?.id;
    const error = isJsonObject(body) ? body['error'] : undefined;
    return `${JSON.stringify(status < 400 ? { key, response: body } : { key, error })}\n`;
  });
  filesOf(stage).set(name, {
    ...{ id: name, name, vendor: 'gemini', createdAt: stage.now(), purpose: '', bytes: Buffer.from(text.join('')) },
  });
  return name;
}
