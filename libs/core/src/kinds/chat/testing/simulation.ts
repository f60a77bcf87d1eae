/**
 * Chats through the real chat of the gateway, its planning, attempts, streams, cache and money, in simulated time and with simulated vendors.
 * The same seed gives the same outcome. Not part of the product (npm run verify -- simulate).
 */
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { openAiCompatible, type Upstream } from '@model-gateway/provider-kit';
import { createAnswerCache } from '../../../cache/answer-cache.ts';
import { createMemoryAnswers } from '../../../cache/memory-answers.ts';
import type { CacheRule, Catalogue, GatewayAccount, ModelRow, Price } from '../../../catalogue.ts';
import { createSpending, type Spending } from '../../../money/spending.ts';
import { createSimulatedTime, seededRandom, type SimulatedTime } from '../../../paid/testing/simulated-time.ts';
import { newTrace } from '../../../paid/trace.ts';
import type { KeyRecord, Store } from '../../../ports.ts';
import { createRouter } from '../../../routing.ts';
import type { AccountBudget } from '../../../routing/budget.ts';
import type { Route } from '../../../routing/route.ts';
import { accountOf, offerOf } from '../../../routing/testing/accounts.ts';
import { openTestStore } from '../../../tasks/testing/store.ts';
import { createCachedChat } from '../cached.ts';
import { createChat } from '../chat-service.ts';
import type { ChatCall, ChatParts } from '../types.ts';
import { wordAt, SimulatedVendor, type VendorShape, type VendorTally } from './simulated-vendor.ts';

/** An account, and what its model costs. */
export interface SimulatedAccount extends VendorShape {
  readonly price?: Price;
  readonly priority?: number;
  readonly budget?: AccountBudget;
  /** Seconds since the start from which the catalogue has it; from the start when absent. */
  readonly joins?: number;
}

export interface Question {
  /** Seconds since the start. */
  readonly at: number;
  /** Turns of the user and of the assistant. */
  readonly turns: readonly string[];
  /** What the asker knows it by. */
  readonly name?: string;
  readonly stream?: boolean;
}

export interface ChatSimulation {
  readonly accounts: readonly SimulatedAccount[];
  readonly route?: Partial<Omit<Route, 'targets'>>;
  readonly cache?: CacheRule;
  readonly questions: readonly Question[];
  readonly words?: number;
  readonly seed?: number;
}

export interface SimulatedChat {
  readonly question: Question;
  /** The account that answered, or was asked last; undefined when nobody was. */
  readonly by: number | undefined;
  /** All words of the answer in their order, none twice. */
  readonly isWhole: boolean;
  /** What came is not how the answer begins: a seam has lost words, or said them again. */
  readonly isWrong: boolean;
  /** Milliseconds until the answer began, and until it was there. */
  readonly firstMs: number;
  readonly ms: number;
  readonly attempts: number;
  readonly dollars: number;
  /** How often another vendor went on with it. */
  readonly seams: number;
  readonly cache: 'hit' | 'miss' | undefined;
}

export interface ChatsSimulated {
  readonly chats: readonly SimulatedChat[];
  readonly vendors: ReadonlyMap<number, VendorTally>;
  /** What the vendors bill, by the prices of the catalogue. */
  readonly vendorDollars: number;
  /** The sum of the ledger. */
  readonly ledgerDollars: number;
  /** Second questions, by whose answer began first. */
  readonly hedged: Readonly<Record<'first' | 'second', number>>;
}

const START = 1_790_000_000_000;
const UNITS_PER_DOLLAR = 500_000;
export const SIMULATED_PRICE = { input: 1, cached_input: 0.1, output: 4 };
const MODEL = 'm';
const ADAPTER = openAiCompatible({ id: 'simulated' });
const DIALECT = ADAPTER.chat.dialects[0] as DialectName;

/** Asks all questions, each at its time. */
export async function simulateChats(options: ChatSimulation): Promise<ChatsSimulated> {
  const { accounts, questions, words = 200, seed = 1 } = options;
  const time = createSimulatedTime(START, 3);
  const random = seededRandom(seed);
  const vendors = new Map(
    accounts.map((account) => [account.id, new SimulatedVendor(account, { time, start: START, random, words })]),
  );
  const store = await openTestStore();
  const hedged = { first: 0, second: 0 };
  const parts = partsOf(options, { time, vendors, store, hedged });
  const owner = await store.owners.create({ name: 'o', group: 'default' }, START);
  const key = {
    id: 1,
    name: 'k',
    ownerId: owner.id,
    mode: 'live',
    group: 'default',
    limits: {},
  } as unknown as KeyRecord;
  const cache = createAnswerCache({
    store: createMemoryAnswers({ most: 1e8, now: wholeMs(time) }),
    now: wholeMs(time),
    log: QUIET,
    pause: (ms) => time.pause(ms),
  });
  const chat = createCachedChat({ ...parts, cache }, createChat(parts));
  const chats: SimulatedChat[] = [];
  questions.forEach((question, index) => {
    time.at(START + question.at * 1_000, () => {
      void askOne(chat, callOf(question, key, index), { question, time, words }).then((done) => chats.push(done));
    });
  });
  await time.run();
  await parts.spending.close();
  const ledgerDollars = await chargedInAll(store, owner.id);
  await store.close();
  if (chats.length !== questions.length) throw new Error(`${questions.length - chats.length} questions have no end`);
  return {
    chats,
    vendors: new Map([...vendors].map(([id, { tally }]) => [id, tally])),
    vendorDollars: accounts.reduce((sum, account) => sum + dollarsBilled(account, vendors), 0),
    ledgerDollars,
    hedged,
  };
}

async function askOne(
  chat: ReturnType<typeof createChat>,
  call: ChatCall,
  { question, time, words }: { readonly question: Question; readonly time: SimulatedTime; readonly words: number },
): Promise<SimulatedChat> {
  const began = time.now();
  const trace = newTrace();
  let text = '';
  let firstMs: number | undefined;
  try {
    const { reply } = await chat.answer(call, trace);
    firstMs = time.now() - began;
    if (reply.type === 'whole') text = Buffer.from(reply.body as Uint8Array).toString();
    else {
      const write = (bytes: Uint8Array | string): boolean => {
        text += Buffer.from(bytes as Uint8Array).toString();
        return true;
      };
      await reply.pipe({ write, drained: async () => undefined });
    }
  } catch {
    // Nobody has answered: it is counted as such.
  }
  const said = saidIn(text);
  const answer = Array.from({ length: words }, (_, index) => wordAt(index)).join('');
  return {
    question,
    by: trace.accountId,
    isWhole: said === answer,
    isWrong: !answer.startsWith(said),
    firstMs: firstMs ?? time.now() - began,
    ms: time.now() - began,
    attempts: trace.attempts,
    dollars: trace.charged / UNITS_PER_DOLLAR,
    seams: text.match(/"gateway":\{"continued_by":/g)?.length ?? 0,
    cache: trace.cache,
  };
}

/** The words of an answer, whole or streamed. */
function saidIn(text: string): string {
  return [...text.matchAll(/"content":"((?:\d{3} )*)"/g)].map(([, said]) => said).join('');
}

function callOf({ turns, stream = false }: Question, key: KeyRecord, index: number): ChatCall {
  const messages = turns.map((content, turn) => ({ role: turn % 2 === 0 ? 'user' : 'assistant', content }));
  const json: JsonObject = { model: 'smart', temperature: 0, messages, max_tokens: 1_000, ...(stream && { stream }) };
  return {
    caller: { key, mode: 'live', requestId: `r-${index}`, signal: new AbortController().signal },
    dialect: DIALECT,
    body: { json, bytes: Buffer.from(JSON.stringify(json)) },
    model: 'smart',
    stream,
    headers: {},
    endpoint: '/v1/chat/completions',
  };
}

/** Their money is written before it is counted. */
type ClosableParts = ChatParts & { readonly spending: Pick<Spending, 'close'> };

interface Plugged {
  readonly time: SimulatedTime;
  readonly vendors: ReadonlyMap<number, SimulatedVendor>;
  readonly store: Store;
  readonly hedged: Record<'first' | 'second', number>;
}

function partsOf(options: ChatSimulation, { time, vendors, store, hedged }: Plugged): ClosableParts {
  const { accounts, seed = 1 } = options;
  const now = wholeMs(time);
  const router = createRouter({ now, random: seededRandom(seed + 1) });
  const catalogueAt = cataloguesOf(options);
  const parts: Omit<ChatParts, 'adapters' | 'pools' | 'untrustedFetcher' | 'keptFiles'> & Pauses = {
    store,
    router,
    now,
    log: QUIET,
    pause: time.pause,
    catalogue: () => catalogueAt((now() - START) / 1_000),
    randomId: () => 'x',
    publicUrl: () => 'http://127.0.0.1',
    meter: {
      count: (name, { by }) => {
        if (name === 'gateway_hedged_requests_total') hedged[by as keyof typeof hedged]++;
      },
      observe: () => undefined,
      series: () => () => undefined,
    },
    spending: createSpending({
      ledger: store.ledger,
      owners: store.owners,
      now,
      log: QUIET,
      process: 'simulation',
      graceMs: 0,
      pause: async () => undefined,
    }),
    openOffer: (offer, signal) => {
      const vendor = vendors.get(offer.account.id) as SimulatedVendor;
      const told = <T>(reply: T): T => {
        const limits = vendor.limits();
        if (limits !== undefined && offer.account.budget?.learns === true) router.heard(offer, limits);
        return reply;
      };
      const read = (body: Uint8Array | undefined) => JSON.parse(Buffer.from(body ?? []).toString()) as JsonObject;
      const upstream: Pick<Upstream, 'model' | 'account' | 'quirks' | 'send' | 'stream'> = {
        model: offer.model,
        account: offer.account,
        quirks: {},
        send: async ({ body }) => told(await vendor.send(read(body), signal)),
        stream: async ({ body }) => told(await vendor.stream(read(body), signal)),
      };
      return { adapter: ADAPTER, upstream: upstream as Upstream };
    },
  };
  if (accounts.length !== vendors.size) throw new Error('two accounts have one id');
  // Texts bring no files, and vendors are not asked over sockets.
  return parts as unknown as ClosableParts;
}

/** As clocks give it. */
function wholeMs({ now }: SimulatedTime): () => number {
  return () => Math.floor(now());
}

interface Pauses {
  readonly pause: (ms: number) => Promise<void>;
}

/** The catalogue at each second: one model, `smart`, of all accounts that have joined. */
function cataloguesOf({ accounts, route, cache }: ChatSimulation): (second: number) => Catalogue {
  const gateway = new Map(accounts.map((account) => [account.id, gatewayAccountOf(account)]));
  const built = new Map<number, Catalogue>();
  return (second) => {
    const joined = accounts.filter(({ joins = 0 }) => joins <= second);
    let catalogue = built.get(joined.length);
    if (catalogue === undefined) built.set(joined.length, (catalogue = catalogueOf(joined, gateway, { route, cache })));
    return catalogue;
  };
}

type Rules = { readonly route: ChatSimulation['route']; readonly cache: CacheRule | undefined };

function catalogueOf(
  accounts: readonly SimulatedAccount[],
  gateway: ReadonlyMap<number, GatewayAccount>,
  { route, cache }: Rules,
): Catalogue {
  const codeOf = ({ id }: SimulatedAccount): string => `${MODEL}-${id}`;
  const row = (code: string): ModelRow => ({
    code,
    kind: 'chat',
    description: '',
    offers: [],
    price: {},
    voices: [],
    limits: { max_input_tokens: 100_000, max_output_tokens: 1_000 },
    created: 0,
  });
  const models = accounts.map((account): ModelRow => {
    const { id, price = SIMULATED_PRICE } = account;
    const offer = offerOf(gateway.get(id) as GatewayAccount, { model: MODEL, dialects: [DIALECT] });
    return { ...row(codeOf(account)), price, offers: [offer] };
  });
  const targets = accounts.map((account) => ({ model: codeOf(account), priority: account.priority ?? 1, weight: 1 }));
  const smart: ModelRow = {
    ...row('smart'),
    route: { strategy: 'weighted', fallbacks: {}, ...route, targets },
    ...(cache !== undefined && { cache }),
  };
  return {
    models: new Map([...models, smart].map((each) => [each.code, each])),
    accounts: [...gateway.values()],
    priceVersion: 'simulated',
    groupFactors: {},
    twinOnly: false,
    ...(cache !== undefined && { caches: true }),
  };
}

function gatewayAccountOf({ id, budget }: SimulatedAccount): GatewayAccount {
  const account = { ...accountOf(id, 10_000), vendor: 'simulated' };
  return budget === undefined ? account : { ...account, budget };
}

function dollarsBilled({ id, price = SIMULATED_PRICE }: SimulatedAccount, vendors: Plugged['vendors']): number {
  const { read = 0, fromCache = 0, written = 0 } = vendors.get(id)?.tally.billed ?? {};
  const { input = 0, cached_input: cached = input, output = 0 } = price;
  return ((read - fromCache) * input + fromCache * cached + written * output) / 1e6;
}

async function chargedInAll(store: Store, ownerId: number): Promise<number> {
  const owner = await store.owners.get(ownerId);
  return -(owner?.balance ?? 0) / UNITS_PER_DOLLAR;
}

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
