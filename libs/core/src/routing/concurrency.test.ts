/** The line in front of a full account: owners take turns, nobody fills it for the others, and nothing is lost on the way. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Concurrency } from './concurrency.ts';
import { accountOf, callerOf } from './testing/accounts.ts';

interface Asked {
  readonly owner: number;
  state: 'waiting' | 'inside' | 'refused';
}

/** One account of so many places, and everybody who has asked for one. */
class Line {
  readonly bound: Concurrency;
  readonly asked: Asked[] = [];
  /** Owners in the order in which they came in. */
  readonly order: number[] = [];
  private readonly account: ReturnType<typeof accountOf>;

  constructor(places: number, weights: Readonly<Record<string, number>> = {}) {
    this.account = accountOf(1, places);
    this.bound = new Concurrency({ weightOf: (group) => weights[group] ?? 1 });
  }

  ask(owner: number, group = 'default', signal = new AbortController().signal): Asked {
    const asked: Asked = { owner, state: 'waiting' };
    this.asked.push(asked);
    const came = (): void => {
      asked.state = 'inside';
      this.order.push(owner);
    };
    try {
      const entering = this.bound.enter(this.account, { ...callerOf(owner, group), signal });
      if (entering === undefined) came();
      else entering.then(came, () => (asked.state = 'refused'));
    } catch {
      asked.state = 'refused';
    }
    return asked;
  }

  /** Somebody gives a place back; resolves when the next one is in. */
  async leave(): Promise<void> {
    this.bound.leave();
    await new Promise(setImmediate);
  }

  waiting(owner?: number): number {
    return this.asked.filter((each) => each.state === 'waiting' && (owner ?? each.owner) === each.owner).length;
  }
}

describe('turns', () => {
  it('an owner with one request at a time is served in the turn after the next, whatever another has waiting', async () => {
    const line = new Line(8);
    for (let index = 0; index < 50; index++) line.ask(1);
    let served = 0;
    for (let round = 0; round < 100; round++) {
      const own = line.ask(2);
      await line.leave();
      line.ask(1);
      if (own.state === 'waiting') await line.leave();
      line.ask(1);
      expect(own.state).toBe('inside');
      served++;
    }
    expect(served).toBe(100);
  });

  it.each([
    { weights: { small: 1, large: 1 }, share: 0.5 },
    { weights: { small: 1, large: 3 }, share: 0.75 },
  ])('places go by weights: $weights', async ({ weights, share }) => {
    const line = new Line(2, weights);
    for (let round = 0; round < 400; round++) {
      for (const [owner, group] of [
        [1, 'small'],
        [2, 'large'],
      ] as const)
        while (line.waiting(owner) < 2 && line.ask(owner, group).state !== 'refused');
      await line.leave();
    }
    const came = line.order.slice(2);
    expect(came.filter((owner) => owner === 2).length / came.length).toBeCloseTo(share, 1);
  });

  it('one owner alone is first come, first served', async () => {
    const line = new Line(1);
    const first = line.ask(1);
    const [second, third] = [line.ask(1), line.ask(1)];
    expect([first.state, second.state, third.state]).toEqual(['inside', 'waiting', 'waiting']);
    expect(line.ask(1).state).toBe('refused');
    await line.leave();
    expect([second.state, third.state]).toEqual(['inside', 'waiting']);
  });
});

describe('room in the line', () => {
  it('the longest gives way, last come first, until all have as many', async () => {
    const line = new Line(2);
    for (let index = 0; index < 10; index++) line.ask(1);
    expect(line.waiting(1)).toBe(4);
    line.ask(2);
    line.ask(2);
    await new Promise(setImmediate);
    expect([line.waiting(1), line.waiting(2)]).toEqual([2, 2]);
    expect(line.ask(2).state).toBe('refused');
    expect(line.asked.filter(({ owner }) => owner === 1).map(({ state }) => state)).toEqual([
      ...['inside', 'inside', 'waiting', 'waiting', 'refused', 'refused'],
      ...['refused', 'refused', 'refused', 'refused'],
    ]);
  });

  it('one place is every owner’s own', async () => {
    const line = new Line(1);
    for (let owner = 1; owner <= 20; owner++) line.ask(owner);
    await new Promise(setImmediate);
    expect(line.waiting()).toBe(19);
    expect(line.ask(20).state).toBe('refused');
  });
});

it('whatever happens: places are never more than there are, none is lost, and the line has an end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant('ask' as const), owner: fc.integer({ min: 1, max: 5 }) }),
          fc.record({ kind: fc.constant('leave' as const) }),
          fc.record({ kind: fc.constant('hang up' as const), which: fc.nat(100) }),
        ),
        { maxLength: 80 },
      ),
      async (places, steps) => {
        const line = new Line(places);
        const signals: { readonly controller: AbortController; readonly asked: Asked }[] = [];
        let left = 0;
        for (const step of steps) {
          if (step.kind === 'ask') {
            const controller = new AbortController();
            signals.push({ controller, asked: line.ask(step.owner, 'default', controller.signal) });
          } else if (step.kind === 'leave' && line.bound.inFlight > 0) {
            left++;
            await line.leave();
          } else if (step.kind === 'hang up') {
            const chosen = signals[step.which % Math.max(1, signals.length)];
            if (chosen?.asked.state === 'waiting') chosen.controller.abort();
          }
          await new Promise(setImmediate);
          const inside = line.asked.filter(({ state }) => state === 'inside').length - left;
          expect(line.bound.inFlight).toBe(inside);
          expect(inside).toBeLessThanOrEqual(places);
          expect(line.bound.queued).toBe(line.waiting());
          expect(line.waiting()).toBeLessThanOrEqual(places * 2 + 5);
          if (line.waiting() > 0) expect(inside).toBe(places);
        }
      },
    ),
    { numRuns: 60 },
  );
});
