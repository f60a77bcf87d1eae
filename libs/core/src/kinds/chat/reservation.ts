/** The amount to set aside for a chat request, and the limits of what its vendor may report. */
import { GatewayError, type DialectName, type JsonObject, type Usage } from '@model-gateway/contracts';
import { dialects, type RequestCost } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { billOf } from '../../money/price.ts';
import { largerOf, times, type ReportBound } from '../../paid/payment.ts';
import { chatReportBound, largestUsage, leastUsage } from './pricing.ts';
import type { Charging, Plan } from './plan.ts';

/** A quote and what the prices of its tokens are multiplied by. */
export interface ChatQuote {
  readonly most: Usage;
  readonly least: Usage;
  readonly factor: number;
  readonly bound: () => ReportBound;
}

/** Throws `invalid_request` for requests that could not be billed correctly with any vendor. */
export function checkBillable({ dialect, body }: Asked): void {
  const found = dialects[dialect].unbillable?.(body.json);
  if (found !== undefined)
    throw new GatewayError('invalid_request', `${found.field} ${found.reason}`, { param: found.field });
}

interface Asked {
  readonly dialect: DialectName;
  readonly body: { readonly json: JsonObject };
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads what a body may cost as its caller wrote it; once, and only when it is asked for. */
export function costReader({ dialect, body, headers }: Asked): () => RequestCost {
  let cost: RequestCost | undefined;
  return () => (cost ??= dialects[dialect].readCost(body.json, headers));
}

/** Offers that cannot carry this request are left out: their 400 is the answer only if no other offer can. */
export function plansOf<Candidate = Offer>(
  offers: readonly Candidate[],
  plan: (offer: Candidate) => Plan,
): readonly Plan[] {
  const plans: Plan[] = [];
  let refusal: unknown;
  for (const offer of offers) {
    try {
      plans.push(plan(offer));
    } catch (error) {
      refusal ??= error;
    }
  }
  if (plans.length === 0) throw refusal;
  return plans;
}

/** The quote of the most expensive plan, because any plan may be the one that answers. */
export function quoteOf(plans: readonly Pick<Plan, 'charging'>[], row: Pick<ModelRow, 'limits' | 'price'>): ChatQuote {
  let dearest: Omit<ChatQuote, 'bound'> | undefined;
  let known: Charging | undefined;
  let units = -1;
  for (const { charging } of plans) {
    if (known?.cost === charging.cost && known.bytes === charging.bytes) continue;
    known = charging;
    const quote = quoteOfOne(row, charging);
    if (plans.length === 1) return { ...quote, bound: () => boundOfAll(plans, row) };
    const bill = billOf(quote.most, row.price, { group: 1, asked: quote.factor }).units;
    if (bill <= units) continue;
    units = bill;
    dearest = quote;
  }
  if (dearest === undefined) throw new GatewayError('internal', 'a request without a plan has no price');
  const factor = Math.max(...plans.map(({ charging }) => charging.factor));
  return { ...dearest, factor, bound: () => boundOfAll(plans, row) };
}

function quoteOfOne(
  row: Pick<ModelRow, 'limits' | 'price'>,
  { cost, bytes, requests, factor }: Charging,
): Omit<ChatQuote, 'bound'> {
  const most = largestUsage(row, cost, bytes);
  return { most: requests === 1 ? most : times(most, requests), least: leastUsage(cost, bytes), factor };
}

/** The most that any of the plans may report. */
function boundOfAll(plans: readonly Pick<Plan, 'charging'>[], row: Pick<ModelRow, 'limits' | 'price'>): ReportBound {
  const [first, ...others] = plans.map(({ charging: { cost, requests } }): ReportBound => {
    const { believed, instead } = chatReportBound(row, cost);
    // Continued answers report the usage of several answers together.
    return requests === 1
      ? { believed, instead }
      : { believed: times(believed, requests), instead: times(instead, requests) };
  });
  if (first === undefined) throw new GatewayError('internal', 'a request without a plan has no price');
  return others.reduce(
    (one, other) => ({
      believed: largerOf(one.believed, other.believed),
      instead: largerOf(one.instead, other.instead),
    }),
    first,
  );
}
