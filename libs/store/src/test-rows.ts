import type { ChargeRecord, NewKey, NewTask, Payer, Store } from '@model-gateway/core';

/** What the tests of this library write into tables: valid rows that differ from each other, with what the test is about set by it. */

let last = 0;
export function unique(): number {
  last += 1;
  return last;
}

export function newKey(ownerId: number, given: Partial<NewKey> = {}): NewKey {
  const number = unique();
  return {
    name: `key ${number}`,
    hash: `hash ${number}`,
    hint: 'sk-test-ab12…wxyz',
    mode: 'live',
    ownerId,
    group: 'default',
    models: ['*'],
    ipRanges: [],
    limits: {},
    declared: false,
    ...given,
  };
}

export function newTask(given: Partial<NewTask> = {}): NewTask {
  const number = unique();
  return {
    id: `task_${number}`,
    kind: 'video',
    mode: 'live',
    ownerId: 1,
    keyId: 1,
    group: 'default',
    requestId: `request ${number}`,
    model: 'seedance',
    accountId: 1,
    accountName: 'ark-main',
    vendor: 'ark',
    upstreamModel: 'seedance-260128',
    input: { prompt: 'a cat' },
    quota: 0,
    createdAt: 1000,
    deadlineAt: 1_000_000,
    priceVersion: 'v1',
    nextCheckAt: 60_000,
    ...given,
  };
}

export function newCharge(payer: Payer, given: Partial<ChargeRecord> = {}): ChargeRecord {
  return {
    payer,
    requestId: `charge ${unique()}`,
    model: 'gpt',
    endpoint: 'chat-completions',
    charged: 0,
    shortfall: 0,
    priceVersion: 'v1',
    detail: {},
    at: 1000,
    ...given,
  };
}

/** An owner with `balance` units and a payer of theirs; without a credit limit there is no limit at all. */
export async function newPayer(
  store: Store,
  owner: {
    readonly balance: number;
    readonly creditLimit?: number;
    readonly limits?: Payer['limits'];
    readonly scopes?: Payer['scopes'];
  },
): Promise<Payer> {
  const { id: ownerId } = await store.owners.create(
    { name: 'owner', group: 'default', ...(owner.creditLimit !== undefined && { creditLimit: owner.creditLimit }) },
    0,
  );
  if (owner.balance > 0) await store.ledger.topUp(ownerId, owner.balance, {}, 0);
  const { limits = {}, scopes } = owner;
  return { ownerId, keyId: unique() + 1_000_000, limits, ...(scopes !== undefined && { scopes }) };
}

export async function balanceOf(store: Store, payer: Payer): Promise<number> {
  return (await store.owners.get(payer.ownerId))?.balance ?? Number.NaN;
}
