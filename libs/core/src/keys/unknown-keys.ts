/** Keys that were tried and are none, by the address they came from: bounded, so that guessing costs the guesser and nobody else. */
import { GatewayError } from '@model-gateway/contracts';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 10_000;

export interface UnknownKeyLimit {
  /** Throws `rate_limited` when the address has tried too many keys in this minute. */
  check(address: string | undefined): void;
  /** Counts a key that is none. */
  count(address: string | undefined): void;
  /** Counts one that another process has seen. */
  learn(address: string): void;
}

/** Makes the table of one process: as many wrong keys as `perMinute` for each IPv4 address or IPv6 network of 64 bits. */
export function createUnknownKeyLimit({
  now,
  perMinute,
  tell,
}: {
  readonly now: () => number;
  readonly perMinute: number;
  /** Told of every address that is counted here, for the other processes. */
  readonly tell?: (address: string) => void;
}): UnknownKeyLimit {
  const seen = new LRUCache<string, { readonly until: number; count: number }>({ max: MOST_ADDRESSES });
  const count = (address: string): void => {
    const network = networkOf(address);
    const entry = seen.get(network);
    if (entry === undefined || entry.until <= now()) seen.set(network, { until: now() + MINUTE_MS, count: 1 });
    else entry.count++;
  };
  return {
    check(address) {
      if (address === undefined) return;
      const entry = seen.get(networkOf(address));
      if (entry === undefined || entry.until <= now() || entry.count < perMinute) return;
      throw new GatewayError('rate_limited', 'too many keys that are none came from this network address', {
        retryAfterSeconds: Math.max(1, Math.ceil((entry.until - now()) / 1000)),
      });
    },
    count(address) {
      if (address === undefined) return;
      count(address);
      tell?.(address);
    },
    learn: count,
  };
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
