/** What is set aside for a chat request, and what of its vendor's report is billed in the end. */
import { GatewayError, type DialectName, type JsonObject, type Usage } from '@model-gateway/contracts';
import { dialects, type RequestCost } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { billOf } from '../../money/price.ts';
import { boundCounts, largestUsage, leastUsage, reportableUsage, withUncounted } from './pricing.ts';
import { MOST_CONTINUATIONS } from './continuations.ts';
import type { Charging, Plan } from './plan.ts';
import type { ChatCall, ChatParts, ChatTrace } from './types.ts';

/** A quote and what the prices of its tokens are multiplied by. */
export interface ChatQuote {
  readonly most: Usage;
  readonly least: Usage;
  readonly factor: number;
}

/** Throws `invalid_request` for what nobody could be billed for, whoever answered it. */
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

/** The quote of the dearest plan: any of them may be the one that is answered. */
export function quoteOf(plans: readonly Pick<Plan, 'charging'>[], row: Pick<ModelRow, 'limits' | 'price'>): ChatQuote {
  let dearest: ChatQuote | undefined;
  let known: Charging | undefined;
  let units = -1;
  for (const { charging } of plans) {
    if (known?.cost === charging.cost && known.bytes === charging.bytes) continue;
    known = charging;
    const quote = quoteOfOne(row, charging);
    if (plans.length === 1) return quote;
    const bill = billOf(quote.most, row.price, { group: 1, asked: quote.factor }).units;
    if (bill <= units) continue;
    units = bill;
    dearest = quote;
  }
  if (dearest === undefined) throw new GatewayError('internal', 'a request without a plan has no price');
  return { ...dearest, factor: Math.max(...plans.map(({ charging }) => charging.factor)) };
}

function quoteOfOne(row: Pick<ModelRow, 'limits' | 'price'>, { cost, bytes, requests, factor }: Charging): ChatQuote {
  const most = largestUsage(row, cost, bytes);
  return { most: requests === 1 ? most : times(most, requests), least: leastUsage(cost, bytes), factor };
}

/** So much of one request, for several. */
function times<Counts extends Usage>(usage: Counts, requests: number): Counts {
  const entries = Object.entries(usage) as readonly [string, number | boolean][];
  const counts = entries.map(([name, count]) => [name, typeof count === 'number' ? count * requests : count]);
  return Object.fromEntries(counts) as Counts;
}

/**
 * The usage that is billed: the vendor's report, within the worst case of the row. A report beyond it is a fault of the vendor's (or of the
 * row's limits): it is logged and counted, and the bill keeps it.
 */
export function boundReport(
  parts: Pick<ChatParts, 'log' | 'meter'>,
  { call, trace }: { readonly call: ChatCall; readonly trace: ChatTrace },
  { row, plan, reported }: { readonly row: ModelRow; readonly plan: Plan; readonly reported: Usage },
): Usage {
  const { cost } = plan.charging;
  const most = reportableUsage(row, cost);
  // What continuations sum up is several answers' usage.
  const resumed = plan.translation === undefined ? 1 : 1 + MOST_CONTINUATIONS;
  const usage = boundCounts(reported, resumed === 1 ? most : times(most, resumed));
  if (usage !== reported) {
    const { requestId } = call.caller;
    parts.log.warn(
      { request_id: requestId, model: row.code, account: trace.accountId, reported, billed: usage },
      'the vendor reported more usage than the model’s limits allow; the limits are billed',
    );
    countCappedReport(parts, row.wildcard ?? row.code, plan.offer.account);
  }
  return withUncounted(usage, cost, row.price);
}

/** A vendor reported more usage than the model's limits allow. */
export function countCappedReport({ meter }: Pick<ChatParts, 'meter'>, model: string, account: Offer['account']): void {
  meter.count('gateway_usage_reports_capped_total', { model, vendor: account.vendor, account: String(account.id) });
}
