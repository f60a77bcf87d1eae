import type { Usage } from '@model-gateway/contracts';

type Counts = { readonly [Name in keyof Usage]?: Exclude<Usage[Name], boolean> | undefined };

/** The counts a vendor reported; those it did not are absent, zero stays zero. */
export function usageOf(counts: Counts): Usage {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}

/** The sum of several answers' counts. */
export function addUsage(usages: readonly Usage[]): Usage {
  const sum: Record<string, number> = {};
  for (const [name, count] of usages.flatMap((usage) => Object.entries(usage))) {
    if (typeof count === 'number') sum[name] = (sum[name] ?? 0) + count;
  }
  return usages.some(({ estimated }) => estimated === true) ? { ...sum, estimated: true } : sum;
}
