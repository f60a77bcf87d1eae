/** Creating, changing, rotating and revoking keys: the checks of every change, which is made together with its line of the audit log. */
import { randomBytes } from 'node:crypto';
import { GatewayError, type components } from '@model-gateway/contracts';
import {
  ensureOwner,
  hashKey,
  isAddressRange,
  isKeyOver,
  keyHint,
  matches,
  newKeyText,
  type Catalogue,
  type KeyLimits,
  type KeyRecord,
  type OwnerRecord,
} from '@model-gateway/core';
import { present } from '../../present.ts';
import type { AuditedStore, Tables } from '../audit/audited.ts';
import { checkedName, declaredFault, DEFAULT_OWNER, invalidAt, unitsOf } from '../values.ts';
import { limitsFrom, type LimitsInput } from './limits.ts';
import { keyView } from './view.ts';

const DEFAULT_OVERLAP_SECONDS = 86_400;
const LONGEST_OVERLAP_SECONDS = 30 * 86_400;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

type Schemas = components['schemas'];

/** Creates and changes keys, in the name of one actor. A refused write changes nothing. */
export class KeyService {
  readonly #audited: AuditedStore;
  readonly #catalogue: () => Catalogue;

  constructor(audited: AuditedStore, catalogue: () => Catalogue) {
    this.#audited = audited;
    this.#catalogue = catalogue;
  }

  /** Throws `not_found`. */
  get(id: number): Promise<KeyRecord> {
    return keyOf(this.#audited.store, id);
  }

  /** Creates a key. Only this answer carries its secret. */
  create(input: Schemas['KeyCreate']): Promise<Schemas['KeyCreated']> {
    return this.#audited.change(async (tables, record) => {
      const now = this.#audited.now();
      const { mode = 'live', tags, webhook_secret: givenSecret } = input;
      const name = checkedName(input.name);
      const models = modelsOf(input.models ?? ['*'], this.#catalogue());
      const ipRanges = rangesOf(input.ip_ranges ?? []);
      const limits = limitsOf(input.limits ?? {});
      const expiresAt = input.expires_at === undefined ? undefined : futureOf(input.expires_at, now);
      const webhookSecret = givenSecret === undefined ? undefined : secretOf(givenSecret);
      const owner = await (input.owner_id === undefined
        ? this.#newOwner(tables, name)
        : existingOwner(tables, input.owner_id));
      // The owner's test payer is made, too.
      await ensureOwner(tables.owners, owner, now);
      const secret = newKeyText(mode);
      const ownScope = { name, models, ipRanges, limits, mode, ownerId: owner.id, group: input.group ?? owner.group };
      const optional = present({ tags, expiresAt, webhookSecret, keepBodies: input.keep_bodies === true || undefined });
      const created = { ...ownScope, ...optional, hash: hashKey(secret), hint: keyHint(secret), declared: false };
      const key = keyView(await withNameChecked(() => tables.keys.create(created, now)));
      await record({ action: 'key.create', subject: `key ${key.id}`, after: key });
      return { secret, webhook_secret: givenSecret === 'generate' ? (webhookSecret ?? null) : null, key };
    });
  }

  /** Creates the key that replaces this one, of the same scope; the old one ends after the overlap. Throws `not_found`, `conflict`. */
  rotate(id: number, overlapSeconds = DEFAULT_OVERLAP_SECONDS): Promise<Schemas['KeyCreated']> {
    return this.#audited.change(async (tables, record) => {
      const now = this.#audited.now();
      const before = keyView(await keyOf(tables, id));
      if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > LONGEST_OVERLAP_SECONDS)
        throw invalidAt('overlap_seconds', `it must be a whole number from 0 to ${LONGEST_OVERLAP_SECONDS}`);
      const old = await changeableKey(tables, id);
      if (isKeyOver(old, now))
        throw new GatewayError('conflict', `the key ${id} (${old.name}) has ended; make a new one`);
      const secret = newKeyText(old.mode);
      const { id: _id, createdAt: _createdAt, lastUsedAt: _lastUsedAt, revokedAt: _revokedAt, ...scope } = old;
      const ends = Math.min(old.expiresAt ?? Infinity, now + overlapSeconds * 1000);
      const next = { ...scope, hash: hashKey(secret), hint: keyHint(secret), rotatedFrom: old.id };
      const made = await tables.keys.rotate(next, ends, now).catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== 'conflict') throw error;
        throw new GatewayError(
          'conflict',
          `the key ${id} (${old.name}) was already rotated; rotate the key that replaced it`,
        );
      });
      const key = keyView(made);
      await record({ action: 'key.rotate', subject: `key ${id}`, before, after: key });
      return { secret, webhook_secret: null, key };
    });
  }

  /** Changes what is named. Throws `not_found`, `conflict`. */
  update(id: number, input: Schemas['KeyUpdate']): Promise<Schemas['Key']> {
    return this.#audited.change(async (tables, record) => {
      const before = keyView(await keyOf(tables, id));
      const {
        name,
        group,
        models,
        ip_ranges: ranges,
        limits,
        tags,
        expires_at: expires,
        webhook_secret: secret,
      } = input;
      const change = present({
        name: name === undefined ? undefined : checkedName(name),
        group,
        models: models === undefined ? undefined : modelsOf(models, this.#catalogue()),
        ipRanges: ranges === undefined ? undefined : rangesOf(ranges),
        limits: limits === undefined ? undefined : limitsOf(limits),
        tags,
        expiresAt: typeof expires === 'string' ? futureOf(expires, this.#audited.now()) : expires,
        webhookSecret: typeof secret === 'string' ? ownSecretOf(secret) : secret,
        keepBodies: input.keep_bodies,
      });
      const old = await changeableKey(tables, id);
      if (old.revokedAt !== undefined)
        throw new GatewayError('conflict', `the key ${id} (${old.name}) was revoked; make a new one`);
      const after = keyView((await withNameChecked(() => tables.keys.update(id, change))) ?? missing(id));
      // The audit log says that the secret was changed, and not to what.
      const changed = secret !== undefined && { webhook_secret_changed: true };
      await record({ action: 'key.update', subject: `key ${id}`, before, after: { ...after, ...changed } });
      return after;
    });
  }

  /** Ends a key; nothing changes where it has ended. Throws `not_found`, `conflict`. */
  revoke(id: number): Promise<Schemas['Key']> {
    return this.#audited.change(async (tables, record) => {
      const old = await changeableKey(tables, id);
      const after = keyView((await tables.keys.revoke(id, this.#audited.now())) ?? missing(id));
      if (old.revokedAt === undefined)
        await record({ action: 'key.revoke', subject: `key ${id}`, before: keyView(old), after });
      return after;
    });
  }

  /** Keys that name no owner share nothing: each gets an owner of its name, with the credit of the deployment's own owner. */
  async #newOwner({ owners }: Tables, name: string): Promise<OwnerRecord> {
    const now = this.#audited.now();
    await ensureOwner(owners, { id: DEFAULT_OWNER, group: 'default' }, now);
    const creditLimit = (await owners.get(DEFAULT_OWNER))?.creditLimit;
    return owners.create({ name, group: 'default', ...(creditLimit !== undefined && { creditLimit }) }, now);
  }
}

async function keyOf({ keys }: Pick<Tables, 'keys'>, id: number): Promise<KeyRecord> {
  return (await keys.get(id)) ?? missing(id);
}

async function changeableKey(tables: Tables, id: number): Promise<KeyRecord> {
  const key = await keyOf(tables, id);
  if (key.declared) throw declaredFault('key', key);
  return key;
}

async function existingOwner({ owners }: Tables, id: number): Promise<OwnerRecord> {
  const owner = id > 0 ? await owners.get(id) : undefined;
  if (owner !== undefined) return owner;
  throw invalidAt(
    'owner_id',
    `there is no owner ${id}; create it first, or leave the owner out to create one with the key's name`,
  );
}

/** The document's limits in units. Throws `invalid_request` naming the limit. */
function limitsOf(limits: LimitsInput): KeyLimits {
  return limitsFrom(limits, (value, { unit }, name) =>
    unit === 'count' ? countOf(value, `limits.${name}`) : unitsOf(value, `limits.${name}`),
  );
}

function missing(id: number): never {
  throw new GatewayError('not_found', `there is no key ${id}`, { param: 'key_id' });
}

/** A name that is taken is `invalid_request`: `conflict` is for Idempotency-Keys. */
async function withNameChecked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'conflict') throw invalidAt('name', error.message);
    throw error;
  }
}

function modelsOf(patterns: readonly string[], { models }: Catalogue): readonly string[] {
  if (patterns.length === 0) throw invalidAt('models', "it is empty; give model codes, or '*' for all");
  patterns.forEach((pattern, index) => {
    if (![...models.keys()].some((code) => matches(pattern, code)))
      throw invalidAt(
        `models[${index}]`,
        `'${pattern.slice(0, 120)}' is not in the catalogue; GET /v1/models lists the codes, and * stands for any text`,
      );
  });
  return patterns;
}

function rangesOf(ranges: readonly string[]): readonly string[] {
  ranges.forEach((range, index) => {
    if (!isAddressRange(range))
      throw invalidAt(
        `ip_ranges[${index}]`,
        `'${range.slice(0, 80)}' is not an address or range, such as 10.0.0.0/8 or 2001:db8::/32`,
      );
  });
  return ranges;
}

function countOf(count: number, param: string): number {
  if (!Number.isSafeInteger(count) || count < 1) throw invalidAt(param, 'it must be a whole number from 1');
  return count;
}

function futureOf(time: string, now: number): number {
  const at = Date.parse(time);
  if (!(at > now))
    throw invalidAt(
      'expires_at',
      `'${time.slice(0, 40)}' is not a time in the future; use one such as 2027-01-01T00:00:00Z`,
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
    throw invalidAt('webhook_secret', "it must be whsec_ and base64 of 24 to 64 bytes; 'generate' is for new keys");
  return text;
}
