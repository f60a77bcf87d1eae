import type { Exchange } from '../core/exchange.ts';
import { badMessage } from './errors.ts';

const NEW_VERSION = '2026-10-21';

/** Every request names an API version; both that exist are served. */
export function requireVersion(exchange: Exchange): void {
  const version = exchange.header('anthropic-version');
  if (version === undefined) throw badMessage('anthropic-version: header is required');
  if (version !== '2023-06-01' && version !== NEW_VERSION) {
    throw badMessage(`anthropic-version: "${version}" is not a valid version`);
  }
}

export function isNewVersion(exchange: Exchange): boolean {
  return exchange.header('anthropic-version') === NEW_VERSION;
}

/** The names in `anthropic-beta`. */
export function betasOf(exchange: Exchange): readonly string[] {
  return (exchange.header('anthropic-beta') ?? '').split(',').map((name) => name.trim());
}
