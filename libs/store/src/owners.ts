import { GatewayError } from '@model-gateway/contracts';
import type { DeclaredOwner, OwnerRecord, OwnerStore } from '@model-gateway/core';
import { sql, type Selectable } from 'kysely';
import { type Database, transaction } from './database.ts';
import { checkUnits, hasInName, namesOf, present, rowsTogether } from './rows.ts';
import type { OwnerRow } from './tables.ts';

/** Ids given out until one is free that nobody has declared meanwhile. */
const ATTEMPTS = 20;

export function ownerStore(database: Database): OwnerStore {
  return {
    ensure: async (owner, now) => {
      const known = await readOwner(database, owner.id);
      if (known !== undefined) return known;
      const inserted = await insertOwner(database, owner, now);
      return inserted ?? (await readOwner(database, owner.id)) ?? missing(owner.id);
    },
    create: async (owner, now) => transaction(database, (tx) => createOwner(tx, owner, now)),
    firstNamed: async (owner, now) =>
      transaction(database, async (tx) => {
        await oneAtATime(tx);
        const id = await knownByName(tx, owner.name);
        const known = id === undefined ? undefined : await readOwner(tx, id);
        return known ?? createOwner(tx, owner, now);
      }),
    declare: async (owners, now) => transaction(database, (tx) => declareOwners(tx, owners, now)),
    get: async (id) => readOwner(database, id),
    names: async (ids) => namesOf(database, 'owners', ids),
    organizations: async (ids) => organizationsOf(database, ids),
    named: async (name) =>
      (
        await database.db.selectFrom('owners').selectAll().where('name', '=', name).orderBy('id').limit(2).execute()
      ).map(toOwner),
    idsNamed: async (names) => {
      const rows = await database.db
        .selectFrom('owners')
        .select(['id', 'name'])
        .where('name', 'in', names)
        .orderBy('id')
        .execute();
      return new Map(names.map((name) => [name, rows.filter((row) => row.name === name).map(({ id }) => id)]));
    },
    list: async (page) => {
      let query = database.db.selectFrom('owners').selectAll().orderBy('id').limit(page.limit);
      if (page.after !== undefined) query = query.where('id', '>', page.after);
      if (page.name !== undefined) query = query.where(hasInName(page.name));
      return (await query.execute()).map(toOwner);
    },
    update: async (id, change) => updateOwner(database, id, change),
  };
}

async function organizationsOf(
  { db }: Database,
  ids: readonly number[] | undefined,
): Promise<ReadonlyMap<number, string>> {
  const all = db.selectFrom('owners').select(['id', 'organization']).where('organization', 'is not', null);
  const queries = ids === undefined ? [all] : Array.from(rowsTogether(ids), (some) => all.where('id', 'in', some));
  const organizations = new Map<number, string>();
  for (const query of queries)
    for (const { id, organization } of await query.execute()) organizations.set(id, organization ?? '');
  return organizations;
}

async function declareOwners(
  tx: Database,
  owners: readonly DeclaredOwner[],
  now: number,
): Promise<readonly OwnerRecord[]> {
  await oneAtATime(tx);
  const records: OwnerRecord[] = [];
  for (const owner of owners) {
    const id = (await knownByName(tx, owner.name)) ?? (await createOwner(tx, owner, now)).id;
    if (owner.creditLimit !== undefined) checkUnits(owner.creditLimit, 'credit_limit');
    const row = await tx.db
      .updateTable('owners')
      .set({
        group_name: owner.group,
        credit_limit: owner.creditLimit ?? null,
        organization: owner.organization ?? null,
        declared: 1,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    records.push(toOwner(row));
  }
  let others = tx.db.updateTable('owners').set({ declared: 0 }).where('declared', '=', 1);
  if (records.length > 0)
    others = others.where(
      'id',
      'not in',
      records.map(({ id }) => id),
    );
  await others.execute();
  return records;
}

/** One process at a time: the others find what it has made. */
async function oneAtATime(tx: Database): Promise<void> {
  await tx.db
    .updateTable('counters')
    .set({ value: sql`value` })
    .where('name', '=', 'owners')
    .execute();
}

async function knownByName(tx: Database, name: string): Promise<number | undefined> {
  const rows = await tx.db
    .selectFrom('owners')
    .select(['id', 'declared'])
    .where('name', '=', name)
    .where('id', '>', 0)
    .execute();
  const [first, ...others] = rows.some(({ declared }) => declared === 1)
    ? rows.filter(({ declared }) => declared === 1)
    : rows;
  if (others.length > 0) throw new GatewayError('conflict', `Several owners are called ${name}: rename all but one.`);
  return first?.id;
}

async function createOwner(
  tx: Database,
  owner: Parameters<OwnerStore['create']>[0],
  now: number,
): Promise<OwnerRecord> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const inserted = await insertOwner(tx, { ...owner, id: await nextId(tx) }, now);
    if (inserted !== undefined) return inserted;
  }
  throw new GatewayError('conflict', 'Other owners were being made at the same time: try again.');
}

/** One more than any id given out or declared so far. */
async function nextId(tx: Database): Promise<number> {
  const highest = sql<number>`(select coalesce(max(id), 0) from owners)`;
  const counter = await tx.db
    .updateTable('counters')
    .set({ value: sql<number>`case when value >= ${highest} then value else ${highest} end + 1` })
    .where('name', '=', 'owners')
    .returning('value')
    .executeTakeFirstOrThrow();
  return counter.value;
}

async function insertOwner(
  database: Database,
  owner: Parameters<OwnerStore['ensure']>[0],
  now: number,
): Promise<OwnerRecord | undefined> {
  if (owner.creditLimit !== undefined) checkUnits(owner.creditLimit, 'credit_limit');
  const row = await database.db
    .insertInto('owners')
    .values({
      id: owner.id,
      name: owner.name,
      group_name: owner.group,
      credit_limit: owner.creditLimit ?? null,
      monthly_budget: owner.monthlyBudget ?? null,
      low_balance: owner.lowBalance ?? null,
      organization: owner.organization ?? null,
      balance: 0,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : toOwner(row);
}

async function updateOwner(
  database: Database,
  id: number,
  change: Parameters<OwnerStore['update']>[1],
): Promise<OwnerRecord | undefined> {
  if (typeof change.creditLimit === 'number') checkUnits(change.creditLimit, 'credit_limit');
  if (typeof change.monthlyBudget === 'number') checkUnits(change.monthlyBudget, 'monthly_budget');
  if (typeof change.lowBalance === 'number') checkUnits(change.lowBalance, 'low_balance');
  const columns = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.group !== undefined && { group_name: change.group }),
    ...(change.creditLimit !== undefined && { credit_limit: change.creditLimit }),
    ...(change.monthlyBudget !== undefined && { monthly_budget: change.monthlyBudget }),
    ...(change.lowBalance !== undefined && { low_balance: change.lowBalance }),
    ...(change.organization !== undefined && { organization: change.organization }),
  };
  if (Object.keys(columns).length === 0) return readOwner(database, id);
  const row = await database.db
    .updateTable('owners')
    .set(columns)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : toOwner(row);
}

async function readOwner(database: Database, id: number): Promise<OwnerRecord | undefined> {
  const row = await database.db.selectFrom('owners').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toOwner(row);
}

function missing(id: number): never {
  throw new GatewayError('internal', `Owner ${id} could not be made.`);
}

function toOwner(row: Selectable<OwnerRow>): OwnerRecord {
  return {
    ...present({
      creditLimit: row.credit_limit,
      monthlyBudget: row.monthly_budget,
      lowBalance: row.low_balance,
      organization: row.organization,
    }),
    id: row.id,
    name: row.name,
    group: row.group_name,
    balance: row.balance,
    declared: row.declared === 1,
    createdAt: row.created_at,
  };
}
