/** Where requests of an account go. */
import { LRUCache } from 'lru-cache';

export interface Address {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
}

const MOST_BASES = 1000;
const bases = new LRUCache<string, Address>({ max: MOST_BASES });

/** An account's base address, taken apart once: parsing addresses costs more than sending to them. */
export function baseOf(baseUrl: string): Address {
  let base = bases.get(baseUrl);
  if (base === undefined) {
    base = addressOf(new URL(baseUrl));
    bases.set(baseUrl, base);
  }
  return base;
}

export function addressOf(url: URL): Address {
  return { origin: url.origin, path: url.pathname + url.search };
}

export function below(baseUrl: string, path: string): Address {
  if (path.startsWith('/../')) return addressOf(new URL(baseUrl + path));
  const base = baseOf(baseUrl);
  return { origin: base.origin, path: (base.path === '/' ? '' : base.path) + path };
}
