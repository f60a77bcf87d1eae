/** Faults and warnings that the form of a file does not show: rows that contradict each other, or their vendors. */
import { matches, rowSettings, UNSTATED_LIMITS } from '@model-gateway/core';
import { budgetFaults } from './budgets.ts';
import { accountFaults, offerFaults, type Vendors } from './declared-faults.ts';
import { defaultPriceFaults } from './default-prices.ts';
import type { Path } from './fault.ts';
import { didYouMean } from './nearest.ts';
import { farPrices } from './far-prices.ts';
import { guardrailFaults, guardrailSchema } from './guardrails.ts';
import type { Placed } from './layers.ts';
import { mcpFaults, mcpSchema } from './mcp.ts';
import { defaultModelFaults, routeFaults } from './routes.ts';
import type { ConfigRows } from './rows.ts';
import { FREE, type ConfigFile } from './schema.ts';
import { singleSignOnFaults } from './single-sign-on.ts';
import { vendorWebhookFaults } from './vendor-webhooks.ts';
import type { ConfigSource, PlacedFault } from './source.ts';
import { spendBudgetFaults, spendBudgetWarnings } from './spend-budgets.ts';
import { standsForAnything, wildcardFaults } from './wildcards.ts';

/** What the gateway does not start with. */
export function meaningFaults(rows: ConfigRows, vendors: Vendors): readonly PlacedFault[] {
  const { accounts, models, owners, keys, budgets, accountNames, layers } = rows;
  const byName = new Map(accounts.map(({ row }) => [row.name, row]));
  return [
    ...layers.faults,
    ...twice(accounts, 'name', ({ name }) => name),
    ...twice(accounts, 'id', ({ id }) => id),
    ...twice(models, 'code', ({ code }) => code),
    ...aliasFaults(rows),
    ...twice(owners, 'name', ({ name }) => name),
    ...twice(keys, 'name', ({ name }) => name),
    ...ownerFaults(rows),
    ...keysTwice(keys),
    ...accounts.flatMap(({ path, row, source }) => {
      const isOwn = source !== layers.builtIn && writesCredentials(source.value, path);
      const faults = [...accountFaults(path, row, vendors, isOwn), ...defaultPriceFaults(path, row, vendors)];
      return faults.map((fault) => ({ ...fault, source }));
    }),
    ...budgetFaults(rows),
    ...twice(budgets, 'name', ({ name }) => name),
    ...budgets.flatMap(spendBudgetFaults),
    ...models.flatMap(ownFaults),
    ...models.flatMap(priceFaults),
    ...routingFaults(rows),
    ...guardrailAndMcpFaults(rows),
    ...models.flatMap(({ path, row, source }) => wildcardFaults(path, row).map((fault) => ({ ...fault, source }))),
    ...models.flatMap(({ path, row: model, source }) =>
      model.offers.flatMap((offer, index): PlacedFault[] => {
        const place: Path = [...path, 'offers', index];
        const account = byName.get(offer.account);
        if (account !== undefined) {
          return offerFaults(place, { model, offer, account }, vendors).map((fault) => ({ ...fault, source }));
        }
        if (accountNames.has(offer.account)) return [];
        const message = layers.removedAccounts.has(offer.account)
          ? `the account '${offer.account}' is among those that are removed`
          : `there is no account '${offer.account}'${didYouMean(offer.account, accountNames)}`;
        return [{ path: [...place, 'account'], message, source }];
      }),
    ),
  ];
}

/** Of the file's sections those that have the right form. */
/** Whether the row itself has credentials, not only the built-in one beneath it. */
function writesCredentials(value: unknown, path: Path): boolean {
  const row = path.reduce<unknown>((found, part) => (found as Record<PropertyKey, unknown> | undefined)?.[part], value);
  return (row as { readonly credentials?: unknown } | undefined)?.credentials !== undefined;
}

function routingFaults({ models, layers: { own } }: ConfigRows): readonly PlacedFault[] {
  const given = (own?.value ?? {}) as Pick<ConfigFile, 'groups' | 'server' | 'default_model' | 'console' | 'tasks'>;
  const surroundings = { models, file: given };
  const ofFile =
    own === undefined
      ? []
      : [...defaultModelFaults(surroundings), ...singleSignOnFaults(given), ...vendorWebhookFaults(given)];
  return [...routeFaults(surroundings), ...ofFile.map((fault) => ({ ...fault, source: own as ConfigSource }))];
}

/** Of MCP servers and of guardrails, which may name them, where they have the right form. */
function guardrailAndMcpFaults({ models, layers: { own } }: ConfigRows): readonly PlacedFault[] {
  if (own === undefined) return [];
  const { guardrails: given, groups: rows, mcp } = own.value as Pick<ConfigFile, 'guardrails' | 'groups' | 'mcp'>;
  const groups = Object.keys(rows ?? {});
  const servers = mcpSchema.safeParse(mcp ?? {}).data;
  const guardrails = guardrailSchema.array().safeParse(given ?? []).data;
  const surroundings = {
    models: models.map(({ row }) => row),
    groups,
    mcpServers: (servers?.servers ?? []).map(({ name }) => name),
  };
  return [
    ...(guardrails === undefined ? [] : guardrailFaults(guardrails, surroundings)),
    ...(servers === undefined ? [] : mcpFaults(servers, { groups })),
  ].map((fault) => ({ ...fault, source: own }));
}

/** A key names an owner of the file; one that was made otherwise has a number. */
function ownerFaults({ owners, keys }: ConfigRows): readonly PlacedFault[] {
  const names = owners.map(({ row: { name } }) => name);
  return keys.flatMap(({ path, row: { owner }, source }) => {
    if (typeof owner !== 'string' || names.includes(owner)) return [];
    const message = `owners has no '${owner}'${didYouMean(owner, names)}; of an owner that was made otherwise give the number`;
    return [{ path: [...path, 'owner'], message, source }];
  });
}

/** The shape of a row's body follows from its kind; its end comes last. */
function ownFaults({ path, row, source }: ConfigRows['models'][number]): readonly PlacedFault[] {
  const { bodies } = rowSettings(row.kind);
  const at = (member: string, message: string): PlacedFault => ({ path: [...path, member], message, source });
  const faults: PlacedFault[] = [];
  if (bodies === undefined && row.body !== undefined) {
    faults.push(at('body', `a model of kind ${row.kind} has no body`));
  }
  if (bodies !== undefined && (row.body === undefined || !bodies.includes(row.body))) {
    faults.push(at('body', `a model of kind ${row.kind} needs one of ${bodies.join(', ')}`));
  }
  if (row.kind !== 'chat' && row.body_fields !== undefined) {
    faults.push(at('body_fields', `only chat models take body_fields; this one is of kind ${row.kind}`));
  }
  const { deprecated, retires } = row;
  if (deprecated !== undefined && retires !== undefined && retires < deprecated)
    faults.push(at('retires', `it ends before ${deprecated}, when it is deprecated`));
  return faults;
}

/** What is sold has a price: nothing is given away because a line was forgotten. */
function priceFaults({ path, row, source }: ConfigRows['models'][number]): readonly PlacedFault[] {
  if (Object.keys(row.price ?? {}).length > 0 || row.offers.length === 0) return [];
  const { pricedBy = ['input', 'output'] } = rowSettings(row.kind);
  const line = `price: { ${pricedBy.map((unit) => `${unit}: …`).join(', ')} }`;
  const message = `${row.code} has no price: add ${line} with US dollars, or price: ${FREE} where it costs nothing`;
  return [{ path: [...path, 'price'], message, source }];
}

/** What it starts with, though it can hardly be meant. */
export function meaningWarnings(rows: ConfigRows, groups: readonly string[]): readonly PlacedFault[] {
  const unlisted = rows.accounts.flatMap(({ row: { name, vendor, default_price: price } }) =>
    price === undefined ? [] : [`${name}/*`, `${vendor}/*`],
  );
  const codes = [...rows.models.map(({ row }) => row.code), ...unlisted];
  const used = new Set(rows.models.flatMap(({ row }) => row.offers.map(({ account }) => account)));
  return [
    ...rows.keys.flatMap(({ path, row, source }) => {
      const patterns = (row.models ?? []).flatMap((pattern, index): PlacedFault[] => {
        if (codes.some((code) => matches(pattern, code) || standsForAnything(code, pattern))) return [];
        const message = nothingNamed(pattern, rows.models);
        return [{ path: [...path, 'models', index], message, source }];
      });
      const { group = 'default' } = row;
      if (group === 'default' || groups.length === 0 || groups.includes(group)) return patterns;
      const message = `there is no group '${group}', so its factor is 1${didYouMean(group, groups)}`;
      return [...patterns, { path: [...path, 'group'], message, source }];
    }),
    ...rows.accounts.flatMap(({ path, row, source }) =>
      used.has(row.name) ||
      row.pass_through !== undefined ||
      row.default_price !== undefined ||
      source === rows.layers.builtIn
        ? []
        : [{ path, message: `no row uses the account ${row.name}`, source }],
    ),
    ...rows.budgets.flatMap(spendBudgetWarnings),
    ...rows.models.flatMap(withoutLimits),
    ...rows.models.flatMap((model) => unknownGroups(model, rows, groups)),
    ...farPrices(rows),
    ...orphanWarning(rows),
  ];
}

/** Conditions on groups that neither `groups` nor a declared key names; where `groups` is there, they are faults. */
function unknownGroups(
  { path, row, source }: ConfigRows['models'][number],
  { keys }: ConfigRows,
  groups: readonly string[],
): readonly PlacedFault[] {
  if (groups.length > 0) return [];
  const known = ['default', ...keys.map(({ row: key }) => key.group ?? 'default')];
  return (row.routes ?? []).flatMap(({ when }, index) =>
    (when?.groups ?? []).flatMap((group, place): PlacedFault[] => {
      if (known.includes(group)) return [];
      const message = `no declared key is of the group '${group}', and groups does not name it; only keys that were made otherwise can be${didYouMean(group, known)}`;
      return [{ path: [...path, 'routes', index, 'when', 'groups', place], message, source }];
    }),
  );
}

/** Built-in rows that lost every account by `remove`. */
function orphanWarning({ layers }: ConfigRows): readonly PlacedFault[] {
  const { orphans, own } = layers;
  if (orphans.length === 0 || own === undefined) return [];
  const shown = orphans.slice(0, MOST_SHOWN).join(', ');
  const more = orphans.length > MOST_SHOWN ? ` and ${orphans.length - MOST_SHOWN} more` : '';
  const message = `the built-in ${shown}${more} went with their accounts; name them in remove.models too`;
  return [{ path: ['remove', 'accounts'], message, source: own }];
}

const MOST_SHOWN = 5;

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
function aliasFaults({ models, layers }: ConfigRows): readonly PlacedFault[] {
  const owners = new Map(models.map(({ row: { code } }) => [code, code]));
  const builtIn = new Set(models.filter(({ source }) => source === layers.builtIn).map(({ row: { code } }) => code));
  const takeIt = (code: string): string =>
    builtIn.has(code) ? `, which is built in: remove: { models: [${code}] } frees it` : '';
  return models.flatMap(({ path, row: { code, aliases = [] }, source }) =>
    aliases.flatMap((alias, index): PlacedFault[] => {
      const owner = owners.get(alias);
      if (owner === undefined) {
        owners.set(alias, code);
        return [];
      }
      const message =
        owner === code
          ? `'${alias}' is a name of this row already`
          : `'${alias}' is a name of the model '${owner}'${takeIt(owner)}`;
      return [{ path: [...path, 'aliases', index], message, source }];
    }),
  );
}

const OTHER_ID = 'leave the id out, or write extends: none in a file that is a whole catalogue of its own';

/** Named at the file's own row where the other one is built in. */
function twice<Row extends object>(
  rows: readonly Placed<Row>[],
  field: string,
  valueOf: (row: Row) => string | number,
): readonly PlacedFault[] {
  const first = new Map<string | number, Placed<Row>>();
  return rows.flatMap((later) => {
    const value = valueOf(later.row);
    const earlier = first.get(value);
    if (earlier === undefined) {
      first.set(value, later);
      return [];
    }
    const own = earlier.source === later.source;
    const { path, source } = own ? later : earlier;
    const name = 'name' in later.row ? String(later.row.name) : '';
    const where = own ? '' : `: the account '${name}' of ${later.source.name} has it too; ${OTHER_ID}`;
    return [{ path: [...path, field], message: `'${value}' is there twice${where}`, source }];
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
