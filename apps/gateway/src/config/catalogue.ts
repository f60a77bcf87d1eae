/** Turns configuration rows into the catalogue the core works with; every offer is also made by the vendor twin, for test keys. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Catalogue, GatewayAccount, ModelRow, Offer, Price } from '@model-gateway/core';
import { ConfigError, type Config } from './config.ts';
import { DEFAULT_BASE_URLS } from './defaults.ts';
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

/** Builds the catalogue; throws ConfigError when an account's vendor is unknown. `twin` is absent when the twin is off. */
export function buildCatalogue(
  config: Config,
  knownVendors: ReadonlySet<string>,
  twin: TwinLookup | undefined,
): Catalogue {
  const faults = config.accounts.flatMap((account, index) =>
    knownVendors.has(account.vendor)
      ? []
      : [
          `accounts[${index}].vendor: '${account.vendor}' is no known vendor; known are ${[...knownVendors].join(', ')}`,
        ],
  );
  if (faults.length > 0) throw new ConfigError(config.file ?? 'the built-in catalogue', faults);

  const accounts = new Map(config.accounts.map((row) => [row.name, toAccount(row)]));
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
  const models = new Map(config.models.map((row) => [row.code, toModel(row, accounts, twinOf)]));
  const anyOn = [...accounts.values()].some(({ on }) => on);
  return {
    models,
    accounts: [...accounts.values(), ...twins.values()],
    priceVersion: createHash('sha256')
      .update(JSON.stringify([config.models.map(({ code, price }) => [code, price]), config.groupFactors]))
      .digest('hex')
      .slice(0, 12),
    groupFactors: config.groupFactors,
    twinOnly: !anyOn && twin !== undefined,
  };
}

function toAccount(row: AccountRow & { readonly on: boolean }): GatewayAccount {
  const base =
    row.base_url ??
    DEFAULT_BASE_URLS[row.wire === undefined ? row.vendor : `${row.vendor} ${row.wire}`] ??
    DEFAULT_BASE_URLS[row.vendor] ??
    '';
  return {
    id: row.id,
    name: row.name,
    vendor: row.vendor,
    baseUrl: base.replace(/\/+$/, ''),
    credentials: row.credentials ?? {},
    settings: { ...row.settings, ...(row.wire !== undefined && { wire: row.wire }) },
    on: row.on,
    twin: false,
    maxConcurrency: row.max_concurrency ?? 256,
    deadlines: {
      connect: row.timeout_seconds?.connect ?? 5,
      firstByte: row.timeout_seconds?.first_byte ?? 60,
      idle: row.timeout_seconds?.idle ?? 120,
    },
    onDisconnect: row.on_disconnect ?? 'abort',
  };
}

function toModel(
  row: ModelFileRow,
  accounts: ReadonlyMap<string, GatewayAccount>,
  twinOf: (account: GatewayAccount) => GatewayAccount | undefined,
): ModelRow {
  const real = row.offers.flatMap((offer): Offer[] => {
    const account = accounts.get(offer.account);
    if (account === undefined) return [];
    return [
      {
        account,
        model: offer.model,
        dialects: offer.dialects ?? (offer.dialect === undefined ? [] : [offer.dialect]),
        priority: offer.priority ?? 1,
        weight: offer.weight ?? 1,
        quirks: offer.quirks ?? {},
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
