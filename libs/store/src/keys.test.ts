import { describe, expect, it } from 'vitest';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { newKey, unique } from './test-rows.ts';

describeDatabases('keys', openStore, ({ store, replica }) => {
  const keys = () => store().keys;
  const newOwner = async (): Promise<number> => (await store().owners.create({ name: 'o', group: 'g' }, 0)).id;

  describe('create', () => {
    it('keeps every field and leaves out what is absent', async () => {
      const ownerId = await newOwner();
      const full = newKey(ownerId, {
        mode: 'test',
        group: 'vip',
        models: ['gpt-*', 'veo'],
        ipRanges: ['10.0.0.0/8'],
        limits: { requestsPerMinute: 0, spendPerDay: 5 },
        webhookSecret: 'whsec_x',
        expiresAt: 9000,
      });
      const created = await keys().create(full, 1000);
      expect(created).toStrictEqual({ ...full, id: created.id, createdAt: 1000 });
      expect(await keys().get(created.id)).toStrictEqual(created);
      expect(await keys().findByHash(full.hash)).toStrictEqual(created);

      const bare = await keys().create(newKey(ownerId), 1000);
      const wrong = Array.from({ length: 254 }, (_, each) => `${each}`.padStart(64, 'f'));
      const found = await keys().findByHashes([...wrong, bare.hash, full.hash]);
      expect(found.toSorted((a, b) => a.id - b.id)).toStrictEqual([created, bare]);
      expect(await keys().findByHashes(wrong)).toEqual([]);
      expect(Object.keys(bare)).not.toEqual(expect.arrayContaining(['webhookSecret']));
      expect(bare).not.toHaveProperty('expiresAt');
      expect(bare).not.toHaveProperty('lastUsedAt');
    });

    it('refuses a second live key of the name, and no other', async () => {
      const [ownerId, otherOwner] = [await newOwner(), await newOwner()];
      const first = await keys().create(newKey(ownerId, { name: 'ci' }), 0);
      await expect(keys().create(newKey(ownerId, { name: 'ci' }), 0)).rejects.toMatchObject({ code: 'conflict' });
      await keys().create(newKey(otherOwner, { name: 'ci' }), 0);
      await keys().revoke(first.id, 5);
      await keys().create(newKey(ownerId, { name: 'ci' }), 6);
    });

    it('gives the name of an expired key to the next', async () => {
      const ownerId = await newOwner();
      await keys().create(newKey(ownerId, { name: 'ci', expiresAt: 100 }), 0);
      await expect(keys().create(newKey(ownerId, { name: 'ci' }), 99)).rejects.toMatchObject({ code: 'conflict' });
      await keys().create(newKey(ownerId, { name: 'ci' }), 100);
    });

    it('lets one of many take the name', async () => {
      const ownerId = await newOwner();
      const results = await Promise.allSettled(
        Array.from({ length: 16 }, async (_, index) =>
          (index % 2 === 0 ? store() : replica()).keys.create(newKey(ownerId, { name: 'race' }), 0),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('refuses a key of nobody', async () => {
      await expect(keys().create(newKey(987_654), 0)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('rotates: both keys live, one name, the old one ends after the overlap, and the name stays taken', async () => {
      const ownerId = await newOwner();
      const old = await keys().create(newKey(ownerId, { name: 'ci' }), 0);
      const next = await keys().rotate({ ...newKey(ownerId, { name: 'ci' }), rotatedFrom: old.id }, 500, 10);
      expect(next.rotatedFrom).toBe(old.id);
      expect(await keys().get(old.id)).toMatchObject({ expiresAt: 500 });
      expect(next).not.toHaveProperty('expiresAt');
      expect(await keys().list({ ownerId, limit: 9 })).toHaveLength(2);
      await expect(keys().create(newKey(ownerId, { name: 'ci' }), 20)).rejects.toMatchObject({ code: 'conflict' });
    });

    it('leaves the old key as it was when the new one cannot be made', async () => {
      const ownerId = await newOwner();
      const old = await keys().create(newKey(ownerId, { name: 'ci' }), 0);
      const other = await keys().create(newKey(ownerId), 0);
      const clashing = { ...newKey(ownerId, { name: other.name }), rotatedFrom: old.id };
      await expect(keys().rotate(clashing, 500, 10)).rejects.toMatchObject({ code: 'conflict' });
      expect(await keys().get(old.id)).not.toHaveProperty('expiresAt');
      await expect(keys().create(newKey(ownerId, { name: 'ci' }), 20)).rejects.toMatchObject({ code: 'conflict' });
    });
  });

  describe('declare', () => {
    it('writes what the file says and revokes what it no longer names', async () => {
      const ownerId = await newOwner();
      const [a, b] = [newKey(ownerId, { declared: true, name: 'a' }), newKey(ownerId, { declared: true, name: 'b' })];
      const made = await keys().create(newKey(ownerId, { name: 'made' }), 0);
      const [first, second] = await keys().declare([a, b], 100);
      expect(first).toMatchObject({ name: 'a', declared: true, createdAt: 100 });

      const [again] = await keys().declare([{ ...a, models: ['veo'] }], 200);
      expect(again).toMatchObject({ id: first!.id, models: ['veo'], createdAt: 100 });
      expect(await keys().get(second!.id)).toMatchObject({ revokedAt: 200 });
      expect(await keys().get(made.id)).not.toHaveProperty('revokedAt');

      const back = await keys().declare([a, b], 300);
      expect(back.map((key) => key.id)).toEqual([first!.id, second!.id]);
      expect(back[1]).not.toHaveProperty('revokedAt');
    });

    it('knows a key by its name when its secret was changed', async () => {
      const ownerId = await newOwner();
      const key = newKey(ownerId, { declared: true, name: 'a' });
      const [before] = await keys().declare([key], 0);
      const [after] = await keys().declare([{ ...key, hash: `hash ${unique()}` }], 1);
      expect(after!.id).toBe(before!.id);
      expect(await keys().findByHash(key.hash)).toBeUndefined();
    });

    it('takes names that were swapped', async () => {
      const ownerId = await newOwner();
      const [a, b] = [newKey(ownerId, { declared: true, name: 'a' }), newKey(ownerId, { declared: true, name: 'b' })];
      const [first, second] = await keys().declare([a, b], 0);
      const swapped = await keys().declare(
        [
          { ...a, name: 'b' },
          { ...b, name: 'a' },
        ],
        1,
      );
      expect(swapped.map(({ id, name }) => [id, name])).toEqual([
        [first!.id, 'b'],
        [second!.id, 'a'],
      ]);
    });

    it('revokes all of them for an empty file', async () => {
      const ownerId = await newOwner();
      const [key] = await keys().declare([newKey(ownerId, { declared: true })], 0);
      expect(await keys().declare([], 7)).toEqual([]);
      expect(await keys().get(key!.id)).toMatchObject({ revokedAt: 7 });
    });

    it('leaves everything as it was when one key is wrong', async () => {
      const ownerId = await newOwner();
      const [key] = await keys().declare([newKey(ownerId, { declared: true })], 0);
      await keys().create(newKey(ownerId, { name: 'taken' }), 0);
      const wrong = newKey(ownerId, { declared: true, name: 'taken' });
      await expect(keys().declare([wrong], 5)).rejects.toMatchObject({ code: 'conflict' });
      expect(await keys().get(key!.id)).not.toHaveProperty('revokedAt');
    });

    it('may run in two replicas at once', async () => {
      const ownerId = await newOwner();
      const file = [newKey(ownerId, { declared: true }), newKey(ownerId, { declared: true })];
      const [one, two] = await Promise.all([store().keys.declare(file, 0), replica().keys.declare(file, 0)]);
      expect(one.map(({ id }) => id)).toEqual(two.map(({ id }) => id));
    });
  });

  it('lists by id, page after page, revoked ones on request', async () => {
    const ownerId = await newOwner();
    const ids: number[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await keys().create(newKey(ownerId), 0)).id);
    await keys().revoke(ids[1]!, 1);
    const idsOf = async (filter: object): Promise<number[]> =>
      (await keys().list({ ownerId, limit: 2, ...filter })).map(({ id }) => id);
    expect(await idsOf({})).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ includeRevoked: true })).toEqual([ids[0], ids[1]]);
    expect(await idsOf({ includeRevoked: true, after: ids[1] })).toEqual([ids[2]]);
    expect(await idsOf({ includeRevoked: true, order: 'newest' })).toEqual([ids[2], ids[1]]);
    expect(await idsOf({ order: 'newest', after: ids[2] })).toEqual([ids[0]]);
  });

  describe('update', () => {
    it('changes what is named; null takes away', async () => {
      const key = await keys().create(
        newKey(await newOwner(), { expiresAt: 5, webhookSecret: 'w', limits: { spendTotal: 1 } }),
        0,
      );
      const changed = await keys().update(key.id, { name: 'new', expiresAt: null, webhookSecret: null });
      expect(changed).toMatchObject({ name: 'new', limits: { spendTotal: 1 }, hash: key.hash });
      expect(changed).not.toHaveProperty('expiresAt');
      expect(changed).not.toHaveProperty('webhookSecret');
      expect(await keys().update(key.id, { limits: {}, models: [], ipRanges: ['::1'], group: 'g2' })).toMatchObject({
        limits: {},
        models: [],
        ipRanges: ['::1'],
        group: 'g2',
      });
      expect(await keys().update(key.id, {})).toMatchObject({ name: 'new' });
      expect(await keys().update(987_654, { name: 'x' })).toBeUndefined();
    });

    it('refuses a name that is taken, also by way of a new expiry', async () => {
      const ownerId = await newOwner();
      const expired = await keys().create(newKey(ownerId, { name: 'ci', expiresAt: 10 }), 0);
      await keys().create(newKey(ownerId, { name: 'ci' }), 20);
      const other = await keys().create(newKey(ownerId), 20);
      await expect(keys().update(other.id, { name: 'ci' })).rejects.toMatchObject({ code: 'conflict' });
      await expect(keys().update(expired.id, { expiresAt: 99 })).rejects.toMatchObject({ code: 'conflict' });
    });
  });

  it('revokes once and says when', async () => {
    const key = await keys().create(newKey(await newOwner()), 0);
    expect(await keys().revoke(key.id, 50)).toMatchObject({ revokedAt: 50 });
    expect(await keys().revoke(key.id, 60)).toMatchObject({ revokedAt: 50 });
    expect(await keys().revoke(987_654, 60)).toBeUndefined();
  });

  it('remembers the latest use, in whatever order the replicas tell it', async () => {
    const key = await keys().create(newKey(await newOwner()), 0);
    await keys().touch(new Map([[key.id, 500]]));
    await replica().keys.touch(new Map([[key.id, 400]]));
    await keys().touch(new Map());
    expect(await keys().get(key.id)).toMatchObject({ lastUsedAt: 500 });
  });

  it('changes its version with every change of a key and with nothing else', async () => {
    const ownerId = await newOwner();
    let before = await keys().version();
    const grows = async (change: Promise<unknown>): Promise<void> => {
      await change;
      const after = await replica().keys.version();
      expect(after).toBeGreaterThan(before);
      before = after;
    };
    const record = newKey(ownerId);
    await grows(keys().create(record, 0));
    const key = (await keys().findByHash(record.hash))!;
    await grows(keys().update(key.id, { name: 'another' }));
    await grows(keys().revoke(key.id, 1));
    await grows(keys().declare([newKey(ownerId, { declared: true })], 1));
    await keys().touch(new Map([[key.id, 500]]));
    await keys().list({ limit: 1 });
    expect(await keys().version()).toBe(before);
  });
});
