/** One process looks for all of them, tells each change once, and shows every law. */
import { beforeEach, describe, expect, it } from 'vitest';
import { INVARIANTS, type InvariantCursor, type InvariantStore, type Violation } from '../ports/invariants.ts';
import { checkInvariants, INVARIANT_GAUGE, InvariantMonitor } from './invariant-monitor.ts';

const MINUTE = 60_000;
const LATE: Violation = { invariant: 'open_task_is_looked_after', subject: 'task a', message: 'Task a is late.' };

let at: number;
let word: string | undefined;
let looks: { readonly cursor: InvariantCursor; readonly again: readonly Violation[] }[];
let violations: Violation[];
let next: InvariantCursor[];
let lines: string[];
let gauges: Map<string, number>;
let invariants: InvariantStore;

const START = { entryId: 0, ownerId: 0 };
const log = {
  debug: () => undefined,
  info: (_fields: object, message: string) => void lines.push(message),
  warn: (_fields: object, message: string) => void lines.push(message),
  error: (fields: object, message: string) => void lines.push(`${message}: ${JSON.stringify(fields)}`),
};
const open = (): InvariantMonitor =>
  new InvariantMonitor({
    invariants,
    now: () => at,
    log,
    meter: { gauge: (name, value, labels) => void gauges.set(`${name} ${labels['invariant'] ?? ''}`, value) },
  });

beforeEach(() => {
  at = 1_800_000_000_000;
  word = undefined;
  looks = [];
  violations = [];
  next = [];
  lines = [];
  gauges = new Map();
  invariants = {
    look: ({ cursor, again }) => {
      looks.push({ cursor, again });
      return Promise.resolve({ violations, next: next.shift() ?? START });
    },
    read: () => Promise.resolve(word),
    replace: (old, value) => {
      if (word !== old) return Promise.resolve(false);
      word = value;
      return Promise.resolve(true);
    },
  };
});

describe('looks', () => {
  it('are made once a minute by all processes together', async () => {
    const all = [open(), open(), open()];
    await Promise.all(all.map((each) => each.tend()));
    expect(looks).toHaveLength(1);
    for (const each of all) await each.tend();
    expect(looks).toHaveLength(1);
    at += MINUTE;
    for (const each of all) await each.tend();
    expect(looks).toHaveLength(2);
  });

  it('of a process that died are made by another one after a minute', async () => {
    const dying = open();
    const usual = invariants;
    invariants = { ...invariants, look: () => new Promise(() => undefined) };
    void open().tend();
    await new Promise((resolve) => setImmediate(resolve));
    invariants = usual;
    const other = open();
    await other.tend();
    await dying.tend();
    expect(looks).toHaveLength(0);
    at += MINUTE + 1;
    await other.tend();
    expect(looks).toHaveLength(1);
  });

  it('go on where the last one ended, and say when everything was looked at', async () => {
    next = [
      { entryId: 100, ownerId: 5 },
      { entryId: 200, ownerId: 0 },
      { entryId: 0, ownerId: 5 },
    ];
    const [one, other] = [open(), open()];
    expect((await one.look()).wholeAt).toBeUndefined();
    expect((await other.look()).wholeAt).toBeUndefined();
    at += 5;
    expect((await one.look()).wholeAt).toBe(at);
    expect(looks.map(({ cursor }) => cursor.entryId)).toEqual([0, 100, 200]);
  });

  it('after the clock was set back are due at once', async () => {
    await open().tend();
    at -= 10 * MINUTE;
    await open().tend();
    expect(looks).toHaveLength(2);
  });
});

describe('what is found', () => {
  it('is told once, shown by every process, looked at again, and told when it is over', async () => {
    const [one, other] = [open(), open()];
    violations = [LATE];
    await one.tend();
    await other.tend();
    expect(lines).toEqual([expect.stringMatching(/^an invariant is violated: .*Task a is late/)]);
    expect(gauges.get(`${INVARIANT_GAUGE} open_task_is_looked_after`)).toBe(1);
    expect(gauges.size).toBe(INVARIANTS.length);
    at += MINUTE;
    await other.tend();
    expect(lines).toHaveLength(1);
    expect(looks[1]?.again).toEqual([LATE]);
    violations = [LATE, { ...LATE, subject: 'task b', message: 'Task b is late.' }];
    at += MINUTE;
    await one.tend();
    expect(lines).toHaveLength(2);
    expect(lines[1]).not.toContain('Task a');
    violations = [];
    at += MINUTE;
    await one.tend();
    expect(lines[2]).toBe('an invariant holds again');
    expect(gauges.get(`${INVARIANT_GAUGE} open_task_is_looked_after`)).toBe(0);
    expect((await other.report()).violations).toEqual([]);
  });

  it('survives a look that fails: the report stays, and the next look is made', async () => {
    violations = [LATE];
    const usual = invariants;
    await open().look();
    invariants = { ...invariants, look: () => Promise.reject(new Error('the database is away')) };
    at += MINUTE;
    await expect(open().tend()).rejects.toThrow('away');
    expect((await open().report()).violations).toEqual([LATE]);
    invariants = usual;
    at += 2 * MINUTE;
    await open().tend();
    expect(looks).toHaveLength(2);
  });
});

it('a look through everything ends when both have come to their end, whatever their lengths', async () => {
  next = [
    { entryId: 10, ownerId: 0 },
    { entryId: 20, ownerId: 0 },
    { entryId: 0, ownerId: 0 },
  ];
  violations = [LATE];
  const report = await checkInvariants(invariants, { now: () => at });
  expect(looks).toHaveLength(3);
  expect(report).toEqual({ at, wholeAt: at, violations: [LATE] });
  expect(word).toBeUndefined();
});
