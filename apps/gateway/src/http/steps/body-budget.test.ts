/** Who has room for a body, who waits for it, and for how long. */
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BodyBudget, createAnswerBudget, type BodyHold } from './body-budget.ts';

const MB = 1024 * 1024;
const FREE = 256 * 1024;
const WAIT_MS = 45_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Word = 'in' | 'waits' | 'refused';
class Body {
  readonly response = new EventEmitter();
  readonly hold: BodyHold;
  word: Word = 'waits';
  readonly bytes: number;

  constructor(budget: BodyBudget, owner: number, bytes: number) {
    this.bytes = bytes;
    this.hold = budget.open(this.response, owner);
    const admitted = this.hold.admit(bytes);
    if (admitted instanceof Promise) void admitted.then((refusal) => this.hear(refusal));
    else this.hear(admitted);
  }

  /** All of it comes, is answered, and done with. */
  end(): void {
    this.hold.take(this.bytes);
    this.response.emit('close');
  }

  private hear(refusal: Error | undefined): void {
    this.word = refusal === undefined ? 'in' : 'refused';
  }
}
const words = (bodies: readonly Body[]): readonly Word[] => bodies.map(({ word }) => word);
const soon = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

const roomFor = (bodies: number): BodyBudget => new BodyBudget({ total: bodies * 60 * MB, largest: 64 * MB });

describe('admission by declared length', () => {
  it('ten large bodies of one owner are let in one after the other', async () => {
    const budget = roomFor(4);
    const bodies = Array.from({ length: 10 }, () => new Body(budget, 1, 60 * MB));
    for (let done = 0; done < 10; done++) {
      await soon();
      expect(words(bodies).filter((word) => word === 'in')).toHaveLength(Math.min(10, done + 2));
      bodies[done]?.end();
    }
    expect(words(bodies)).not.toContain('refused');
  });

  it('small bodies never wait', () => {
    const budget = roomFor(2);
    const large = Array.from({ length: 10 }, () => new Body(budget, 1, 60 * MB));
    expect(words(large)).toContain('waits');
    expect(new Body(budget, 1, FREE).word).toBe('in');
  });

  it('an owner whose bodies fill its half does not hold up another', async () => {
    const budget = roomFor(4);
    const ones = Array.from({ length: 10 }, () => new Body(budget, 1, 60 * MB));
    expect(words(ones).filter((word) => word === 'in')).toHaveLength(2);
    const others = [new Body(budget, 2, 60 * MB), new Body(budget, 2, 60 * MB)];
    await soon();
    expect(words(others)).toEqual(['in', 'in']);
  });

  it('owners take turns, however many bodies one of them has', async () => {
    const budget = roomFor(1);
    const first = new Body(budget, 1, 60 * MB);
    const many = Array.from({ length: 50 }, () => new Body(budget, 1, 60 * MB));
    const other = new Body(budget, 2, 60 * MB);
    first.end();
    await soon();
    expect(words([...many.slice(0, 2), other])).toEqual(['in', 'waits', 'waits']);
    many[0]?.end();
    await soon();
    expect(words([...many.slice(0, 2), other])).toEqual(['in', 'waits', 'in']);
    other.end();
    await soon();
    expect(many[1]?.word).toBe('in');
  });

  it('small ones that fit do not overtake a large one for ever', async () => {
    const budget = roomFor(2);
    const first = [new Body(budget, 1, 40 * MB), new Body(budget, 2, 40 * MB)];
    const large = new Body(budget, 3, 60 * MB);
    const small = new Body(budget, 4, 10 * MB);
    expect(words([large, small])).toEqual(['waits', 'waits']);
    first[0]?.end();
    await soon();
    expect(words([large, small])).toEqual(['in', 'in']);
  });

  it('who waits too long is refused, with the time to come back', async () => {
    const budget = roomFor(1);
    const first = new Body(budget, 1, 60 * MB);
    first.hold.take(60 * MB);
    const late = new Body(budget, 2, 60 * MB);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    expect(late.word).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(late.word).toBe('refused');
    first.end();
    expect(new Body(budget, 2, 60 * MB).word).toBe('in');
  });

  it('who leaves takes no room', async () => {
    const budget = roomFor(1);
    const first = new Body(budget, 1, 60 * MB);
    const gone = new Body(budget, 2, 60 * MB);
    const next = new Body(budget, 3, 60 * MB);
    gone.response.emit('close');
    first.end();
    await soon();
    expect(words([gone, next])).toEqual(['refused', 'in']);
  });

  it('the line of an owner is bounded', () => {
    const budget = roomFor(2);
    const bodies = Array.from({ length: 150 }, () => new Body(budget, 1, 60 * MB));
    expect(words(bodies).filter((word) => word === 'waits')).toHaveLength(100);
    expect(words([new Body(budget, 2, 60 * MB)])).not.toContain('refused');
  });
});

describe('who declares much and sends nothing', () => {
  it('holds nobody up for longer than a few seconds', async () => {
    const budget = roomFor(2);
    const idle = [new Body(budget, 1, 60 * MB), new Body(budget, 2, 60 * MB)];
    const honest = new Body(budget, 3, 60 * MB);
    await vi.advanceTimersByTimeAsync(6_500);
    expect(words([...idle, honest])).toEqual(['in', 'in', 'in']);
    for (const body of [...idle, honest]) body.end();
    // Given back once, and no more than was there.
    expect(words([new Body(budget, 1, 60 * MB), new Body(budget, 2, 60 * MB)])).toEqual(['in', 'in']);
    expect(new Body(budget, 4, 60 * MB).word).toBe('waits');
  });

  it('is served when nobody else wants the room', async () => {
    const budget = roomFor(1);
    const slow = new Body(budget, 1, 60 * MB);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(slow.hold.take(60 * MB)).toBeUndefined();
  });

  it('keeps what has come, and is refused for the rest where there is no room', async () => {
    const budget = roomFor(1);
    const slow = new Body(budget, 1, 60 * MB);
    slow.hold.take(MB);
    const honest = new Body(budget, 2, 60 * MB);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(honest.word).toBe('in');
    expect(slow.hold.take(59 * MB)?.code).toBe('rate_limited');
    honest.end();
    slow.response.emit('close');
    expect(words([new Body(budget, 3, 60 * MB)])).toEqual(['in']);
  });

  it('one who sends steadily keeps the room', async () => {
    const budget = roomFor(1);
    const steady = new Body(budget, 1, 60 * MB);
    const waits = new Body(budget, 2, 60 * MB);
    for (let second = 0; second < 40; second++) {
      expect(steady.hold.take(MB)).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(waits.word).toBe('waits');
    expect(steady.hold.take(20 * MB)).toBeUndefined();
  });
});

describe('answers', () => {
  const open = (budget: BodyBudget, owner: number): { response: EventEmitter; hold: BodyHold } => {
    const response = new EventEmitter();
    return { response, hold: budget.open(response, owner) };
  };

  it('keep their room until they have been read, however long that takes', async () => {
    const budget = createAnswerBudget();
    const unread = [open(budget, 1), open(budget, 2)];
    for (const { hold } of unread) expect(await hold.admitWhole(128 * MB)).toBeUndefined();
    const next = open(budget, 3).hold.admitWhole(128 * MB);
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1000);
    unread[0]?.response.emit('close');
    expect(await next).toBeUndefined();
    const refused = open(budget, 4).hold.admitWhole(128 * MB);
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(await refused).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('answers') });
  });

  it('one that is larger than an owner may have is let in alone', async () => {
    const budget = createAnswerBudget();
    expect(await open(budget, 1).hold.admitWhole(500 * MB)).toBeUndefined();
  });

  it('whose caller has hung up keep their room while the vendor works', async () => {
    const budget = createAnswerBudget();
    const work = Promise.withResolvers<undefined>();
    const { response, hold } = open(budget, 1);
    expect(await hold.admitWhole(128 * MB)).toBeUndefined();
    hold.keepFor(work.promise);
    response.emit('close');
    let isIn = false;
    void Promise.resolve(open(budget, 1).hold.admitWhole(MB)).then(() => {
      isIn = true;
    });
    await soon();
    expect(isIn).toBe(false);
    work.resolve(undefined);
    await soon();
    expect(isIn).toBe(true);
  });
});

describe('bodies that announce no length', () => {
  it('count as they come, and are refused when they do not fit', () => {
    const budget = roomFor(1);
    const open = (owner: number): BodyHold => budget.open(new EventEmitter(), owner);
    expect(open(1).take(60 * MB)).toBeUndefined();
    expect(open(2).take(60 * MB)?.code).toBe('rate_limited');
  });
});

it('work that goes on keeps the room after its caller has gone', async () => {
  const budget = roomFor(1);
  const first = new Body(budget, 1, 60 * MB);
  const work = Promise.withResolvers<undefined>();
  first.hold.keepFor(work.promise);
  first.end();
  const next = new Body(budget, 2, 60 * MB);
  await soon();
  expect(next.word).toBe('waits');
  work.resolve(undefined);
  await soon();
  expect(next.word).toBe('in');
});
