import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type {
  CompletionsQuery,
  ConversationRecord,
  Payer,
  ResponseEnd,
  ResponseRecord,
  Store,
  Tenant,
} from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
/** The row as SQLite gives it: PostgreSQL's driver has a Buffer for bytes. */
const withBytes = <Row extends object>(row: Row | undefined): object =>
  Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Uint8Array ? new Uint8Array(value) : value,
    ]),
  );
const END = 1_000_000;
const FIRST = { last: 1, sealed: bytes('') };

describeDatabases('responses', openStore, ({ store, replica }) => {
  let last = 0;
  /** Of an owner of its own, so that tests do not meet. */
  const tenantOf = async (mode: Tenant['mode'] = 'live', units = 1_000): Promise<Tenant & { payer: Payer }> => {
    const owner = await store().owners.create({ name: `owner ${++last}`, group: 'default', creditLimit: 0 }, 0);
    if (units > 0) await store().ledger.topUp(owner.id, units, {}, 0);
    return { ownerId: owner.id, mode, payer: { ownerId: owner.id, keyId: 1, limits: {} } };
  };
  const record = ({ ownerId, mode }: Tenant, given: Partial<ResponseRecord> = {}): ResponseRecord => ({
    id: `resp_gw_${++last}`,
    kind: 'response',
    ownerId,
    mode,
    keyId: 1,
    model: 'gpt',
    status: 'completed',
    background: false,
    requestId: `req_${last}`,
    createdAt: 1,
    expiresAt: END,
    asked: bytes('asked'),
    reply: bytes('reply'),
    submitted: true,
    cancelRequested: false,
    isOpen: false,
    ...given,
  });
  const queued = (tenant: Tenant, given: Partial<ResponseRecord> = {}): ResponseRecord =>
    record(tenant, { status: 'queued', background: true, submitted: false, isOpen: true, ...given });
  const end = (given: Partial<ResponseEnd> = {}): ResponseEnd => ({
    status: 'completed',
    reply: bytes('done'),
    items: [],
    event: { last: 9, sealed: bytes('last') },
    ...given,
  });
  const claim = (of: Store, by: string, now: number, except: readonly Tenant[] = []) =>
    of.responses.claimDue({ by, now, until: now + 100, limit: 100, except });
  const balanceOf = async ({ ownerId }: Tenant): Promise<number> => (await store().owners.get(ownerId))?.balance ?? NaN;

  it('are their tenant’s alone, and gone when they are out of date', async () => {
    const tenant = await tenantOf();
    const kept = record(tenant);
    await store().responses.keep(kept, []);
    expect(withBytes(await replica().responses.find(tenant, kept.id, END - 1))).toEqual(kept);
    for (const other of [
      { ...tenant, mode: 'test' as const },
      { ...tenant, ownerId: tenant.ownerId + 1_000 },
    ]) {
      expect(await store().responses.find(other, kept.id, 1)).toBeUndefined();
      expect(await store().responses.chain(other, kept.id, 10, 1)).toEqual([]);
      expect(await store().responses.remove(other, kept.id)).toBe(false);
      expect(await store().responses.cancel(other, kept.id, end(), 1)).toBeUndefined();
    }
    expect(await store().responses.find(tenant, kept.id, END)).toBeUndefined();
    expect(await store().responses.chain(tenant, kept.id, 10, END)).toEqual([]);
    expect(await store().responses.remove(tenant, kept.id)).toBe(true);
    expect(await store().responses.remove(tenant, kept.id)).toBe(false);
  });

  it('go on from each other, as far as they are there and as many as are wanted', async () => {
    const tenant = await tenantOf();
    const stranger = record(await tenantOf());
    await store().responses.keep(stranger, []);
    const chain: ResponseRecord[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const next = record(tenant, { ...(chain[0] !== undefined && { previousId: chain[0].id }) });
      await store().responses.keep(next, []);
      chain.unshift(next);
    }
    const idsOf = async (id = '', most = 100): Promise<string[]> =>
      (await replica().responses.chain(tenant, id, most, 1)).map((each) => each.id);
    expect(await idsOf(chain[0]?.id)).toEqual(chain.map(({ id }) => id));
    expect(await idsOf(chain[0]?.id, 2)).toEqual(chain.slice(0, 2).map(({ id }) => id));
    await store().responses.remove(tenant, chain[3]?.id ?? '');
    expect(await idsOf(chain[0]?.id)).toEqual(chain.slice(0, 3).map(({ id }) => id));
    // Somebody else's is never reached, whatever a row says.
    const forged = record(tenant, { previousId: stranger.id });
    await store().responses.keep(forged, []);
    expect(await idsOf(forged.id)).toEqual([forged.id]);
    await store().responses.prolong([chain[0]?.id ?? ''], END + 5);
    await store().responses.prolong([chain[0]?.id ?? ''], END - 5);
    expect((await store().responses.find(tenant, chain[0]?.id ?? '', END))?.expiresAt).toBe(END + 5);
  });

  it('that are to be made set money aside, or are not there', async () => {
    const tenant = await tenantOf('live', 10);
    const poor = queued(tenant);
    const refused = store().responses.enqueue(poor, FIRST, { payer: tenant.payer, amount: 11, detail: {} }, 5);
    await expect(refused).rejects.toThrow(GatewayError);
    expect(await store().responses.find(tenant, poor.id, 5)).toBeUndefined();
    expect(await balanceOf(tenant)).toBe(10);
    const rich = queued(tenant);
    await store().responses.enqueue(rich, FIRST, { payer: tenant.payer, amount: 10, detail: {} }, 5);
    expect(await balanceOf(tenant)).toBe(0);
    expect(await store().responses.nextDue()).toBeLessThanOrEqual(5);
    expect(await store().responses.remove(tenant, rich.id)).toBe(false);
    await store().responses.cancel(tenant, rich.id, end({ status: 'cancelled' }), 6);
    expect(await balanceOf(tenant)).toBe(10);
  });

  it('are worked on by one process, asked once, and charged once', async () => {
    const tenant = await tenantOf();
    const { id } = queued(tenant);
    await store().responses.enqueue(
      queued(tenant, { id }),
      FIRST,
      { payer: tenant.payer, amount: 100, detail: {} },
      10,
    );
    const both = await Promise.all([claim(store(), 'one', 10), claim(replica(), 'two', 10)]);
    const claims = both.map((each) => each.some((found) => found.id === id));
    expect(claims.filter(Boolean)).toHaveLength(1);
    const [by, other] = claims[0] === true ? ['one', 'two'] : ['two', 'one'];
    expect(await store().responses.markSubmitted(id, other, bytes('now'))).toBe(false);
    expect(await store().responses.markSubmitted(id, by, bytes('now'))).toBe(true);
    expect(await store().responses.markSubmitted(id, by, bytes('again'))).toBe(false);
    expect(await store().responses.renewClaims([id, 'resp_gw_none'], by, 200)).toEqual([
      { id, cancelRequested: false },
    ]);
    expect((await claim(replica(), other, 199)).some((found) => found.id === id)).toBe(false);
    // The process falls silent: who finds it knows that a model was asked.
    const [found] = (await claim(replica(), other, 200)).filter((each) => each.id === id);
    expect(found).toMatchObject({ submitted: true, status: 'in_progress' });
    const bill = { charged: 40, priceVersion: 'v', detail: {} };
    expect(await store().responses.finish(id, by, end({ bill }), 210)).toBe('lost');
    expect(await balanceOf(tenant)).toBe(900);
    const ends = await Promise.all([
      store().responses.finish(id, other, end({ bill }), 211),
      replica().responses.finish(id, other, end({ bill }), 211),
    ]);
    expect(ends.toSorted()).toEqual(['done', 'lost']);
    expect(await balanceOf(tenant)).toBe(960);
    expect(await store().responses.renewClaims([id], other, 999)).toEqual([]);
    const done = await store().responses.find(tenant, id, 300);
    expect(withBytes(done)).toMatchObject({ status: 'completed', isOpen: false, reply: bytes('done') });
    expect((await store().responses.events(id, 1, 10)).map(withBytes)).toEqual([{ last: 9, sealed: bytes('last') }]);
    expect(await store().responses.cancel(tenant, id, end(), 300)).toEqual(done);
    expect(await store().ledger.verify()).toEqual([]);
  });

  it('that are cancelled stay cancelled, and what was used is charged', async () => {
    const tenant = await tenantOf();
    const { id } = queued(tenant);
    await store().responses.enqueue(
      queued(tenant, { id }),
      FIRST,
      { payer: tenant.payer, amount: 100, detail: {} },
      10,
    );
    await claim(store(), 'one', 10);
    await store().responses.markSubmitted(id, 'one', bytes('now'));
    const cancelled = { reply: bytes('cancelled'), event: { last: 3, sealed: bytes('x') } };
    expect(await replica().responses.cancel(tenant, id, cancelled, 20)).toMatchObject({
      status: 'cancelled',
      isOpen: true,
    });
    expect(await store().responses.renewClaims([id], 'one', 300)).toEqual([{ id, cancelRequested: true }]);
    const bill = { charged: 7, priceVersion: 'v', detail: {} };
    expect(await store().responses.finish(id, 'one', end({ bill }), 30)).toBe('cancelled');
    expect(await balanceOf(tenant)).toBe(900);
    expect(await store().responses.finish(id, 'one', end({ status: 'cancelled', bill }), 31)).toBe('done');
    expect(await balanceOf(tenant)).toBe(993);
    expect(await store().responses.find(tenant, id, 40)).toMatchObject({ status: 'cancelled', isOpen: false });
  });

  it('are claimed in turns of their tenants, and not of those that have enough', async () => {
    const [many, few] = [await tenantOf(), await tenantOf()];
    const made: string[] = [];
    for (const [tenant, count] of [
      [many, 5],
      [few, 1],
    ] as const)
      for (let each = 0; each < count; each++) {
        const response = queued(tenant);
        made.push(response.id);
        await store().responses.enqueue(response, FIRST, undefined, 1_000 + made.length);
      }
    const two = await store().responses.claimDue({ by: 'p', now: 2_000, until: 3_000, limit: 2, except: [] });
    expect(two.map(({ ownerId }) => ownerId).toSorted()).toEqual([many.ownerId, few.ownerId].toSorted());
    expect(await claim(store(), 'p', 2_000, [many])).toEqual([]);
    expect(await claim(store(), 'p', 2_000)).toHaveLength(4);
  });

  it('have events that are read from behind any of them', async () => {
    const tenant = await tenantOf();
    const response = record(tenant);
    await store().responses.keep(response, []);
    expect(await store().responses.lastEvent(response.id)).toBe(-1);
    for (const number of [1, 4, 9])
      await store().responses.appendEvents(response.id, { last: number, sealed: bytes(`to ${number}`) });
    await store().responses.appendEvents(response.id, { last: 4, sealed: bytes('again') });
    const lastOf = async (after: number, limit = 10): Promise<number[]> =>
      (await replica().responses.events(response.id, after, limit)).map((batch) => batch.last);
    expect([await lastOf(-1), await lastOf(1), await lastOf(9), await lastOf(-1, 2)]).toEqual([
      [1, 4, 9],
      [4, 9],
      [],
      [1, 4],
    ]);
    expect(await store().responses.lastEvent(response.id)).toBe(9);
    expect(await store().responses.remove(tenant, response.id)).toBe(true);
    expect(await lastOf(-1)).toEqual([]);
  });

  const conversation = ({ ownerId, mode }: Tenant, given: Partial<ConversationRecord> = {}): ConversationRecord => ({
    id: `conv_gw_${++last}`,
    ownerId,
    mode,
    createdAt: 1,
    expiresAt: END,
    sealed: bytes('metadata'),
    ...given,
  });
  const items = (...ids: string[]) => ids.map((id) => ({ id, sealed: bytes(id) }));

  it('add to their conversation in the order in which they end', async () => {
    const tenant = await tenantOf();
    const talk = conversation(tenant);
    await store().responses.createConversation(talk, items('a'));
    await store().responses.keep(record(tenant, { conversationId: talk.id }), items('b', 'c'));
    await Promise.all([
      store().responses.addItems(tenant, talk.id, items('d', 'e'), END),
      replica().responses.addItems(tenant, talk.id, items('f', 'g'), END),
    ]);
    const found = (await replica().responses.conversationItems(talk.id)).map(({ id }) => id).join('');
    expect(['abcdefg', 'abcfgde']).toContain(found);
    expect(await store().responses.removeItem(tenant, talk.id, 'b')).toBe(true);
    expect(await store().responses.removeItem(tenant, talk.id, 'b')).toBe(false);
    const other = { ...tenant, mode: 'test' as const };
    expect(await store().responses.findConversation(other, talk.id, 1)).toBeUndefined();
    expect(await store().responses.addItems(other, talk.id, items('z'), END)).toBe(false);
    expect(await store().responses.removeItem(other, talk.id, 'a')).toBe(false);
    expect(await store().responses.updateConversation(other, talk.id, bytes('x'), END)).toBe(false);
    expect(await store().responses.removeConversation(other, talk.id)).toBe(false);
    // A response whose conversation is gone is kept all the same.
    expect(await store().responses.removeConversation(tenant, talk.id)).toBe(true);
    await store().responses.keep(record(tenant, { conversationId: talk.id }), items('h'));
    expect(await store().responses.conversationItems(talk.id)).toEqual([]);
  });

  it('are bounded for each tenant: what ends first goes first, and never what is worked on', async () => {
    const [tenant, other] = [await tenantOf(), await tenantOf()];
    const made = [100, 300, 200].map((expiresAt) => record(tenant, { expiresAt, reply: bytes('x'.repeat(95)) }));
    for (const each of made) await store().responses.keep(each, []);
    const open = queued(tenant, { expiresAt: 50 });
    await store().responses.enqueue(open, FIRST, undefined, 1_000_000_000);
    const talk = conversation(tenant, { expiresAt: 250, sealed: bytes('y'.repeat(100)) });
    await store().responses.createConversation(talk, []);
    const stays = record(other, { expiresAt: 1 });
    await store().responses.keep(stays, []);
    expect(await store().responses.trim(tenant, 400)).toBe(0);
    expect(await store().responses.trim(tenant, 399)).toBe(1);
    const idOf = async (id = '') => (await store().responses.find(tenant, id, 1))?.id;
    expect(await idOf(made[0]?.id)).toBeUndefined();
    expect(await store().responses.trim(tenant, 150)).toBe(2);
    expect(await idOf(made[1]?.id)).toBe(made[1]?.id);
    expect(await store().responses.findConversation(tenant, talk.id, 1)).toBeUndefined();
    expect([await idOf(open.id), (await store().responses.find(other, stays.id, 0))?.id]).toEqual([open.id, stays.id]);
    await store().responses.cancel(tenant, open.id, end(), 0);
  });

  it('are removed when they are out of date, a bounded number at once', async () => {
    const tenant = await tenantOf();
    await store().responses.sweep(9, 10_000);
    for (const expiresAt of [10, 10, 10, 11]) await store().responses.keep(record(tenant, { expiresAt }), []);
    await store().responses.createConversation(conversation(tenant, { expiresAt: 10 }), items('a'));
    const open = queued(tenant, { expiresAt: 10 });
    await store().responses.enqueue(open, FIRST, undefined, 2_000_000_000);
    expect(await store().responses.sweep(10, 2)).toBe(3);
    expect(await store().responses.sweep(10, 2)).toBe(1);
    expect(await store().responses.sweep(10, 2)).toBe(0);
    expect(await store().responses.sweep(11, 2)).toBe(1);
    expect((await store().responses.find(tenant, open.id, 1))?.id).toBe(open.id);
  });

  describe('chat completions', () => {
    const completion = (tenant: Tenant, given: Partial<ResponseRecord> = {}): ResponseRecord =>
      record(tenant, { id: `chatcmpl-gw-${++last}`, kind: 'chat-completion', ...given });
    const list = async (tenant: Tenant, query: Partial<CompletionsQuery> = {}, now = 1): Promise<string[]> => {
      const found = await replica().responses.completions(
        tenant,
        { limit: 100, order: 'asc', marks: [], ...query },
        now,
      );
      return found.map(({ id }) => id);
    };

    it('are listed by their time, page by page, their tenant’s alone and no responses', async () => {
      const tenant = await tenantOf();
      const all = [3, 1, 2, 2].map((createdAt) => completion(tenant, { createdAt }));
      for (const each of all) await store().responses.keep(each, []);
      await store().responses.keep(record(tenant, { createdAt: 2 }), []);
      await store().responses.keep(completion(await tenantOf(), { createdAt: 2 }), []);
      const ids = all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
      expect(await list(tenant)).toEqual(ids);
      expect(await list(tenant, { order: 'desc' })).toEqual(ids.toReversed());
      for (const order of ['asc', 'desc'] as const) {
        const seen: string[] = [];
        let after: ResponseRecord | undefined;
        for (let page = 0; page < 4; page++) {
          const [id] = await list(tenant, { order, limit: 1, ...(after !== undefined && { after }) });
          seen.push(id ?? '');
          after = all.find((each) => each.id === id);
        }
        expect(seen).toEqual(order === 'asc' ? ids : ids.toReversed());
      }
      expect(await list({ ...tenant, mode: 'test' })).toEqual([]);
      expect(await list(tenant, {}, END)).toEqual([]);
      const recent = await store().responses.recent(tenant, { from: 0, limit: 100 }, 1);
      expect(recent.map(({ kind }) => kind)).toEqual(['response']);
    });

    it('are found by their model and by all of their marks, which are gone with them', async () => {
      const tenant = await tenantOf();
      const [a, b] = [completion(tenant), completion(tenant, { model: 'other' })] as const;
      await store().responses.keep(a, [], ['x', 'y']);
      await store().responses.keep(b, [], ['x']);
      expect(await list(tenant, { model: 'other' })).toEqual([b.id]);
      expect(await list(tenant, { marks: [['x']] })).toHaveLength(2);
      expect(await list(tenant, { marks: [['x'], ['old y', 'y']] })).toEqual([a.id]);
      expect(await list(tenant, { marks: [['z']] })).toEqual([]);
      const other = { ...tenant, ownerId: tenant.ownerId + 1_000 };
      expect(await store().responses.updateReply(other, a.id, bytes('no'), ['z'])).toBe(false);
      expect(await store().responses.updateReply(tenant, a.id, bytes('longer'), ['z'])).toBe(true);
      expect(withBytes(await replica().responses.find(tenant, a.id, 1))).toEqual({ ...a, reply: bytes('longer') });
      expect(await list(tenant, { marks: [['x'], ['y']] })).toEqual([]);
      expect(await list(tenant, { marks: [['z']] })).toEqual([a.id]);
      expect(await store().responses.remove(tenant, a.id)).toBe(true);
      await store().responses.keep({ ...a, id: `${a.id}-new` }, []);
      expect(await list(tenant, { marks: [['z']] })).toEqual([]);
      expect(await store().responses.sweep(END, 100)).toBeGreaterThan(0);
    });
  });
});
