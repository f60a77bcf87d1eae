/** Requests by time, as an overview shows them: steps of one length, empty ones too. */
import { GatewayError } from '@model-gateway/contracts';
import type { RequestLogStore, RequestSums, RequestTotal, TimeBins, TotalOf } from '../ports.ts';
import { stepOf } from './totals.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** What is chosen where nothing is said: the smallest that makes few enough steps. */
const USUAL_STEPS = [MINUTE_MS, 5 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];
const USUAL_MOST = 100;
const MOST_STEPS = 500;
const LONGEST_MS = 400 * 24 * HOUR_MS;

export interface OverviewQuestion {
  /** 0 is everybody. */
  readonly ownerId: number;
  readonly mode: TotalOf['mode'];
  readonly from?: number;
  readonly to: number;
  readonly stepMs?: number;
}

export interface OverviewSums extends RequestSums {
  readonly ms: TimeBins;
  readonly firstByteMs: TimeBins;
}

export interface Overview {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly steps: readonly RequestTotal[];
  readonly total: OverviewSums;
  /** Sums of the time before, as long as this one. */
  previous(): Promise<OverviewSums>;
}

/** Throws `invalid_request` naming what of the question cannot be answered. */
export async function readOverview(store: RequestLogStore, question: OverviewQuestion): Promise<Overview> {
  const { ownerId, mode, to } = question;
  const asked = question.from ?? to - HOUR_MS;
  if (asked >= to) throw wrong('from', 'must be before the end');
  if (to - asked > LONGEST_MS) throw wrong('from', 'may be 400 days before the end at most');
  const stepMs = question.stepMs ?? usualStep(to - asked);
  if (stepMs % MINUTE_MS !== 0 || stepMs <= 0) throw wrong('step', 'must be a multiple of 60 seconds');
  const from = asked - (asked % stepMs);
  const count = Math.ceil((to - from) / stepMs);
  if (count > MOST_STEPS) throw wrong('step', `makes ${count} steps of this time; at most ${MOST_STEPS} are told`);
  const size = stepMs % HOUR_MS === 0 ? 'hour' : 'minute';
  const of = { ownerId, mode, size } as const;
  const found = await store.totals(of, stepOf(from, size), to);
  const steps = Array.from({ length: count }, (_, index) => {
    const start = from + index * stepMs;
    return { start, ...sumOf(found.filter((each) => each.start >= start && each.start < start + stepMs)) };
  });
  return {
    from,
    to,
    stepMs,
    steps,
    total: sumOf(found),
    previous: async () => sumOf(await store.totals(of, stepOf(2 * from - to, size), from)),
  };
}

function usualStep(lengthMs: number): number {
  return USUAL_STEPS.find((step) => lengthMs / step <= USUAL_MOST) ?? 7 * 24 * HOUR_MS;
}

function sumOf(totals: readonly RequestTotal[]): OverviewSums {
  const sum = (of: (total: RequestTotal) => number): number => totals.reduce((all, each) => all + of(each), 0);
  return {
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedInputTokens: sum(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    charged: sum(({ charged }) => charged),
    ms: together(totals.map(({ ms }) => ms)),
    firstByteMs: together(totals.map(({ firstByteMs }) => firstByteMs)),
  };
}

function together(all: readonly TimeBins[]): TimeBins {
  const sum = new Map<number, number>();
  for (const bins of all) for (const [bin, count] of bins) sum.set(bin, (sum.get(bin) ?? 0) + count);
  return sum;
}

function wrong(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${message}`, { param });
}
