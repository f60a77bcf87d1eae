/** What is counted of attempts and charges: attempts and failures by vendor, money, tokens under OpenTelemetry’s GenAI names. */
import { OPERATION_NAMES, UNITS_PER_DOLLAR, type Usage, GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount, KeyMode, ModelRow, Offer, RowKind } from '../catalogue.ts';
import type { Caller, Parts, Meter } from '../parts.ts';
import { perObject } from '../per-object.ts';

/** Semantic conventions of generative AI, as of 2026-11 (status: development). */
const TOKEN_USAGE = 'gen_ai.client.token.usage';

export interface Charged {
  readonly row: Pick<ModelRow, 'code' | 'kind' | 'wildcard'>;
  readonly offer: Pick<Offer, 'account' | 'model'> | undefined;
  readonly mode: KeyMode;
  readonly usage: Usage;
  /** Quota units. */
  readonly charged: number;
}

const seriesOf = perOffer((meter, row, offer) => {
  const vendor = offer?.account.vendor ?? 'unknown';
  // Callers find the names of a wildcard: they make no series.
  const model = row.wildcard ?? row.code;
  const labels = {
    'gen_ai.operation.name': operationOf(row.kind),
    'gen_ai.provider.name': providerOf(offer?.account),
    'gen_ai.request.model': model,
    'gen_ai.response.model': row.wildcard ?? offer?.model ?? model,
  };
  const read = (cache: 'hit' | 'miss') =>
    meter.series('gateway_account_input_tokens_total', { vendor, ...accountLabels(offer?.account), cache });
  const dollars = (mode: KeyMode) => meter.series('gateway_charged_dollars_total', { model, vendor, mode });
  return {
    model,
    vendor,
    dollars: { live: dollars('live'), test: dollars('test') },
    input: meter.series(TOKEN_USAGE, { ...labels, 'gen_ai.token.type': 'input' }),
    output: meter.series(TOKEN_USAGE, { ...labels, 'gen_ai.token.type': 'output' }),
    hit: read('hit'),
    miss: read('miss'),
  };
});

/** What was charged for. */
export function countCharge({ meter }: Pick<Parts, 'meter'>, { row, offer, mode, usage, charged }: Charged): void {
  const { model, vendor, dollars, input, output, hit, miss } = seriesOf(meter, row, offer);
  dollars[mode](charged / UNITS_PER_DOLLAR);
  if (usage.inputTokens !== undefined || usage.outputTokens !== undefined) {
    input(usage.inputTokens ?? 0);
    output(usage.outputTokens ?? 0);
    if (usage.cachedInputTokens !== undefined) {
      const cached = Math.min(usage.cachedInputTokens, usage.inputTokens ?? 0);
      hit(cached);
      miss((usage.inputTokens ?? 0) - cached);
    }
  }
  for (const type in usage) {
    const amount: unknown = usage[type as keyof Usage];
    if (type === 'inputTokens' || type === 'outputTokens' || typeof amount !== 'number' || amount <= 0) continue;
    meter.count('gateway_usage_total', { model, vendor, type }, amount);
  }
}

/** Tells what a request was charged, as the ledger has it, to who counts it by who spent it. */
export function tellSpend(
  { spent }: Pick<Parts, 'spent'>,
  { key, mode, tags, identity }: Pick<Caller, 'key' | 'mode' | 'tags' | 'identity'>,
  { usage, charged }: Pick<Charged, 'usage' | 'charged'>,
): void {
  if (spent === undefined) return;
  const labels = { ...(tags !== undefined && { tags }), ...(identity !== undefined && { identity }) };
  spent({ ownerId: key.ownerId, mode, labels, usage, charged });
}

/** `gen_ai.operation.name` of a kind of model. */
export function operationOf(kind: RowKind | undefined): string {
  if (kind === 'pass_through') return kind;
  return (kind === undefined ? undefined : OPERATION_NAMES[kind]) ?? 'generate_content';
}

/** `gen_ai.provider.name` of an account: who answers. */
export function providerOf(account: GatewayAccount | undefined): string {
  return account?.telemetryName ?? account?.provider ?? account?.vendor ?? 'unknown';
}

/** An account by its number, which stays, and by its name, which people know. */
export function accountLabels(account: Pick<GatewayAccount, 'id' | 'name'> | undefined): {
  readonly account: string;
  readonly account_name: string;
} {
  return { account: String(account?.id ?? ''), account_name: account?.name ?? '' };
}

type Counting = Pick<Parts, 'meter' | 'router'>;

const ATTEMPTS = 'gateway_upstream_attempts_total';
/** By dialect. */
const attemptsOf = perOffer(() => new Map<string, (by: number) => void>());

/** One request to a vendor goes out; `dialect` is empty for what is no chat. */
export function countAttempt(
  { meter }: Pick<Counting, 'meter'>,
  { row, offer }: { readonly row: ModelRow | undefined; readonly offer: Offer },
  dialect: string,
): void {
  const { account } = offer;
  const labels = (): Record<string, string> => ({ vendor: account.vendor, ...accountLabels(account), dialect });
  if (row === undefined) {
    meter.count(ATTEMPTS, labels());
    return;
  }
  const known = attemptsOf(meter, row, offer);
  let count = known.get(dialect);
  if (count === undefined) known.set(dialect, (count = meter.series(ATTEMPTS, labels())));
  count(1);
}

/** It failed; call it after the router was told. */
export function countFailure({ meter, router }: Counting, { account }: Offer, error: unknown): void {
  const labels = { vendor: account.vendor, ...accountLabels(account) };
  const code = error instanceof GatewayError ? error.code : 'internal';
  meter.count('gateway_upstream_failures_total', { ...labels, code });
  const [health] = router.health([account]);
  if (health?.state === 'open') meter.count('gateway_account_cool_downs_total', labels);
}

type Row = Pick<ModelRow, 'code' | 'kind' | 'wildcard'>;
type AskedOffer = Pick<Offer, 'account' | 'model'>;

/** Keeps what `make` gives for as long as the catalogue has the row; rows of wildcards are made for each request, and so is this of them. */
export function perOffer<T>(
  make: (meter: Meter, row: Row, offer: AskedOffer | undefined) => T,
): (meter: Meter, row: Row, offer: AskedOffer | undefined) => T {
  const known = perObject((meter: Meter) =>
    perObject((row: Row) => perObject((offer: AskedOffer) => make(meter, row, offer))),
  );
  return (meter, row, offer) =>
    row.wildcard !== undefined || offer === undefined ? make(meter, row, offer) : known(meter)(row)(offer);
}
