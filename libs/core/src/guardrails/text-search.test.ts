/** Long texts are looked through elsewhere, within bounds, and owners take turns. */
import { afterEach, expect, it } from 'vitest';
import type { Guardrail } from './guardrail.ts';
import { ScanThread } from './scan-thread.ts';
import { scannerOf } from './scanner.ts';
import { findInTexts, MOST_LOOKED_AT } from './text-search.ts';

const rail = (more: Partial<Guardrail>): Guardrail => ({
  ...{ name: 'test', mode: 'mask', stages: ['request'], models: [], keys: [], groups: [] },
  ...{ detect: [], patterns: [], words: [] },
  ...more,
});
/** Quadratic in a window, and linear in the text: minutes for a megabyte. */
const SLOW = rail({ patterns: [{ name: 'x', pattern: '(?:a[ab]{0,400}c)|a' }] });

let thread = new ScanThread();
afterEach(async () => {
  await thread.close();
  thread = new ScanThread();
});

it('a long text is looked through in the thread, with the same result', async () => {
  const scanner = scannerOf([rail({ detect: ['email'], words: ['falcon'] })]);
  const text = `${'x '.repeat(40_000)}ann@example.com falcon`;
  const found = await findInTexts(scanner, [{ text }, { text: 'short' }], { thread, ownerId: 1 });
  expect(found).toEqual([scanner.find(text), []]);
  expect(found?.[0]?.map(({ label }) => label)).toEqual(['email', 'word']);
});

it('without a thread it takes turns', async () => {
  const scanner = scannerOf([rail({ detect: ['credit_card'] })]);
  const text = `${'1 '.repeat(300_000)}; 4111 1111 1111 1111`;
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const found = await findInTexts(scanner, [{ text }], { thread: undefined, ownerId: 1 });
  clearInterval(timer);
  expect(found?.[0]).toHaveLength(1);
  expect(turns).toBeGreaterThan(3);
});

it('what takes too long is ended, and the next one is served', async () => {
  await thread.close();
  thread = new ScanThread(4);
  const late = findInTexts(scannerOf([SLOW]), [{ text: 'ab'.repeat(200_000) }], { thread, ownerId: 1 });
  const next = findInTexts(scannerOf([rail({ words: ['falcon'] })]), [{ text: `falcon ${'x '.repeat(40_000)}` }], {
    thread,
    ownerId: 2,
  });
  expect(await late).toBeUndefined();
  expect((await next)?.[0]).toHaveLength(1);
});

it('owners take turns', async () => {
  const scanner = scannerOf([rail({ words: ['falcon'] })]);
  const text = 'x '.repeat(40_000);
  const done: number[] = [];
  await Promise.all(
    [1, 1, 1, 2].map(async (ownerId) => {
      await findInTexts(scanner, [{ text }], { thread, ownerId });
      done.push(ownerId);
    }),
  );
  expect(done).toEqual([1, 2, 1, 1]);
});

it('more than the bound is not looked through', async () => {
  const scanner = scannerOf([rail({ words: ['falcon'] })]);
  expect(
    await findInTexts(scanner, [{ text: 'x'.repeat(MOST_LOOKED_AT + 1) }], { thread, ownerId: 1 }),
  ).toBeUndefined();
});
