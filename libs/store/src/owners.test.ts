import { expect, it } from 'vitest';
import type { OwnerRecord } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

describeDatabases('owners', openStore, ({ store, replica }) => {
  const owners = () => store().owners;

  it('ensures: makes the owner once and leaves the known one alone', async () => {
    const made = await owners().ensure({ id: 500, name: 'a', group: 'g', creditLimit: 0 }, 10);
    expect(made).toStrictEqual({
      id: 500,
      name: 'a',
      group: 'g',
      creditLimit: 0,
      balance: 0,
      declared: false,
      createdAt: 10,
    });
    expect(await owners().ensure({ id: 500, name: 'b', group: 'h' }, 20)).toStrictEqual(made);
    expect(await owners().get(500)).toStrictEqual(made);
    expect(await owners().get(987_654)).toBeUndefined();
  });

  it('ensures one owner for many who ask at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 16 }, async (_, index) =>
        (index % 2 === 0 ? store() : replica()).owners.ensure({ id: 600, name: 'a', group: 'g' }, index),
      ),
    );
    expect(new Set(made.map(({ createdAt }) => createdAt)).size).toBe(1);
  });

  it('gives out ids that nobody has, beside declared ones', async () => {
    await owners().ensure({ id: 1001, name: 'declared', group: 'g' }, 0);
    const made = await Promise.all(
      Array.from({ length: 16 }, async (_, index) =>
        (index % 2 === 0 ? store() : replica()).owners.create({ name: 'o', group: 'g' }, 0),
      ),
    );
    const ids = made.map(({ id }) => id);
    expect(new Set([...ids, 1001]).size).toBe(17);
    expect(Math.min(...ids)).toBeGreaterThan(1001);
    expect(made[0]).not.toHaveProperty('creditLimit');
  });

  it('knows the organizations of owners that have one', async () => {
    const made = await owners().create({ name: 'in one', group: 'g', organization: 'acme' }, 0);
    const [declared] = await owners().declare([{ name: 'declared in one', group: 'g', organization: 'acme' }], 0);
    const plain = await owners().create({ name: 'in none', group: 'g' }, 0);
    expect([made, declared, plain].map((owner) => owner?.organization)).toEqual(['acme', 'acme', undefined]);
    await owners().update(plain.id, { organization: 'other' });
    await owners().update(made.id, { organization: null });
    await owners().declare([{ name: 'declared in one', group: 'g' }], 0);
    const all = await owners().organizations();
    expect([made.id, declared?.id ?? 0, plain.id].map((id) => all.get(id))).toEqual([undefined, undefined, 'other']);
    const another = await owners().create({ name: 'in another', group: 'g', organization: 'globex' }, 0);
    const many = Array.from({ length: 3_000 }, (_, index) => 10_000_000 + index);
    expect(await owners().organizations([made.id, plain.id, ...many])).toEqual(new Map([[plain.id, 'other']]));
    expect((await owners().organizations()).get(another.id)).toBe('globex');
    expect(await owners().organizations([])).toEqual(new Map());
  });

  it('finds all owners of a name, however many there are', async () => {
    const made: OwnerRecord[] = [];
    for (const name of ['thrice', 'once', 'thrice', 'thrice'])
      made.push(await owners().create({ name, group: 'g' }, 0));
    const ids = (name: string): readonly number[] => made.filter((one) => one.name === name).map(({ id }) => id);
    expect(await owners().idsNamed(['thrice', 'nobody', 'once'])).toEqual(
      new Map([
        ['thrice', ids('thrice')],
        ['nobody', []],
        ['once', ids('once')],
      ]),
    );
  });

  it('makes the first owner of a name once, however many ask, and none where several have it', async () => {
    const first = (name: string) => (index: number) =>
      (index % 2 === 0 ? store() : replica()).owners.firstNamed({ name, group: 'g', organization: 'acme' }, index);
    const made = await Promise.all(Array.from({ length: 8 }, (_, index) => first('only one')(index)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(made[0]).toMatchObject({ name: 'only one', organization: 'acme', declared: false });
    for (const group of ['g', 'h']) await owners().create({ name: 'two of them', group }, 0);
    await expect(first('two of them')(0)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('declares those of the file: the same ones each time, and leaves the others to people', async () => {
    const file = [
      { name: 'research', group: 'partners', creditLimit: 500 },
      { name: 'sales', group: 'default' },
    ];
    const made = await Promise.all([store().owners.declare(file, 1), replica().owners.declare(file, 2)]);
    const ids = made.map((each) => each.map(({ id }) => id));
    expect(ids[0]).toEqual(ids[1]);
    expect(made[0]).toMatchObject([
      { name: 'research', group: 'partners', creditLimit: 500, declared: true },
      { name: 'sales', declared: true },
    ]);
    expect(made[0][1]).not.toHaveProperty('creditLimit');
    const [changed] = await owners().declare([{ name: 'research', group: 'default' }], 3);
    expect(changed).toMatchObject({ id: ids[0]![0], group: 'default', declared: true });
    expect(changed).not.toHaveProperty('creditLimit');
    expect(await owners().get(ids[0]![1]!)).toMatchObject({ name: 'sales', declared: false });
    await owners().declare([], 4);
    expect(await owners().get(ids[0]![0]!)).toMatchObject({ name: 'research', declared: false });
  });

  it('takes over the one that was made by hand, and does not choose among several of a name', async () => {
    const { id } = await owners().create({ name: 'by hand', group: 'g', creditLimit: 0 }, 0);
    expect(await owners().declare([{ name: 'by hand', group: 'g' }], 1)).toMatchObject([{ id, declared: true }]);
    const other = await owners().create({ name: 'by hand', group: 'g' }, 0);
    expect(await owners().declare([{ name: 'by hand', group: 'g' }], 1)).toMatchObject([{ id }]);
    await owners().declare([], 2);
    await expect(owners().declare([{ name: 'by hand', group: 'g' }], 3)).rejects.toMatchObject({ code: 'conflict' });
    await owners().update(other.id, { name: 'another' });
  });

  it('lists by id, page after page', async () => {
    const all = await owners().list({ limit: 100 });
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const [first] = await owners().list({ limit: 1 });
    expect(first!.id).toBe(ids[0]);
    expect((await owners().list({ after: ids[0]!, limit: 2 })).map(({ id }) => id)).toEqual(ids.slice(1, 3));
  });

  it('lists those that have a text in their name, in capitals or not, taken as it stands', async () => {
    for (const name of ['Research 50%', 'research', 'Sales', 'Äpfel ÖL'])
      await owners().create({ name, group: 'g' }, 0);
    const named = async (name: string) => (await owners().list({ name, limit: 10 })).map((owner) => owner.name);
    expect(await named('RESEARCH 5')).toEqual(['Research 50%']);
    expect(await named('50%')).toEqual(['Research 50%']);
    expect(await named('%')).toEqual(['Research 50%']);
    expect(await named('r_s')).toEqual([]);
    expect(await named('PFEL Ö')).toEqual(['Äpfel ÖL']);
    expect(await named('Äpfel')).toEqual(['Äpfel ÖL']);
  });

  it('changes what is named; a credit limit of null is no limit, of 0 is prepaid', async () => {
    const { id } = await owners().create({ name: 'o', group: 'g' }, 0);
    expect(await owners().update(id, { creditLimit: 0 })).toMatchObject({ name: 'o', creditLimit: 0 });
    expect(await owners().update(id, { name: 'p', group: 'h' })).toMatchObject({
      name: 'p',
      group: 'h',
      creditLimit: 0,
    });
    expect(await owners().update(id, { creditLimit: null })).not.toHaveProperty('creditLimit');
    expect(await owners().update(id, {})).toMatchObject({ name: 'p' });
    expect(await owners().update(987_654, { name: 'x' })).toBeUndefined();
    await expect(owners().update(id, { creditLimit: 0.5 })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(owners().create({ name: 'o', group: 'g', creditLimit: -1 }, 0)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
