/** Whole days of requests, as queries ask for them. */
import type { DayFilter } from '@model-gateway/core';
import { present } from '../../present.ts';
import { momentIn, numberIn, textIn, type Asked } from '../admin-operation.ts';
import { invalidAt } from '../values.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
const SHOWN = 100;

/** The days that a query asks for. Throws `invalid_request` if they begin after their end. */
export function daysIn(asked: Asked, now: number): DayFilter {
  const to = dayNumberOf(momentIn(asked, 'to') ?? now);
  const first = momentIn(asked, 'from');
  const from = first === undefined ? to - DEFAULT_DAYS + 1 : dayNumberOf(first);
  if (from > to) throw invalidAt('from', 'it must not be after the end');
  return {
    ...{ from, to, limit: numberIn(asked, 'limit') ?? SHOWN },
    ...present({
      ...{ ownerId: numberIn(asked, 'owner_id'), keyId: numberIn(asked, 'key_id'), model: textIn(asked, 'model') },
      mode: textIn(asked, 'mode') as 'live' | 'test' | undefined,
    }),
  };
}

function dayNumberOf(at: number): number {
  return Math.floor(at / DAY_MS);
}
