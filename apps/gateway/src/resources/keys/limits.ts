/** The limits of a key: their names in the document, the file and the commands, and what they are in core. */
import { UNITS_PER_DOLLAR, type components } from '@model-gateway/contracts';
import type { KeyLimits, SpendWindow } from '@model-gateway/core';

/** As the document writes them: whole numbers, and US dollars. */
export type LimitsInput = { readonly [Name in LimitName]?: number };
export type LimitName = keyof components['schemas']['KeyLimits'];

/** Those of a form may be there and undefined. */
type Given = { readonly [Name in LimitName]?: number | undefined };

export interface LimitRow {
  readonly field: keyof KeyLimits;
  readonly unit: 'count' | 'dollars';
  /** For the help of the commands. */
  readonly about: string;
}

/** Every limit that the document has. */
export const KEY_LIMITS: Readonly<Record<LimitName, LimitRow>> = {
  requests_per_minute: { field: 'requestsPerMinute', unit: 'count', about: 'requests in a minute at most' },
  tokens_per_minute: { field: 'tokensPerMinute', unit: 'count', about: 'tokens in a minute at most' },
  concurrent_requests: { field: 'concurrentRequests', unit: 'count', about: 'requests at the same time at most' },
  spend_per_hour: { field: 'spendPerHour', unit: 'dollars', about: 'cap in US dollars per UTC hour' },
  spend_per_day: { field: 'spendPerDay', unit: 'dollars', about: 'cap in US dollars per UTC day' },
  spend_per_week: { field: 'spendPerWeek', unit: 'dollars', about: 'cap in US dollars per week, from Monday UTC' },
  spend_per_month: { field: 'spendPerMonth', unit: 'dollars', about: 'cap in US dollars per UTC month' },
  spend_per_run: { field: 'spendPerRun', unit: 'dollars', about: 'cap in US dollars of one run' },
  spend_total: { field: 'spendTotal', unit: 'dollars', about: 'cap in US dollars in all' },
  requests_per_run: { field: 'requestsPerRun', unit: 'count', about: 'requests of one run at most' },
  minutes_per_run: { field: 'minutesPerRun', unit: 'count', about: 'minutes after the first request of a run' },
  repeated_calls_per_run: {
    field: 'repeatedCallsPerRun',
    unit: 'count',
    about: 'equal calls in a row of a run at most',
  },
  max_priority: {
    field: 'maxPriority',
    unit: 'count',
    about: 'highest x-gateway-priority of tasks that wait, up to 9',
  },
};

/** The limit that caps what a key spends in each window. */
export const CAPS = {
  hour: 'spend_per_hour',
  day: 'spend_per_day',
  week: 'spend_per_week',
  month: 'spend_per_month',
  total: 'spend_total',
} as const satisfies Record<SpendWindow, LimitName>;
export const LIMIT_NAMES = Object.keys(KEY_LIMITS) as readonly LimitName[];

/** Core's limits of those that are given; `read` makes a count or quota units of each number, or throws. */
export function limitsFrom(given: Given, read: (value: number, row: LimitRow, name: LimitName) => number): KeyLimits {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const row = KEY_LIMITS[name];
      const value = given[name];
      return value === undefined ? [] : [[row.field, read(value, row, name)]];
    }),
  );
}

/** Core's limits of numbers that were checked before: dollars become the nearest quota unit. */
export function checkedLimits(given: Given): KeyLimits {
  return limitsFrom(given, (value, { unit }) => (unit === 'count' ? value : Math.round(value * UNITS_PER_DOLLAR)));
}

/** The document's form of a key's limits. */
export function limitsView(limits: KeyLimits): LimitsInput {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const { field, unit } = KEY_LIMITS[name];
      const value = limits[field];
      return value === undefined ? [] : [[name, unit === 'count' ? value : value / UNITS_PER_DOLLAR]];
    }),
  );
}
