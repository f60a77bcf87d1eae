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

export interface ApiKeyAuthenticatorOptions {
  readonly keys: Pick<KeyStore, 'findByHash' | 'findByHashes' | 'touch' | 'version'>;
  readonly now: () => number;
  readonly log: Log;
  /** Texts that are no key, of one address in a minute. */
  readonly unknownPerMinute?: number;
  /** The code that a model's name stands for; absent = names are codes. */
  readonly codeOf?: (model: string) => string;
  /** Told of texts that are no key, by address: for other processes, which count them too. */
  readonly guessed?: (address: string) => void;
}

/** Makes the authenticator of one process. */
export function createApiKeyAuthenticator(options: ApiKeyAuthenticatorOptions): ApiKeyAuthenticator {
  return new StoredKeyAuthenticator(options);
}

class StoredKeyAuthenticator implements ApiKeyAuthenticator {
  readonly guesses: UnknownKeyLimit;
  private readonly keys: ApiKeyAuthenticatorOptions['keys'];
  private readonly now: () => number;
  private readonly log: Log;
  private readonly codeOf: (model: string) => string;
  private readonly together: LookUpsTogether<KeyRecord>;
  private readonly known = new LRUCache<string, KeyRecord>(atMost(MOST_CACHED));
  /** Texts that are no key, and since when: apart, so that guesses do not drive keys out. */
  private readonly unknown = new LRUCache<string, number>(atMost(MOST_UNKNOWN));
  /** Texts that were keys when they were looked up last. Not forgotten with the keys: whoever guesses must not gain by a change of keys. */
  private readonly right = new LRUCache<string, true>(atMost(MOST_CACHED));
  private uses = new Map<number, number>();
  private version: number | undefined;
  /** Grows whenever the keys are forgotten: what was read before must not be kept after it. */
  private generation = 0;
  private readonly polling: NodeJS.Timeout;
  private readonly touching: NodeJS.Timeout;

  constructor(options: ApiKeyAuthenticatorOptions) {
    const { keys, now, log, unknownPerMinute = UNKNOWN_PER_MINUTE, codeOf, guessed } = options;
    this.guesses = createUnknownKeyLimit({
      now,
      perMinute: unknownPerMinute,
      ...(guessed !== undefined && { tell: guessed }),
    });
    this.keys = keys;
    this.now = now;
    this.log = log;
    this.codeOf = codeOf ?? ((model) => model);
    this.together = new LookUpsTogether((hashes) => keys.findByHashes(hashes));
    this.polling = setInterval(() => this.poll(), POLL_MS).unref();
    this.touching = setInterval(() => void this.writeUses(), TOUCH_MS).unref();
  }

  find(token: string, address?: string): KeyRecord | Promise<KeyRecord> {
    const kept = hashKey(token);
    const found = this.known.get(kept);
    if (found !== undefined) return this.checkLive(found);
    const missedAt = this.unknown.get(kept);
    if (missedAt !== undefined && this.now() - missedAt < UNKNOWN_FRESH_MS) return this.checkLive(undefined);
    return this.lookUp(kept, address);
  }

  checkAddress(key: KeyRecord, address: string | undefined): void {
    if (key.ipRanges.length === 0) return;
    if (address === undefined || !key.ipRanges.some((range) => inRange(address, range))) {
      throw new GatewayError('forbidden', 'the key may not be used from this network address');
    }
  }

  checkModel(key: KeyRecord, model: string): void {
    if (!this.mayUse(key, model))
      throw new GatewayError('forbidden', `the key may not use the model '${model}'`, { param: 'model' });
  }

  mayUse(key: KeyRecord, model: string): boolean {
    return mayUseModel(key, this.codeOf(model));
  }

  refresh(): void {
    this.generation++;
    this.known.clear();
    this.unknown.clear();
  }

  async close(): Promise<void> {
    clearInterval(this.polling);
    clearInterval(this.touching);
    await this.writeUses();
  }

  private lookUp(kept: string, address: string | undefined): Promise<KeyRecord> {
    const isOver = !this.right.has(kept) && this.guesses.isOver(address);
    const asked = this.generation;
    return (isOver ? this.together.find(kept) : this.keys.findByHash(kept)).then((key) => {
      if (key === undefined) {
        this.guesses.count(address);
        this.right.delete(kept);
      } else this.right.set(kept, true);
      if (asked === this.generation) this.remember(kept, key);
      if (key === undefined && isOver) throw this.guesses.refusal(address);
      return this.checkLive(key);
    });
  }

  private checkLive(key: KeyRecord | undefined): KeyRecord {
    if (key === undefined) throw unauthenticated('the key is not known here');
    const now = this.now();
    if (key.revokedAt !== undefined && key.revokedAt <= now) throw unauthenticated('the key was revoked');
    if (key.expiresAt !== undefined && key.expiresAt <= now) throw unauthenticated('the key has expired');
    this.uses.set(key.id, now);
    return key;
  }

  private remember(kept: string, key: KeyRecord | undefined): void {
    if (key !== undefined) this.known.set(kept, key);
    else this.unknown.set(kept, this.now());
  }

  /** Forgets the keys when they have changed. */
  private poll(): void {
    void this.keys.version().then(
      (current) => {
        // The first look too: what was read before it may have changed since.
        if (current !== this.version) this.refresh();
        this.version = current;
      },
      (error: unknown) => this.log.warn({ err: error }, 'the keys could not be read'),
    );
  }

  private async writeUses(): Promise<void> {
    if (this.uses.size === 0) return;
    const written = this.uses;
    this.uses = new Map();
    await this.keys
      .touch(written)
      .catch((error: unknown) => this.log.warn({ err: error }, 'the last uses of keys could not be written'));
  }
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
