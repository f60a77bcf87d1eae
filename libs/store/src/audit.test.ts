import { expect, it } from 'vitest';
import type { AuditEntry } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newKey, newPayer } from './test-rows.ts';

describeDatabases('the audit log', openStore, ({ store, replica }) => {
  const entry = (given: Partial<AuditEntry> = {}): Omit<AuditEntry, 'id'> => ({
    at: 5,
    actor: 'command',
    action: 'key.revoke',
    subject: 'key 1',
    ...given,
  });

  it('keeps what it is told, absent and empty apart, and lists newest first, page after page', async () => {
    const whole = entry({
      before: { a: null },
      after: {},
      requestId: 'req_1',
      actor: 'admin key a…b',
      subject: 'owner 2',
    });
    for (const each of [entry(), whole, entry({ action: 'key.create' })]) await store().audit.add(each);
    const all = await replica().audit.list({ limit: 9 });
    expect(all.map(({ id: _id, ...rest }) => rest)).toStrictEqual([entry({ action: 'key.create' }), whole, entry()]);
    const actions = async (filter: object) =>
      (await store().audit.list({ limit: 9, ...filter })).map(({ action }) => action);
    expect(await actions({ limit: 1 })).toEqual(['key.create']);
    expect(await actions({ after: all[0]!.id })).toEqual(['key.revoke', 'key.revoke']);
    expect(await actions({ subject: 'owner 2' })).toHaveLength(1);
    expect(await actions({ actor: 'command', action: 'key.create' })).toHaveLength(1);
  });

  it('a change and its entry are both there, or neither', async () => {
    const { ownerId } = await newPayer(store(), { balance: 0 });
    const name = `together ${ownerId}`;
    const attempt = (fails: boolean) =>
      store().together(async (tx) => {
        const key = await tx.keys.create(newKey(ownerId, { name }), 0);
        await tx.ledger.topUp(ownerId, 7, {}, 0);
        await tx.audit.add(entry({ subject: name }));
        if (fails) throw new Error('afterwards');
        return key;
      });
    await expect(attempt(true)).rejects.toThrow('afterwards');
    expect(await store().keys.list({ ownerId, limit: 9 })).toEqual([]);
    expect((await store().owners.get(ownerId))!.balance).toBe(0);
    expect(await store().audit.list({ subject: name, limit: 9 })).toEqual([]);
    const { id } = await attempt(false);
    expect(await replica().keys.get(id)).toMatchObject({ name });
    expect(await store().audit.list({ subject: name, limit: 9 })).toHaveLength(1);
  });
});
