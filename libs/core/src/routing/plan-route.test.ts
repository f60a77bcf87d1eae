/** Plans over any routes: they end, ask nobody twice, lose nobody, and cost what an estimate says at most. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { ModelRow } from '../catalogue.ts';
import { unmet, type Condition, type RequestFacts } from './condition.ts';
import { modelsBelow, planRoute, type RouteNote, type RouteSituation } from './plan-route.ts';
import { STRATEGIES, type FallbackCause, type Route } from './route.ts';
import { accountOf, offerOf } from './testing/accounts.ts';

const FACTS: RequestFacts = {
  key: 'k',
  group: 'default',
  region: undefined,
  at: 0,
  tags: () => ({}),
  inputTokens: () => 100,
  inputs: () => new Set(),
};
const rowOf = (code: string, route?: Partial<Route>, offers: ModelRow['offers'] = []): ModelRow => ({
  code,
  kind: 'chat',
  description: '',
  offers,
  price: {},
  voices: [],
  limits: {},
  created: 0,
  ...(route !== undefined && { route: { targets: [], strategy: 'weighted', fallbacks: {}, ...route } }),
});
let accounts = 0;
const leaf = (code: string, route?: Partial<Route>): ModelRow =>
  rowOf(code, route, [offerOf(accountOf(++accounts), { model: code })]);
const to = (model: string, when?: Condition) => ({
  model,
  priority: 1,
  weight: 1,
  ...(when !== undefined && { when }),
});

function situation(rows: readonly ModelRow[], changes: Partial<RouteSituation> = {}): RouteSituation {
  const byCode = new Map(rows.map((row) => [row.code, row]));
  return {
    rowOf: (code) => byCode.get(code),
    offersOf: ({ offers }) => offers,
    facts: FACTS,
    view: () => ({ cooling: false, coolUntil: 0, inFlight: 0 }),
    favouriteOf: () => undefined,
    random: () => 0.5,
    ...changes,
  };
}
function plan(rows: readonly ModelRow[], changes: Partial<RouteSituation> = {}) {
  const found = planRoute(rows[0] as ModelRow, situation(rows, changes));
  const codes = (list: typeof found.candidates): string[] => list.map(({ row, by }) => `${row.code} ${by}`);
  return {
    main: codes(found.candidates),
    tooLong: codes(found.instead.on_context_too_long),
    refused: codes(found.instead.on_content_refusal),
  };
}

describe('any routes, circles among them', () => {
  const code = fc.integer({ min: 0, max: 7 }).map((index) => `m${index}`);
  const codes = fc.array(code, { maxLength: 3 });
  const when = fc.constantFrom<Condition | undefined>(undefined, { groups: ['default'] }, { groups: ['other'] });
  const route = fc.record({
    targets: fc.array(
      fc.record({
        model: code,
        priority: fc.integer({ min: 1, max: 2 }),
        weight: fc.integer({ min: 1, max: 3 }),
        when,
      }),
      { maxLength: 3 },
    ),
    strategy: fc.constantFrom(...STRATEGIES),
    fallbacks: fc.record({ on_error: codes, on_context_too_long: codes, on_content_refusal: codes }),
  });
  const rows = fc.array(fc.tuple(fc.option(route, { nil: undefined }), fc.boolean()), { minLength: 8, maxLength: 8 });

  it('a plan ends, and each of its lists has an offer once', () => {
    fc.assert(
      fc.property(rows, fc.array(fc.nat(7), { maxLength: 8 }), (made, cools) => {
        const all = made.map(([given, hasOffers], index) => {
          const targets = (given?.targets ?? []).map(({ when: condition, ...rest }) => ({
            ...rest,
            ...(condition !== undefined && { when: condition }),
          }));
          const own = given === undefined ? undefined : { ...given, targets };
          return hasOffers ? leaf(`m${index}`, own) : rowOf(`m${index}`, own);
        });
        const cooling = new Set(cools.map((index) => `m${index}`));
        const given = situation(all, {
          view: ({ model }) => ({ cooling: cooling.has(model), coolUntil: cooling.has(model) ? 9 : 0, inFlight: 0 }),
        });
        const first = all[0] as ModelRow;
        const { candidates, instead } = planRoute(first, given);
        for (const list of [candidates, ...Object.values(instead)]) {
          const offers = list.map(({ offer }) => offer);
          expect(new Set(offers).size).toBe(offers.length);
          // Who is well is asked before all who cool.
          const states = offers.map(({ model }) => cooling.has(model));
          expect(states).toEqual(states.toSorted((left, right) => Number(left) - Number(right)));
          // What is set aside by an estimate covers all that may answer.
          const below = new Set(modelsBelow(first, given.rowOf));
          for (const { row } of list) expect(below.has(row)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('routes that part and join again at every step are planned in a moment', () => {
  const level = (depth: number): string[] => Array.from({ length: 20 }, (_, index) => `l${depth}-${index}`);
  const rows = [
    rowOf('r', { targets: level(0).map((code) => to(code)) }),
    ...Array.from({ length: 7 }, (_, depth) =>
      level(depth).map((code) =>
        depth === 6 ? leaf(code) : rowOf(code, { targets: level(depth + 1).map((next) => to(next)) }),
      ),
    ).flat(),
  ];
  // Of this process alone: what else runs on the machine takes time too.
  const began = process.cpuUsage();
  expect(plan(rows).main).toHaveLength(16);
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
});

it('routes with a condition go before those without, which are for all others', () => {
  const rows = [
    rowOf('r', { targets: [to('a'), to('b', { groups: ['default'] }), to('c', { groups: ['free'] })] }),
    leaf('a'),
    leaf('b'),
    leaf('c'),
  ];
  expect(plan(rows).main).toEqual(['b route']);
  expect(plan(rows, { facts: { ...FACTS, group: 'free' } }).main).toEqual(['c route']);
  expect(plan(rows, { facts: { ...FACTS, group: 'x' } }).main).toEqual(['a route']);
});

it('offers of the row itself are asked where no route fits', () => {
  const rows = [leaf('r', { targets: [to('a', { groups: ['free'] })] }), leaf('a')];
  expect(plan(rows).main).toEqual(['r own']);
});

it('the next priority is asked after the whole of the first, fallbacks behind both', () => {
  const late = { ...to('b'), priority: 2 };
  const rows = [
    rowOf('r', { targets: [late, to('a')], fallbacks: { on_error: ['c'] } }),
    leaf('a', { fallbacks: { on_error: ['d'], on_context_too_long: ['e'] } }),
    leaf('b', { fallbacks: { on_content_refusal: ['e'] } }),
    leaf('c', { fallbacks: { on_error: ['e'] } }),
    leaf('d'),
    leaf('e'),
  ];
  expect(plan(rows)).toEqual({
    main: ['a route', 'd on_error', 'b route', 'c on_error'],
    tooLong: ['e on_context_too_long'],
    refused: ['e on_content_refusal'],
  });
  expect(plan(rows, { noFallback: true })).toEqual({ main: ['a route'], tooLong: [], refused: [] });
});

it('models that back each other up are asked once each', () => {
  const rows = [leaf('a', { fallbacks: { on_error: ['b'] } }), leaf('b', { fallbacks: { on_error: ['a'] } })];
  expect(plan(rows).main).toEqual(['a own', 'b on_error']);
});

it('a model that nobody serves is left out, with the reason', () => {
  const notes: RouteNote[] = [];
  const rows = [rowOf('r', { targets: [to('a'), to('b')] }), rowOf('a'), leaf('b')];
  expect(plan(rows, { note: (note) => notes.push(note) }).main).toEqual(['b route']);
  expect(notes).toContainEqual({ model: 'a', isLeftOut: true, reason: 'no account can be asked for it' });
});

describe('conditions', () => {
  const facts = (changes: Partial<RequestFacts>): RequestFacts => ({ ...FACTS, ...changes });
  it.each<[string, Condition, Partial<RequestFacts>, boolean]>([
    ['a size from', { inputTokens: { from: 100 } }, {}, true],
    ['a size below, not included', { inputTokens: { below: 100 } }, {}, false],
    ['a tag that is there', { tags: { a: ['x'] } }, { tags: () => ({ a: 'x' }) }, true],
    ['every tag that is named', { tags: { a: ['x'], b: ['y'] } }, { tags: () => ({ a: 'x' }) }, false],
    ['no tag of every object', { tags: { constructor: ['*'] } }, {}, false],
    ['a key by pattern', { keys: ['team-*'] }, { key: 'team-a' }, true],
    ['one of several inputs', { inputs: ['image', 'tools'] }, { inputs: () => new Set(['tools'] as const) }, true],
    ['no region', { regions: ['eu'] }, {}, false],
    ['all of it', { groups: ['default'], inputTokens: { from: 1, below: 101 } }, {}, true],
    [
      'summer time',
      { time: { minutes: [540, 600], zone: 'Europe/Berlin' } },
      { at: Date.UTC(2026, 6, 1, 7, 30) },
      true,
    ],
    [
      'winter time',
      { time: { minutes: [540, 600], zone: 'Europe/Berlin' } },
      { at: Date.UTC(2026, 0, 1, 7, 30) },
      false,
    ],
    ['the first minute', { time: { minutes: [540, 600], zone: 'UTC' } }, { at: Date.UTC(2026, 0, 1, 9) }, true],
    ['the last, not included', { time: { minutes: [540, 600], zone: 'UTC' } }, { at: Date.UTC(2026, 0, 1, 10) }, false],
    ['a day', { time: { days: ['thu'], zone: 'UTC' } }, { at: Date.UTC(2026, 0, 1, 23, 59) }, true],
    ['another day', { time: { days: ['fri'], zone: 'UTC' } }, { at: Date.UTC(2026, 0, 1, 23, 59) }, false],
    ['midnight', { time: { minutes: [1320, 0], zone: 'UTC' } }, { at: Date.UTC(2026, 0, 2) }, false],
  ])('%s', (_name, condition, changes, fits) => {
    expect(unmet(condition, facts(changes)) === undefined).toBe(fits);
  });

  it('what takes time to find out is found out when it is asked for', () => {
    const never = (): never => {
      throw new Error('nobody asked');
    };
    expect(unmet({ groups: ['x'], inputTokens: { from: 1 } }, facts({ inputTokens: never }))).toBe(
      'the group default is not x',
    );
  });
});

it.each<FallbackCause>(['on_error', 'on_context_too_long', 'on_content_refusal'])(
  'a fallback that is a route itself goes where that leads: %s',
  (cause) => {
    const rows = [leaf('a', { fallbacks: { [cause]: ['r'] } }), rowOf('r', { targets: [to('b')] }), leaf('b')];
    const { main, tooLong, refused } = plan(rows);
    expect([...main, ...tooLong, ...refused]).toEqual(['a own', `b ${cause}`]);
  },
);

it('says the strategy that chose the model, not the one that chose among its accounts', () => {
  const rows = [
    rowOf('a', { targets: [to('b'), to('c')], strategy: 'cheapest' }),
    leaf('b'),
    rowOf('c', { targets: [to('d')], strategy: 'least_busy' }),
    leaf('d', { strategy: 'lowest_latency' }),
  ];
  const { candidates } = planRoute(rows[0] as ModelRow, situation(rows));
  expect(Object.fromEntries(candidates.map(({ row, strategy }) => [row.code, strategy]))).toEqual({
    b: 'cheapest',
    d: 'least_busy',
  });
});

it('explains why an account cools, and until when', () => {
  const notes: RouteNote[] = [];
  const cooling = { cooling: true, coolUntil: Date.UTC(2026, 10, 25), inFlight: 0 };
  const coolCause = { code: 'upstream_rate_limited', message: 'Rate limit reached' };
  const row = leaf('a');
  plan([row], { view: () => ({ ...cooling, coolCause }), note: (note) => notes.push(note) });
  expect(notes.map(({ reason }) => reason)).toEqual([
    'the model that was asked for; it cools until 2026-11-25T00:00:00.000Z, after upstream_rate_limited: Rate limit reached',
  ]);
});
