/** Where the catalogue differs from what vendors list. */
import { GatewayError, type components, type JsonObject } from '@model-gateway/contracts';
import { accountIdOf, type Catalogue, type GatewayAccount, type ModelRow, type Offer } from '@model-gateway/core';
import type { ListedModel, ModelListAdapter } from '@model-gateway/provider-kit';
import { adapters, vendors } from '../../adapters.ts';
import type { AdminParts } from '../admin-operation.ts';
import { createAccountTester } from '../accounts/account-tester.ts';
import { kindOfListed, limitsOfListed } from '../accounts/drafts.ts';
import { dayOf } from '../values.ts';

type Schemas = components['schemas'];
type Change = Schemas['ModelChange'];

/** What makes a dated name of a model behind its usual one: `gpt-5.2-2025-12-11`, `claude-sonnet-4-5-20250929`, `grok-4-latest`. */
const DATED = /^[-@](?:\d{4}-?\d{2}-?\d{2}|\d{4}|latest)$/;
/** Models that callers made themselves. */
const FINE_TUNED = /^ft:/;

/** Which accounts are asked: all that are on, unless one is named. */
export interface AskedAccounts {
  readonly account?: string | undefined;
  /** Those of this vendor alone, or of this maker behind a compatible wire. */
  readonly vendor?: string | undefined;
}

/** Asks the accounts that are on; one that cannot be asked is told, and hides nothing of the others. Throws `not_found`. */
export async function modelChanges(
  { catalogue, now }: Pick<AdminParts, 'catalogue' | 'now'>,
  asking: AskedAccounts,
): Promise<Schemas['ModelChangeList']> {
  const known = catalogue();
  const chosen = chosenAccounts(known, asking);
  await using tester = createAccountTester(known, now);
  const asked = await Promise.all(chosen.map(async (account) => ({ account, ...(await listed(tester, account)) })));
  return {
    object: 'list',
    data: asked.flatMap(({ account, models }) => (models === undefined ? [] : changesOf(known, account, models))),
    accounts: asked.map(({ account, models, error }) => ({
      account: account.name,
      vendor: account.provider ?? account.vendor,
      lists_models: vendors.get(account.vendor)?.listsModels ?? false,
      listed: models?.length ?? null,
      error: error ?? null,
    })),
  };
}

function chosenAccounts({ accounts }: Catalogue, { account: name, vendor }: AskedAccounts): readonly GatewayAccount[] {
  const chosen = accounts.filter((account) => {
    // Every key of an account sees the same models.
    if (account.id !== accountIdOf(account) || account.twin) return false;
    if (vendor !== undefined && account.vendor !== vendor && account.provider !== vendor) return false;
    return name === undefined ? account.on : account.name === name;
  });
  if (chosen.length > 0) return chosen;
  if (name !== undefined)
    throw new GatewayError('not_found', `there is no account ${name}; GET /admin/accounts lists them`, {
      param: 'account',
    });
  if (vendor !== undefined)
    throw new GatewayError('not_found', `no account of ${vendor} is on; GET /admin/accounts lists them`, {
      param: 'vendor',
    });
  return chosen;
}

async function listed(
  tester: Pick<ReturnType<typeof createAccountTester>, 'list'>,
  account: GatewayAccount,
): Promise<{ readonly models?: readonly ListedModel[]; readonly error?: string }> {
  if (!account.on) return { error: `it is off: ${account.offReason ?? 'its credentials are not complete'}` };
  try {
    const models = await tester.list(account);
    // That a vendor has no list is no fault of anybody's.
    return models === undefined ? {} : { models };
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
  const ids = new Set(list.flatMap(({ id, otherNames = [] }) => [id, ...otherNames]));
  const { kinds, isPartial }: Partial<ModelListAdapter> = adapters.get(account.vendor)?.modelList ?? {};
  const mayBeGone = ({ kind }: ModelRow): boolean => isPartial !== true && kinds?.includes(kind) !== false;
  const hasOwnPrefix = [...offered.values()].some(({ row }) => row.code.startsWith(`${account.name}/`));
  const gone = [...offered].flatMap(([model, { row }]): Change[] =>
    ids.has(model) || !mayBeGone(row)
      ? []
      : [{ ...about(model, row.code), change: 'gone', before: null, after: null, proposal: null }],
  );
  return [
    ...gone,
    ...list.flatMap((model): Change[] => {
      const found = offered.get(model.id);
      if (found !== undefined)
        return differencesOf(found, model).map((change) => ({ ...about(model.id, found.row.code), ...change }));
      if (model.isDeprecated === true || model.otherNames?.some((name) => offered.has(name)) === true) return [];
      if (FINE_TUNED.test(model.id) || isDatedNameOf(model.id, [...offered.keys(), ...ids])) return [];
      // As the account's other models are called.
      const isPrefixed = hasOwnPrefix || names.has(model.id) || account.vendor === 'openai-compatible';
      const name = isPrefixed ? `${account.name}/${model.id}` : model.id;
      return [{ ...about(model.id, null), ...newModel(account, model, name) }];
    }),
  ];
}

function isDatedNameOf(id: string, names: readonly string[]): boolean {
  return names.some((name) => id.startsWith(name) && DATED.test(id.slice(name.length)));
}

type Difference = Omit<Change, 'object' | 'account' | 'model' | 'code'>;

function newModel(account: GatewayAccount, model: ListedModel, name: string): Difference {
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
      name,
      value: {
        kind,
        ...(model.body !== undefined && { body: model.body }),
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
  if (model.isDeprecated === true && row.deprecatedAt === undefined)
    differences.push({ change: 'deprecated', before: null, after: null, proposal: null });
  if (model.retiresAt !== undefined) differences.push(...retirementOf(row, model.retiresAt));
  return differences;
}

/** Nothing where the row has the day; vendors say it as a day or as a moment, and the row as a day in UTC. */
function retirementOf({ code, retiresAt: before }: ModelRow, said: string): Difference[] {
  const at = Date.parse(said);
  const day = Number.isNaN(at) ? undefined : dayOf(at);
  if (day !== undefined && before !== undefined && dayOf(before) === day) return [];
  return [
    {
      change: 'retiring',
      before: before === undefined ? null : { retires_at: dayOf(before) },
      after: { retires_at: said },
      proposal: day === undefined ? null : { name: code, value: { retires: day } },
    },
  ];
}
