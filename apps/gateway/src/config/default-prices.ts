/** Models that no row has, at the declared price of their account: `groq/any-model`. */
import { KINDS, type ModelKind } from '@model-gateway/core';
import type { Vendors } from './declared-faults.ts';
import type { ConfigFault, Path } from './fault.ts';
import type { AccountRow, ModelFileRow } from './schema.ts';

type DefaultPrice = NonNullable<AccountRow['default_price']>;
type PricedAccount = AccountRow & { readonly default_price: DefaultPrice };

/** A row that stands for all models of `name`, which is an account or a vendor. It is in no list. */
export interface DefaultRow {
  readonly name: string;
  readonly row: ModelFileRow;
}

interface PricedKind {
  readonly kind: ModelKind;
  readonly capability: string;
  readonly units: readonly (keyof DefaultPrice)[];
}

/** The kinds that may have a default price. */
const PRICED: readonly PricedKind[] = KINDS.flatMap(({ rows, capability }) =>
  Object.entries(rows).flatMap(([kind, { pricedBy = ['input', 'output'], hasDefaultPrice }]) =>
    hasDefaultPrice === true
      ? [{ kind: kind as ModelKind, capability, units: pricedBy as readonly (keyof DefaultPrice)[] }]
      : [],
  ),
);

/** The rows of all accounts with a default price, by their names; several accounts of a vendor at one price have its name together. */
export function defaultRows(accounts: readonly AccountRow[], vendors: Vendors): readonly DefaultRow[] {
  const priced = accounts.filter((row): row is PricedAccount => row.default_price !== undefined);
  const own = priced.flatMap((row) => rowsOf(row.name, [row], vendors));
  const names = new Set(priced.map(({ name }) => name));
  const ofVendors = [...Map.groupBy(priced, ({ vendor }) => vendor)].flatMap(([vendor, members]) => {
    // Behind a compatible wire are different makers.
    const isMany = vendors.get(vendor)?.declares.settings?.['provider'] !== undefined;
    const prices = new Set(members.map(({ default_price: price }) => JSON.stringify(price)));
    return names.has(vendor) || isMany || prices.size > 1 ? [] : rowsOf(vendor, members, vendors);
  });
  return [...own, ...ofVendors];
}

function rowsOf(name: string, members: readonly PricedAccount[], vendors: Vendors): readonly DefaultRow[] {
  const [first] = members;
  if (first === undefined) return [];
  return kindsOf(first, vendors).map(({ kind }) => ({
    name,
    row: {
      code: `${name}/*`,
      kind,
      description: `A model of ${name} without an entry, at its default price`,
      price: first.default_price,
      offers: members.map((account) => ({
        account: account.name,
        model: '*',
        ...(kind === 'chat' && { dialects: dialectsOf(account, vendors) }),
      })),
    },
  }));
}

function kindsOf({ vendor, default_price: price }: PricedAccount, vendors: Vendors): readonly PricedKind[] {
  return kindsServed(vendor, vendors).filter(({ units }) => units.every((unit) => price[unit] !== undefined));
}

function kindsServed(vendor: string, vendors: Vendors): readonly PricedKind[] {
  const { capabilities = [] } = vendors.get(vendor) ?? {};
  return PRICED.filter(({ capability }) => capabilities.some((each) => each === capability));
}

/** Those of the account, else the vendor's usual one. */
function dialectsOf({ vendor, dialects }: AccountRow, vendors: Vendors): ModelFileRow['offers'][number]['dialects'] {
  return dialects ?? [...(vendors.get(vendor)?.dialects.slice(0, 1) ?? [])];
}

/**
 * What else the models of rows are called where their account has a default price: `openai/gpt-5.2` is the row with that model, so that its
 * price goes before the default.
 */
export function namesOfRows(
  models: readonly ModelFileRow[],
  defaults: readonly DefaultRow[],
): readonly (readonly [name: string, code: string])[] {
  const known = new Set(models.flatMap(({ code, aliases = [] }) => [code, ...aliases]));
  const accounts = new Map<string, Set<string>>();
  for (const { name, row } of defaults)
    for (const { account } of row.offers) accounts.set(account, (accounts.get(account) ?? new Set()).add(name));
  return models.flatMap(({ code, aliases = [], offers }) =>
    offers.flatMap(({ account, model }) => {
      if (model.includes('*')) return [];
      return [...(accounts.get(account) ?? [])].flatMap((prefix) =>
        [model, code, ...aliases].flatMap((own) => {
          const name = `${prefix}/${own}`;
          if (known.has(name)) return [];
          known.add(name);
          return [[name, code] as const];
        }),
      );
    }),
  );
}

/** A price that no model of the vendor can have. */
export function defaultPriceFaults(path: Path, row: AccountRow, vendors: Vendors): readonly ConfigFault[] {
  const { default_price: price, vendor } = row;
  if (price === undefined || !vendors.has(vendor) || kindsOf({ ...row, default_price: price }, vendors).length > 0)
    return [];
  const served = kindsServed(vendor, vendors);
  const needs = served.map(({ kind, units }) => `${kind} models need ${units.join(' and ')}`).join(', ');
  const message =
    served.length === 0
      ? `only ${PRICED.map(({ kind }) => kind).join(' and ')} models can have one, and ${vendor} serves neither; write a row for each model`
      : `it prices no model of ${vendor}: ${needs}`;
  return [{ path: [...path, 'default_price'], message }];
}
