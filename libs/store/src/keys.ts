import { GatewayError } from '@model-gateway/contracts';
import type { KeyChange, KeyRecord, KeyStore, NewKey } from '@model-gateway/core';
import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely';
import { type Database, isUniqueViolation, transaction } from './database.ts';
import { containing, hasInName, namesOf, parse, present } from './rows.ts';
import type { KeyRow, Tables } from './tables.ts';

export function keyStore(database: Database): KeyStore {
  return {
    create: async (key, now) => transaction(database, (tx) => createKey(tx, key, now)),
    declare: async (keys, now) => transaction(database, (tx) => declareKeys(tx, keys, now)),
    findByHash: async (hash) =>
      optionalKey(await database.db.selectFrom('keys').selectAll().where('hash', '=', hash).executeTakeFirst()),
    findByHashes: async (hashes) =>
      (await database.db.selectFrom('keys').selectAll().where('hash', 'in', hashes).execute()).map(toKey),
    get: async (id) => readKey(database, id),
    names: async (ids) => namesOf(database, 'keys', ids),
    list: async (filter) => listKeys(database, filter),
    rotate: async (key, oldExpiresAt, now) =>
      transaction(database, async (tx) => {
        const made = await createKey(tx, key, now);
        await tx.db.updateTable('keys').set({ expires_at: oldExpiresAt }).where('id', '=', key.rotatedFrom).execute();
        return made;
      }),
    update: async (id, change) => updateKey(database, id, change),
    revoke: async (id, now) => transaction(database, (tx) => revokeKey(tx, id, now)),
    touch: async (uses) => touchKeys(database, uses),
    anyUsable: async ({ ownerId, mode }, now) => {
      const row = await database.db
        .selectFrom('keys')
        .select('id')
        .where('owner_id', '=', ownerId)
        .where('mode', '=', mode)
        .where('revoked_at', 'is', null)
        .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', now)]))
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    version: async () => {
      const row = await database.db
        .selectFrom('counters')
        .select('value')
        .where('name', '=', 'keys')
        .executeTakeFirstOrThrow();
      return row.value;
    },
  };
}

async function createKey(tx: Database, key: NewKey, now: number): Promise<KeyRecord> {
  await changeVersion(tx);
  await checkOwner(tx, key);
  if (key.rotatedFrom !== undefined) {
    // The old key goes on for the overlap; its name passes to the new one.
    await tx.db
      .updateTable('keys')
      .set({ name_free: 1 })
      .where('id', '=', key.rotatedFrom)
      .where('owner_id', '=', key.ownerId)
      .execute();
  }
  await freeExpiredName(tx, key, now);
  const row = await tx.db
    .insertInto('keys')
    .values({ ...toColumns(key), created_at: now, name_free: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw nameTaken(key.name, key.ownerId);
  return toKey(row);
}

/** A key is known again by its secret, or else by its owner and name: then its secret was changed in the file. */
async function declareKeys(tx: Database, keys: readonly NewKey[], now: number): Promise<readonly KeyRecord[]> {
  await changeVersion(tx);
  // Names may have been swapped in the file: all are free until each key has taken its own.
  await tx.db.updateTable('keys').set({ name_free: 1 }).where('declared', '=', 1).execute();
  const records: KeyRecord[] = [];
  for (const key of keys) {
    await checkOwner(tx, key);
    await freeExpiredName(tx, key, now);
    const columns = { ...toColumns(key), declared: 1, revoked_at: null, name_free: 0 };
    const known =
      (await tx.db.selectFrom('keys').select('id').where('hash', '=', key.hash).executeTakeFirst()) ??
      (await tx.db
        .selectFrom('keys')
        .select('id')
        .where('declared', '=', 1)
        .where('owner_id', '=', key.ownerId)
        .where('name', '=', key.name)
        .where('revoked_at', 'is', null)
        .where('name_free', '=', 1)
        .where('hash', 'not in', [...keys.map((other) => other.hash), ''])
        .executeTakeFirst());
    records.push(await writeDeclared(tx, known?.id, columns, now));
  }
  let dropped = tx.db
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('declared', '=', 1)
    .where('revoked_at', 'is', null);
  if (records.length > 0) {
    dropped = dropped.where(
      'id',
      'not in',
      records.map((record) => record.id),
    );
  }
  await dropped.execute();
  return records;
}

async function writeDeclared(
  tx: Database,
  id: number | undefined,
  columns: Omit<Insertable<KeyRow>, 'created_at'>,
  now: number,
): Promise<KeyRecord> {
  try {
    const row =
      id === undefined
        ? await tx.db
            .insertInto('keys')
            .values({ ...columns, created_at: now })
            .returningAll()
            .executeTakeFirstOrThrow()
        : await tx.db.updateTable('keys').set(columns).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
    return toKey(row);
  } catch (error) {
    throw isUniqueViolation(error) ? nameTaken(columns.name, columns.owner_id) : error;
  }
}

async function listKeys(database: Database, filter: Parameters<KeyStore['list']>[0]): Promise<readonly KeyRecord[]> {
  const newest = filter.order === 'newest';
  let query = database.db
    .selectFrom('keys')
    .selectAll()
    .orderBy('id', newest ? 'desc' : 'asc')
    .limit(filter.limit);
  if (filter.ownerId !== undefined) query = query.where('owner_id', '=', filter.ownerId);
  if (filter.mode !== undefined) query = query.where('mode', '=', filter.mode);
  if (filter.includeRevoked !== true) query = query.where('revoked_at', 'is', null);
  if (filter.name !== undefined) query = query.where(hasInName(filter.name));
  if (filter.tag !== undefined) query = query.where(sql<boolean>`tags like ${tagPattern(filter.tag)} escape '!'`);
  if (filter.after !== undefined) query = query.where('id', newest ? '<' : '>', filter.after);
  return (await query.execute()).map(toKey);
}

/** A tag as it stands in the JSON of a row. */
function tagPattern({ name, value }: { readonly name: string; readonly value: string }): string {
  return containing(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

async function updateKey(database: Database, id: number, change: KeyChange): Promise<KeyRecord | undefined> {
  const columns = toChangedColumns(change, id);
  if (Object.keys(columns).length === 0) return readKey(database, id);
  try {
    return await transaction(database, async (tx) => {
      await changeVersion(tx);
      return optionalKey(
        await tx.db.updateTable('keys').set(columns).where('id', '=', id).returningAll().executeTakeFirst(),
      );
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new GatewayError('conflict', 'Another live key of this owner has that name.', { param: 'name' });
  }
}

async function revokeKey(tx: Database, id: number, now: number): Promise<KeyRecord | undefined> {
  await changeVersion(tx);
  await tx.db
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
  return readKey(tx, id);
}

async function readKey(database: Database, id: number): Promise<KeyRecord | undefined> {
  return optionalKey(await database.db.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst());
}

async function touchKeys(database: Database, uses: ReadonlyMap<number, number>): Promise<void> {
  if (uses.size === 0) return;
  await transaction(database, async (tx) => {
    // In the order of ids, so that two replicas never wait for each other in a ring.
    for (const [id, at] of [...uses].sort(([a], [b]) => a - b)) {
      await tx.db
        .updateTable('keys')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where((expression) =>
          expression.or([expression('last_used_at', 'is', null), expression('last_used_at', '<', at)]),
        )
        .execute();
    }
  });
}

/** First in every change: it also makes changes of keys wait for each other. */
async function changeVersion(tx: Database): Promise<void> {
  await tx.db
    .updateTable('counters')
    .set((expression) => ({ value: expression('value', '+', 1) }))
    .where('name', '=', 'keys')
    .execute();
}

async function checkOwner(tx: Database, key: NewKey): Promise<void> {
  const owner = await tx.db.selectFrom('owners').select('id').where('id', '=', key.ownerId).executeTakeFirst();
  if (owner === undefined) {
    throw new GatewayError(
      'not_found',
      `There is no owner ${key.ownerId} for the key ${key.name}: create the owner first.`,
      {
        param: 'owner_id',
      },
    );
  }
}

async function freeExpiredName(tx: Database, key: NewKey, now: number): Promise<void> {
  await tx.db
    .updateTable('keys')
    .set({ name_free: 1 })
    .where('owner_id', '=', key.ownerId)
    .where('name', '=', key.name)
    .where('expires_at', '<=', now)
    .execute();
}

function nameTaken(name: string, ownerId: number): GatewayError {
  return new GatewayError(
    'conflict',
    `Owner ${ownerId} has a live key named ${name} (or one with the same secret): revoke that one or choose another name.`,
    { param: 'name' },
  );
}

function toColumns(key: NewKey): Omit<Insertable<KeyRow>, 'created_at' | 'name_free'> {
  return {
    name: key.name,
    hash: key.hash,
    hint: key.hint,
    mode: key.mode,
    owner_id: key.ownerId,
    group_name: key.group,
    models: JSON.stringify(key.models),
    ip_ranges: JSON.stringify(key.ipRanges),
    limits: JSON.stringify(key.limits),
    tags: JSON.stringify(key.tags ?? {}),
    webhook_secret: key.webhookSecret ?? null,
    expires_at: key.expiresAt ?? null,
    declared: key.declared ? 1 : 0,
    rotated_from: key.rotatedFrom ?? null,
    keep_bodies: key.keepBodies === true ? 1 : 0,
  };
}

function toChangedColumns(change: KeyChange, id: number): UpdateObject<Tables, 'keys'> {
  // A key that gets a new expiry needs its name again, unless a rotation has passed the name on.
  const nameFree = sql<number>`case when exists (select 1 from keys as newer where newer.rotated_from = ${id}) then name_free else 0 end`;
  return {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.group !== undefined && { group_name: change.group }),
    ...(change.models !== undefined && { models: JSON.stringify(change.models) }),
    ...(change.ipRanges !== undefined && { ip_ranges: JSON.stringify(change.ipRanges) }),
    ...(change.limits !== undefined && { limits: JSON.stringify(change.limits) }),
    ...(change.tags !== undefined && { tags: JSON.stringify(change.tags) }),
    ...(change.expiresAt !== undefined && { expires_at: change.expiresAt, name_free: nameFree }),
    ...(change.webhookSecret !== undefined && { webhook_secret: change.webhookSecret }),
    ...(change.keepBodies !== undefined && { keep_bodies: change.keepBodies ? 1 : 0 }),
  };
}

function optionalKey(row: Selectable<KeyRow> | undefined): KeyRecord | undefined {
  return row === undefined ? undefined : toKey(row);
}

function toKey(row: Selectable<KeyRow>): KeyRecord {
  const { group_name, owner_id, models, ip_ranges, limits, declared, created_at, id, name, hash, hint, mode } = row;
  return {
    ...present({
      webhookSecret: row.webhook_secret,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
      rotatedFrom: row.rotated_from,
    }),
    id,
    name,
    hash,
    hint,
    mode,
    ownerId: owner_id,
    group: group_name,
    models: parse(models),
    ipRanges: parse(ip_ranges),
    limits: parse(limits),
    ...(row.tags !== '{}' && { tags: parse<Readonly<Record<string, string>>>(row.tags) }),
    createdAt: created_at,
    declared: declared === 1,
    ...(row.keep_bodies === 1 && { keepBodies: true }),
  };
}
