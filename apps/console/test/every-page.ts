/// <reference lib="dom" />
/** What must hold on each page: nothing for axe to find in either theme, nothing that hangs out at any width, nothing that jumps. */
import { expect, it } from 'vitest';
import type { TestGateway } from '@model-gateway/testing';
import type { Page } from 'playwright-core';
import { ADMIN_PAGES, axe, OWNER_PAGES, widthBeyond, type Driver } from './console-driver.ts';

const KINDS = [
  'image',
  'edit',
  'speech',
  'music',
  'video',
  'transcription',
  'embedding',
  'rerank',
  'moderation',
  'talk',
];
const PAGES = [...OWNER_PAGES, ...ADMIN_PAGES, 'tasks?view=wall', ...KINDS.map((kind) => `playground?kind=${kind}`)];
/** What browsers call good: the sum of the page's jumps. */
const MOST_SHIFT = 0.1;

export function everyPage({ open, close, signIn, addKey, go, move, settle }: Driver, gateway: () => TestGateway): void {
  it.each([
    { width: 1440, scheme: 'light', other: 'dark', widths: [1440, 360, 390, 2560], language: 'en-US' },
    { width: 390, scheme: 'dark', other: undefined, widths: [390], language: 'zh-CN' },
  ] as const)(
    'on every page axe finds nothing, nothing hangs out or jumps: $width pixels, $scheme, $language',
    async ({ width, scheme, other, widths, language }) => {
      const page = await open({ width, scheme, language });
      await signIn(page, gateway().adminKey);
      await addKey(page, gateway().testKey);
      await go(page, '');
      await countShifts(page);
      const found: unknown[] = [];
      for (const path of PAGES) {
        await move(page, path);
        await settle(page);
        const shift = await shiftSince(page);
        const violations = [...(await axe(page))];
        if (other !== undefined) {
          await page.emulateMedia({ colorScheme: other });
          violations.push(...(await axe(page, ['color-contrast'])).map((each) => `${other}: ${each}`));
          await page.emulateMedia({ colorScheme: scheme });
        }
        const beyond = await beyondAt(page, widths, width);
        if (violations.length > 0 || beyond.length > 0 || shift > MOST_SHIFT)
          found.push({ path, violations, beyond, shift });
        await shiftSince(page);
      }
      expect(found).toEqual([]);
      await close(page);
    },
  );
}

/** At which widths the page is wider than its window. */
async function beyondAt(page: Page, widths: readonly number[], width: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const each of widths) {
    // To draw a page anew is most of what this costs.
    if (page.viewportSize()?.width !== each) await page.setViewportSize({ width: each, height: 900 });
    const pixels = await widthBeyond(page);
    if (pixels > 0) found.push(`${pixels} at ${each}`);
  }
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
  return found;
}

type Counting = { shifts: number; observer: PerformanceObserver };

async function countShifts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const counting = { shifts: 0 } as Counting;
    const add = (entries: PerformanceEntryList): void => {
      for (const entry of entries as unknown as readonly { value: number; hadRecentInput: boolean }[])
        if (!entry.hadRecentInput) counting.shifts += entry.value;
    };
    counting.observer = new PerformanceObserver((list) => add(list.getEntries()));
    counting.observer.observe({ type: 'layout-shift' });
    Object.assign(window, { counting, addShifts: add });
  });
}

/** How much has jumped since it was asked last. */
function shiftSince(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { counting, addShifts } = window as unknown as {
      counting: Counting;
      addShifts: (entries: PerformanceEntryList) => void;
    };
    addShifts(counting.observer.takeRecords());
    const { shifts } = counting;
    counting.shifts = 0;
    return shifts;
  });
}
