/** Faults and warnings that the form of a file does not show: rows that contradict each other, or their vendors. */
import { matches, UNSTATED_LIMITS } from '@model-gateway/core';
import { accountFaults, offerFaults, type Vendors } from './declared-faults.ts';
import type { ConfigFault, Path } from './fault.ts';
import { didYouMean } from './nearest.ts';
import type { ConfigRows, Placed } from './rows.ts';
import type { ConfigSource } from './source.ts';

/** A fault and the text it is in. */
export interface PlacedFault extends ConfigFault {
  readonly source: ConfigSource;
}

/** What the gateway does not start with. */
export function meaningFaults(rows: ConfigRows, vendors: Vendors): readonly PlacedFault[] {
  const { accounts, models, keys, accountNames } = rows;
  const byName = new Map(accounts.map(({ row }) => [row.name, row]));
  return [
    ...twice(accounts, 'name', ({ name }) => name),
    ...twice(accounts, 'id', ({ id }) => id),
    ...twice(models, 'code', ({ code }) => code),
    ...aliasFaults(models),
    ...twice(keys, 'name', ({ name }) => name),
    ...keysTwice(keys),
    ...accounts.flatMap(({ path, row, source }) =>
      accountFaults(path, row, vendors).map((fault) => ({ ...fault, source })),
    ),
    ...models.flatMap(({ path, row: model, source }) =>
      model.offers.flatMap((offer, index): PlacedFault[] => {
        const place: Path = [...path, 'offers', index];
        const account = byName.get(offer.account);
        if (account !== undefined) {
          return offerFaults(place, { model, offer, account }, vendors).map((fault) => ({ ...fault, source }));
        }
        if (accountNames.has(offer.account)) return [];
        const message = `there is no account '${offer.account}'${didYouMean(offer.account, accountNames)}`;
        return [{ path: [...place, 'account'], message, source }];
      }),
    ),
  ];
}

/** What it starts with, though it can hardly be meant. */
export function meaningWarnings(rows: ConfigRows, groups: readonly string[]): readonly PlacedFault[] {
  const codes = rows.models.map(({ row }) => row.code);
  const used = new Set(rows.models.flatMap(({ row }) => row.offers.map(({ account }) => account)));
  return [
    ...rows.keys.flatMap(({ path, row, source }) => {
      const patterns = (row.models ?? []).flatMap((pattern, index): PlacedFault[] => {
        if (codes.some((code) => matches(pattern, code))) return [];
        const message = nothingNamed(pattern, rows.models);
        return [{ path: [...path, 'models', index], message, source }];
      });
      const { group = 'default' } = row;
      if (group === 'default' || groups.length === 0 || groups.includes(group)) return patterns;
      const message = `there is no group '${group}', so its factor is 1${didYouMean(group, groups)}`;
      return [...patterns, { path: [...path, 'group'], message, source }];
    }),
    ...rows.accounts.flatMap(({ path, row, source }) =>
      used.has(row.name) ? [] : [{ path, message: `no row uses the account ${row.name}`, source }],
    ),
    ...rows.models.flatMap(({ path, row, source }) =>
      Object.keys(row.price ?? {}).length > 0
        ? []
        : [{ path: [...path, 'price'], message: `${row.code} has no price, so it costs nothing`, source }],
    ),
    ...rows.models.flatMap(withoutLimits),
  ];
}

/** A priced chat model that does not say how much it may take: more is set aside for its requests than they can cost. */
function withoutLimits({ path, row, source }: ConfigRows['models'][number]): readonly PlacedFault[] {
  const { input = 0, output = 0 } = row.price ?? {};
  if (row.kind !== 'chat' || input + output === 0) return [];
  const missing = (['max_input_tokens', 'max_output_tokens'] as const).filter(
    (name) => row.limits?.[name] === undefined,
  );
  if (missing.length === 0) return [];
  const usual = missing.map((name) => UNSTATED_LIMITS[name]).join(' and ');
  const message = `${row.code} has a price and no ${missing.join(' and no ')}: ${usual} tokens are set aside for what its requests do not say`;
  return [{ path: [...path, 'limits'], message, source }];
}

/** Why a pattern of a key opens nothing. */
function nothingNamed(pattern: string, models: ConfigRows['models']): string {
  if (pattern.includes('*')) return `'${pattern}' fits no model of the catalogue`;
  const row = models.find(({ row: { aliases } }) => aliases?.includes(pattern) === true)?.row;
  if (row !== undefined) return `'${pattern}' is an alias; a key names the code, ${row.code}`;
  return `there is no model '${pattern}'${didYouMean(
    pattern,
    models.map(({ row: { code } }) => code),
  )}`;
}

/** A name stands for one row: an alias is no other row's code or alias, and there once. */
function aliasFaults(models: ConfigRows['models']): readonly PlacedFault[] {
  const owners = new Map(models.map(({ row: { code } }) => [code, code]));
  return models.flatMap(({ path, row: { code, aliases = [] }, source }) =>
    aliases.flatMap((alias, index): PlacedFault[] => {
      const owner = owners.get(alias);
      if (owner === undefined) {
        owners.set(alias, code);
        return [];
      }
      const message =
        owner === code ? `'${alias}' is a name of this row already` : `'${alias}' is a name of the model '${owner}'`;
      return [{ path: [...path, 'aliases', index], message, source }];
    }),
  );
}

/** Named at the file's own row where the other one is built in. */
function twice<Row extends object>(
  rows: readonly Placed<Row>[],
  field: string,
  valueOf: (row: Row) => string | number,
): readonly PlacedFault[] {
  return rows.flatMap((later, index) => {
    const earlier = rows.slice(0, index).find(({ row }) => valueOf(row) === valueOf(later.row));
    if (earlier === undefined) return [];
    const own = earlier.source === later.source;
    const { path, source } = own ? later : earlier;
    const name = 'name' in later.row ? String(later.row.name) : '';
    const where = own ? '' : `: the account '${name}' of ${later.source.name} has it too`;
    return [{ path: [...path, field], message: `'${valueOf(later.row)}' is there twice${where}`, source }];
  });
}

/** Keys are secrets: not quoted. */
function keysTwice(keys: ConfigRows['keys']): readonly PlacedFault[] {
  const texts = keys.map(({ row }) => row.key);
  return keys.flatMap(({ path, row, source }, index) =>
    texts.indexOf(row.key) === index
      ? []
      : [{ path: [...path, 'key'], message: 'the same key is there twice', source }],
  );
}
