import { same } from '../core/auth.ts';
import type { Exchange } from '../core/exchange.ts';
import { apiKeyOf } from '../credentials.ts';
import { refuseKey } from './errors.ts';

/** Google takes the key as a header or in the query. */
export function requireGoogleKey(exchange: Exchange, vendor: string): void {
  const key = exchange.header('x-goog-api-key') ?? exchange.query.get('key') ?? undefined;
  if (!same(key, apiKeyOf(vendor))) throw refuseKey(key);
}
