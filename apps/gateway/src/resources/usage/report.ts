/** What was used and charged between two times, for the admin API and the command. */
import type { components } from '@model-gateway/contracts';
import type { Store, UsageFilter } from '@model-gateway/core';
import { wrong } from '../keys/service.ts';
import { timeOf, usageSum, usageView } from '../admin-views.ts';

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const GROUPS = ['day', 'model', 'key', 'owner', 'endpoint', 'account'] as const satisfies UsageFilter['groupBy'];

export interface UsageQuestion {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly groupBy: readonly string[] | undefined;
  readonly mode: string | undefined;
  readonly ownerId: number | undefined;
  readonly keyId: number | undefined;
}

/** The report; throws `invalid_request` naming what is wrong with the question. */
export async function usageReport(
  ledger: Store['ledger'],
  { from, to, groupBy = ['day'], mode = 'live', ownerId, keyId }: UsageQuestion,
  now: number,
): Promise<components['schemas']['UsageReport']> {
  const groups = groupBy.map((name) => {
    const group = GROUPS.find((each) => each === name);
    if (group === undefined) throw wrong('group_by', `'${name.slice(0, 40)}' is none of ${GROUPS.join(', ')}`);
    return group;
  });
  if (mode !== 'live' && mode !== 'test') throw wrong('mode', "it is 'live' or 'test'");
  // The end is not included: without one, all of this very moment is.
  const end = to === undefined ? now + 1 : momentOf(to, 'to');
  const start = from === undefined ? end - DEFAULT_DAYS * DAY_MS : momentOf(from, 'from');
  if (start >= end) throw wrong('from', 'it must be before the end');
  const rows = await ledger.usage({
    from: start,
    to: end,
    groupBy: groups,
    mode,
    ...(ownerId !== undefined && { ownerId }),
    ...(keyId !== undefined && { keyId }),
  });
  return {
    object: 'usage',
    from: timeOf(start),
    to: timeOf(end),
    group_by: groups,
    data: rows.map(usageView),
    total: usageSum(rows),
  };
}

function momentOf(text: string, param: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw wrong(param, `'${text.slice(0, 40)}' is no time; write one such as 2026-11-01T00:00:00Z`);
  return at;
}
