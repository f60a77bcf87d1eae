import { addBatch, answerLines, batchesOf, endOf, type BatchLine, type TwinBatch } from '../core/batches.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Stage } from '../core/stage.ts';
import type { Route } from '../core/vendor.ts';
import { badMessage, complainAsAnthropic, refuseAsAnthropic } from './errors.ts';

const PATH = '/v1/messages/batches';
const MOST_LINES = 100_000;
const MOST_BYTES = 256 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
const HEADERS = ['x-api-key', 'authorization', 'anthropic-version', 'anthropic-beta'];
const one = (tail = ''): RegExp => new RegExp(`^${PATH}/(?<id>[^/]+)${tail}$`);

/** Message batches (docs/wire/batches.md#anthropic). */
export const routes: readonly Route[] = [
  { method: 'POST', path: PATH, operation: 'batch', handle: create },
  { method: 'GET', path: PATH, operation: 'list', handle: list },
  { method: 'GET', path: one(), operation: 'poll', handle: async (exchange) => show(exchange, find(exchange)) },
  { method: 'GET', path: one('/results'), operation: 'content', handle: results },
  { method: 'POST', path: one('/cancel'), operation: 'cancel', handle: cancel },
  { method: 'DELETE', path: one(), operation: 'file', handle: remove },
];

async function create(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsAnthropic);
  body.only(new Set(['requests']));
  const requests = body.objects('requests');
  if (requests.length === 0) throw badMessage('requests: List should have at least 1 item');
  if (requests.length > MOST_LINES || exchange.body.length > MOST_BYTES) throw refuseAsAnthropic(413);
  const ids = new Set<string>();
  const lines = requests.map((request, index): BatchLine => {
    request.only(new Set(['custom_id', 'params']));
    const id = request.string('custom_id');
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) request.fail('custom_id', 'a string that matches ^[a-zA-Z0-9_-]{1,64}$');
    if (ids.has(id)) throw badMessage(`requests.${index}.custom_id: duplicate`);
    ids.add(id);
    const params = request.object('params').value;
    if (params['stream'] === true) throw badMessage(`requests.${index}.params.stream: streaming is not supported`);
    return { id, path: '/v1/messages', body: params };
  });
  const { stage } = exchange;
  const headers = Object.fromEntries(HEADERS.flatMap((name) => [[name, exchange.header(name)]].filter(isGiven)));
  await show(
    exchange,
    addBatch(stage, { id: stage.newId('msgbatch_'), vendor: 'anthropic', lines, headers, details: {} }),
  );
}

function isGiven(pair: readonly (string | undefined)[]): pair is [string, string] {
  return pair[1] !== undefined;
}

function find(exchange: Exchange): TwinBatch {
  const batch = batchesOf(exchange.stage, 'anthropic').find(({ id }) => id === exchange.params['id']);
  if (batch === undefined) throw refuseAsAnthropic(404);
  return batch;
}

async function list(exchange: Exchange): Promise<void> {
  const { stage, query } = exchange;
  const all = batchesOf(stage, 'anthropic');
  const limit = Number(query.get('limit') ?? 20);
  const from = all.findIndex(({ id }) => id === query.get('after_id')) + 1;
  const page = all.slice(from, from + limit);
  const data = await Promise.all(page.map((batch) => shown(stage, batch)));
  exchange.reply(200, {
    ...{ data, has_more: from + limit < all.length },
    ...{ first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null },
  });
}

async function cancel(exchange: Exchange): Promise<void> {
  const batch = find(exchange);
  const { stage } = exchange;
  if (endOf(stage, batch) !== undefined) throw badMessage('The batch has ended.');
  await answerLines(stage, batch);
  batch.cancelledAt = stage.now();
  await show(exchange, batch);
}

function remove(exchange: Exchange): void {
  const batch = find(exchange);
  if (endOf(exchange.stage, batch) === undefined) throw badMessage('The batch has not ended.');
  batch.removed = true;
  exchange.reply(200, { id: batch.id, type: 'message_batch_deleted' });
}

async function results(exchange: Exchange): Promise<void> {
  const batch = find(exchange);
  const { stage } = exchange;
  const end = endOf(stage, batch);
  if (end === undefined) throw refuseAsAnthropic(404, { message: 'The results are not there yet.' });
  const outcomes = await answerLines(stage, batch);
  const lines = batch.lines.map(({ id }, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) return { custom_id: id, result: { type: end === 'cancelled' ? 'canceled' : 'expired' } };
    const result =
      outcome.status < 400 ? { type: 'succeeded', message: outcome.body } : { type: 'errored', error: outcome.body };
    return { custom_id: id, result };
  });
  // Not in the order of the requests.
  const text = lines.toReversed().map((line) => `${JSON.stringify(line)}\n`);
  exchange.reply(200, text.join(''), { 'content-type': 'application/x-jsonl' });
}

async function show(exchange: Exchange, batch: TwinBatch): Promise<void> {
  exchange.reply(200, await shown(exchange.stage, batch));
}

async function shown(stage: Stage, batch: TwinBatch): Promise<object> {
  // First: it may end while lines are answered, and has not answered all of them then.
  const end = endOf(stage, batch);
  const outcomes = await answerLines(stage, batch);
  const { lines, createdAt, cancelledAt, id } = batch;
  const succeeded = outcomes.filter(({ status }) => status < 400).length;
  const left = lines.length - outcomes.length;
  const none = { processing: lines.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const isoTime = (ms: number): string => new Date(ms).toISOString();
  return {
    ...{ id, type: 'message_batch', processing_status: end === undefined ? 'in_progress' : 'ended' },
    // They all change when the whole batch has ended.
    request_counts:
      end === undefined
        ? none
        : {
            ...{ processing: 0, succeeded, errored: outcomes.length - succeeded },
            ...{ canceled: end === 'cancelled' ? left : 0, expired: end === 'expired' ? left : 0 },
          },
    ended_at: end === undefined ? null : isoTime(stage.now()),
    created_at: isoTime(createdAt),
    expires_at: isoTime(createdAt + DAY_MS),
    archived_at: null,
    cancel_initiated_at: cancelledAt === undefined ? null : isoTime(cancelledAt),
    results_url: end === undefined ? null : `${stage.url}/anthropic${PATH}/${id}/results`,
  };
}
