/** Numbers, money and times as people read them, in their language. */
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { currentLanguage } from '../text/text.ts';

/** Of the page's language. */
export const locale = (): string => (currentLanguage() === 'zh' ? 'zh-CN' : 'en');

export const formatNumber = (value: number): string => new Intl.NumberFormat(locale()).format(value);

/** `1.2M` */
export const formatShort = (value: number): string =>
  new Intl.NumberFormat(locale(), { notation: 'compact', maximumFractionDigits: 1 }).format(value);

/** US dollars; small amounts keep the digits that say something. */
export function formatUsd(usd: number): string {
  const digits = usd === 0 || Math.abs(usd) >= 1 ? 2 : Math.abs(usd) >= 0.01 ? 4 : 6;
  return new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usd);
}

/** Quota units as US dollars. */
export const formatQuota = (quota: number): string => formatUsd(quota / UNITS_PER_DOLLAR);

/** An RFC 3339 time in the person's own time zone; the year where it is another one. */
export function formatTime(time: string | null | undefined): string {
  if (time === null || time === undefined || time === '') return '–';
  const at = new Date(time);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  return new Intl.DateTimeFormat(locale(), {
    ...(!isThisYear && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(at);
}

/** The day and the time of day, for tables: the year where it is another one. */
export function timeParts(time: string): { readonly day: string; readonly time: string } {
  const at = new Date(time);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  const day = { ...(!isThisYear && { year: 'numeric' as const }), month: 'short', day: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  return {
    day: new Intl.DateTimeFormat(locale(), day).format(at),
    time: new Intl.DateTimeFormat(locale(), clock).format(at),
  };
}

/** Milliseconds: `340 ms`, `1.2 s`, `2 min 3 s`. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return '–';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
