/** What vendors tell of their own limits with every answer. */

/** What is left of one limit, for the model that was asked. */
export interface LimitLeft {
  readonly remaining: number;
  /** Milliseconds until all of it is there again. */
  readonly resetMs: number;
}

/** As far as the vendor says it. */
export interface VendorLimits {
  readonly requests?: LimitLeft;
  readonly tokens?: LimitLeft;
}

type Headers = Readonly<Record<string, string>>;

/** OpenAI's `x-ratelimit-remaining-requests` and its like, which most servers of its wires send. Undefined where there is none. */
export function readOpenAiLimits(headers: Headers): VendorLimits | undefined {
  const left = (what: string): LimitLeft | undefined =>
    limitLeft(headers[`x-ratelimit-remaining-${what}`], durationOf(headers[`x-ratelimit-reset-${what}`]));
  return limitsOf(left('requests'), left('tokens'));
}

/** Undefined where neither is there. */
export function limitsOf(requests: LimitLeft | undefined, tokens: LimitLeft | undefined): VendorLimits | undefined {
  if (requests === undefined && tokens === undefined) return undefined;
  return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) };
}

/** Undefined where one of the two is missing or no number. */
export function limitLeft(remaining: string | undefined, resetMs: number | undefined): LimitLeft | undefined {
  const count = remaining === undefined || remaining.trim() === '' ? NaN : Number(remaining);
  if (!Number.isFinite(count) || count < 0 || resetMs === undefined || !Number.isFinite(resetMs)) return undefined;
  return { remaining: count, resetMs: Math.min(Math.max(0, resetMs), LONGEST_RESET_MS) };
}

const LONGEST_RESET_MS = 86_400_000;
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `6m0s`, `1.5s`, `20ms`, or plain seconds. */
function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 40) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * UNITS.s;
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS],
    0,
  );
}
