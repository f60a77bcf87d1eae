/** Making, changing, rotating and revoking keys: the checks that the admin API and the commands share. A refused write changes nothing. */
import { randomBytes } from 'node:crypto';
import { GatewayError, UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import {
  ensureOwner,
  hashKey,
  isAddressRange,
  keyHint,
  matches,
  newKeyText,
  type Catalogue,
  type KeyChange,
  type KeyLimits,
  type KeyRecord,
  type OwnerRecord,
  type Store,
} from '@model-gateway/core';
import { limitsFrom, type LimitsInput } from './limits.ts';

/** The deployment's own owner: of declared keys that name none, and of the first key. */
export const DEFAULT_OWNER = 1;
const DEFAULT_OVERLAP_SECONDS = 86_400;
const LONGEST_OVERLAP_SECONDS = 30 * 86_400;
const LONGEST_NAME = 100;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

export interface KeyInput {
  readonly name: string;
  readonly owner_id?: number;
  readonly mode?: 'live' | 'test';
  readonly group?: string;
  readonly models?: readonly string[];
  readonly ip_ranges?: readonly string[];
  readonly limits?: LimitsInput;
  readonly tags?: Readonly<Record<string, string>>;
  readonly expires_at?: string;
  readonly webhook_secret?: string;
  readonly keep_bodies?: boolean;
}
export interface KeyChangeInput {
  readonly name?: string;
  readonly group?: string;
  readonly models?: readonly string[];
  readonly ip_ranges?: readonly string[];
  readonly limits?: LimitsInput;
  readonly tags?: Readonly<Record<string, string>>;
  readonly expires_at?: string | null;
  readonly webhook_secret?: string | null;
  readonly keep_bodies?: boolean;
}
/** A key with its secret, which nobody can be shown again. */
export interface MadeKey {
  readonly secret: string;
  /** Only when it was made here. */
  readonly webhookSecret: string | undefined;
  readonly key: KeyRecord;
}

export interface KeyService {
  create(input: KeyInput): Promise<MadeKey>;
  /** The new key of the same scope; the old one ends after the overlap. Throws `not_found`, `conflict`. */
  rotate(id: number, overlapSeconds?: number): Promise<MadeKey>;
  update(id: number, change: KeyChangeInput): Promise<KeyRecord>;
  revoke(id: number): Promise<KeyRecord>;
  get(id: number): Promise<KeyRecord>;
}
export interface KeyServiceParts {
  readonly store: Pick<Store, 'keys' | 'owners'>;
  readonly catalogue: () => Catalogue;
  readonly now: () => number;
}

/** Makes the service that creates, changes and revokes keys. */
export function createKeyService({ store, catalogue, now }: KeyServiceParts): KeyService {
  const get = async (id: number): Promise<KeyRecord> => (await store.keys.get(id)) ?? missing(id);
  /** Keys of the configuration file are changed there. */
  const changeable = async (id: number): Promise<KeyRecord> => {
    const key = await get(id);
    if (key.declared)
      throw new GatewayError(
        'conflict',
        `the key ${id} (${key.name}) is declared in the configuration file; change it there`,
      );
    return key;
  };
  const alive = async (id: number): Promise<KeyRecord> => {
    const key = await changeable(id);
    if (key.revokedAt !== undefined || (key.expiresAt !== undefined && key.expiresAt <= now()))
      throw new GatewayError('conflict', `the key ${id} (${key.name}) has ended; make a new one`);
    return key;
  };
  const ownerOf = async (id: number): Promise<OwnerRecord> => {
    const owner = id > 0 ? await store.owners.get(id) : undefined;
    if (owner === undefined)
      throw wrong(
        'owner_id',
        `there is no owner ${id}; make it first, or leave it out for a new owner of the key's name`,
      );
    return owner;
  };
  /** Two keys that name no owner have nothing in common: each gets an owner of its name, with the credit that the deployment's own has. */
  const newOwner = async (name: string): Promise<OwnerRecord> => {
    await ensureOwner(store.owners, { id: DEFAULT_OWNER, group: 'default' }, now());
    const creditLimit = (await store.owners.get(DEFAULT_OWNER))?.creditLimit;
    const owner = { name, group: 'default', ...(creditLimit !== undefined && { creditLimit }) };
    return store.owners.create(owner, now());
  };

  return {
    get,
    async create(input) {
      const checked = {
        name: nameOf(input.name),
        models: modelsOf(input.models ?? ['*'], catalogue()),
        ipRanges: rangesOf(input.ip_ranges ?? []),
        limits: limitsOf(input.limits ?? {}),
        expiresAt: input.expires_at === undefined ? undefined : futureOf(input.expires_at, now()),
        webhookSecret: input.webhook_secret === undefined ? undefined : secretOf(input.webhook_secret),
      };
      const owner = await (input.owner_id === undefined ? newOwner(checked.name) : ownerOf(input.owner_id));
      // Its test payer too.
      await ensureOwner(store.owners, owner, now());
      const mode = input.mode ?? 'live';
      const secret = newKeyText(mode);
      const { expiresAt, webhookSecret, ...others } = checked;
      const key = await namedOnce(() =>
        store.keys.create(
          {
            ...others,
            hash: hashKey(secret),
            hint: keyHint(secret),
            mode,
            ownerId: owner.id,
            group: input.group ?? owner.group,
            declared: false,
            ...(input.tags !== undefined && { tags: input.tags }),
            ...(expiresAt !== undefined && { expiresAt }),
            ...(webhookSecret !== undefined && { webhookSecret }),
            ...(input.keep_bodies === true && { keepBodies: true }),
          },
          now(),
        ),
      );
      return { secret, webhookSecret: input.webhook_secret === 'generate' ? webhookSecret : undefined, key };
    },
    async rotate(id, overlapSeconds = DEFAULT_OVERLAP_SECONDS) {
      if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > LONGEST_OVERLAP_SECONDS)
        throw wrong('overlap_seconds', `it must be a whole number from 0 to ${LONGEST_OVERLAP_SECONDS}`);
      const old = await alive(id);
      const secret = newKeyText(old.mode);
      const { id: _id, createdAt: _createdAt, lastUsedAt: _lastUsedAt, revokedAt: _revokedAt, ...scope } = old;
      const ends = Math.min(old.expiresAt ?? Infinity, now() + overlapSeconds * 1000);
      const next = { ...scope, hash: hashKey(secret), hint: keyHint(secret), rotatedFrom: old.id };
      const key = await store.keys.rotate(next, ends, now()).catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== 'conflict') throw error;
        throw new GatewayError(
          'conflict',
          `the key ${id} (${old.name}) was rotated before; rotate the one that came of it`,
        );
      });
      return { secret, webhookSecret: undefined, key };
    },
    async update(id, input) {
      const change: KeyChange = {
        ...(input.name !== undefined && { name: nameOf(input.name) }),
        ...(input.group !== undefined && { group: input.group }),
        ...(input.models !== undefined && { models: modelsOf(input.models, catalogue()) }),
        ...(input.ip_ranges !== undefined && { ipRanges: rangesOf(input.ip_ranges) }),
        ...(input.limits !== undefined && { limits: limitsOf(input.limits) }),
        ...(input.tags !== undefined && { tags: input.tags }),
        ...(input.expires_at !== undefined && {
          expiresAt: input.expires_at === null ? null : futureOf(input.expires_at, now()),
        }),
        ...(input.webhook_secret !== undefined && {
          webhookSecret: input.webhook_secret === null ? null : ownSecretOf(input.webhook_secret),
        }),
        ...(input.keep_bodies !== undefined && { keepBodies: input.keep_bodies }),
      };
      const key = await changeable(id);
      if (key.revokedAt !== undefined)
        throw new GatewayError('conflict', `the key ${id} (${key.name}) was revoked; make a new one`);
      return (await namedOnce(() => store.keys.update(id, change))) ?? missing(id);
    },
    async revoke(id) {
      await changeable(id);
      return (await store.keys.revoke(id, now())) ?? missing(id);
    },
  };
}

/** The document's limits in units. Throws `invalid_request` naming the limit. */
function limitsOf(limits: LimitsInput): KeyLimits {
  return limitsFrom(limits, (value, { unit }, name) =>
    unit === 'count' ? countOf(value, `limits.${name}`) : unitsOf(value, `limits.${name}`),
  );
}

/** US dollars as whole quota units. */
export function unitsOf(dollars: number, param: string): number {
  const units = Math.round(dollars * UNITS_PER_DOLLAR);
  if (!(dollars >= 0) || !Number.isSafeInteger(units) || Math.abs(units / UNITS_PER_DOLLAR - dollars) > 1e-9)
    throw wrong(
      param,
      `${dollars} US dollars are no whole number of quota units; give a multiple of ${1 / UNITS_PER_DOLLAR}, from 0`,
    );
  return units;
}

/** `invalid_request` at a place. */
export function wrong(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${message}`, { param });
}

function missing(id: number): never {
  throw new GatewayError('not_found', `there is no key ${id}`, { param: 'key_id' });
}

/** A name that is taken is a mistake in the request, not in its Idempotency-Key. */
async function namedOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'conflict') throw wrong('name', error.message);
    throw error;
  }
}

function nameOf(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > LONGEST_NAME)
    throw wrong('name', `it must have 1 to ${LONGEST_NAME} characters`);
  return trimmed;
}

function modelsOf(patterns: readonly string[], { models }: Catalogue): readonly string[] {
  if (patterns.length === 0) throw wrong('models', "it names nothing; give model codes, or '*' for all");
  patterns.forEach((pattern, index) => {
    if (![...models.keys()].some((code) => matches(pattern, code)))
      throw wrong(
        `models[${index}]`,
        `'${pattern.slice(0, 120)}' is no model of the catalogue; GET /v1/models lists the codes, and * stands for any text`,
      );
  });
  return patterns;
}

function rangesOf(ranges: readonly string[]): readonly string[] {
  ranges.forEach((range, index) => {
    if (!isAddressRange(range))
      throw wrong(
        `ip_ranges[${index}]`,
        `'${range.slice(0, 80)}' is no address or range, such as 10.0.0.0/8 or 2001:db8::/32`,
      );
  });
  return ranges;
}

function countOf(count: number, param: string): number {
  if (!Number.isSafeInteger(count) || count < 1) throw wrong(param, 'it must be a whole number from 1');
  return count;
}

function futureOf(time: string, now: number): number {
  const at = Date.parse(time);
  if (!(at > now))
    throw wrong(
      'expires_at',
      `'${time.slice(0, 40)}' is no time in the future; write one such as 2027-01-01T00:00:00Z`,
    );
  return at;
}

function secretOf(text: string): string {
  return text === 'generate' ? `whsec_${randomBytes(32).toString('base64')}` : ownSecretOf(text);
}

/** Only a new key can show a secret that was made for it. */
function ownSecretOf(text: string): string {
  const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? '', 'base64').length;
  if (bytes < 24 || bytes > 64)
    throw wrong('webhook_secret', "it must be whsec_ and base64 of 24 to 64 bytes; 'generate' is for new keys");
  return text;
}
