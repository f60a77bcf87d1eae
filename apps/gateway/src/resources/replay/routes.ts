/** What recorded requests would have cost on another model, and what to send to it. */
import type { components, Json, JsonObject, Usage } from '@model-gateway/contracts';
import {
  billOf,
  dollarsOf,
  findModel,
  type Price,
  type RequestFilter,
  type RequestRow,
  type Store,
} from '@model-gateway/core';
import { momentIn, numberIn, textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { readRequest } from '../requests/routes.ts';
import { invalidAt, timeOf } from '../values.ts';
import { answerOf, differences, repeated, type ComparedAnswer } from './answers.ts';

type Schemas = components['schemas'];

const DAY_MS = 86_400_000;
const LATENCY_DAYS = 7;
const LATENCY_REQUESTS = 200;
const USUAL = 1_000;
const PAGE = 500;

/** What this process has not written yet is written first. */
export function replayOperations(parts: AdminParts): AdminOperations {
  const { store, catalogue, now, flushRequests } = parts;
  return {
    estimateReplay: async (call) => {
      await flushRequests();
      const row = findModel(catalogue(), textIn(call, 'model') ?? '', ['chat']);
      const keyId = numberIn(call, 'key_id') ?? 0;
      const to = momentIn(call, 'to') ?? now() + 1;
      const from = momentIn(call, 'from') ?? to - DAY_MS;
      if (from >= to) throw invalidAt('from', 'it must be before the end');
      const answered = { kind: 'chat', statusClass: 2 } as const;
      const most = numberIn(call, 'limit') ?? USUAL;
      const found = await newest(store, { ...answered, keyId, from, to }, most + 1);
      const rows = found.slice(0, most);
      const others = await newest(store, { ...answered, model: row.code, from: now() - LATENCY_DAYS * DAY_MS }, LATENCY_REQUESTS); // prettier-ignore
      const sum = (of: (each: RequestRow) => number | undefined): number => rows.reduce((all, each) => all + (of(each) ?? 0), 0); // prettier-ignore
      return {
        ...{ object: 'replay_estimate', key_id: keyId, model: row.code, from: timeOf(from), to: timeOf(to) },
        ...{ requests: rows.length, has_more: found.length > most },
        input_tokens: sum(({ inputTokens }) => inputTokens),
        cached_input_tokens: sum(({ cachedInputTokens }) => cachedInputTokens),
        output_tokens: sum(({ outputTokens }) => outputTokens),
        charged_usd: dollarsOf(sum(({ charged }) => charged)),
        estimated_usd: dollarsOf(sum((each) => unitsOf(each, row.price))),
        ...{ latency: latencyOf(rows), model_latency: latencyOf(others) },
        asked: askedModels(rows),
      };
    },
    prepareReplay: async (call) => {
      const { code } = findModel(catalogue(), call.body.model, ['chat']);
      const detail = await readRequest(parts, call);
      return replayOf(detail, code, call.body.answer as JsonObject | undefined);
    },
  };
}

/** A recorded request as it is sent to another model, and its answer beside the one that came back. */
function replayOf(
  { request, content }: Schemas['RequestDetail'],
  model: string,
  answer: JsonObject | undefined,
): Schemas['RequestReplay'] {
  const none = { send: null, before: null, after: null, differences: [] };
  const head = { object: 'request_replay', request_id: request.id, model } as const;
  if (content === null || content.fault !== null) return { ...head, reason: 'no_content', asked: '', ...none };
  const asked = content.messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const isAnswered = request.error === null && !content.cut;
  const sent = isAnswered ? repeated(request.operation, content.request as Json, model) : undefined;
  const before = sent && answerOf(sent.dialect, content.answer as Json);
  if (sent === undefined || before === undefined) return { ...head, reason: 'incomplete', asked, ...none };
  const after = answer === undefined ? undefined : answerOf(sent.dialect, answer);
  if (answer !== undefined && after === undefined)
    throw invalidAt('answer', 'it must be the answer of the gateway as it came, whole');
  return {
    ...{ ...head, reason: null, asked, send: { path: sent.path, body: sent.body } },
    ...{ before: viewOf(before), after: after === undefined ? null : viewOf(after) },
    differences: after === undefined ? [] : [...differences(before, after)],
  };
}

const viewOf = ({ text, calls, refused }: ComparedAnswer): Schemas['ReplayAnswer'] => ({
  ...{ text, refused },
  calls: [...calls],
});

/** The newest rows of a filter that a vendor answered, at most so many. */
async function newest(
  { requests }: Pick<Store, 'requests'>,
  filter: Omit<RequestFilter, 'limit'>,
  most: number,
): Promise<readonly RequestRow[]> {
  const rows: RequestRow[] = [];
  let after: RequestFilter['after'];
  do {
    const page = await requests.list({ ...filter, limit: PAGE, ...(after !== undefined && { after }) });
    rows.push(...page.rows.filter(({ inputTokens, error }) => inputTokens !== undefined && error === undefined));
    after = page.next;
  } while (after !== undefined && rows.length < most);
  return rows.slice(0, most);
}

function unitsOf({ inputTokens, cachedInputTokens, outputTokens }: RequestRow, price: Price): number {
  const usage: Usage = {
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: cachedInputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
  };
  return billOf(usage, price, { group: 1 }).units;
}

function latencyOf(rows: readonly RequestRow[]): Schemas['ReplayLatency'] | null {
  const times = rows.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): number => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0);
  return times.length === 0 ? null : { count: times.length, p50: at(0.5), p90: at(0.9) };
}

function askedModels(rows: readonly RequestRow[]): Schemas['ReplayAsked'][] {
  const counts = new Map<string, number>();
  for (const { model = '' } of rows) counts.set(model, (counts.get(model) ?? 0) + 1);
  return [...counts].map(([model, requests]) => ({ model, requests })).sort((a, b) => b.requests - a.requests);
}
