/** Which limit of money refused a request. Commands and the console stop by it. */

/** What of an answer it is read from. */
interface Refused {
  readonly headers: { get: (name: string) => string | null };
}

/** The limit as the gateway names it: `spend_total`, `balance`, `budget:red`. Undefined for every other refusal, those of a vendor among them. */
export function moneyLimitOf({ headers }: Refused, body: string): string | undefined {
  if (headers.get('x-gateway-error-source') === 'upstream') return undefined;
  const limit = headers.get('x-gateway-limit');
  if (limit !== null) return /^(?:spend_|balance$|budget:)/.test(limit) ? limit : undefined;
  // Other running requests hold what is left, and the gateway names no limit.
  return body.includes('insufficient_quota') ? 'balance' : undefined;
}
