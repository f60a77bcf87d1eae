import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Caller } from '../parts.ts';
import type { BudgetRule } from '../ports.ts';
import { BudgetBook } from './budget-book.ts';

const RULE = { name: 'b', each: false, window: 'day', limit: 500, refuses: true } as const;

function callerOf(given: Partial<Caller>, key: Partial<Caller['key']> = {}): Caller {
  return { key: { id: 7, ownerId: 3, name: 'indexer', limits: {}, ...key }, mode: 'live', ...given } as Caller;
}

async function namesOf(rule: Partial<BudgetRule>, caller: Caller): Promise<readonly string[]> {
  const owners = {
    organizations: async () => new Map([[3, 'acme']]),
    idsNamed: async () => new Map([['research', [1, 2, 3]]]),
  };
  const book = new BudgetBook(() => [{ ...RULE, scope: 'organization', ...rule }], owners);
  await book.refresh();
  return book.scopesOf(caller).map(({ scope }) => scope);
}

it.each<[string, Partial<BudgetRule>, Partial<Caller>, readonly string[], Partial<Caller['key']>?]>([
  ['an organization', { scope: 'organization', values: ['acme'] }, {}, ['budget:b']],
  ['another organization', { scope: 'organization', values: ['other'] }, {}, []],
  ['each organization', { scope: 'organization', each: true }, {}, ['budget:b:acme']],
  ['an owner by number', { scope: 'owner', values: ['3'] }, {}, ['budget:b']],
  ['an owner by name', { scope: 'owner', values: ['research'], each: true }, {}, ['budget:b:3']],
  ['another owner', { scope: 'owner', values: ['nobody', '4'] }, {}, []],
  ['a key by name', { scope: 'key', values: ['indexer'] }, {}, ['budget:b']],
  ['a key by number', { scope: 'key', values: ['7'], each: true }, {}, ['budget:b:7']],
  ['another key', { scope: 'key', values: ['8'] }, {}, []],
  [
    'a user with an address, as it is',
    { scope: 'user', each: true },
    { identity: { user: 'ada+x@acme.com' } },
    ['budget:b:3:ada+x@acme.com'],
  ],
  ['all users together', { scope: 'user' }, { identity: { user: 'ada' } }, ['budget:b']],
  ['each user', { scope: 'user', each: true }, { identity: { user: 'ada' } }, ['budget:b:3:ada']],
  ['nobody in particular', { scope: 'user', each: true }, { identity: { run: 'r' } }, []],
  ['a tag', { scope: 'tag', tag: 'project', values: ['x'] }, { tags: { project: 'x' } }, ['budget:b']],
  ['another value of a tag', { scope: 'tag', tag: 'project', values: ['x'] }, { tags: { project: 'y' } }, []],
  ['another tag', { scope: 'tag', tag: 'project', each: true }, { tags: { team: 'x' } }, []],
  [
    'a tag of the key, whatever the request says',
    { scope: 'tag', tag: 'project', values: ['x'] },
    { tags: { project: 'y' } },
    ['budget:b'],
    { tags: { project: 'x' } },
  ],
  [
    'another tag of the key, whatever the request says',
    { scope: 'tag', tag: 'project', values: ['x'] },
    { tags: { project: 'x' } },
    [],
    { tags: { project: 'y' } },
  ],
  ['each value of a tag', { scope: 'tag', tag: 'project', each: true }, { tags: { project: 'x' } }, ['budget:b:3:x']],
  [
    'the user of another owner',
    { scope: 'user', each: true, values: ['ada'] },
    { identity: { user: 'ada' } },
    ['budget:b:4:ada'],
    { ownerId: 4 },
  ],
  [
    'the tag of another owner',
    { scope: 'tag', tag: 'project', each: true },
    { tags: { project: 'x' } },
    ['budget:b:4:x'],
    { ownerId: 4 },
  ],
  [
    'a user that several owners have and share',
    { scope: 'user', values: ['ada'] },
    { identity: { user: 'ada' } },
    ['budget:b'],
    { ownerId: 4 },
  ],
  ['a test key', { scope: 'owner', values: ['3'] }, { mode: 'test' }, ['test:budget:b']],
])('a budget of %s', async (_of, rule, caller, scopes, key = {}) => {
  expect(await namesOf(rule, callerOf(caller, key))).toEqual(scopes);
});

it('a user of any letters is told from others, and no name reaches into another budget', async () => {
  const each = { scope: 'user', each: true } as const;
  const [one, other] = [
    await namesOf(each, callerOf({ identity: { user: 'Ada Ü"],["x' } })),
    await namesOf(each, callerOf({ identity: { user: 'Ada U"],["x' } })),
  ];
  expect(one).not.toEqual(other);
  expect(one[0]).toMatch(/^budget:b:3:sha256\.[\da-f]{40}$/);
});

it('one that only alerts counts and never refuses', async () => {
  const book = new BudgetBook(() => [{ ...RULE, scope: 'key', refuses: false }], {
    organizations: async () => new Map(),
    idsNamed: async () => new Map(),
  });
  expect(book.scopesOf(callerOf({}))).toMatchObject([{ scope: 'budget:b', cap: Number.MAX_SAFE_INTEGER }]);
});

it('one that is prepared counts from its first request, also when an older reading ends meanwhile', async () => {
  let rules: readonly BudgetRule[] = [];
  const asked: (readonly string[])[] = [];
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const book = new BudgetBook(() => rules, {
    organizations: async () => new Map([[3, 'acme']]),
    idsNamed: async (names) => {
      asked.push(names);
      begun.resolve();
      if (asked.length === 1) await answered.promise;
      return new Map(names.map((name) => [name, [3]]));
    },
  });
  const old: BudgetRule = { ...RULE, name: 'old', scope: 'owner', values: ['search'] };
  const changed: readonly BudgetRule[] = [
    { ...RULE, name: 'a', scope: 'organization', values: ['acme'] },
    { ...RULE, name: 'b', scope: 'owner', values: ['research'] },
  ];
  rules = [old];
  const earlier = book.refresh();
  await begun.promise;
  const readings = [book.prepare(changed), book.refresh()];
  await new Promise(setImmediate);
  answered.resolve();
  await readings[0];
  // Until they are in force, those before them are.
  expect(book.scopesOf(callerOf({})).map(({ limit }) => limit)).toEqual(['budget:old']);
  await Promise.all([earlier, ...readings]);
  rules = changed;
  expect(book.scopesOf(callerOf({})).map(({ limit }) => limit)).toEqual(['budget:a', 'budget:b']);
  await book.refresh();
  expect(asked).toEqual([['search'], ['search', 'research'], ['search', 'research'], ['research']]);
});

it('one whose owners cannot be read is told, and a later reading is not held up', async () => {
  let isAway = true;
  const book = new BudgetBook(() => [], {
    organizations: async () => new Map(),
    idsNamed: async (names) => {
      if (isAway) throw new Error('the database is away');
      return new Map(names.map((name) => [name, []]));
    },
  });
  const next = [{ ...RULE, scope: 'owner', values: ['x'] }] as const;
  await expect(book.prepare(next)).rejects.toThrow('the database is away');
  isAway = false;
  await book.prepare(next);
});

it('a caller that is known counts where a new book has it count', async () => {
  const rules: readonly BudgetRule[] = [
    { ...RULE, name: 'a', scope: 'organization', values: ['acme'] },
    { ...RULE, name: 'b', scope: 'user', each: true },
    { ...RULE, name: 'c', scope: 'tag', tag: 'project', each: true },
    { ...RULE, name: 'd', scope: 'tag', tag: 'team', each: true },
    { ...RULE, name: 'e', scope: 'key', values: ['indexer'], each: true },
  ];
  const owners = { organizations: async () => new Map([[3, 'acme']]), idsNamed: async () => new Map() };
  const opened = async (): Promise<BudgetBook> => {
    const book = new BudgetBook(() => rules, owners);
    await book.refresh();
    return book;
  };
  const word = fc.option(fc.constantFrom('', 'x', '=x', 'y'), { nil: undefined });
  // Requests of a key have the same record of it.
  const records = new Map<string, Caller['key']>();
  const recordOf = (key: object): Caller['key'] => {
    const text = JSON.stringify(key);
    const record = records.get(text) ?? (key as Caller['key']);
    records.set(text, record);
    return record;
  };
  const tags = fc.record({ project: word, team: word });
  const caller = fc
    .record({
      ...{ mode: fc.constantFrom('live', 'test'), user: word, tags, own: tags },
      key: fc.record({
        id: fc.constantFrom(7, 8),
        ownerId: fc.constantFrom(3, 4),
        name: fc.constantFrom('indexer', 'x'),
      }),
    })
    .map(({ mode, user, tags, own, key }) =>
      callerOf({ mode, tags, identity: { user }, key: recordOf({ ...key, tags: own }) } as unknown as Partial<Caller>),
    );
  const known = await opened();
  await fc.assert(
    fc.asyncProperty(caller, async (each) => {
      expect(known.scopesOf(each)).toEqual((await opened()).scopesOf(each));
    }),
    { numRuns: 500 },
  );
});

it('a caller has the same list until budgets or owners change', async () => {
  let rules: readonly BudgetRule[] = [{ ...RULE, scope: 'organization', values: ['acme'] }];
  let organization = 'acme';
  const owners = { organizations: async () => new Map([[3, organization]]), idsNamed: async () => new Map() };
  const book = new BudgetBook(() => rules, owners);
  await book.refresh();
  const { key } = callerOf({});
  const first = book.scopesOf(callerOf({ key }));
  expect(book.scopesOf(callerOf({ key }))).toBe(first);
  rules = [{ ...RULE, scope: 'organization', values: ['acme'], limit: 9 }];
  expect(book.scopesOf(callerOf({}))).toMatchObject([{ cap: 9 }]);
  organization = 'other';
  await book.refresh();
  expect(book.scopesOf(callerOf({}))).toEqual([]);
});
