/** Accounts before they are kept: whom they can be made for, whether their vendor takes them, which models they could offer. */
import type { components, JsonObject } from '@model-gateway/contracts';
import { KINDS, likelyKind, MODEL_KINDS, rowSettings, type GatewayAccount, type ModelKind } from '@model-gateway/core';
import { baseUrlOf, type ListedModel } from '@model-gateway/provider-kit';
import { vendors, type KnownVendor } from '../../adapters.ts';
import { builtInAccounts, type BuiltInAccount } from '../../config/built-in.ts';
import { buildCatalogue } from '../../config/catalogue.ts';
import type { Config } from '../../config/config.ts';
import { dialectsOf } from '../../config/declared-faults.ts';
import type { SaidFault } from '../../config/fault.ts';
import { given } from '../../config/interpolate.ts';
import type { AdminParts } from '../admin-operation.ts';
import type { AuditedStore } from '../audit/audited.ts';
import { faultView } from '../config-entries/view.ts';
import { plannedAccount } from '../config-entries/service.ts';
import { createAccountTester, type AccountTester } from './account-tester.ts';

type Schemas = components['schemas'];
type Row = Config['models'][number];
type AccountRow = Config['accounts'][number];

const MOST_MODELS = 2000;
type DraftParts = Pick<AdminParts, 'store' | 'configuration' | 'now'>;

/** Every built-in account, and the vendors that have none: any account can be made for them. */
export function vendorViews(env: Readonly<Record<string, string | undefined>>): Schemas['Vendor'][] {
  const builtIn = builtInAccounts().flatMap((account) => {
    const vendor = vendors.get(account.vendor);
    return vendor === undefined ? [] : [vendorView(vendor, account, env)];
  });
  // A built-in account has the address of one maker; a server of the operator's own has another.
  const plain = [...vendors.values()].filter(({ id }) => !builtIn.some((view) => view.id === id));
  return [...builtIn, ...plain.map((vendor) => vendorView(vendor, undefined, env))];
}

function vendorView(
  { id, declares, listsModels, capabilities }: KnownVendor,
  account: BuiltInAccount | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Schemas['Vendor'] {
  const row = (account?.row ?? {}) as Partial<AccountRow>;
  const settings = row.settings ?? {};
  const wire = row.wire ?? null;
  const declared = { ...declares, ...(wire === null ? {} : declares.wires?.[wire]) };
  const variables = account?.variables ?? {};
  return {
    object: 'vendor',
    id: account?.name ?? id,
    title: declares.providerTitles?.[settings['provider'] ?? account?.name ?? ''] ?? declares.title,
    keywords: account === undefined ? [...(declares.keywords ?? [])] : [],
    vendor: id,
    account: account?.row ?? null,
    base_url: row.base_url ?? baseUrlOf(declared, settings) ?? null,
    wire,
    wires: Object.keys(declares.wires ?? {}),
    credentials: Object.entries(declared.credentials).map(([name, { about, secret }]) => {
      const variable = variables[name];
      const isSet = variable !== undefined && given(env[variable]) !== undefined;
      return { name, about, secret, variable: variable ?? null, is_set: isSet };
    }),
    sufficient: declared.sufficient.map((set) => [...set]),
    settings: Object.entries(declares.settings ?? {}).map(([name, { about, values = [] }]) => ({
      name,
      about,
      values: values.map(String),
      default: settings[name] ?? null,
    })),
    lists_models: listsModels,
    priced_by: Object.fromEntries(
      KINDS.filter(({ capability }) => capabilities.includes(capability)).flatMap(({ rows }) =>
        (Object.keys(rows) as ModelKind[])
          // What a row of these must say beside its price is said in its JSON.
          .filter((kind) => rows[kind]?.bodies === undefined)
          .map((kind) => [kind, [...(rowSettings(kind).pricedBy ?? ['input', 'output'])]]),
      ),
    ),
  };
}

/** Tries an account as it would be kept. Nothing is kept of it but who had which host asked. */
export async function testAccountDraft(
  { store, configuration, now }: DraftParts,
  { name, value, model }: Schemas['AccountDraft'],
  audited: Pick<AuditedStore, 'record'>,
): Promise<Schemas['AccountDraftTest']> {
  const began = performance.now();
  const { entries } = await store.configEntries.all();
  const planned = plannedAccount(configuration, entries, { name, value: value as JsonObject });
  const view = (result: Partial<Schemas['AccountDraftTest']>): Schemas['AccountDraftTest'] => ({
    object: 'account_draft_test',
    name,
    ok: false,
    finding: 'invalid',
    message: '',
    status: null,
    ms: Math.round(performance.now() - began),
    faults: [],
    models: [],
    models_from: null,
    ...result,
  });
  if ('faults' in planned) return view({ message: faultsText(planned.faults), faults: planned.faults.map(faultView) });
  const { config } = planned;
  const catalogue = buildCatalogue(config, vendors, undefined);
  const members = catalogue.accounts.filter((each) => each.name === name);
  const [account] = members;
  const row = config.accounts.find((each) => each.name === name);
  if (account === undefined || row === undefined) throw new Error('an account that fits is not in the catalogue');
  // Whoever may try accounts can have any host asked: that is not unseen.
  if (account.on)
    await audited.record({
      action: 'account.test',
      subject: `accounts/${name}`,
      after: { vendor: account.vendor, host: hostsOf(members) },
    });
  await using tester: AccountTester = createAccountTester(catalogue, now);
  const { verdict, models: listed } = await tester.testDraft(members, model);
  const models = modelsOf(config, { row, account }, listed);
  return view({
    ...verdict,
    status: verdict.status ?? null,
    ms: Math.round(performance.now() - began),
    models: models.slice(0, MOST_MODELS),
    models_from: listed !== undefined ? 'vendor' : models.length > 0 ? 'catalogue' : null,
  });
}

/** Regions have hosts of their own. */
function hostsOf(members: readonly GatewayAccount[]): string {
  return [...new Set(members.map(({ baseUrl }) => new URL(baseUrl).host))].join(', ');
}

function faultsText(faults: readonly SaidFault[]): string {
  return faults.map(({ message }) => message).join('; ');
}

interface Drafted {
  readonly row: AccountRow;
  readonly account: GatewayAccount;
}

interface Known {
  readonly row: Row;
  readonly offer: Row['offers'][number];
  readonly isOwn: boolean;
}

/** What the vendor lists, each as the catalogue knows it from this account or from others of the same maker; without a list what the catalogue knows. */
function modelsOf(
  { models, accounts }: Pick<Config, 'models' | 'accounts'>,
  { row: draft }: Drafted,
  listed: readonly ListedModel[] | undefined,
): Schemas['AccountModel'][] {
  const alike = new Set(accounts.filter((each) => isSameMaker(each, draft)).map((each) => each.name));
  const known = new Map<string, Known>();
  for (const row of models)
    for (const offer of row.offers) {
      const isOwn = offer.account === draft.name;
      if (!offer.model.includes('*') && (isOwn || (alike.has(offer.account) && !known.has(offer.model))))
        known.set(offer.model, { row, offer, isOwn });
    }
  const codes = new Set(models.flatMap(({ code, aliases = [] }) => [code, ...aliases]));
  const viewOf = (id: string, sizes?: ListedModel): Schemas['AccountModel'] => {
    const found = known.get(id);
    const kind = found?.row.kind ?? kindOfListed(id, sizes);
    return {
      id,
      // Somebody else's model of the same name keeps it.
      code: found?.row.code ?? (codes.has(id) ? `${draft.name}/${id}` : id),
      kind,
      offered: found?.isOwn ?? false,
      price: found?.row.price === undefined ? null : { ...found.row.price },
      limits: { ...(sizes !== undefined && limitsOfListed(sizes)), ...found?.row.limits },
      dialects:
        kind !== 'chat'
          ? []
          : found === undefined
            ? [...(draft.dialects ?? vendors.get(draft.vendor)?.dialects.slice(0, 1) ?? [])]
            : [...dialectsOf(found.offer, draft)],
    };
  };
  if (listed !== undefined) return listed.map((each) => viewOf(each.id, each));
  return [...known.keys()].map((id) => viewOf(id));
}

/** Whether two accounts are asked for the same models: of one vendor and, behind a compatible wire, of one maker. */
function isSameMaker(one: AccountRow, other: AccountRow): boolean {
  if (one.vendor !== other.vendor || one.wire !== other.wire) return false;
  const [maker, its] = [one.settings?.['provider'], other.settings?.['provider']];
  if (vendors.get(one.vendor)?.declares.settings?.['provider'] === undefined) return true;
  return maker !== undefined && maker === its;
}

/** The vendor's word goes before the name. */
export function kindOfListed(id: string, listed: Pick<ListedModel, 'kind'> | undefined): ModelKind {
  return MODEL_KINDS.find((kind) => kind === listed?.kind) ?? likelyKind(id);
}

/** How long its conversations may be, as a row of the catalogue says it. */
export function limitsOfListed({ maxInputTokens, maxOutputTokens }: ListedModel): JsonObject {
  return {
    ...(maxInputTokens !== undefined && { max_input_tokens: maxInputTokens }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  };
}
