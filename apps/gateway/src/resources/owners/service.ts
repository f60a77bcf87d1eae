/** Owners and their money: the checks that the admin API and the commands share. A refused write changes nothing. */
import { GatewayError } from '@model-gateway/contracts';
import { ensureOwner, type LedgerEntry, type OwnerRecord, type Store } from '@model-gateway/core';
import { DEFAULT_OWNER, unitsOf, wrong } from '../keys/service.ts';

const LONGEST_NAME = 100;

export interface OwnerInput {
  readonly name: string;
  readonly group?: string;
  /** Quota units; prepaid when absent, no limit when null. */
  readonly credit_limit?: number | null;
}
export interface TopUpInput {
  readonly amount?: number;
  readonly usd?: number;
  readonly note?: string;
  readonly idempotencyKey?: string;
}
/** The line that was written, and the owner after it. */
export interface BalanceChange {
  readonly entry: LedgerEntry;
  readonly owner: OwnerRecord;
}

export interface OwnerService {
  /** Throws `not_found`. */
  get(id: number): Promise<OwnerRecord>;
  /** From the lowest id on; test payers are none. */
  list(page: { readonly limit: number; readonly after?: number }): Promise<readonly OwnerRecord[]>;
  create(input: OwnerInput): Promise<OwnerRecord>;
  update(id: number, change: Partial<OwnerInput>): Promise<OwnerRecord>;
  /** Money is added once per Idempotency-Key, even if this process dies in between: the ledger itself keeps the key. */
  topUp(id: number, input: TopUpInput): Promise<BalanceChange>;
  adjust(id: number, amount: number, note: string): Promise<BalanceChange>;
}

/** Makes the service that creates owners and changes balances. */
export function createOwnerService(store: Pick<Store, 'owners' | 'ledger'>, now: () => number): OwnerService {
  const get = async (id: number): Promise<OwnerRecord> =>
    (id > 0 ? await store.owners.get(id) : undefined) ?? missing(id);
  return {
    get,
    // Test payers have the ids below zero.
    list: ({ limit, after = 0 }) => store.owners.list({ limit, after: Math.max(0, after) }),
    async create({ name, group = 'default', credit_limit: creditLimit = 0 }) {
      const checked = { name: nameOf(name), group, ...(creditLimit !== null && { creditLimit }) };
      // The deployment's own owner has the first id; nobody else shall be it.
      await ensureOwner(store.owners, { id: DEFAULT_OWNER, group: 'default' }, now());
      return store.owners.create(checked, now());
    },
    async update(id, { name, group, credit_limit: creditLimit }) {
      const change = {
        ...(name !== undefined && { name: nameOf(name) }),
        ...(group !== undefined && { group }),
        ...(creditLimit !== undefined && { creditLimit }),
      };
      return (await store.owners.update(id, change)) ?? missing(id);
    },
    async topUp(id, { amount, usd, note, idempotencyKey }) {
      const units = topUpUnits(amount, usd);
      const detail = { ...(note !== undefined && { note }), ...(idempotencyKey !== undefined && { idempotencyKey }) };
      const entry = await store.ledger.topUp((await get(id)).id, units, detail, now());
      return { entry, owner: await get(id) };
    },
    async adjust(id, amount, note) {
      if (amount === 0) throw wrong('amount', '0 changes nothing; give quota units, below zero to take');
      if (note.trim() === '') throw wrong('note', 'say why; it is kept in the ledger');
      await get(id);
      const entry = await store.ledger.adjust(id, amount, { note }, now()).catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== 'insufficient_quota') throw error;
        throw wrong('amount', `${-amount} units are more than the owner has, with what it may owe`);
      });
      return { entry, owner: await get(id) };
    },
  };
}

function topUpUnits(amount: number | undefined, usd: number | undefined): number {
  if (usd === undefined && amount !== undefined) return amount;
  if (usd !== undefined && amount === undefined) return unitsOf(usd, 'usd');
  throw wrong('amount', 'give either quota units as amount, or US dollars as usd');
}

function nameOf(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > LONGEST_NAME)
    throw wrong('name', `it must have 1 to ${LONGEST_NAME} characters`);
  return trimmed;
}

function missing(id: number): never {
  throw new GatewayError('not_found', `there is no owner ${id}`, { param: 'owner_id' });
}
