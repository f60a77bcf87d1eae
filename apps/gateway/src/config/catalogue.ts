/** Turns configuration rows into the catalogue the core works with; every offer is also made by the vendor twin, for test keys. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  wildcardsIn,
  type Catalogue,
  type GatewayAccount,
  type KeyMode,
  type ModelRow,
  type Offer,
  type PassThrough,
  type Price,
} from '@model-gateway/core';
import { accountOn, baseUrlOf, type Deadlines, type StreamCancellation } from '@model-gateway/provider-kit';
import type { Config } from './config.ts';
import { membersOf } from './account-members.ts';
import { accountBudgetOf } from './budgets.ts';
import { dialectsOf, wireOf, type Vendors } from './declared-faults.ts';
import { defaultRows, namesOfRows } from './default-prices.ts';
import { openedPathsOf } from './pass-through.ts';
import { routeOf } from './routes.ts';
import type { AccountRow, ModelFileRow } from './schema.ts';

const DEFAULT_CREATED = Date.UTC(2026, 10, 1) / 1000;
const FIRST_TWIN_ACCOUNT_ID = 9000;

/* A twin account's id follows from its name, so that a stored task finds it again after a restart. */

/** What the twin offers for a vendor on a wire: where it is and what it takes for a key. */
export interface TwinAddress {
  readonly baseUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
}
export type TwinLookup = (vendor: string, wire: string | undefined) => TwinAddress | undefined;

/** Builds the catalogue of a configuration that was read. `twin` is absent when the twin is off. */
export function buildCatalogue(config: Config, vendors: Vendors, twin: TwinLookup | undefined): Catalogue {
  const accounts = new Map(config.accounts.map((row) => [row.name, toAccounts(row, vendors)]));
  const rows = new Map(config.accounts.map((row) => [row.name, row]));
  const twins = new Map<string, GatewayAccount>();
  const all = [...accounts.values()].flat();
  const anyOn = all.some(({ on }) => on);
  const twinOnly = !anyOn && twin !== undefined;
  const twinOf = (account: GatewayAccount, mode: KeyMode): GatewayAccount | undefined => {
    const suffix = mode === 'live' ? ' for live keys' : '';
    // Each maker behind a compatible wire has one of its own: callers choose among them by name.
    const which = account.settings['wire'] ?? account.provider ?? '';
    const name = `twin ${account.vendor} ${which}`.trim() + suffix;
    const known = twins.get(name);
    if (known !== undefined) return known;
    const address = twin?.(account.vendor, account.settings['wire']);
    if (address === undefined) return undefined;
    const { headers: _headers, offReason: _offReason, member: _member, ...plain } = account;
    const made: GatewayAccount = {
      ...plain,
      id: FIRST_TWIN_ACCOUNT_ID + (crc32(name) % 100_000),
      name,
      baseUrl: address.baseUrl,
      credentials: address.credentials,
      on: true,
      twin: true,
      twinFor: mode,
    };
    twins.set(name, made);
    return made;
  };
  const surroundings = { accounts, twinOf, rows, vendors };
  const models = new Map(config.models.map((row) => [row.code, toModel(row, surroundings)]));
  const wildcards = wildcardsIn(models.values());
  const defaults = defaultRows(config.accounts, vendors);
  const unlisted = wildcardsIn(
    defaults.map(({ name, row }) => ({ ...toModel(row, surroundings), defaultPrice: name })),
  );
  const opened = passThroughOf(config, accounts, (account, mode) =>
    mode === 'test' || twinOnly ? twinOf(account, mode) : account,
  );
  const openedPrices = config.accounts.flatMap(({ name, pass_through: given }) =>
    given === undefined ? [] : [[name, given.paths.map(({ price }) => price)]],
  );
  return {
    models,
    aliases: new Map([
      ...config.models.flatMap(({ code, aliases = [] }) => aliases.map((alias) => [alias, code] as const)),
      ...namesOfRows(config.models, defaults),
    ]),
    ...(wildcards.length > 0 && { wildcards }),
    ...(unlisted.length > 0 && { unlisted }),
    ...(config.models.some(({ cache }) => cache !== undefined) && { caches: true }),
    ...(config.models.some(({ deprecated, retires }) => (deprecated ?? retires) !== undefined) && { deprecates: true }),
    ...(config.defaultModel !== undefined && { defaultModel: config.defaultModel }),
    ...(config.server.region !== undefined && { region: config.server.region }),
    accounts: [...all, ...twins.values()],
    priceVersion: createHash('sha256')
      .update(
        JSON.stringify([
          config.models.map(({ code, price }) => [code, price]),
          config.groupFactors,
          ...(openedPrices.length > 0 ? [openedPrices] : []),
          ...(defaults.length > 0 ? [defaults.map(({ name, row: { kind, price } }) => [name, kind, price])] : []),
        ]),
      )
      .digest('hex')
      .slice(0, 12),
    groupFactors: config.groupFactors,
    groupWeights: config.groupWeights,
    ...(config.closedGroups.length > 0 && { closedGroups: new Set(config.closedGroups) }),
    ...(config.budgets.length > 0 && { budgets: config.budgets }),
    ...(config.guardrails.length > 0 && { guardrails: config.guardrails }),
    ...(config.mcp !== undefined && { mcp: config.mcp }),
    ...opened,
    twinOnly,
  };
}

/** What is opened of accounts, and whom keys of each mode ask there. */
function passThroughOf(
  { accounts: rows, server }: Pick<Config, 'accounts' | 'server'>,
  accounts: ReadonlyMap<string, readonly GatewayAccount[]>,
  answering: (account: GatewayAccount, mode: KeyMode) => GatewayAccount | undefined,
): Pick<Catalogue, 'passThrough'> {
  const opened = rows.flatMap((row): [string, PassThrough][] => {
    const { name, pass_through: given } = row;
    // What it names at the vendor belongs to one key.
    const [account] = accounts.get(name) ?? [];
    if (given === undefined || account === undefined) return [];
    const { keys, groups, owners, body_limit: bodyLimit = server.bodyLimit } = given;
    const offers = (['live', 'test'] as const).flatMap((mode): [KeyMode, Offer][] => {
      const asked = answering(account, mode);
      if (asked?.on !== true) return [];
      return [[mode, { account: asked, model: 'pass_through', dialects: [], priority: 1, weight: 1, quirks: {} }]];
    });
    return [
      [
        name,
        {
          account: name,
          offers: Object.fromEntries(offers),
          ...(keys !== undefined && { keys }),
          ...(groups !== undefined && { groups }),
          ...(owners !== undefined && { owners }),
          paths: openedPathsOf(name, given),
          bodyLimit,
        },
      ],
    ];
  });
  return opened.length === 0 ? {} : { passThrough: new Map(opened) };
}

/** One for each of its keys and regions. */
function toAccounts(row: Config['accounts'][number], vendors: Vendors): readonly GatewayAccount[] {
  const { on, offReason } = row;
  const state = { on, ...(offReason !== undefined && { offReason }) };
  return membersOf(row, vendors.get(row.vendor)?.declares).map(({ row: one, number, region }) => ({
    ...toAccount({ ...one, ...state }, vendors),
    ...(number !== undefined && { member: { of: row.id, number, ...(region !== undefined && { region }) } }),
  }));
}

function toAccount(row: Config['accounts'][number], vendors: Vendors): GatewayAccount {
  const wire = wireOf(row);
  const declares = vendors.get(row.vendor)?.declares;
  const provider = declares?.settings?.['provider'] === undefined ? undefined : row.settings?.['provider'];
  const declared = declares === undefined ? undefined : accountOn(declares, wire);
  const base = row.base_url ?? (declared === undefined ? undefined : baseUrlOf(declared, row.settings ?? {})) ?? '';
  const cancellation = declares?.streamCancellation?.({ baseUrl: base, settings: row.settings ?? {} });
  const withoutSlash = base.replace(/\/+$/, '');
  return {
    id: row.id,
    name: row.name,
    vendor: row.vendor,
    baseUrl: declared?.baseUrlTail === undefined ? withoutSlash : withoutSlash.replace(declared.baseUrlTail, ''),
    credentials: row.credentials ?? {},
    settings: { ...row.settings, ...(wire !== undefined && { wire }) },
    ...(provider !== undefined && provider !== '' && { provider }),
    ...(declares?.telemetryName !== undefined && { telemetryName: declares.telemetryName }),
    on: row.on,
    ...(row.offReason !== undefined && { offReason: row.offReason }),
    twin: false,
    maxConcurrency: row.max_concurrency ?? 256,
    ...(row.max_jobs !== undefined && { maxJobs: row.max_jobs }),
    ...(row.budget !== undefined && { budget: accountBudgetOf(row.budget) }),
    deadlines: deadlinesOf(row.timeout_seconds, { connect: 5, firstByte: 60, idle: 120 }),
    ...(row.headers !== undefined && { headers: lowerCased(row.headers) }),
    onDisconnect: onDisconnectOf(row, cancellation),
    ...onTruncationOf(row, cancellation),
    ...(row.propagate_trace === true && { propagatesTrace: true }),
    ...(row.owners !== undefined && { owners: row.owners }),
    ...(row.models !== undefined && { models: row.models }),
    ...(row.vendor_ids !== undefined && { vendorIds: row.vendor_ids }),
  };
}

/** The operator's word, or what the vendor's bill does: it is not worth waiting for an answer that nobody hears and nobody bills. */
function onDisconnectOf(
  { on_disconnect: said = 'auto' }: AccountRow,
  cancellation: StreamCancellation | undefined,
): GatewayAccount['onDisconnect'] {
  if (said !== 'auto') return { chatStreams: said, others: said };
  return {
    chatStreams: cancellation?.stopsBilling === true ? 'abort' : 'drain',
    others: cancellation?.isOwnServer === true ? 'abort' : 'drain',
  };
}

/** The operator's word; else what is read of a prompt is looked at where somebody runs the server who can give it room. */
function onTruncationOf(
  { on_truncation: said = 'auto' }: AccountRow,
  cancellation: StreamCancellation | undefined,
): Pick<GatewayAccount, 'onTruncation'> {
  if (said === 'ignore' || (said === 'auto' && cancellation?.isOwnServer !== true)) return {};
  return { onTruncation: said === 'auto' ? 'tell' : said };
}

function deadlinesOf(said: AccountRow['timeout_seconds'], usual: Deadlines): Deadlines {
  return {
    connect: said?.connect ?? usual.connect,
    firstByte: said?.first_byte ?? usual.firstByte,
    ...((said?.first_byte !== undefined || usual.isFirstByteSaid === true) && { isFirstByteSaid: true }),
    idle: said?.idle ?? usual.idle,
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** What the operator sends along: of the model over that of the account. */
function ownDefaults(
  row: ModelFileRow,
  account: GatewayAccount,
  accountRow: AccountRow | undefined,
): Pick<Offer, 'deadlines' | 'headers' | 'bodyFields'> {
  const headers = { ...account.headers, ...lowerCased(row.headers ?? {}) };
  const fields = row.kind === 'chat' ? { ...accountRow?.body_fields, ...row.body_fields } : {};
  return {
    ...(row.timeout_seconds !== undefined && { deadlines: deadlinesOf(row.timeout_seconds, account.deadlines) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(fields).length > 0 && { bodyFields: fields }),
  };
}

interface Surroundings {
  readonly accounts: ReadonlyMap<string, readonly GatewayAccount[]>;
  readonly twinOf: (account: GatewayAccount, mode: KeyMode) => GatewayAccount | undefined;
  readonly rows: ReadonlyMap<string, AccountRow>;
  readonly vendors: Vendors;
}

function toModel(row: ModelFileRow, { accounts, twinOf, rows, vendors }: Surroundings): ModelRow {
  const real = row.offers.flatMap((offer): Offer[] => {
    const members = accounts.get(offer.account) ?? [];
    return members.map((account) => ({
      account,
      model: offer.model,
      dialects: dialectsOf(offer, rows.get(offer.account)),
      priority: offer.priority ?? 1,
      // The account's, however many keys share it.
      weight: (offer.weight ?? 1) / members.length,
      ...ownDefaults(row, account, rows.get(offer.account)),
      quirks: { ...(row.kind === 'chat' && vendors.get(account.vendor)?.declares.chatQuirks), ...offer.quirks },
    }));
  });
  const twins = new Map<string, Offer>();
  for (const offer of real) {
    for (const mode of ['test', 'live'] as const) {
      const account = twinOf(offer.account, mode);
      if (account === undefined) continue;
      // What the operator sends to the vendor may be secret.
      const { headers: _headers, ...rest } = offer;
      // One twin stands for all keys of the account.
      const weight = offer.weight * (accounts.get(offer.account.name)?.length ?? 1);
      twins.set(`${account.name} ${offer.model}`, { ...rest, account, weight });
    }
  }
  const shape = row.body;
  const route = routeOf(row, real.length);
  return {
    code: row.code,
    ...(row.aliases !== undefined && { aliases: row.aliases }),
    kind: row.kind,
    description: row.description ?? '',
    offers: [...real, ...twins.values()],
    price: (row.price ?? {}) as Price,
    ...(row.kind === 'video' && shape !== undefined && shape !== 'messages' && { videoShape: shape }),
    ...(row.kind === 'image' && (shape === 'prompt' || shape === 'messages') && { imageShape: shape }),
    voices: row.voices ?? [],
    limits: row.limits ?? {},
    created: row.created === undefined ? DEFAULT_CREATED : Math.floor(Date.parse(row.created) / 1000),
    ...(row.deprecated !== undefined && { deprecatedAt: Date.parse(row.deprecated) }),
    ...(row.retires !== undefined && { retiresAt: Date.parse(row.retires) }),
    ...(row.deadline_hours !== undefined && { deadlineHours: row.deadline_hours }),
    ...(row.usual_seconds !== undefined && { usualSeconds: row.usual_seconds }),
    ...(route !== undefined && { route }),
    ...(row.prompt_cache === 'none' && { noPromptCache: true as const }),
    ...(row.cache !== undefined && {
      cache: {
        ttlSeconds: row.cache.ttl_seconds,
        when: row.cache.when ?? 'deterministic',
        share: row.cache.share ?? 0,
      },
    }),
  };
}
