/** Texts that were tried and open nothing, by the address they came from: bounded, so that guessing costs the guesser and nobody else. */
import { GatewayError } from '@model-gateway/contracts';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { atMost } from '../bounded.ts';

const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 10_000;
const MOST_AT_ONCE = 256;
const MOST_WAITING = 4_096;

export interface UnknownKeyLimit {
  /** Whether the address has tried too many in this minute. Who has is refused for wrong ones alone: look the text up first. */
  isOver(address: string | undefined): boolean;
  /** The refusal of a wrong one: GatewayError `rate_limited`, with the rest of the minute. */
  refusal(address: string | undefined): GatewayError;
  /** Counts one that opens nothing. */
  count(address: string | undefined): void;
  /** Counts one that another process has seen. */
  learn(address: string): void;
}

/** Makes the table of one process: as many wrong ones as `perMinute` for each IPv4 address or IPv6 network of 64 bits. */
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
  const seen = new LRUCache<string, { readonly until: number; count: number }>(atMost(MOST_ADDRESSES));
  const count = (address: string): void => {
    const network = networkOf(address);
    const entry = seen.get(network);
    if (entry === undefined || entry.until <= now()) seen.set(network, { until: now() + MINUTE_MS, count: 1 });
    else entry.count++;
  };
  const leftOf = (address: string | undefined): number => {
    const entry = address === undefined ? undefined : seen.get(networkOf(address));
    return entry === undefined || entry.count < perMinute ? 0 : entry.until - now();
  };
  return {
    isOver: (address) => leftOf(address) > 0,
    refusal: (address) =>
      new GatewayError('rate_limited', 'too many invalid keys came from this network address', {
        retryAfterSeconds: Math.max(1, Math.ceil(leftOf(address) / 1000)),
      }),
    count(address) {
      if (address === undefined) return;
      count(address);
      tell?.(address);
    },
    learn: count,
  };
}

/**
 * Looks up what comes from addresses that have tried too many: one question at a time, for all that have come meanwhile, so that a right text
 * among them is found while the wrong ones cost the database next to nothing.
 */
export class LookUpsTogether<Found extends { readonly hash: string }> {
  readonly #ask: (hashes: readonly string[]) => Promise<readonly Found[]>;
  readonly #waiting = new Map<string, PromiseWithResolvers<Found | undefined>>();
  #isAsking = false;

  constructor(ask: (hashes: readonly string[]) => Promise<readonly Found[]>) {
    this.#ask = ask;
  }

  /** What has this hash; undefined where nothing has. Throws GatewayError `rate_limited` where too many wait. */
  async find(hash: string): Promise<Found | undefined> {
    const same = this.#waiting.get(hash);
    if (same !== undefined) return same.promise;
    if (this.#waiting.size >= MOST_WAITING) {
      throw new GatewayError('rate_limited', 'too many keys from this network address are being checked', {
        retryAfterSeconds: 1,
      });
    }
    const own = Promise.withResolvers<Found | undefined>();
    this.#waiting.set(hash, own);
    if (!this.#isAsking) void this.#askForAll();
    return own.promise;
  }

  async #askForAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      const asked = [...this.#waiting].slice(0, MOST_AT_ONCE);
      for (const [hash] of asked) this.#waiting.delete(hash);
      try {
        const found = await this.#ask(asked.map(([hash]) => hash));
        const byHash = new Map(found.map((each) => [each.hash, each]));
        for (const [hash, { resolve }] of asked) resolve(byHash.get(hash));
      } catch (error) {
        for (const [, { reject }] of asked) reject(error);
      }
    }
    this.#isAsking = false;
  }
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
