/** A period of whole days (UTC) that the address keeps: a calendar month, some days, or any dates. */
import { Select, TextInput } from '@mantine/core';
import { t } from '../text/text.ts';
import { locale } from './format.ts';
import type { Filters } from './page-link.tsx';

const DAY_MS = 86_400_000;
const MONTHS = 13;
const LAST_DAYS = [7, 30, 90];
const CUSTOM = 'custom';

/** From the beginning of one day to that of another, which is not part of it. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
  /** The calendar month that it is. */
  readonly month: string | undefined;
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const monthOf = (date: Date): string => dayOf(date).slice(0, 7);
const tomorrow = (): Date => new Date(Date.parse(dayOf(new Date())) + DAY_MS);

/** The period that the address says; this month where it says none. */
export function periodOf({ month, days, from, to }: Filters): Period {
  const one = readDay(from);
  const other = readDay(to);
  if (one !== undefined && other !== undefined) {
    // Whichever of the two was given first.
    const [first, last] = one <= other ? [one, other] : [other, one];
    return { from: first, to: new Date(last.getTime() + DAY_MS), month: undefined };
  }
  const count = LAST_DAYS.find((each) => String(each) === days);
  if (count !== undefined) {
    const end = tomorrow();
    return { from: new Date(end.getTime() - count * DAY_MS), to: end, month: undefined };
  }
  return monthPeriod(month !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? month : monthOf(new Date()));
}

/** As long as the period, right before it: the month before a month. */
export function periodBefore({ from, to, month }: Period): Period {
  if (month !== undefined) return monthPeriod(monthOf(new Date(from.getTime() - 1)));
  return { from: new Date(2 * from.getTime() - to.getTime()), to: from, month: undefined };
}

/** Days of the period that have begun, and all of them. */
export function daysOf({ from, to }: Period): { readonly gone: number; readonly all: number } {
  const whole = (end: number): number => Math.max(0, (end - from.getTime()) / DAY_MS);
  return { gone: whole(Math.min(Date.now(), to.getTime())), all: whole(to.getTime()) };
}

/** What it comes to at its end, if it goes on as until now. */
export function forecastOf(used: number, period: Period): number {
  const { gone, all } = daysOf(period);
  return gone === 0 ? 0 : Math.round((used / gone) * all);
}

/** As queries have it. */
export function timesOf({ from, to }: Period): { readonly from: string; readonly to: string } {
  return { from: from.toISOString(), to: to.toISOString() };
}

function monthPeriod(month: string): Period {
  const from = new Date(`${month}-01T00:00:00Z`);
  return { from, to: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1)), month };
}

function readDay(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}

/** `October 2026`, or the first and the last day. */
export function periodWords(period: Period): string {
  if (period.month !== undefined) return monthWords(period.from);
  const words = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' });
  return words.formatRange(period.from, new Date(period.to.getTime() - 1));
}

/** `Oct 5`, of a day such as `2026-10-05`. */
export function dayWords(day: string): string {
  const isThisYear = day.startsWith(String(new Date().getUTCFullYear()));
  return new Intl.DateTimeFormat(locale(), {
    ...(!isThisYear && { year: 'numeric' }),
    ...({ month: 'short', day: 'numeric', timeZone: 'UTC' } as const),
  }).format(new Date(`${day}T00:00:00Z`));
}

function monthWords(at: Date): string {
  return new Intl.DateTimeFormat(locale(), { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(at);
}

/** Chooses a period, which goes into the address. */
export function PeriodPicker({ filters, change }: { filters: Filters; change: (changed: Filters) => void }) {
  const period = periodOf(filters);
  const none = { month: undefined, days: undefined, from: undefined, to: undefined };
  const isCustom = filters['from'] !== undefined && filters['to'] !== undefined;
  const now = new Date();
  const months = Array.from({ length: MONTHS }, (_, back) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back));
    return { value: monthOf(first), label: monthWords(first) };
  });
  if (period.month !== undefined && !months.some(({ value }) => value === period.month))
    months.push({ value: period.month, label: monthWords(period.from) });
  return (
    <>
      <Select
        aria-label={t('Period')}
        w={190}
        allowDeselect={false}
        data={[
          { group: t('Months'), items: months },
          {
            group: t('Days'),
            items: [
              ...LAST_DAYS.map((days) => ({ value: String(days), label: t('Last {days} days', { days }) })),
              { value: CUSTOM, label: t('Any dates') },
            ],
          },
        ]}
        value={isCustom ? CUSTOM : (period.month ?? filters['days'] ?? null)}
        onChange={(chosen) => {
          if (chosen === CUSTOM)
            change({
              ...none,
              from: dayOf(period.from),
              to: dayOf(new Date(Math.min(now.getTime(), period.to.getTime() - 1))),
            });
          else if (chosen !== null) change({ ...none, [chosen.includes('-') ? 'month' : 'days']: chosen });
        }}
      />
      {isCustom && (
        <>
          <TextInput
            type="date"
            aria-label={t('First day')}
            value={filters['from'] ?? ''}
            onChange={({ currentTarget }) => change({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            aria-label={t('Last day')}
            value={filters['to'] ?? ''}
            onChange={({ currentTarget }) => change({ to: currentTarget.value })}
          />
        </>
      )}
    </>
  );
}
