/** One table of limits: what the document writes, what core counts by, and back. */
import { expect, it } from 'vitest';
import { openApiDocument } from '../../http/document.ts';
import { checkedLimits, KEY_LIMITS, LIMIT_NAMES, limitsFrom, limitsView } from './limits.ts';

const ALL = { requests_per_minute: 3, tokens_per_minute: 50, concurrent_requests: 2, spend_per_day: 0.5 };
const CORE = { requestsPerMinute: 3, tokensPerMinute: 50, concurrentRequests: 2, spendPerDay: 250_000 };

it('has every limit of the document, each by a name of its own in core', () => {
  const document = openApiDocument() as unknown as {
    readonly components: { readonly schemas: { readonly KeyLimits: { readonly properties: object } } };
  };
  expect([...LIMIT_NAMES].sort()).toEqual(Object.keys(document.components.schemas.KeyLimits.properties).sort());
  // Commander makes this very name of the option.
  for (const name of LIMIT_NAMES)
    expect(KEY_LIMITS[name].field).toBe(name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
});

it('goes to core and back, and says nothing of limits that are not there', () => {
  expect(checkedLimits(ALL)).toEqual(CORE);
  expect(limitsView(CORE)).toEqual(ALL);
  expect(checkedLimits({})).toEqual({});
  expect(limitsView({})).toEqual({});
});

it('keeps a cap of nothing', () => {
  expect(checkedLimits({ spend_total: 0 })).toEqual({ spendTotal: 0 });
  expect(limitsView({ spendTotal: 0 })).toEqual({ spend_total: 0 });
});

it('leaves the reading of numbers, and their refusal, to who asks', () => {
  const seen: unknown[] = [];
  limitsFrom({ spend_total: 2, requests_per_minute: 1 }, (value, { unit }, name) => (seen.push([name, unit]), value));
  expect(seen).toEqual([
    ['requests_per_minute', 'count'],
    ['spend_total', 'dollars'],
  ]);
});
