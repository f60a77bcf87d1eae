/** Where the catalogue differs from what vendors list. */
import { GatewayError, type components, type JsonObject } from '@model-gateway/contracts';
import { accountIdOf, type Catalogue, type GatewayAccount, type ModelRow, type Offer } from '@model-gateway/core';
import type { ListedModel } from '@model-gateway/provider-kit';
import { vendors } from '../../adapters.ts';
import type { AdminParts } from '../admin-operation.ts';
import { createAccountTester } from '../accounts/account-tester.ts';
import { kindOfListed, limitsOfListed } from '../accounts/drafts.ts';

type Schemas = components['schemas'];
type Change = Schemas['ModelChange'];

/** What makes a dated name of a model behind its usual one: `gpt-5.2-2025-12-11`, `claude-sonnet-4-5-20250929`, `grok-4-latest`. */
const DATED = /^[-@](?:\d{4}-?\d{2}-?\d{2}|\d{4}|latest)$/;
/** Models that callers made themselves. */
const FINE_TUNED = /^ft:/;

/** Asks the accounts that are on; one that cannot be asked is told, and hides nothing of the others. Throws `not_found`. */
export async function modelChanges(
  { catalogue, now }: Pick<AdminParts, 'catalogue' | 'now'>,
  name: string | undefined,
): Promise<Schemas['ModelChangeList']> {
  const known = catalogue();
  const chosen = known.accounts.filter((account) => {
    // Every key of an account sees the same models.
    if (account.id !== accountIdOf(account)) return false;
    return name === undefined ? account.on && !account.twin : account.name === name;
  });
  if (name !== undefined && chosen.length === 0)
    throw new GatewayError('not_found', `there is no account ${name}; GET /admin/accounts lists them`, {
      param: 'account',
    });
  await using tester = createAccountTester(known, now);
  const asked = await Promise.all(chosen.map(async (account) => ({ account, ...(await listed(tester, account)) })));
  return {
    object: 'list',
    data: asked.flatMap(({ account, models }) => (models === undefined ? [] : changesOf(known, account, models))),
    accounts: asked.map(({ account, models, error }) => ({
      account: account.name,
      listed: models?.length ?? null,
      error: error ?? null,
    })),
  };
}

async function listed(
  tester: Pick<ReturnType<typeof createAccountTester>, 'list'>,
  account: GatewayAccount,
): Promise<{ readonly models?: readonly ListedModel[]; readonly error?: string }> {
  if (!account.on) return { error: `it is off: ${account.offReason ?? 'its credentials are not complete'}` };
  try {
    const models = await tester.list(account);
    return models === undefined ? { error: 'its vendor has no list of models' } : { models };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { error: error.message };
  }
}

interface Offered {
  readonly row: ModelRow;
  readonly offer: Offer;
}

function changesOf({ models, aliases }: Catalogue, account: GatewayAccount, list: readonly ListedModel[]): Change[] {
  const offered = new Map<string, Offered>();
  for (const row of models.values())
    for (const offer of row.offers)
      if (offer.account.id === account.id && !offer.model.includes('*')) offered.set(offer.model, { row, offer });
  const names = new Set([...models.keys(), ...(aliases?.keys() ?? [])]);
  const about = (model: string, code: string | null): Pick<Change, 'object' | 'account' | 'model' | 'code'> => ({
    ...{ object: 'model_change', account: account.name, model, code },
  });
  const ids = new Set(list.map(({ id }) => id));
  const gone = [...offered].flatMap(([model, { row }]): Change[] =>
    ids.has(model) ? [] : [{ ...about(model, row.code), change: 'gone', before: null, after: null, proposal: null }],
  );
  return [
    ...gone,
    ...list.flatMap((model): Change[] => {
      const found = offered.get(model.id);
      if (found !== undefined)
        return differencesOf(found, model).map((change) => ({ ...about(model.id, found.row.code), ...change }));
      if (FINE_TUNED.test(model.id) || isDatedNameOf(model.id, [...offered.keys(), ...ids])) return [];
      return [{ ...about(model.id, null), ...newModel(account, model, names) }];
    }),
  ];
}

function isDatedNameOf(id: string, names: readonly string[]): boolean {
  return names.some((name) => id.startsWith(name) && DATED.test(id.slice(name.length)));
}

type Difference = Omit<Change, 'object' | 'account' | 'model' | 'code'>;

function newModel(account: GatewayAccount, model: ListedModel, names: ReadonlySet<string>): Difference {
  const kind = kindOfListed(model.id, model);
  const [dialect] = kind === 'chat' ? (vendors.get(account.vendor)?.dialects ?? []) : [];
  const limits = limitsOfListed(model);
  const said = {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(model.price !== undefined && { price: { ...model.price } }),
  };
  return {
    change: 'new',
    before: null,
    after: said,
    proposal: {
      // Vendors of lists have their name before the slash, as their built-in models do.
      name: names.has(model.id) || account.vendor === 'openai-compatible' ? `${account.name}/${model.id}` : model.id,
      value: {
        kind,
        offers: [{ account: account.name, model: model.id, ...(dialect !== undefined && { dialect }) }],
        ...said,
      },
    },
  };
}

/** Members that the vendor says otherwise. A price is proposed whole: members beside it stay as they are. */
function differencesOf({ row, offer }: Offered, model: ListedModel): Difference[] {
  const differences: Difference[] = [];
  const other = (before: JsonObject, after: JsonObject): string[] =>
    Object.keys(after).filter((member) => before[member] !== undefined && before[member] !== after[member]);
  const propose = (change: 'limits' | 'price', before: JsonObject, after: JsonObject): void => {
    const members = other(before, after);
    if (members.length === 0) return;
    const only = (values: JsonObject): JsonObject =>
      Object.fromEntries(members.map((member) => [member, values[member] ?? null]));
    differences.push({
      ...{ change, before: only(before), after: only(after) },
      proposal: { name: row.code, value: { [change]: { ...before, ...only(after) } } },
    });
  };
  propose('limits', row.limits, limitsOfListed(model));
  // Where several accounts serve a model, its price is none of theirs alone.
  if (
    model.price !== undefined &&
    row.offers.every(({ account }) => account.twin || accountIdOf(account) === accountIdOf(offer.account))
  )
    propose('price', { ...row.price }, { ...model.price });
  if (model.retiresAt !== undefined)
    differences.push({ change: 'retiring', before: null, after: { retires_at: model.retiresAt }, proposal: null });
  return differences;
}
