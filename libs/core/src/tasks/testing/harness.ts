/** What engine tests stand on: a real store, real adapters and sockets, and a clock that the test moves. Not part of the product. */
import { createUntrustedFetcher, createUpstreamPools, type ProviderAdapter } from '@model-gateway/provider-kit';
import type { Catalogue, GatewayAccount, ModelRow } from '../../catalogue.ts';
import { createUpstreamFactory } from '../../upstream-factory.ts';
import type { Caller, Log, Meter } from '../../parts.ts';
import type { KeyRecord, Store } from '../../ports.ts';
import { createRouter } from '../../routing.ts';
import { createTaskEngine } from '../engine.ts';
import { createSignedLinks } from '../links.ts';
import type { TaskEngine, TaskMoney, TaskParts } from '../types.ts';
import { addressOf, webhookBody } from './printing.ts';

export const START = 1_790_000_000_000;
export const HOLD = 1000;
export const PRICE = 700;

export interface Clock {
  now: () => number;
  /** Moves time on, by milliseconds. */
  pass(ms: number): void;
  set(ms: number): void;
}

export function createClock(start = START): Clock {
  let at = start;
  return { now: () => at, pass: (ms) => (at += ms), set: (ms) => (at = ms) };
}

export interface HarnessOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly adapters: readonly ProviderAdapter[];
  readonly accounts: readonly GatewayAccount[];
  readonly models: readonly ModelRow[];
  readonly parts?: Partial<TaskParts>;
  readonly settings?: Partial<TaskParts['settings']>;
}

export interface Harness {
  readonly engine: TaskEngine;
  readonly parts: TaskParts;
  readonly counted: Map<string, number>;
  readonly logged: { readonly level: string; readonly message: string; readonly fields: object }[];
  caller(key: KeyRecord, signal?: AbortSignal): Caller;
  /** Moves the clock to whatever falls due next and sweeps, until the condition holds. */
  until(done: () => Promise<boolean>, mostSweeps?: number): Promise<void>;
  /** A process that died: nothing of it goes on. */
  close(): Promise<void>;
}

export function account(
  over: Partial<GatewayAccount> & Pick<GatewayAccount, 'id' | 'vendor' | 'baseUrl'>,
): GatewayAccount {
  return {
    name: `${over.vendor}-${over.id}`,
    credentials: { api_key: 'vendor-key-0123456789' },
    settings: {},
    on: true,
    twin: false,
    maxConcurrency: 100,
    deadlines: { connect: 20, firstByte: 5, idle: 5 },
    onDisconnect: { chatStreams: 'abort', others: 'abort' },
    ...over,
  };
}

export function videoRow(
  over: Partial<ModelRow> & Pick<ModelRow, 'code' | 'videoShape'>,
  ...accounts: readonly GatewayAccount[]
): ModelRow {
  return {
    kind: 'video',
    description: '',
    offers: accounts.map((each, index) => ({
      account: each,
      model: `vendor-${over.code}`,
      priority: index + 1,
      weight: 1,
      dialects: [],
      quirks: {},
    })),
    price: {},
    voices: [],
    limits: {},
    created: 0,
    ...over,
  };
}

/** Money of round numbers: the hold and the price are always the same. */
export const flatMoney: TaskMoney = {
  payer: ({ key }) => ({ ownerId: key.ownerId, keyId: key.id, limits: {} }),
  quote: () => ({ amount: HOLD, detail: { quoted: HOLD } }),
  settle: (_row, _group, usage) => ({
    charged: PRICE,
    priceVersion: 'test',
    detail: { settled: PRICE },
    usage,
    isBelieved: true,
  }),
};

/** Processes share a database: their ids must differ. */
let serial = 0;

export function createHarness(options: HarnessOptions): Harness {
  const { store, clock } = options;
  const catalogue: Catalogue = {
    models: new Map(options.models.map((row) => [row.code, row])),
    accounts: options.accounts,
    priceVersion: 'test',
    groupFactors: { default: 1 },
    twinOnly: false,
  };
  const counted = new Map<string, number>();
  const logged: { level: string; message: string; fields: object }[] = [];
  const logAs = (level: string) => (fields: object, message: string) => void logged.push({ level, message, fields });
  const log: Log = { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') };
  const meter: Meter = {
    count: (name, labels, by = 1) => {
      const key = `${name}{${Object.values(labels).join(',')}}`;
      counted.set(key, (counted.get(key) ?? 0) + by);
    },
    observe: () => undefined,
    series: (name, labels) => (value) => meter.count(name, labels, value),
  };
  const pools = createUpstreamPools();
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: ['127.0.0.1'] });
  const adapters = new Map(options.adapters.map((adapter) => [adapter.id, adapter]));
  const base = {
    store,
    catalogue: () => catalogue,
    adapters,
    router: createRouter({ now: clock.now, random: () => 0.5 }),
    pools,
    untrustedFetcher,
    now: clock.now,
    randomId: () => `${String(++serial).padStart(6, '0')}0123456789abcdefghijklmnop`,
    log,
    meter,
    publicUrl: () => 'https://gateway.example',
  };
  const parts: TaskParts = {
    ...base,
    ...createUpstreamFactory(base),
    money: flatMoney,
    links: createSignedLinks({ secret: 's'.repeat(32), addressOf, now: clock.now }),
    webhookBody,
    ...options.parts,
    settings: { pollSeconds: 5, deadlineHours: 24, reconcileAfterMs: [], ...options.settings },
  };
  const engine = createTaskEngine(parts);
  return {
    engine,
    parts,
    counted,
    logged,
    caller: (key, signal = new AbortController().signal) => ({
      key,
      mode: key.mode,
      requestId: `req-${++serial}`,
      signal,
    }),
    async until(done, mostSweeps = 200) {
      for (let sweep = 0; sweep < mostSweeps; sweep++) {
        await engine.runDue();
        if (await done()) return;
        const due = await engine.nextDue();
        clock.set(Math.max(clock.now() + 1, due ?? clock.now() + 1000));
      }
      throw new Error(`not done after ${mostSweeps} sweeps`);
    },
    async close() {
      await engine.stop();
      await pools.close();
      await untrustedFetcher.close();
    },
  };
}

/** A key of an owner with this much money. */
export async function makeKey(
  store: Store,
  over: Partial<KeyRecord> & { readonly ownerId: number; readonly balance?: number },
): Promise<KeyRecord> {
  const { balance = 1_000_000, ...key } = over;
  const group = key.group ?? 'default';
  await store.owners.ensure({ id: key.ownerId, name: `owner ${key.ownerId}`, group, creditLimit: 0 }, START);
  if (balance > 0) await store.ledger.topUp(key.ownerId, balance, {}, START);
  const name = key.name ?? `key of ${key.ownerId}`;
  return store.keys.create(
    {
      name,
      hash: `${name}-${key.ownerId}`.padEnd(64, '0').slice(0, 64),
      hint: 'sk-…',
      mode: 'live',
      group,
      models: ['*'],
      ipRanges: [],
      limits: {},
      declared: false,
      ...key,
    },
    START,
  );
}
