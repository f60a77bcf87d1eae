/**
 * Thousands of requests through the real planning, the real router and the real attempts, with time and vendors that are simulated:
 * the faults are those of the vendor twin. The same seed gives the same outcome. Not part of the product (npm run verify -- simulate).
 */
import { GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount, ModelRow } from '../../catalogue.ts';
import { billOf, dollarsOf } from '../../money/price.ts';
import { createRouter, type Router } from '../../routing.ts';
import type { RouteCandidate } from '../../routing/plan-route.ts';
import type { Strategy } from '../../routing/route.ts';
import { accountOf, callerOf, offerOf } from '../../routing/testing/accounts.ts';
import { AttemptLoop } from '../attempt-loop.ts';
import { UNTIL_ANSWERED } from '../repeat.ts';
import { newTrace } from '../trace.ts';
import { createSimulatedTime, seededRandom, type SimulatedTime } from './simulated-time.ts';

/** A model and how its vendor answers. */
export interface SimulatedModel {
  readonly code: string;
  /** US dollars per million tokens. */
  readonly price: { readonly input: number; readonly output: number };
  /** Milliseconds to the first token, and for each. */
  readonly firstMs: number;
  readonly tokenMs: number;
}

/** What is wrong with a vendor, for a while. */
export interface Trouble {
  readonly model: string;
  /** Seconds since the start. */
  readonly from: number;
  readonly until: number;
  readonly fault:
    | { readonly kind: 'outage' | 'hang' }
    /** So many times as long. */
    | { readonly kind: 'slow'; readonly times: number }
    /** A part of the requests fails. */
    | { readonly kind: 'reset'; readonly share: number }
    /** Answers 429 beyond so many requests a second, or in so many seconds. */
    | {
        readonly kind: 'rate-limit';
        readonly perSecond: number;
        readonly seconds?: number;
        readonly retryAfterSeconds: number;
      };
}

export interface SimulationOptions {
  readonly strategy: Strategy;
  readonly troubles: readonly Trouble[];
  readonly models?: readonly SimulatedModel[];
  readonly seconds?: number;
  /** Requests a second, on average. */
  readonly perSecond?: number;
  readonly seed?: number;
  /** Attempts beyond the first as a share of requests; absent: as many as there are. */
  readonly retryBudget?: number;
  /** Requests that a model's account may take a minute; absent: any number. */
  readonly perMinute?: Readonly<Record<string, number>>;
  /** Processes that take requests in turn, each with what it has learnt itself; 1. */
  readonly processes?: number;
}

export interface SimulatedRequest {
  /** Seconds since the start. */
  readonly at: number;
  /** Who answered; undefined when nobody did. */
  readonly by: string | undefined;
  readonly ms: number;
  /** Who was asked, in order. */
  readonly asked: readonly string[];
  readonly dollars: number;
}

export const SIMULATED_MODELS: readonly SimulatedModel[] = [
  { code: 'swift', price: { input: 2.5, output: 10 }, firstMs: 400, tokenMs: 4 },
  { code: 'plain', price: { input: 1, output: 4 }, firstMs: 700, tokenMs: 8 },
  { code: 'frugal', price: { input: 0.25, output: 1 }, firstMs: 1200, tokenMs: 15 },
];

const START = 1_790_000_000_000;
const INPUT_TOKENS = 600;
const OUTPUT_TOKENS = 200;
/** The usual deadline of an account is longer; what hangs would be the whole picture. */
const HANG_MS = 10_000;
const REFUSAL_MS = 50;

/** Runs one simulation. */
export async function simulate(options: SimulationOptions): Promise<readonly SimulatedRequest[]> {
  const { seconds = 240, perSecond = 20, seed = 1, models = SIMULATED_MODELS } = options;
  const time = createSimulatedTime(START);
  const random = seededRandom(seed);
  const { processes = 1 } = options;
  const routers = createProcesses(processes, { now: time.now, seed });
  const rows = catalogueOf(models, options);
  const vendors = new Map(models.map((model) => [model.code, createVendor(model, options.troubles, { time, random })]));
  const done: SimulatedRequest[] = [];
  let count = 0;
  const request = async (): Promise<void> => {
    const router = routers[count++ % processes] as Router;
    done.push(await runOne({ router, rows, vendors, time }, options.retryBudget));
  };
  let at = 0;
  for (;;) {
    at += (-Math.log(1 - random()) / perSecond) * 1000;
    if (at > seconds * 1000) break;
    time.at(START + at, () => void request());
  }
  await time.run();
  return done;
}

/** Routers that tell each other what cools and what is used, at once, and nothing else. */
function createProcesses(
  count: number,
  { now, seed }: { readonly now: () => number; readonly seed: number },
): readonly Router[] {
  const routers: Router[] = [];
  const others = (self: number): readonly Router[] => routers.filter((_, index) => index !== self);
  for (let index = 0; index < count; index++) {
    routers.push(
      createRouter({
        now,
        random: seededRandom(seed + 1 + index),
        tell: (news) => others(index).forEach((router) => router.learn(news)),
        tellUse: (use) => others(index).forEach((router) => router.learnUse(use)),
      }),
    );
  }
  return routers;
}

/** `smart` leads to all of them. */
function catalogueOf(
  models: readonly SimulatedModel[],
  { strategy, perMinute = {} }: Pick<SimulationOptions, 'strategy' | 'perMinute'>,
): ReadonlyMap<string, ModelRow> {
  const row = (code: string): ModelRow => ({
    code,
    kind: 'chat',
    description: '',
    offers: [],
    price: {},
    voices: [],
    limits: {},
    created: 0,
  });
  const targets = models.map(({ code }) => ({ model: code, priority: 1, weight: 1 }));
  return new Map([
    ...models.map(({ code, price }, index): [string, ModelRow] => [
      code,
      { ...row(code), price, offers: [offerOf(accountWith(index + 1, perMinute[code]), { model: code })] },
    ]),
    ['smart', { ...row('smart'), route: { targets, strategy, fallbacks: {} } }],
  ]);
}

function accountWith(id: number, requestsPerMinute: number | undefined): GatewayAccount {
  const account = accountOf(id, 10_000);
  return requestsPerMinute === undefined
    ? account
    : { ...account, budget: { requestsPerMinute, models: {}, learns: false } };
}

interface World {
  readonly router: Router;
  readonly rows: ReadonlyMap<string, ModelRow>;
  readonly vendors: ReadonlyMap<string, Vendor>;
  readonly time: SimulatedTime;
}

async function runOne({ router, rows, vendors, time }: World, share: number | undefined): Promise<SimulatedRequest> {
  const began = time.now();
  const asked: string[] = [];
  const smart = rows.get('smart') as ModelRow;
  const { candidates } = router.plan(smart, {
    rowOf: (code) => rows.get(code),
    offersOf: ({ offers }) => offers,
    facts: {
      key: '',
      group: 'default',
      region: undefined,
      at: began,
      tags: () => ({}),
      inputTokens: () => INPUT_TOKENS,
      inputs: () => new Set(),
    },
  });
  const budget = router.retryBudget('smart');
  if (share !== undefined) budget.earn(share);
  const repeat = { ...UNTIL_ANSWERED, ...(share !== undefined && { mayRepeat: () => budget.spend() }) };
  const meter = { count: () => undefined, observe: () => undefined, series: () => () => undefined };
  const parts = { router, meter, pause: time.pause };
  const caller = callerOf(1);
  const outcome = (by: RouteCandidate | undefined): SimulatedRequest => ({
    at: (began - START) / 1000,
    by: by?.row.code,
    ms: time.now() - began,
    asked,
    dollars: by === undefined ? 0 : dollarsOf(billOf(USAGE, by.row.price, { group: 1 }).units),
  });
  try {
    const answeredBy = await new AttemptLoop<RouteCandidate, RouteCandidate>(
      parts,
      { caller, trace: newTrace(), candidates, repeat },
      {
        async ask(candidate, slot) {
          asked.push(candidate.row.code);
          const vendor = vendors.get(candidate.row.code) as Vendor;
          router.measure(candidate.offer, await vendor());
          slot.succeed();
          return candidate;
        },
      },
    ).run();
    return outcome(answeredBy);
  } catch (error) {
    if (error instanceof GatewayError) return outcome(undefined);
    throw error;
  }
}

const USAGE = { inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS };

/** Answers a request after its time, or refuses it. */
type Vendor = () => Promise<{ readonly firstMs: number; readonly totalMs: number; readonly tokens: number }>;

function createVendor(
  { code, firstMs, tokenMs }: SimulatedModel,
  all: readonly Trouble[],
  { time, random }: { readonly time: SimulatedTime; readonly random: () => number },
): Vendor {
  const troubles = all.filter(({ model }) => model === code);
  let recent: number[] = [];
  return async () => {
    const began = time.now();
    const at = (began - START) / 1000;
    const fault = troubles.find(({ from, until }) => at >= from && at < until)?.fault;
    const seconds = fault?.kind === 'rate-limit' ? (fault.seconds ?? 1) : 1;
    recent = [...recent.filter((each) => began - each < seconds * 1000), began];
    if (fault?.kind === 'hang') {
      await time.pause(HANG_MS);
      throw new GatewayError('upstream_timeout', 'the vendor did not answer');
    }
    if (fault?.kind === 'outage' || (fault?.kind === 'reset' && random() < fault.share)) {
      await time.pause(REFUSAL_MS);
      throw new GatewayError('upstream_unavailable', 'the vendor is out');
    }
    if (fault?.kind === 'rate-limit' && recent.length > fault.perSecond * seconds) {
      // What is refused does not count.
      recent.pop();
      await time.pause(REFUSAL_MS);
      const { retryAfterSeconds } = fault;
      throw new GatewayError('upstream_rate_limited', 'the vendor has had enough', { retryAfterSeconds });
    }
    const times = (fault?.kind === 'slow' ? fault.times : 1) * (0.7 + 0.6 * random());
    const first = firstMs * times;
    const total = first + tokenMs * OUTPUT_TOKENS * times;
    await time.pause(total);
    return { firstMs: first, totalMs: total, tokens: OUTPUT_TOKENS };
  };
}
