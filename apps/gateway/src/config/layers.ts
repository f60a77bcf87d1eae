/**
 * A file over the built-in catalogue (docs/decisions/0017-configuration-layers.md): its rows add to it or change the row of the same
 * code or name member by member, `remove` takes rows away, `extends: none` leaves nothing beneath. Rows of the database lie over those of
 * the file in the same way (docs/decisions/0031-configuration-in-the-database.md).
 */
import { CONFIG_SECTIONS, matches, type ConfigSection } from '@model-gateway/core';
import { ofEach, type DatabaseSource } from './database-source.ts';
import type { ConfigFault, Path } from './fault.ts';
import { didYouMean } from './nearest.ts';
import type { ConfigSource } from './source.ts';

/** A row and where it stands. */
export interface Placed<Row> {
  readonly path: Path;
  readonly row: Row;
  readonly source: ConfigSource;
}

type Item = Readonly<Record<string, unknown>>;

export interface Layers {
  /** The file; undefined where the built-in catalogue stands alone. */
  readonly own: ConfigSource | undefined;
  /** Undefined for a file that extends nothing. */
  readonly builtIn: ConfigSource | undefined;
  /** Rows as they are written, each over the built-in one that it changes; their form is not checked yet. */
  readonly accounts: readonly Placed<unknown>[];
  readonly models: readonly Placed<unknown>[];
  readonly budgets: readonly Placed<unknown>[];
  readonly owners: readonly Placed<unknown>[];
  readonly keys: readonly Placed<unknown>[];
  readonly builtInModels: readonly Placed<unknown>[];
  readonly accountNames: ReadonlySet<string>;
  readonly removedAccounts: ReadonlySet<string>;
  /** Codes of built-in rows that went because all their accounts were removed. */
  readonly orphans: readonly string[];
  readonly faults: readonly (ConfigFault & { readonly source: ConfigSource })[];
}

/** Whether a file has the built-in catalogue beneath it: unless it says `extends: none`. */
export function isExtending(own: ConfigSource | undefined): boolean {
  return memberOf(own?.value, 'extends') !== 'none';
}

/** Puts the rows of a file over those of the built-in catalogue, and those of the database over both. */
export function layered(
  own: ConfigSource | undefined,
  builtIn: ConfigSource | undefined,
  database?: DatabaseSource,
): Layers {
  const base = ofEach((list) => itemsIn(builtIn, list));
  const written = ofEach((list) => itemsIn(own, list));
  const mine = database === undefined ? written : ofEach((list) => overFile(database, list, written[list]));
  const removal = removalOf(own, builtIn, { base, mine: written });
  const ownNames = { accounts: names(mine.accounts, 'name'), models: names(mine.models, 'code') };
  const removedAccounts = new Set(
    [...removal.accounts, ...(database?.removed.accounts ?? [])].filter((name) => !ownNames.accounts.has(name)),
  );
  const orphans: string[] = [];
  const keptModels = base.models
    .filter(({ row }) => {
      const code = textOf(row, 'code');
      return (
        !removal.removesModel(code) && !ownNames.models.has(code) && !(database?.removed.models.has(code) ?? false)
      );
    })
    .flatMap((placed): Placed<unknown>[] => {
      const offers = offersLeft(placed.row, removedAccounts);
      if (offers === undefined) return [placed];
      if (offers.length > 0) return [{ ...placed, row: { ...(placed.row as Item), offers } }];
      orphans.push(textOf(placed.row, 'code'));
      return [];
    });
  const ownAliases = new Set(mine.models.flatMap(({ row }) => [textOf(row, 'code'), ...aliasesOf(row)]));
  const accounts = [
    ...mine.accounts.map((each) => overBeneath(each, base.accounts, ['name', 'vendor'])),
    ...base.accounts.filter(
      ({ row }) => !ownNames.accounts.has(textOf(row, 'name')) && !removedAccounts.has(textOf(row, 'name')),
    ),
  ];
  return {
    own,
    builtIn,
    accounts,
    models: [
      ...mine.models.map((each) => overBeneath(each, base.models, ['code', 'kind'])),
      ...keptModels.map((each) => withoutAliases(each, ownAliases)),
    ],
    budgets: mine.budgets,
    owners: itemsIn(own, 'owners'),
    keys: itemsIn(own, 'keys'),
    builtInModels: base.models,
    accountNames: names(accounts, 'name'),
    removedAccounts,
    orphans,
    faults: [
      ...removal.faults,
      ...(database === undefined ? [] : nothingToRemove(database, { base, mine: written })),
      ...mine.accounts.flatMap((each) => missingMembers(each, base.accounts, { id: 'name', needs: ['vendor'] })),
      ...mine.models.flatMap((each) => missingMembers(each, base.models, modelNeeds(each))),
      ...mine.budgets.flatMap(budgetNeeds),
    ],
  };
}

/** What names a row of a list, and what makes it another one altogether. */
const ROWS = { accounts: ['name', 'vendor'], models: ['code', 'kind'], budgets: ['name', 'scope'] } as const;
const WORDS: Readonly<Record<ConfigSection, string>> = { accounts: 'account', models: 'model', budgets: 'budget' };

/** The rows of the database, each over that of the file which it changes, and those of the file that it leaves alone. */
function overFile(
  database: DatabaseSource,
  list: ConfigSection,
  file: readonly Placed<unknown>[],
): readonly Placed<unknown>[] {
  const [id] = ROWS[list];
  const kept = itemsIn(database, list);
  const known = names(kept, id);
  return [
    ...kept.map((each) => overBeneath(each, file, ROWS[list])),
    ...file.filter(({ row }) => !known.has(textOf(row, id)) && !database.removed[list].has(textOf(row, id))),
  ];
}

/** Removals of the database that find nothing. */
function nothingToRemove(
  database: DatabaseSource,
  { base, mine }: { readonly base: Rows; readonly mine: Rows },
): Layers['faults'] {
  return CONFIG_SECTIONS.flatMap((list) => {
    const [id] = ROWS[list];
    const known = new Set([...names(mine[list], id), ...names(base[list], id)]);
    return [...database.removed[list]].flatMap((name, index) => {
      const message = `there is no ${WORDS[list]} '${name}' to remove${didYouMean(name, known)}`;
      return known.has(name) ? [] : [{ path: ['remove', list, index], message, source: database }];
    });
  });
}

/** A row that changes one beneath it has that one's members where it writes none; not those of another vendor or kind. */
function overBeneath(
  own: Placed<unknown>,
  beneath: readonly Placed<unknown>[],
  [id, sort]: readonly [string, string],
): Placed<unknown> {
  const found = beneath.find(({ row }) => textOf(row, id) !== '' && textOf(row, id) === textOf(own.row, id))?.row;
  if (found === undefined || !isItem(found) || !isItem(own.row)) return own;
  if (own.row[sort] !== undefined && own.row[sort] !== found[sort]) return own;
  return { ...own, row: { ...found, ...own.row } };
}

/** One that leads to others has their kind and offers. */
function modelNeeds({ row }: Placed<unknown>): { readonly id: string; readonly needs: readonly string[] } {
  return { id: 'code', needs: memberOf(row, 'routes') === undefined ? ['kind', 'offers'] : [] };
}

function missingMembers(
  { path, row, source }: Placed<unknown>,
  builtIn: readonly Placed<unknown>[],
  { id, needs }: { readonly id: string; readonly needs: readonly string[] },
): Layers['faults'] {
  const name = textOf(row, id);
  if (!isItem(row) || name === '') return [];
  const missing = needs.filter((member) => row[member] === undefined);
  if (missing.length === 0) return [];
  const known = names(builtIn, id);
  if (known.has(name)) return [];
  const near = didYouMean(name, known);
  const message = `'${name}' is not built in${near}, so it needs ${missing.join(' and ')}`;
  return [{ path: [...path, missing[0] ?? ''], message, source }];
}

/** What a budget needs that changes none beneath it. */
function budgetNeeds({ path, row, source }: Placed<unknown>): Layers['faults'] {
  if (!isItem(row)) return [];
  const missing = ['scope', 'window', 'limit'].filter((member) => row[member] === undefined);
  return missing.map((member) => ({ path: [...path, member], message: `a budget needs its ${member}`, source }));
}

type Rows = Readonly<Record<ConfigSection, readonly Placed<unknown>[]>>;

/** What `remove` says, and what is wrong with it. */
function removalOf(
  own: ConfigSource | undefined,
  builtIn: ConfigSource | undefined,
  { base, mine }: { readonly base: Rows; readonly mine: Rows },
) {
  const remove = memberOf(own?.value, 'remove');
  const models = textsIn(remove, 'models');
  const accounts = textsIn(remove, 'accounts');
  const codes = names(base.models, 'code');
  const accountNames = names(base.accounts, 'name');
  const faults: (ConfigFault & { readonly source: ConfigSource })[] = [];
  const judge = (list: 'models' | 'accounts', written: readonly string[], known: ReadonlySet<string>): void => {
    const owned = names(mine[list], list === 'models' ? 'code' : 'name');
    const word = list === 'models' ? 'model' : 'account';
    for (const [index, name] of written.entries()) {
      const place = { path: ['remove', list, index], source: own as ConfigSource };
      const isKnown = list === 'models' ? [...known].some((code) => matches(name, code)) : known.has(name);
      if (builtIn === undefined) {
        faults.push({ ...place, message: 'with extends: none there is nothing to remove' });
      } else if (owned.has(name)) {
        faults.push({ ...place, message: `the file has the ${word} '${name}' itself; leave out one of the two` });
      } else if (!isKnown) {
        faults.push({ ...place, message: `there is no built-in ${word} '${name}'${didYouMean(name, known)}` });
      }
    }
  };
  judge('models', models, codes);
  judge('accounts', accounts, accountNames);
  return {
    accounts,
    removesModel: (code: string): boolean => models.some((pattern) => matches(pattern, code)),
    faults,
  };
}

/** The offers of a row that keep their account; undefined when that is all of them. */
function offersLeft(row: unknown, removed: ReadonlySet<string>): readonly unknown[] | undefined {
  const offers = memberOf(row, 'offers');
  if (removed.size === 0 || !Array.isArray(offers)) return undefined;
  const left = offers.filter((offer) => !removed.has(textOf(offer, 'account')));
  return left.length === offers.length ? undefined : left;
}

/** A name of the file's own is taken from the built-in row that has it for an alias. */
function withoutAliases(placed: Placed<unknown>, taken: ReadonlySet<string>): Placed<unknown> {
  const aliases = aliasesOf(placed.row);
  if (!aliases.some((alias) => taken.has(alias))) return placed;
  return { ...placed, row: { ...(placed.row as Item), aliases: aliases.filter((alias) => !taken.has(alias)) } };
}

function aliasesOf(row: unknown): readonly string[] {
  return textsIn(row, 'aliases');
}

function itemsIn(source: ConfigSource | undefined, list: string): readonly Placed<unknown>[] {
  const items = memberOf(source?.value, list);
  if (source === undefined || !Array.isArray(items)) return [];
  return items.map((row, index) => ({ path: [list, index], row: row as unknown, source }));
}

function names(rows: readonly Placed<unknown>[], member: string): ReadonlySet<string> {
  return new Set(rows.map(({ row }) => textOf(row, member)).filter((name) => name !== ''));
}

function textOf(value: unknown, member: string): string {
  const found = memberOf(value, member);
  return typeof found === 'string' ? found : '';
}

function textsIn(value: unknown, member: string): readonly string[] {
  const found = memberOf(value, member);
  return Array.isArray(found) ? found.filter((each): each is string => typeof each === 'string') : [];
}

function memberOf(value: unknown, member: string): unknown {
  return isItem(value) ? value[member] : undefined;
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
