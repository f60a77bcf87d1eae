/** Answers that stream: what is held of their events, of one and of all. */
import { expect, it } from 'vitest';
import { LiveResponses, type LiveResponse } from './live-responses.ts';

const TENANT = { ownerId: 1, mode: 'live' } as const;
const MOST_OF_ONE = 2 * 1024 * 1024;

/** The texts behind a number, of an answer that has ended; undefined where they are no longer held. */
async function textsBehind(after: number, live: LiveResponse): Promise<string[] | undefined> {
  try {
    const texts: string[] = [];
    for await (const text of live.follow(after, new AbortController().signal)) texts.push(text);
    return texts;
  } catch {
    return undefined;
  }
}
const tell = (live: LiveResponse, number: number, characters: number): void =>
  live.add({ type: 'response.output_text.delta', sequence_number: number }, String(number).padEnd(characters));

it('of all together no more than the bound is held, and the largest gives way', async () => {
  const all = new LiveResponses(1000);
  const small = all.begin(TENANT, 'small');
  tell(small, 0, 100);
  tell(small, 1, 100);
  const large = all.begin(TENANT, 'large');
  for (let number = 0; number < 40; number++) tell(large, number, 100);
  expect(small.held).toBe(200);
  expect(large.held).toBeGreaterThan(600);
  expect(large.held).toBeLessThanOrEqual(800);
  small.end();
  large.end();
  expect(await textsBehind(-1, small)).toHaveLength(2);
  expect(await textsBehind(-1, large)).toBeUndefined();
  expect((await textsBehind(35, large))?.map((text) => Number(text))).toEqual([36, 37, 38, 39]);
});

it('what has ended makes room', () => {
  const all = new LiveResponses(1000);
  for (let turn = 0; turn < 20; turn++) {
    const live = all.begin(TENANT, `turn ${turn}`);
    for (let number = 0; number < 9; number++) tell(live, number, 100);
    expect(live.held).toBe(900);
    all.end(TENANT, `turn ${turn}`);
  }
});

it('the newest event of each stays, however large', async () => {
  const all = new LiveResponses(1000);
  const huge = all.begin(TENANT, 'huge');
  tell(huge, 0, 5000);
  const other = all.begin(TENANT, 'other');
  for (let number = 0; number < 5; number++) tell(other, number, 100);
  expect([huge.held, other.held]).toEqual([5000, 100]);
  other.end();
  expect(await textsBehind(3, other)).toHaveLength(1);
});

it('events without a number are counted on when the oldest are gone', async () => {
  const live = new LiveResponses().begin(TENANT, 'unnumbered');
  for (const text of ['a', 'b', 'c']) live.add({ type: 'x' }, text.padEnd(MOST_OF_ONE * 0.6));
  live.end();
  expect((await textsBehind(1, live))?.map((text) => text.trim())).toEqual(['c']);
});
