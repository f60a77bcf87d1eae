/** What the built-in catalogue knows of a vendor and its models: prices and limits need not be written again. */
import type { JsonObject } from '@model-gateway/contracts';
import { likelyKind, type ModelKind } from '@model-gateway/core';
import { readBuiltIn, variableOf, writtenAccounts } from '../config/built-in.ts';
import { withoutDefaults } from '../config/interpolate.ts';
import { readSource } from '../config/source.ts';
import {
  objectsIn,
  objectIn,
  textIn,
  textsIn,
  type AccountRow,
  type Draft,
  type ModelRow,
  type OfferRow,
} from './draft.ts';

/** How an account of the built-in catalogue is switched on. Its texts are as they are written: with `${NAME:-default}`. */
export interface KnownAccount {
  readonly name: string;
  readonly vendor: string;
  readonly wire: string | undefined;
  readonly baseUrl: string | undefined;
  /** The variable of its key, where it has one key. */
  readonly variable: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

export type KnownModel = ModelRow & { readonly kind: string };

export class KnownModels {
  readonly #accounts = new Map<string, KnownAccount>();
  readonly #byCode = new Map<string, KnownModel>();
  /** By account and the vendor's name. */
  readonly #byOffer = new Map<string, KnownModel>();
  /** By the vendor's name, in the order of the catalogue. */
  readonly #byName = new Map<string, KnownModel>();

  constructor() {
    const accounts = writtenAccounts();
    for (const row of accounts) this.#addAccount(row, variableOf(objectIn(row['credentials'])['api_key']));
    const every = JSON.stringify({ accounts: accounts.map(({ name }) => ({ name })) });
    const all = readBuiltIn({}, [readSource(every, {}, '')]);
    for (const row of objectsIn(objectIn(all.value)['models'])) this.#addModel(row as unknown as KnownModel);
  }

  #addAccount(row: JsonObject, variable: string | undefined): void {
    const name = textIn(row['name']) ?? '';
    this.#accounts.set(name, {
      ...{ name, vendor: textIn(row['vendor']) ?? '', wire: textIn(row['wire']), baseUrl: textIn(row['base_url']) },
      ...{ variable, settings: objectIn(row['settings']) as Readonly<Record<string, string>> },
    });
  }

  #addModel(row: KnownModel): void {
    for (const code of [row.code, ...textsIn(row.aliases)]) if (!this.#byCode.has(code)) this.#byCode.set(code, row);
    for (const { account, model } of row.offers ?? []) {
      const place = `${account} ${model}`;
      if (!this.#byOffer.has(place)) this.#byOffer.set(place, row);
      if (!this.#byName.has(model)) this.#byName.set(model, row);
    }
  }

  account(name: string): KnownAccount {
    const known = this.#accounts.get(name);
    if (known === undefined) throw new Error(`The built-in catalogue has no account ${name}.`);
    return known;
  }

  hasAccount(name: string): boolean {
    return this.#accounts.has(name);
  }

  code(code: string): KnownModel | undefined {
    return this.#byCode.get(code);
  }

  /** What a vendor's model is, by its own name or by ours. */
  model(account: string, name: string): KnownModel | undefined {
    const byCode = this.#byCode.get(name);
    return (
      this.#byOffer.get(`${account} ${name}`) ??
      (byCode?.offers?.some((offer) => offer.account === account) === true ? byCode : undefined)
    );
  }

  /** The models that an account offers in the built-in catalogue. */
  modelsOf(account: string): readonly KnownModel[] {
    return [...new Set(this.#byCode.values())].filter(({ offers = [] }) =>
      offers.some((offer) => offer.account === account),
    );
  }

  /** The account that serves a model whose vendor nobody named. */
  accountOf(name: string): string | undefined {
    return (this.#byCode.get(name) ?? this.#byName.get(name))?.offers?.[0]?.account;
  }
}

/** What one deployment of the other gateway is asked by. */
export interface Deployment {
  /** The built-in account that is nearest. */
  readonly base: string;
  /** Where it differs from that. */
  readonly row: Omit<AccountRow, 'name' | 'vendor'>;
  readonly name: string;
  /** The vendor's name of the model. */
  readonly model: string;
  readonly priority?: number | undefined;
  readonly weight?: number | undefined;
}

/** The account of a deployment: the built-in one where nothing differs from it. */
export function accountFor(draft: Draft, known: KnownModels, { base, row, name }: Omit<Deployment, 'model'>): string {
  const { vendor, wire, baseUrl, variable, settings } = known.account(base);
  const key = row.credentials?.['api_key'];
  const isBuiltIn =
    (row.base_url === undefined || trimmed(row.base_url) === trimmed(withoutDefaults(baseUrl ?? ''))) &&
    (row.credentials === undefined || (variable !== undefined && key === `\${${variable}}`)) &&
    Object.entries(row).every(([member, value]) => ['base_url', 'credentials'].includes(member) || value === undefined);
  if (isBuiltIn) return base;
  const isFound = row.settings?.['credentials_from'] !== undefined || row.settings?.['profile'] !== undefined;
  return draft.account({
    // A row of a built-in name would change that account, and keep its credentials.
    ...{ name: known.hasAccount(name) ? `${name}-own` : name, vendor, wire },
    base_url: row.base_url === undefined ? baseUrl : trimmed(row.base_url),
    credentials: row.credentials ?? (variable === undefined || isFound ? undefined : { api_key: `\${${variable}}` }),
    settings: unlessEmpty(row.settings ?? settings),
    ...(row.headers !== undefined && { headers: row.headers }),
    ...(row.budget !== undefined && { budget: row.budget }),
    ...(row.timeout_seconds !== undefined && { timeout_seconds: row.timeout_seconds }),
  });
}

/** A model that an account offers, and what the other gateway says of it. */
export interface Offered {
  readonly code: string;
  readonly account: string;
  readonly deployment: Pick<Deployment, 'base' | 'model' | 'priority' | 'weight'>;
  /** The built-in model that it is like. */
  readonly like: KnownModel | undefined;
  readonly kind?: ModelKind | undefined;
  readonly limits?: JsonObject | undefined;
  readonly priceAs?: (kind: string) => JsonObject | undefined;
}

/** The row of the model with this offer more: what the first said of the model goes before what the catalogue knows. */
export function addOffer(draft: Draft, known: KnownModels, offered: Offered): ModelRow {
  const { code, account, deployment, like, limits, priceAs } = offered;
  const before = draft.models.get(code);
  const kind = before?.kind ?? offered.kind ?? like?.kind ?? likelyKind(deployment.model);
  const offer = offerFor(known, account, deployment);
  const isComplete = offer.dialect !== undefined || offer.dialects !== undefined || kind !== 'chat';
  const full = isComplete ? offer : { ...offer, ...dialectOf(known.account(deployment.base), deployment.model) };
  const row = {
    ...{ code, kind, body: before?.body ?? like?.body, limits: before?.limits ?? limits ?? like?.limits },
    price: before?.price ?? priceAs?.(kind) ?? like?.price,
    offers: withoutDoubles([...(before?.offers ?? []), full]),
    timeout_seconds: before?.timeout_seconds,
  };
  draft.models.set(code, row);
  return row;
}

function withoutDoubles(offers: readonly OfferRow[]): readonly OfferRow[] {
  return offers.filter(
    (offer, index) => offers.findIndex((other) => JSON.stringify(other) === JSON.stringify(offer)) === index,
  );
}

/** How callers of every format reach a model of an account, as the built-in catalogue says of it or of its vendor. */
function offerFor(known: KnownModels, account: string, deployment: Offered['deployment']): OfferRow {
  const { base, model, priority, weight } = deployment;
  const row = known.model(base, model);
  const like = row?.offers?.find((offer) => offer.account === base);
  const order = { ...(priority !== undefined && { priority }), ...(weight !== undefined && { weight }) };
  if (like !== undefined) return { ...like, account, ...order };
  return { account, model, ...order };
}

const DIALECTS: Readonly<Record<string, Pick<OfferRow, 'dialect' | 'dialects'>>> = {
  openai: { dialects: ['openai-chat', 'openai-responses'] },
  azure: { dialects: ['openai-chat', 'openai-responses'] },
  anthropic: { dialect: 'anthropic-messages' },
  bedrock: { dialect: 'anthropic-messages' },
  gemini: { dialect: 'gemini-generate' },
};

/** Of chat models that the catalogue does not have. */
function dialectOf({ vendor }: KnownAccount, model: string): Pick<OfferRow, 'dialect' | 'dialects'> {
  if (vendor !== 'vertex') return DIALECTS[vendor] ?? { dialect: 'openai-chat' };
  if (model.startsWith('claude')) return { dialect: 'anthropic-messages' };
  return { dialect: model.startsWith('gemini') ? 'gemini-generate' : 'openai-chat' };
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}
