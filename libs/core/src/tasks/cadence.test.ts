import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { createDurations, pauseAfter, pauseAfterFault, windowFor, type Cadence } from './cadence.ts';

const known: Cadence = { pollMs: 5000, window: { from: 48_000, to: 72_000 } };
const job = { accountId: 1, upstreamModel: 'v' };

/** The ages at which a job is asked about until `end`. */
function looks(cadence: Cadence, end: number): number[] {
  const ages: number[] = [];
  for (let age = 0; age < end;) {
    age += pauseAfter(age, cadence);
    ages.push(age);
  }
  return ages;
}

describe('the cadence', () => {
  it('looks once early, then not before the job can be ready, then closely', () => {
    const ages = looks(known, 60_000);
    expect(ages.slice(0, 2)).toEqual([5000, 48_000]);
    const pauses = ages.slice(2).map((age, index) => age - (ages[index + 1] ?? 0));
    for (const pause of pauses) expect(pause).toBeLessThan(2000);
  });

  it('asks less often than a plain poller, and sees the end within 2 s', () => {
    for (let ready = 50_000; ready <= 70_000; ready += 500) {
      const ages = looks(known, ready);
      expect((ages.at(-1) ?? 0) - ready).toBeLessThan(2000);
      expect(ages.length).toBeLessThanOrEqual(Math.ceil(ready / 5000) + 2);
    }
  });

  it('a job that nobody knows is asked about in growing pauses from a fifth of poll_seconds', () => {
    const ages = looks({ pollMs: 5000 }, 200_000);
    expect(ages.slice(0, 3)).toEqual([1000, 2000, 3000]);
    expect((ages.at(-1) ?? 0) - (ages.at(-2) ?? 0)).toBe(10_000);
  });

  it('a job that is overdue is asked about ever more rarely, at least once a minute', () => {
    const ages = looks(known, 4_000_000);
    expect((ages.at(-1) ?? 0) - (ages.at(-2) ?? 0)).toBe(60_000);
  });

  it("the vendor's own wish to be asked later is kept", () => {
    expect(pauseAfter(50_000, known, 15_000)).toBe(15_000);
  });

  it('never pauses for less than a fifth of poll_seconds', () => {
    fc.assert(
      fc.property(
        fc.nat(10_000_000),
        fc.double({ min: 0.2, max: 60, noNaN: true }),
        fc.nat(600_000),
        fc.nat(600_000),
        (age, seconds, from, width) => {
          const cadence = { pollMs: seconds * 1000, window: { from, to: from + width } };
          expect(pauseAfter(age, cadence)).toBeGreaterThanOrEqual(Math.floor(seconds * 200));
          expect(pauseAfter(age, { pollMs: seconds * 1000 })).toBeGreaterThanOrEqual(Math.floor(seconds * 200));
          expect(pauseAfterFault(age % 50, cadence)).toBeGreaterThanOrEqual(Math.floor(seconds * 200));
        },
      ),
    );
  });
});

describe('what is learnt of durations', () => {
  it('begins with the usual time of the catalogue, or with nothing', () => {
    const durations = createDurations();
    expect(durations.window(job, 60_000)).toEqual({ from: 42_000, to: 84_000 });
    expect(durations.window(job, undefined)).toBeUndefined();
  });

  it('then knows what it has seen, per account and model', () => {
    const durations = createDurations();
    for (let count = 0; count < 64; count++) durations.record(job, 30_000 + count * 100);
    const window = durations.window(job, 600_000);
    expect(window?.from).toBeGreaterThan(28_000);
    expect(window?.from).toBeLessThanOrEqual(30_200);
    expect(window?.to).toBeGreaterThanOrEqual(36_000);
    expect(window?.to).toBeLessThan(38_000);
    expect(durations.window({ ...job, accountId: 2 }, 600_000)).toEqual({ from: 420_000, to: 840_000 });
  });

  it('a vendor that becomes slower is followed', () => {
    const durations = createDurations();
    for (let count = 0; count < 300; count++) durations.record(job, 30_000);
    for (let count = 0; count < 300; count++) durations.record(job, 90_000);
    expect(durations.window(job, undefined)?.from).toBeGreaterThan(85_000);
  });

  it('a vendor that becomes faster is noticed, because one task in sixteen is watched from earlier on', () => {
    const durations = createDurations();
    const ready = 30_000;
    let seen = 0;
    for (let count = 0; count < 2000; count++) {
      const window = windowFor(`task_${count}`, durations.window(job, 120_000) ?? { from: 0, to: 0 });
      const cadence = { pollMs: 5000, window };
      seen = looks(cadence, ready).at(-1) ?? 0;
      durations.record(job, seen);
    }
    expect(durations.window(job, 120_000)?.from).toBeLessThan(ready);
    expect(seen - ready).toBeLessThan(2000);
  });
});
