/** Vendors report what they like: what is billed is a number of things. */
import type { Usage } from '@model-gateway/contracts';

/** A larger count of anything is none. */
const LARGEST = 1e12;

/** The report without counts that are no numbers or negative; in place of one beyond all bounds what was set aside for it. */
export function saneUsage(usage: Usage, most: Usage): Usage {
  for (const value of Object.values(usage)) if (!isSane(value)) return mended(usage, most);
  return usage;
}

function isSane(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && value >= 0 && value <= LARGEST);
}

function mended(usage: Usage, most: Usage): Usage {
  const held = new Map<string, unknown>(Object.entries(most));
  const entries = Object.entries(usage).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
    if (isSane(value)) return [[name, value]];
    return typeof value === 'number' && value > LARGEST && held.has(name) ? [[name, held.get(name)]] : [];
  });
  return Object.fromEntries(entries);
}
