/** What is counted of every attempt: attempts and failures by vendor, cool-downs by account. */
import { GatewayError } from '@model-gateway/contracts';
import type { Offer } from '../catalogue.ts';
import type { Parts } from '../parts.ts';

type Counting = Pick<Parts, 'meter' | 'router'>;

/** One request to a vendor goes out; `dialect` is empty for what is no chat. */
export function countAttempt({ meter }: Pick<Counting, 'meter'>, { account }: Offer, dialect: string): void {
  meter.count('gateway_upstream_attempts_total', { vendor: account.vendor, account: String(account.id), dialect });
}

/** It failed; call it after the router was told. */
export function countFailure({ meter, router }: Counting, { account }: Offer, error: unknown): void {
  const labels = { vendor: account.vendor, account: String(account.id) };
  const code = error instanceof GatewayError ? error.code : 'internal';
  meter.count('gateway_upstream_failures_total', { ...labels, code });
  const [health] = router.health([account]);
  if (health?.state === 'open') meter.count('gateway_account_cool_downs_total', labels);
}
