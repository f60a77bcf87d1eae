/** What is shown of the log of requests: to operators, and to owners without what is the operator's own. */
import { ERRORS, OPERATIONS, type components, type ErrorCode, type OperationFacts } from '@model-gateway/contracts';
import {
  dollarsOf,
  percentileOf,
  type Catalogue,
  type KeptContent,
  type Overview,
  type OverviewSums,
  type RequestAttempt,
  type RequestRow,
  type Store,
} from '@model-gateway/core';
import { wordIn } from '@model-gateway/translate';
import { timeOf } from '../values.ts';

type Schemas = components['schemas'];

/** What an account is called; owners are not told. */
export type AccountNames = (id: number) => string | null;

export const forOwners: AccountNames = () => null;

export function forOperators(catalogue: Catalogue): AccountNames {
  const names = new Map(catalogue.accounts.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? null;
}

/** What was asked and answered, where it is kept. */
export function contentView(content: KeptContent | undefined): Schemas['RequestContent'] | null {
  if (content === undefined) return null;
  return {
    messages: content.messages.map(({ role, text }) => ({ role, text })),
    request: content.request,
    answer: content.answer,
    cut: content.isCut,
    kept_until: timeOf(content.keptUntil),
    fault: content.fault ?? null,
  };
}

/** What owners and keys of some rows are called. */
export interface Names {
  readonly owners: ReadonlyMap<number, string>;
  readonly keys: ReadonlyMap<number, string>;
}

/** The names of all that these rows are of, in two queries however many rows there are. */
export async function namesOfRows(
  { owners, keys }: Pick<Store, 'owners' | 'keys'>,
  rows: readonly Pick<RequestRow, 'ownerId' | 'keyId'>[],
): Promise<Names> {
  const [ofOwners, ofKeys] = await Promise.all([
    owners.names([...new Set(rows.map(({ ownerId }) => ownerId))]),
    keys.names([...new Set(rows.map(({ keyId }) => keyId))]),
  ]);
  return { owners: ofOwners, keys: ofKeys };
}

/** What the answer called the row's error, in the form of its operation. */
export function shownError({ error, operation, status }: Pick<RequestRow, 'error' | 'operation' | 'status'>) {
  if (error === undefined) return null;
  const form = (OPERATIONS as Readonly<Record<string, OperationFacts | undefined>>)[operation]?.errors;
  // Forms of our own print our words; so do rows of codes that there are no more.
  if (form === undefined || form === 'task' || form === 'json-rpc' || !Object.hasOwn(ERRORS, error)) return error;
  return wordIn(form, error as ErrorCode, status);
}

export function requestView(row: RequestRow, nameOf: AccountNames, names: Names): Schemas['RequestRecord'] {
  return {
    object: 'request',
    id: row.id,
    at: timeOf(row.at),
    mode: row.mode,
    owner_id: row.ownerId,
    owner_name: names.owners.get(row.ownerId) ?? null,
    key_id: row.keyId,
    key_name: names.keys.get(row.keyId) ?? null,
    operation: row.operation,
    kind: (row.kind ?? null) as Schemas['RequestRecord']['kind'],
    model: row.model ?? null,
    route: row.route ?? null,
    account_id: row.accountId ?? null,
    account: row.accountId === undefined ? null : nameOf(row.accountId),
    vendor: row.vendor ?? null,
    status: row.status,
    error: row.error ?? null,
    error_shown: shownError(row),
    aborted: row.aborted,
    streamed: row.streamed,
    ms: Math.round(row.ms),
    first_byte_ms: row.firstByteMs ?? null,
    attempts: row.attempts,
    input_tokens: row.inputTokens ?? null,
    cached_input_tokens: row.cachedInputTokens ?? null,
    output_tokens: row.outputTokens ?? null,
    charged: row.charged,
    charged_usd: dollarsOf(row.charged),
    dropped: [...(row.dropped ?? [])],
    guardrails: [...(row.guardrails ?? [])],
    tags: { ...row.tags },
    user: row.identity?.user ?? null,
    session: row.identity?.session ?? null,
    run: row.identity?.run ?? null,
    address: row.address ?? null,
    client: row.client ?? null,
    client_request_id: row.clientRequestId ?? null,
  };
}

/** Those that failed, and the last one where it did not. */
export function attemptsView(row: RequestRow, nameOf: AccountNames): Schemas['RequestAttempt'][] {
  const failed = row.failures ?? [];
  const { accountId, vendor = '', upstreamModel = '', model = '', askedMs = 0 } = row;
  const isLastKnown = failed.length >= row.attempts || accountId === undefined;
  const last: readonly RequestAttempt[] = isLastKnown
    ? []
    : [
        {
          ...{ accountId, vendor, model, upstreamModel },
          ...{ startedMs: askedMs, ms: Math.max(0, row.ms - askedMs) },
          ...(row.error !== undefined && { error: row.error }),
        },
      ];
  return [...failed, ...last].map((each) => attemptView(each, nameOf));
}

function attemptView(attempt: RequestAttempt, nameOf: AccountNames): Schemas['RequestAttempt'] {
  return {
    account_id: attempt.accountId,
    account: nameOf(attempt.accountId),
    vendor: attempt.vendor,
    model: attempt.model,
    upstream_model: attempt.upstreamModel,
    started_ms: Math.max(0, Math.round(attempt.startedMs)),
    ms: Math.max(0, Math.round(attempt.ms)),
    status: attempt.status ?? null,
    error: attempt.error ?? null,
    message: nameOf === forOwners ? null : (attempt.message ?? null),
  };
}

export async function overviewView(overview: Overview, compare: boolean): Promise<Schemas['Overview']> {
  return {
    object: 'overview',
    from: timeOf(overview.from),
    to: timeOf(overview.to),
    step: overview.stepMs / 1000,
    data: overview.steps.map((step) => ({ at: timeOf(step.start), ...sumsView(step) })),
    total: sumsView(overview.total),
    previous: compare ? sumsView(await overview.previous()) : null,
  };
}

function sumsView(sums: OverviewSums): Schemas['OverviewSum'] {
  return {
    requests: sums.requests,
    errors: sums.errors,
    input_tokens: sums.inputTokens,
    cached_input_tokens: sums.cachedInputTokens,
    output_tokens: sums.outputTokens,
    charged: sums.charged,
    charged_usd: dollarsOf(sums.charged),
    ms: percentilesView(sums.ms),
    first_byte_ms: percentilesView(sums.firstByteMs),
  };
}

function percentilesView(bins: OverviewSums['ms']): Schemas['Percentiles'] {
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentileOf(bins, share));
  if (p50 === undefined || p90 === undefined || p99 === undefined) return null;
  return { count: [...bins.values()].reduce((sum, count) => sum + count, 0), p50, p90, p99 };
}
