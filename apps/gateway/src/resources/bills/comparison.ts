/** A vendor's bill beside the ledger, day by day and model by model, and what probably made them differ. Pure. */
import type { components } from '@model-gateway/contracts';
import { dollarsIn, picoOf } from '@model-gateway/contracts/bills';
import { dayOf } from '../values.ts';
import type { LedgerCost } from './ledger-costs.ts';

type Schemas = components['schemas'];
type BillLine = Schemas['VendorBillLine'];
type Difference = Schemas['BillDifference'];
type Cause = Difference['causes'][number];

export interface Comparing {
  readonly lines: readonly BillLine[];
  readonly costs: readonly LedgerCost[];
  /** Picodollars that are no difference. */
  readonly tolerance: bigint;
  /** The model of a line; undefined when it is not known. */
  readonly modelOfItem: (item: string) => string | undefined;
  readonly modelOfCode: (code: string) => string;
  /** The account of a vendor's project, where projects are told apart; undefined for one that has none. */
  readonly accountOf: (project: string) => string | undefined;
  readonly accountName: (id: number) => string;
  /** The part of a price that the vendor's own batches cost. */
  readonly priceOf: (code: string) => { readonly batch?: number };
}

/** What both sides say of one day, model and account. */
interface Pair {
  readonly day: string;
  readonly model: string;
  readonly account: string;
  readonly codes: Set<string>;
  vendor: bigint;
  cost: bigint;
  requests: number;
  estimated: number;
  cached: bigint;
  cachedAsFresh: bigint;
}

export interface Comparison extends Pick<
  Schemas['BillCheck'],
  'compared' | 'vendor_usd' | 'ledger_usd' | 'difference_usd' | 'differences' | 'unknown' | 'other_projects' | 'other'
> {
  readonly matches: Difference[];
}

/** Compares them; differences come with the largest first, what agrees by days and models. */
export function compareBill(comparing: Comparing): Comparison {
  const { lines, tolerance, accountOf } = comparing;
  const isNamed = ({ project }: BillLine): boolean => accountOf(project) !== undefined;
  const usage = lines.filter(({ kind }) => kind === 'usage');
  const pairs = pairsOf(comparing);
  const all = [...pairs.values()];
  const isOther = (pair: Pair): boolean => sizeOf(differenceOf(pair)) > tolerance;
  const matches = all
    .filter((pair) => !isOther(pair))
    .sort((one, other) => one.day.localeCompare(other.day) || one.model.localeCompare(other.model))
    .map((pair) => differenceView(pair, []));
  const differences = all
    .filter(isOther)
    .sort(
      (one, other) =>
        Number(sizeOf(differenceOf(other)) - sizeOf(differenceOf(one))) || one.day.localeCompare(other.day),
    )
    .map((pair) => differenceView(pair, causesOf(pair, { pairs, all, comparing })));
  const [vendor, cost] = [sum(all.map((pair) => pair.vendor)), sum(all.map((pair) => pair.cost))];
  return {
    compared: all.length,
    vendor_usd: dollarsIn(vendor),
    ledger_usd: dollarsIn(cost),
    difference_usd: dollarsIn(vendor - cost),
    differences,
    matches,
    unknown: sumsOf(
      usage.filter((line) => isNamed(line) && comparing.modelOfItem(line.item) === undefined),
      ({ item }) => item,
    ).map(([item, amount, days]) => ({ item, usd: dollarsIn(amount), days })),
    other_projects: sumsOf(
      usage.filter((line) => !isNamed(line)),
      ({ project }) => project,
    ).map(([project, amount, days]) => ({ project, usd: dollarsIn(amount), days })),
    other: sumsOf(
      lines.filter(({ kind }) => kind !== 'usage'),
      ({ kind }) => kind,
    ).map(([kind, amount]) => ({ kind: kind as BillLine['kind'], usd: dollarsIn(amount) })),
  };
}

function pairsOf({
  lines,
  costs,
  modelOfItem,
  modelOfCode,
  accountOf,
  accountName,
}: Comparing): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>();
  const pairAt = (day: string, model: string, account: string): Pair => {
    const key = keyOf(day, model, account);
    let pair = pairs.get(key);
    if (pair === undefined) {
      pair = {
        day,
        model,
        account,
        codes: new Set(),
        vendor: 0n,
        cost: 0n,
        requests: 0,
        estimated: 0,
        cached: 0n,
        cachedAsFresh: 0n,
      };
      pairs.set(key, pair);
    }
    return pair;
  };
  for (const { day, item, project, kind, amount } of lines) {
    const [model, account] = kind === 'usage' ? [modelOfItem(item), accountOf(project)] : [];
    if (model !== undefined && account !== undefined) pairAt(day, model, account).vendor += picoOf(amount) ?? 0n;
  }
  for (const { day, model, account, ...more } of costs) {
    const pair = pairAt(day, modelOfCode(model), accountName(account));
    pair.codes.add(model);
    pair.cost += more.cost;
    pair.requests += more.requests;
    pair.estimated += more.estimated;
    pair.cached += more.cached;
    pair.cachedAsFresh += more.cachedAsFresh;
  }
  return pairs;
}

function keyOf(day: string, model: string, account: string): string {
  return JSON.stringify([day, model, account]);
}

interface Surroundings {
  readonly pairs: ReadonlyMap<string, Pair>;
  readonly all: readonly Pair[];
  readonly comparing: Comparing;
}

const DAY_MS = 86_400_000;
/** Factors of prices that depend on where the vendor computes. */
const PLACES = [1.1, 1.2, 1.25];

/** The likely causes, the likeliest first; `unknown` when nothing fits. */
function causesOf(pair: Pair, surroundings: Surroundings): readonly Cause[] {
  const { comparing } = surroundings;
  const causes: Cause[] = [];
  const add = (cause: Cause['cause'], text: string): void => void causes.push({ cause, text });
  const neighbour = neighbourOf(pair, surroundings);
  if (neighbour !== undefined)
    add('time_zone', `The difference of ${neighbour.day} is as large the other way round: the days of the export may not be UTC, or requests ran over midnight.`); // prettier-ignore
  if (pair.vendor === 0n)
    add('not_billed', 'The vendor bills nothing for it: the export may end too early, or the requests went to another account of the vendor.'); // prettier-ignore
  if (pair.requests === 0)
    add('outside', 'No request for this model went through the gateway on this day: somebody uses the vendor’s key elsewhere.'); // prettier-ignore
  if (causes.length === 0) addPriceCauses(pair, surroundings, add);
  if (pair.estimated > 0 && pair.requests > 0)
    add('interrupted', `${pair.estimated} of ${pair.requests} answers were cut off or reported in part: their cost is an estimate.`); // prettier-ignore
  if (causes.length === 0 && pair.vendor > pair.cost)
    add('outside', 'The vendor counted more than the gateway sent: somebody may use the vendor’s key elsewhere, too.');
  if (causes.length === 0 && comparing.costs.length > 0)
    add('unknown', 'Nothing that is known of explains it. Compare the requests of the day with the vendor’s own report of usage.'); // prettier-ignore
  return causes;
}

/** Causes that change what each token costs. */
function addPriceCauses(
  pair: Pair,
  { all, comparing }: Surroundings,
  add: (cause: Cause['cause'], text: string) => void,
): void {
  const ratio = ratioOf(pair);
  const [code = ''] = pair.codes;
  const { batch } = comparing.priceOf(code);
  const asFresh = pair.cost - pair.cached + pair.cachedAsFresh;
  if (pair.cachedAsFresh > pair.cached && isNear(Number(pair.vendor), Number(asFresh)))
    add('cached_tokens', 'The bill fits a ledger in which cached input costs as much as fresh input.');
  if (batch !== undefined && isNear(ratio, batch))
    add('batch', `The vendor bills ${share(ratio)} of the ledger’s cost, as in its own batches.`);
  if (batch !== undefined && isNear(ratio, 1 / batch))
    add('batch', 'The ledger has the price of batches, and the vendor bills the full one.');
  const place = PLACES.find((factor) => isNear(ratio, factor));
  if (place !== undefined)
    add('regional', `The vendor bills ${share(place)}: prices of one region, or of a data zone, are that much higher.`);
  const others = all.filter((each) => each.model === pair.model && each.requests > 0 && each.vendor > 0n);
  if (others.length > 1 && others.every((each) => isNear(ratioOf(each), ratio)))
    add('price', `The vendor bills ${share(ratio)} of the ledger’s cost on every day: the price in the catalogue is another one, perhaps an old one.`); // prettier-ignore
}

/** The day before or after it whose difference is as large the other way round. */
function neighbourOf(pair: Pair, { pairs }: Surroundings): Pair | undefined {
  const at = Date.parse(pair.day);
  const difference = differenceOf(pair);
  return [at - DAY_MS, at + DAY_MS]
    .map((other) => pairs.get(keyOf(dayOf(other), pair.model, pair.account)))
    .find((other) => other !== undefined && isNear(Number(-differenceOf(other)), Number(difference), 0.05));
}

function ratioOf({ vendor, cost }: Pair): number {
  return cost === 0n ? Infinity : Number(vendor) / Number(cost);
}

function isNear(value: number, other: number, within = 0.01): boolean {
  return Number.isFinite(value) && Math.abs(value - other) <= Math.abs(other) * within;
}

function share(ratio: number): string {
  return `${(ratio * 100).toFixed(0)}%`;
}

function differenceOf({ vendor, cost }: Pair): bigint {
  return vendor - cost;
}

function sizeOf(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, each) => total + each, 0n);
}

function differenceView(pair: Pair, causes: readonly Cause[]): Difference {
  const { day, model, account, vendor, cost, requests } = pair;
  return {
    ...{ day, model, account: account === '' ? null : account, requests },
    vendor_usd: dollarsIn(vendor),
    ledger_usd: dollarsIn(cost),
    difference_usd: dollarsIn(differenceOf(pair)),
    causes: [...causes],
  };
}

/** Sums by a word, the largest first, with the number of days. */
function sumsOf(
  lines: readonly BillLine[],
  wordOf: (line: BillLine) => string,
): readonly (readonly [string, bigint, number])[] {
  const groups = Map.groupBy(lines, wordOf);
  return [...groups]
    .map(
      ([word, found]) =>
        [
          word,
          sum(found.map(({ amount }) => picoOf(amount) ?? 0n)),
          new Set(found.map(({ day }) => day)).size,
        ] as const,
    )
    .sort(([, one], [, other]) => Number(sizeOf(other) - sizeOf(one)));
}

/** What is no difference: text of dollars, in picodollars. */
export function toleranceOf(dollars: number): bigint {
  return picoOf(String(dollars)) ?? 0n;
}
