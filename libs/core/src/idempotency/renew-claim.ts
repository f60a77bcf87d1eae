/** Who works on an Idempotency-Key is heard of, so that nobody takes its process for dead. */
import type { Log } from '../parts.ts';
import type { IdempotencyClaim, IdempotencyStore } from '../ports.ts';

/** Renews a claim at intervals until the function that is given back is called. It keeps no process alive. */
export function renewClaim(
  {
    store,
    now,
    log,
  }: { readonly store: Pick<IdempotencyStore, 'renew'>; readonly now: () => number; readonly log: Log },
  { keyId, idempotencyKey }: Pick<IdempotencyClaim, 'keyId' | 'idempotencyKey'>,
  everyMs: number,
): () => void {
  const renewing = setInterval(() => {
    store
      .renew(keyId, idempotencyKey, now())
      .catch((error: unknown) => log.warn({ err: error }, 'the claim of an Idempotency-Key could not be renewed'));
  }, everyMs).unref();
  return () => clearInterval(renewing);
}
