/** Keys: random, stored only as a hash, found without asking the database twice, revoked everywhere within two seconds. */
import { hash, randomBytes } from 'node:crypto';
import { GatewayError } from '@model-gateway/contracts';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { atMost } from '../bounded.ts';
import type { Log } from '../parts.ts';
import type { KeyRecord, KeyStore } from '../ports.ts';
import { matches } from './pattern.ts';
import { createUnknownKeyLimit, LookUpsTogether, type UnknownKeyLimit } from './unknown-keys.ts';

const POLL_MS = 500;
const TOUCH_MS = 10_000;
const MOST_CACHED = 50_000;
const MOST_UNKNOWN = 10_000;
const UNKNOWN_FRESH_MS = 2_000;
const UNKNOWN_PER_MINUTE = 300;

/** A new key text: 256 random bits behind `sk-` or `sk-test-`. */
export function newKeyText(mode: 'live' | 'test'): string {
  return `${mode === 'test' ? 'sk-test-' : 'sk-'}${randomBytes(32).toString('base64url')}`;
}
/** What is kept of a key. */
export function hashKey(key: string): string {
  return hash('sha256', key);
}
/** What people see of a key. */
export function keyHint(key: string): string {
  const prefix = key.startsWith('sk-test-') ? 'sk-test-' : key.startsWith('sk-') ? 'sk-' : '';
  return `${prefix}${key.slice(prefix.length, prefix.length + 4)}…${key.slice(-4)}`;
}
/** A key's mode is in its text; declared keys without a known prefix are live. */
export function modeOfKey(key: string): 'live' | 'test' {
  return key.startsWith('sk-test-') ? 'test' : 'live';
}

/** Revoked or expired: nothing may be asked with it any more. */
export function isKeyOver({ revokedAt, expiresAt }: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, now: number): boolean {
  return (revokedAt !== undefined && revokedAt <= now) || (expiresAt !== undefined && expiresAt <= now);
}

export interface ApiKeyAuthenticator {
  /**
   * The live key of this text, sent from this address; throws GatewayError `unauthenticated`, and in its place `rate_limited` where the address has
   * tried many texts that are no key. Synchronous once known.
   */
  find(token: string, address?: string): KeyRecord | Promise<KeyRecord>;
  /** Throws `forbidden` when the key may not come from this address. */
  checkAddress(key: KeyRecord, address: string | undefined): void;
  /** Throws `forbidden` when the key may not use this model. */
  checkModel(key: KeyRecord, model: string): void;
  mayUse(key: KeyRecord, model: string): boolean;
  /** Texts that are no key, by address; the admin key's are counted in the same table. */
  readonly guesses: UnknownKeyLimit;
  /** Forgets what is cached, after a change made here. */
  refresh(): void;
  close(): Promise<void>;
}

/** Makes the authenticator of one process. */
export function createApiKeyAuthenticator(options: {
  readonly keys: Pick<KeyStore, 'findByHash' | 'findByHashes' | 'touch' | 'version'>;
  readonly now: () => number;
  readonly log: Log;
  /** Texts that are no key, of one address in a minute. */
  readonly unknownPerMinute?: number;
  /** The code that a model's name stands for; absent = names are codes. */
  readonly codeOf?: (model: string) => string;
  /** Told of texts that are no key, by address: for other processes, which count them too. */
  readonly guessed?: (address: string) => void;
}): ApiKeyAuthenticator {
  const { keys, now, log, unknownPerMinute = UNKNOWN_PER_MINUTE } = options;
  const guesses = createUnknownKeyLimit({
    now,
    perMinute: unknownPerMinute,
    ...(options.guessed !== undefined && { tell: options.guessed }),
  });
  const together = new LookUpsTogether((hashes) => keys.findByHashes(hashes));
  const codeOf = options.codeOf ?? ((model: string): string => model);
  const known = new LRUCache<string, KeyRecord>(atMost(MOST_CACHED));
  /** Texts that are no key, and since when: apart, so that guesses do not drive keys out. */
  const unknown = new LRUCache<string, number>({ max: MOST_UNKNOWN });
  /** Texts that were keys when they were looked up last. Not forgotten with the keys: whoever guesses must not gain by a change of keys. */
  const right = new LRUCache<string, true>(atMost(MOST_CACHED));
  let uses = new Map<number, number>();
  let version: number | undefined;
  /** Grows with every `forget`: what was read before one must not be kept after it. */
  let generation = 0;

  const forget = (): void => {
    generation++;
    known.clear();
    unknown.clear();
  };
  const poll = setInterval(() => {
    void keys.version().then(
      (current) => {
        // The first look too: what was read before it may have changed since.
        if (current !== version) forget();
        version = current;
      },
      (error: unknown) => log.warn({ err: error }, 'the keys could not be read'),
    );
  }, POLL_MS);
  const touch = setInterval(() => void writeUses(), TOUCH_MS);
  poll.unref();
  touch.unref();

  const writeUses = async (): Promise<void> => {
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    await keys
      .touch(written)
      .catch((error: unknown) => log.warn({ err: error }, 'the last uses of keys could not be written'));
  };

  const check = (key: KeyRecord | undefined): KeyRecord => {
    if (key === undefined) throw unauthenticated('the key is not known here');
    if (key.revokedAt !== undefined && key.revokedAt <= now()) throw unauthenticated('the key was revoked');
    if (key.expiresAt !== undefined && key.expiresAt <= now()) throw unauthenticated('the key has expired');
    uses.set(key.id, now());
    return key;
  };

  const remember = (kept: string, key: KeyRecord | undefined): void => {
    if (key !== undefined) known.set(kept, key);
    else unknown.set(kept, now());
  };

  return {
    find(token, address) {
      const kept = hashKey(token);
      const found = known.get(kept);
      if (found !== undefined) return check(found);
      const missedAt = unknown.get(kept);
      if (missedAt !== undefined && now() - missedAt < UNKNOWN_FRESH_MS) return check(undefined);
      const isOver = !right.has(kept) && guesses.isOver(address);
      const asked = generation;
      return (isOver ? together.find(kept) : keys.findByHash(kept)).then((key) => {
        if (key === undefined) {
          guesses.count(address);
          right.delete(kept);
        } else right.set(kept, true);
        if (asked === generation) remember(kept, key);
        if (key === undefined && isOver) throw guesses.refusal(address);
        return check(key);
      });
    },
    checkAddress(key, address) {
      if (key.ipRanges.length === 0) return;
      if (address === undefined || !key.ipRanges.some((range) => inRange(address, range))) {
        throw new GatewayError('forbidden', 'the key may not be used from this network address');
      }
    },
    checkModel(key, model) {
      if (!mayUseModel(key, codeOf(model)))
        throw new GatewayError('forbidden', `the key may not use the model '${model}'`, { param: 'model' });
    },
    mayUse: (key, model) => mayUseModel(key, codeOf(model)),
    guesses,
    refresh: forget,
    async close() {
      clearInterval(poll);
      clearInterval(touch);
      await writeUses();
    },
  };
}

function unauthenticated(reason: string): GatewayError {
  // The first words are OpenAI's: some of its clients (LiteLLM) tell a wrong key by them, whatever the status says.
  return new GatewayError(
    'unauthenticated',
    `Incorrect API key provided: ${reason}; send a key of this gateway as Authorization: Bearer sk-…`,
  );
}

/** Whether a key's list of models names this code. */
export function mayUseModel(key: KeyRecord, model: string): boolean {
  return key.models.some((pattern) => pattern === '*' || matches(pattern, model));
}

/** Whether it is an address or a CIDR range; not in the short forms of old (`10`, `010.0.0.1`), which mean something else than they seem to. */
export function isAddressRange(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  return text.includes(':')
    ? IPv6.isValid(text) || IPv6.isValidCIDR(text)
    : IPv4.isValidFourPartDecimal(text) || IPv4.isValidCIDRFourPartDecimal(text);
}

function inRange(address: string, range: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  const [network, bits] = range.includes('/') ? ipaddr.parseCIDR(range) : [ipaddr.parse(range), undefined];
  if (network.kind() !== parsed.kind()) return false;
  return parsed.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
}
