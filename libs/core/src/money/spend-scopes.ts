/** Caps beside the balance and the key's own windows: what they count, and the UTC windows that they count in. */
import { createHash } from 'node:crypto';
import type { ErrorCode } from '@model-gateway/contracts';
import type { KeyLimits, KeyRecord, Payer, RequestIdentity, SpendScope, SpendWindow } from '../ports.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday; weeks begin on Monday. */
const FIRST_MONDAY = 4 * DAY_MS;

/** First millisecond of the UTC window that `at` is in; 0 for the window that never ends. */
export function windowStart(window: SpendWindow, at: number): number {
  switch (window) {
    case 'hour':
      return at - (at % HOUR_MS);
    case 'day':
      return at - (at % DAY_MS);
    case 'week':
      return at - ((at - FIRST_MONDAY + WEEK_MS) % WEEK_MS);
    case 'month': {
      const date = new Date(at);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
    }
    case 'total':
      return 0;
  }
}

/** First millisecond after the window that `at` is in; undefined for the window that never ends. */
export function windowEnd(window: SpendWindow, at: number): number | undefined {
  const start = windowStart(window, at);
  switch (window) {
    case 'hour':
      return start + HOUR_MS;
    case 'day':
      return start + DAY_MS;
    case 'week':
      return start + WEEK_MS;
    case 'month': {
      const date = new Date(start);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
    case 'total':
      return undefined;
  }
}

/** How long money that was set aside for this payer stays within the same windows, milliseconds; Infinity when none of them ends. */
export function periodOf({ limits, scopes = [] }: Payer): number {
  if (scopes.some(({ window }) => window === 'hour')) return HOUR_MS;
  const ends = limits.spendPerDay !== undefined || limits.spendPerMonth !== undefined;
  return ends || scopes.some(({ window }) => window !== 'total') ? DAY_MS : Infinity;
}

/** One order for all, so that two transactions never wait for each other in a ring. */
export function inScopeOrder(scopes: readonly SpendScope[]): readonly SpendScope[] {
  return [...scopes].sort((a, b) => compare(a.scope, b.scope) || compare(a.window, b.window));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a cap of the key counts under. */
export function keyScope(keyId: number): string {
  return `key:${keyId}`;
}

/** Caps of the key that have no window of their own among those that every key has, and that of the run. */
export function keyScopes(
  { id, limits }: Pick<KeyRecord, 'id' | 'limits'>,
  identity?: RequestIdentity,
): readonly SpendScope[] {
  const { spendPerHour, spendPerWeek, spendPerRun } = limits;
  const scopes: SpendScope[] = [];
  const of = (scope: string, window: SpendWindow, cap: number, limit: string): SpendScope => {
    return { scope, window, cap, name: `the key's ${limit} limit`, limit };
  };
  if (spendPerHour !== undefined) scopes.push(of(keyScope(id), 'hour', spendPerHour, 'spend_per_hour'));
  if (spendPerWeek !== undefined) scopes.push(of(keyScope(id), 'week', spendPerWeek, 'spend_per_week'));
  if (spendPerRun === undefined) return scopes;
  const run = identity?.run;
  // A request without a run belongs to the key's run of the day.
  const own = run === undefined ? of(`run:${id}`, 'day', spendPerRun, 'spend_per_run') : of(`run:${id}:${scopeWord(run)}`, 'total', spendPerRun, 'spend_per_run'); // prettier-ignore
  scopes.push({ ...own, isOfRun: true });
  return scopes;
}

/** Whether one of the key's caps is another for each of its runs. */
export function isByRun({ spendPerRun }: KeyLimits): boolean {
  return spendPerRun !== undefined;
}

/** Whether a request was refused for money that is used or set aside: some of it may come back. */
export function isMoneyRefusal(code: ErrorCode | undefined): boolean {
  return code === 'insufficient_quota' || code === 'run_limit_reached';
}

/** Addresses of users, too: what one has used is read by people. */
const PLAIN = /^[\w.@+-]{1,128}$/;

/** A text of a client's as a part of a scope: as it is, or its hash. */
export function scopeWord(text: string): string {
  return PLAIN.test(text) ? text : `sha256.${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

/** Whether both count in the same places against the same caps. */
export function sameScopes(some: readonly SpendScope[] = [], others: readonly SpendScope[] = []): boolean {
  return (
    some === others ||
    (some.length === others.length &&
      some.every(({ scope, window, cap }, index) => {
        const other = others[index];
        return scope === other?.scope && window === other.window && cap === other.cap;
      }))
  );
}

/** Whether money of the one may be what the other lacks. */
export function shareScope({ scopes: some = [] }: Payer, { scopes: others = [] }: Payer): boolean {
  return some.some(({ scope, window }) => others.some((other) => other.scope === scope && other.window === window));
}
