/** A second vendor beside one that takes long: whose answer counts, what becomes of places and money. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayError, type Usage } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Store } from '../ports.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import type { Candidate } from './attempt-loop.ts';
import { UNTIL_ANSWERED } from './repeat.ts';
import { runPaid } from './paid-request.ts';
import { payer, pictureRow, watch } from './testing/harness.ts';
import { newTrace } from './trace.ts';

const MOST: Usage = { images: 10 };
const USED: Usage = { images: 4 };
const LOST: Usage = { images: 1 };
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

/** How an attempt ends, and after how many turns of the event loop; `begins` settles later, as a stream does. */
interface Script {
  readonly end: 'answers' | 'begins' | 'fails' | 'fails answered';
  readonly turns: number;
}
interface Play {
  readonly scripts: readonly Script[];
  /** Turns until another is asked. */
  readonly late: number;
  readonly mayHedge?: boolean;
  readonly balance?: number;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function play({ scripts, late, mayHedge = true, balance = 1_000_000 }: Play) {
  const row = pictureRow(scripts.length);
  const watched = watch(store, row);
  const call = await payer(store, balance);
  const reserved: number[] = [];
  const spending = {
    ...watched.parts.spending,
    reserve: (...[caller, need]: Parameters<typeof watched.parts.spending.reserve>) => {
      reserved.push(typeof need === 'number' ? need : need.most);
      return watched.parts.spending.reserve(caller, need);
    },
  };
  const trace = newTrace();
  const candidates: readonly Candidate[] = row.offers.map((offer) => ({ offer }));
  const asked: number[] = [];
  const discarded: string[] = [];
  const indexOf = ({ offer }: Candidate): number => row.offers.indexOf(offer);
  const begun: (() => void)[] = [];
  const outcome = await runPaid<Candidate, string>(
    { ...watched.parts, spending, pause: () => turns(late) },
    {
      caller: call(new AbortController().signal),
      row,
      endpoint: '/v1/test',
      trace,
      candidates,
      repeat: { ...UNTIL_ANSWERED, mostAttempts: 10 },
      quote: { most: MOST },
      answers: 2,
      isAsked: (candidate) => asked.includes(indexOf(candidate)),
      hedging: {
        afterMs: 1,
        mayAsk: () => mayHedge,
        others: () => candidates.filter((candidate) => !asked.includes(indexOf(candidate))),
        lost: () => LOST,
        won: () => undefined,
        discard: (answer) => discarded.push(answer),
      },
      async attempt(candidate, payment) {
        const index = indexOf(candidate);
        asked.push(index);
        const script = scripts[index] ?? { end: 'fails', turns: 0 };
        await turns(script.turns);
        if (script.end === 'fails') throw new GatewayError('upstream_unavailable', `out ${index}`);
        if (script.end === 'fails answered')
          throw new GatewayError('upstream_malformed', `broken ${index}`, { answered: { usage: USED } });
        if (script.end === 'answers') payment.settle({ usage: USED });
        else begun.push(() => payment.settle({ usage: USED }));
        return `answer ${index}`;
      },
    },
  ).catch((error: unknown) => error);
  // Streams end.
  for (const settle of begun) settle();
  await turns(12);
  for (const settle of begun) settle();
  await watched.spending.close();
  const { slots, reservations } = watched;
  return { outcome, reserved, slots, reservations, trace, asked, discarded };
}

it('one that answers in time is asked alone, and as much is set aside as two may use', async () => {
  const { outcome, slots, reservations, reserved } = await play({
    scripts: [
      { end: 'answers', turns: 0 },
      { end: 'answers', turns: 0 },
    ],
    late: 9,
  });
  expect({ outcome, slots, reservations, reserved }).toEqual({
    outcome: 'answer 0',
    slots: [['succeed']],
    reservations: [['charge 4']],
    reserved: [20],
  });
});

it.each(['answers', 'begins'] as const)('the second %s first: the first is given up and billed beside', async (end) => {
  const { outcome, slots, reservations, trace } = await play({
    scripts: [
      { end, turns: 9 },
      { end, turns: 0 },
    ],
    late: 1,
  });
  expect({ outcome, slots, reservations }).toEqual({
    outcome: 'answer 1',
    slots: [['release'], ['succeed']],
    reservations: [['charge 5']],
  });
  expect(trace).toMatchObject({ accountId: 2, attempts: 2, charged: 5 });
});

it('the first answers after all', async () => {
  const { outcome, slots, reservations, trace } = await play({
    scripts: [
      { end: 'begins', turns: 3 },
      { end: 'begins', turns: 9 },
    ],
    late: 1,
  });
  expect({ outcome, slots: slots.map((said) => said.join()), reservations }).toEqual({
    outcome: 'answer 0',
    slots: ['succeed', 'release'],
    reservations: [['charge 5']],
  });
  expect(trace.accountId).toBe(1);
});

it('one that fails while the other goes on costs nothing; when both fail the next is asked', async () => {
  const one = await play({
    scripts: [
      { end: 'fails', turns: 3 },
      { end: 'answers', turns: 5 },
    ],
    late: 1,
  });
  expect([one.outcome, one.slots, one.reservations]).toEqual(['answer 1', [['fail'], ['succeed']], [['charge 4']]]);
  const fail = { end: 'fails', turns: 3 } as const;
  const third = await play({ scripts: [fail, fail, { end: 'answers', turns: 0 }], late: 1 });
  expect([third.outcome, third.asked, third.reservations]).toEqual(['answer 2', [0, 1, 2], [['charge 4']]]);
  const none = await play({ scripts: [fail, fail], late: 1 });
  expect([none.reservations, none.asked]).toEqual([[['cancel']], [0, 1]]);
});

it('nobody is asked beside where the budget does not allow it', async () => {
  const { asked } = await play({
    scripts: [
      { end: 'answers', turns: 5 },
      { end: 'answers', turns: 0 },
    ],
    late: 1,
    mayHedge: false,
  });
  expect(asked).toEqual([0]);
});

it('whatever happens: each place is given back once, money is settled once and within what was set aside', async () => {
  const script = fc.record({
    end: fc.constantFrom<Script['end']>('answers', 'begins', 'fails', 'fails answered'),
    turns: fc.nat(4),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 4 }), fc.nat(4), async (scripts, late) => {
      const { outcome, slots, reservations, reserved, asked } = await play({ scripts, late });
      for (const said of slots) expect(said.filter((word) => word !== 'fail' || said.length === 1).length).toBe(1);
      expect(reservations).toHaveLength(1);
      expect(reservations[0]).toHaveLength(1);
      const charged = Number(/charge (\d+)/.exec(reservations[0]?.[0] ?? '')?.[1] ?? 0);
      expect(charged).toBeLessThanOrEqual(reserved[0] ?? 0);
      expect(new Set(asked).size).toBe(asked.length);
      if (typeof outcome === 'string') expect(charged).toBeGreaterThanOrEqual(4);
      else expect(outcome).toBeInstanceOf(GatewayError);
    }),
    { numRuns: 60 },
  );
});
