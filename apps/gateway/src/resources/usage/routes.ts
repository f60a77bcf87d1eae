/** What was used and charged between two times. */
import type { components } from '@model-gateway/contracts';
import { dollarsOf, type UsageRow } from '@model-gateway/core';
import { present } from '../../present.ts';
import {
  identityIn,
  momentIn,
  numberIn,
  textIn,
  type AdminOperations,
  type AdminParts,
  type Asked,
} from '../admin-operation.ts';
import { invalidAt, timeOf } from '../values.ts';
import { accountLookup, groupNames, GROUPS, readUsage, type UsageParts } from './groups.ts';

type Schemas = components['schemas'];

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/** The report for operators. What chat has journalled is written first. */
export function usageOperations({ store, catalogue, now, flush }: AdminParts): AdminOperations {
  return {
    getUsage: async (call) => {
      await flush();
      const of = { mode: textIn(call, 'mode') ?? 'live', ownerId: numberIn(call, 'owner_id') };
      return usageReport({ store, accounts: accountLookup(catalogue()) }, call, of, now());
    },
  };
}

interface UsageOwner {
  readonly mode: string;
  readonly ownerId: number | undefined;
}

/** The report that a query asks for. Throws `invalid_request` naming what is wrong with it. */
export async function usageReport(
  parts: UsageParts,
  asked: Asked,
  { mode, ownerId }: UsageOwner,
  now: number,
): Promise<Schemas['UsageReport']> {
  const groups = (textIn(asked, 'group_by')?.split(',') ?? ['day']).map((name) => {
    const group = GROUPS.find((each) => each === name);
    if (group === undefined) throw invalidAt('group_by', `'${name.slice(0, 40)}' is none of ${GROUPS.join(', ')}`);
    return group;
  });
  if (mode !== 'live' && mode !== 'test') throw invalidAt('mode', "it is 'live' or 'test'");
  // The end is not included: without one, all of this very moment is.
  const end = momentIn(asked, 'to') ?? now + 1;
  const start = momentIn(asked, 'from') ?? end - DEFAULT_DAYS * DAY_MS;
  if (start >= end) throw invalidAt('from', 'it must be before the end');
  const whose = present({ ownerId, keyId: numberIn(asked, 'key_id') });
  const tag = textIn(asked, 'tag');
  if (tag === undefined && groups.includes('tag'))
    throw invalidAt('tag', 'name the tag to group by, such as team of x-gateway-tags');
  const identity = identityIn(asked);
  const filter = { from: start, to: end, mode, ...whose, ...present({ tag, identity }) } as const;
  const top = numberIn(asked, 'top');
  const rows = await readUsage(parts, { ...filter, groupBy: groups, ...present({ top }) });
  const nameOf = await groupNames(parts, rows);
  return {
    object: 'usage',
    from: timeOf(start),
    to: timeOf(end),
    group_by: groups,
    data: rows.map((row) => ({ group: { ...row.group }, names: nameOf(row.group), ...usageSum([row]) })),
    total: usageSum(top === undefined ? rows : await readUsage(parts, { ...filter, groupBy: [] })),
  };
}

function usageSum(rows: readonly UsageRow[]): Schemas['UsageSum'] {
  const sum = (name: 'requests' | 'inputTokens' | 'outputTokens' | 'charged'): number =>
    rows.reduce((total, row) => total + row[name], 0);
  const charged = sum('charged');
  return {
    requests: sum('requests'),
    input_tokens: sum('inputTokens'),
    output_tokens: sum('outputTokens'),
    charged,
    charged_usd: dollarsOf(charged),
  };
}
