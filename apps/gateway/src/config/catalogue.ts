/** Turns configuration rows into the catalogue the core works with; every offer is also made by the vendor twin, for test keys. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Catalogue, GatewayAccount, ModelRow, Offer, Price } from '@model-gateway/core';
import { accountOn } from '@model-gateway/provider-kit';
import type { Config } from './config.ts';
import { dialectsOf, wireOf, type Vendors } from './declared-faults.ts';
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
  const accounts = new Map(config.accounts.map((row) => [row.name, toAccount(row, vendors)]));
  const rows = new Map(config.accounts.map((row) => [row.name, row]));
  const twins = new Map<string, GatewayAccount>();
  const twinOf = (account: GatewayAccount): GatewayAccount | undefined => {
    const name = `twin ${account.vendor} ${account.settings['wire'] ?? ''}`.trim();
    const known = twins.get(name);
    if (known !== undefined) return known;
    const address = twin?.(account.vendor, account.settings['wire']);
    if (address === undefined) return undefined;
    const made: GatewayAccount = {
      ...account,
      id: FIRST_TWIN_ACCOUNT_ID + (crc32(name) % 100_000),
      name,
      baseUrl: address.baseUrl,
      credentials: address.credentials,
      on: true,
      twin: true,
    };
    twins.set(name, made);
    return made;
  };
  const models = new Map(config.models.map((row) => [row.code, toModel(row, { accounts, twinOf, rows, vendors })]));
  const anyOn = [...accounts.values()].some(({ on }) => on);
  return {
    models,
    aliases: new Map(config.models.flatMap(({ code, aliases = [] }) => aliases.map((alias) => [alias, code]))),
    accounts: [...accounts.values(), ...twins.values()],
    priceVersion: createHash('sha256')
      .update(JSON.stringify([config.models.map(({ code, price }) => [code, price]), config.groupFactors]))
      .digest('hex')
      .slice(0, 12),
    groupFactors: config.groupFactors,
    twinOnly: !anyOn && twin !== undefined,
  };
}

function toAccount(row: AccountRow & { readonly on: boolean }, vendors: Vendors): GatewayAccount {
  const wire = wireOf(row);
  const declares = vendors.get(row.vendor)?.declares;
  const provider = declares?.settings?.['provider'] === undefined ? undefined : row.settings?.['provider'];
  const base = row.base_url ?? (declares === undefined ? undefined : accountOn(declares, wire)?.baseUrl) ?? '';
  return {
    id: row.id,
    name: row.name,
    vendor: row.vendor,
    baseUrl: base.replace(/\/+$/, ''),
    credentials: row.credentials ?? {},
    settings: { ...row.settings, ...(wire !== undefined && { wire }) },
    ...(provider !== undefined && provider !== '' && { provider }),
    ...(declares?.telemetryName !== undefined && { telemetryName: declares.telemetryName }),
    on: row.on,
    twin: false,
    maxConcurrency: row.max_concurrency ?? 256,
    deadlines: {
      connect: row.timeout_seconds?.connect ?? 5,
      firstByte: row.timeout_seconds?.first_byte ?? 60,
      idle: row.timeout_seconds?.idle ?? 120,
    },
    onDisconnect: row.on_disconnect ?? 'drain',
  };
}

interface Surroundings {
  readonly accounts: ReadonlyMap<string, GatewayAccount>;
  readonly twinOf: (account: GatewayAccount) => GatewayAccount | undefined;
  readonly rows: ReadonlyMap<string, AccountRow>;
  readonly vendors: Vendors;
}

function toModel(row: ModelFileRow, { accounts, twinOf, rows, vendors }: Surroundings): ModelRow {
  const real = row.offers.flatMap((offer): Offer[] => {
    const account = accounts.get(offer.account);
    if (account === undefined) return [];
    return [
      {
        account,
        model: offer.model,
        dialects: dialectsOf(offer, rows.get(offer.account)),
        priority: offer.priority ?? 1,
        weight: offer.weight ?? 1,
        quirks: { ...(row.kind === 'chat' && vendors.get(account.vendor)?.declares.chatQuirks), ...offer.quirks },
      },
    ];
  });
  const twins = new Map<string, Offer>();
  for (const offer of real) {
    const account = twinOf(offer.account);
    if (account !== undefined) twins.set(`${account.name} ${offer.model}`, { ...offer, account });
  }
  const shape = row.body;
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
    ...(row.deadline_hours !== undefined && { deadlineHours: row.deadline_hours }),
    ...(row.usual_seconds !== undefined && { usualSeconds: row.usual_seconds }),
  };
}
