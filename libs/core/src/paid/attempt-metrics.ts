/** What is counted of every attempt: attempts and failures by vendor, cool-downs by account. */
import { GatewayError } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '../catalogue.ts';
import type { Parts } from '../parts.ts';
import { perOffer } from './offer-series.ts';

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
  const labels = (): Record<string, string> => ({ vendor: account.vendor, account: String(account.id), dialect });
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
  const labels = { vendor: account.vendor, account: String(account.id) };
  const code = error instanceof GatewayError ? error.code : 'internal';
  meter.count('gateway_upstream_failures_total', { ...labels, code });
  const [health] = router.health([account]);
  if (health?.state === 'open') meter.count('gateway_account_cool_downs_total', labels);
}
