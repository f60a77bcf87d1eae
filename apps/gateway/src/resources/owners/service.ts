/** Owners and their money: the checks of every change, which is made together with its line of the audit log. */
import { GatewayError, type components } from '@model-gateway/contracts';
import { dollarsOf, ensureOwner, type LedgerEntry, type OwnerRecord } from '@model-gateway/core';
import { present } from '../../present.ts';
import type { AuditedStore, Tables } from '../audit/audited.ts';
import { entryView } from '../ledger/bills.ts';
import { checkedName, declaredFault, DEFAULT_OWNER, invalidAt, timeOf, unitsOf } from '../values.ts';

type Schemas = components['schemas'];

/** Creates owners and changes their balances, in the name of one actor. A refused write changes nothing. */
export class OwnerService {
  readonly #audited: AuditedStore;

  constructor(audited: AuditedStore) {
    this.#audited = audited;
  }

  /** Throws `not_found`. */
  async get(id: number): Promise<Schemas['Owner']> {
    return ownerView(await ownerOf(this.#audited.store, id));
  }

  create({
    name,
    group = 'default',
    credit_limit: creditLimit = 0,
    monthly_budget: monthlyBudget,
    low_balance: lowBalance,
    organization,
  }: Schemas['OwnerCreate']): Promise<Schemas['Owner']> {
    const now = this.#audited.now();
    return this.#audited.change(async ({ owners }, record) => {
      const limits = present({
        creditLimit: creditLimit ?? undefined,
        monthlyBudget: monthlyBudget ?? undefined,
        lowBalance: lowBalance ?? undefined,
        organization: organization ?? undefined,
      });
      const checked = { name: checkedName(name), group, ...limits };
      // The deployment's own owner has the first id; nobody else shall be it.
      await ensureOwner(owners, { id: DEFAULT_OWNER, group: 'default' }, now);
      const after = ownerView(await owners.create(checked, now));
      await record({ action: 'owner.create', subject: `owner ${after.id}`, after });
      return after;
    });
  }

  update(id: number, input: Schemas['OwnerUpdate']): Promise<Schemas['Owner']> {
    return this.#audited.change(async (tables, record) => {
      const known = await ownerOf(tables, id);
      const before = ownerView(known);
      const { monthly_budget: monthlyBudget, low_balance: lowBalance, ...inFile } = input;
      // The configuration file says nothing of budgets and warnings.
      if (known.declared && Object.keys(inFile).length > 0) throw declaredFault('owner', known);
      const { name, group, credit_limit: creditLimit, organization } = inFile;
      const checked = { name: name === undefined ? undefined : checkedName(name), group, creditLimit, organization };
      const change = present({ ...checked, monthlyBudget, lowBalance });
      const after = ownerView((await tables.owners.update(id, change)) ?? missing(id));
      await record({ action: 'owner.update', subject: `owner ${id}`, before, after });
      return after;
    });
  }

  /** Adds money once per Idempotency-Key, even if this process dies in between: the ledger itself keeps the key. */
  topUp(
    id: number,
    { amount, usd, note }: Schemas['TopUp'],
    idempotencyKey: string | undefined,
  ): Promise<Schemas['BalanceChange']> {
    return this.#changeBalance(id, 'owner.topup', ({ ledger }) =>
      ledger.topUp(id, topUpUnits(amount, usd), present({ note, idempotencyKey }), this.#audited.now()),
    );
  }

  adjust(id: number, { amount, note }: Schemas['Adjustment']): Promise<Schemas['BalanceChange']> {
    return this.#changeBalance(id, 'owner.adjust', async ({ ledger }) => {
      if (amount === 0)
        throw invalidAt('amount', 'the amount must not be 0; give quota units, negative to take money away');
      if (note.trim() === '') throw invalidAt('note', 'give a reason; it is kept in the ledger');
      return ledger.adjust(id, amount, { note }, this.#audited.now()).catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== 'insufficient_quota') throw error;
        throw invalidAt('amount', `${-amount} units are more than the owner has, even with its credit`);
      });
    });
  }

  /** Throws `not_found` for a request that was charged nothing, `conflict` when all of it was given back before. */
  waive(requestId: string, { note }: Schemas['Waiver']): Promise<Schemas['BalanceChange']> {
    return this.#audited.change(async (tables, record) => {
      if (note.trim() === '') throw invalidAt('note', 'give a reason; it is kept in the ledger');
      const entry = entryView(await tables.ledger.waive(requestId, { note }, this.#audited.now()));
      // Of a test key it is the test payer, whom nobody else sees.
      const owner = ownerView((await tables.owners.get(entry.owner_id)) ?? missing(entry.owner_id));
      await record({ action: 'request.waive', subject: `request ${requestId}`, after: { ...owner, entry } });
      return { entry, owner };
    });
  }

  #changeBalance(
    id: number,
    action: string,
    change: (tables: Tables) => Promise<LedgerEntry>,
  ): Promise<Schemas['BalanceChange']> {
    return this.#audited.change(async (tables, record) => {
      const before = ownerView(await ownerOf(tables, id));
      const [last] = await tables.ledger.entries({ ownerId: id, order: 'newest', limit: 1 });
      const entry = entryView(await change(tables));
      const owner = ownerView(await ownerOf(tables, id));
      // Under a used Idempotency-Key the entry of the first time comes back, and nothing has changed.
      if (entry.id > (last?.id ?? 0))
        await record({ action, subject: `owner ${id}`, before, after: { ...owner, entry } });
      return { entry, owner };
    });
  }
}

/** An owner as the document writes it. */
export function ownerView(owner: OwnerRecord): Schemas['Owner'] {
  return {
    object: 'owner',
    id: owner.id,
    name: owner.name,
    group: owner.group,
    balance: owner.balance,
    balance_usd: dollarsOf(owner.balance),
    credit_limit: owner.creditLimit ?? null,
    monthly_budget: owner.monthlyBudget ?? null,
    low_balance: owner.lowBalance ?? null,
    organization: owner.organization ?? null,
    declared: owner.declared,
    created_at: timeOf(owner.createdAt),
  };
}

/** Throws `not_found`. Test payers have the ids below zero, and nobody reads them. */
export async function ownerOf({ owners }: Pick<Tables, 'owners'>, id: number): Promise<OwnerRecord> {
  return (id > 0 ? await owners.get(id) : undefined) ?? missing(id);
}

function topUpUnits(amount: number | undefined, usd: number | undefined): number {
  if (usd === undefined && amount !== undefined) return amount;
  if (usd !== undefined && amount === undefined) return unitsOf(usd, 'usd');
  throw invalidAt('amount', 'give either quota units as amount, or US dollars as usd');
}

function missing(id: number): never {
  throw new GatewayError('not_found', `there is no owner ${id}`, { param: 'owner_id' });
}
