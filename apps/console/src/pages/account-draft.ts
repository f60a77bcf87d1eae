/** An account as a form has it: what it still needs, and the rows of the configuration that it becomes. Pure. */
import type { Schemas } from '../api/api.ts';

export type Vendor = Schemas['Vendor'];
export type AccountModel = Schemas['AccountModel'];
type Row = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/** What was typed. What is empty is not said. */
export interface AccountDraft {
  readonly name: string;
  readonly baseUrl: string;
  readonly wire: string;
  readonly credentials: Texts;
  readonly settings: Texts;
}

/** The account that is changed; undefined for a new one. */
export type Kept = Pick<Schemas['ConfigEntry'], 'kept' | 'beneath' | 'version'>;

/** In the place of a secret that is kept, and of one that stays. */
const HIDDEN = '***';
const NEW: Kept = { kept: null, beneath: null, version: 0 };

/** The form of an account that is not there yet, or of one that is. */
export function draftOf(vendor: Vendor, name: string, { kept, beneath }: Kept = NEW): AccountDraft {
  const row: Row = { ...beneath, ...kept };
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const typed = (given: unknown): Texts =>
    Object.fromEntries(Object.entries((given ?? {}) as Row).map(([member, value]) => [member, text(value)]));
  const isNew = kept === null && beneath === null;
  return {
    name,
    baseUrl: isNew ? '' : text(kept?.['base_url']),
    wire: text(row['wire']) || (vendor.wire ?? ''),
    // A secret that is kept stays while nothing is typed.
    credentials: Object.fromEntries(
      Object.entries(typed(kept?.['credentials'])).map(([member, value]) => [member, value === HIDDEN ? '' : value]),
    ),
    settings: typed(kept?.['settings']),
  };
}

/** Names of credentials whose secret is stored. */
export const storedSecrets = ({ kept }: Kept = NEW): readonly string[] =>
  Object.entries((kept?.['credentials'] ?? {}) as Row).flatMap(([name, value]) => (value === HIDDEN ? [name] : []));

/** A name that no account has: the vendor's own while it is free. */
export function freeName(vendor: Vendor, names: ReadonlySet<string>): string {
  const wanted = vendor.account === null && vendor.id === 'openai-compatible' ? 'my-server' : vendor.id;
  if (!names.has(wanted)) return wanted;
  for (let number = 2; ; number++) if (!names.has(`${wanted}-${number}`)) return `${wanted}-${number}`;
}

/** Whether an account is off without a credential: a server may be asked without a key, a built-in account that reads one from a variable may not. */
export function needsCredentials({ account, sufficient }: Vendor): boolean {
  if (account === null) return !sufficient.some((set) => set.length === 0);
  const read = Object.values((account['credentials'] ?? {}) as Texts);
  return read.some((text) => text.startsWith('${')) || !sufficient.some((set) => set.length === 0);
}

/** What is missing before anybody can be asked. */
export type Missing =
  | { readonly field: 'name' }
  | { readonly field: 'base_url' }
  | { readonly field: `credentials.${string}`; readonly credential: string };

export function missingIn(vendor: Vendor, draft: AccountDraft, account: Kept = NEW): readonly Missing[] {
  const missing: Missing[] = [];
  if (draft.name.trim() === '') missing.push({ field: 'name' });
  const hasAddress = vendor.base_url !== null && !vendor.base_url.includes('${');
  if (!hasAddress && draft.baseUrl.trim() === '' && (account.beneath?.['base_url'] ?? '') === '')
    missing.push({ field: 'base_url' });
  const stored = storedSecrets(account);
  const own = vendor.account?.['settings'];
  const isThere = (name: string): boolean =>
    (draft.credentials[name] ?? '') !== '' ||
    (draft.settings[name] ?? '') !== '' ||
    stored.includes(name) ||
    ((own ?? {}) as Texts)[name] !== undefined ||
    vendor.credentials.some((each) => each.name === name && each.is_set);
  const sets = needsCredentials(vendor) ? vendor.sufficient.filter((set) => set.length > 0) : [];
  const [usual = []] = sets;
  if (sets.length > 0 && !sets.some((set) => set.every(isThere)))
    missing.push(
      ...usual
        .filter((name) => !isThere(name))
        .map((name) => ({ field: `credentials.${name}`, credential: name }) as const),
    );
  return missing;
}

/** What the configuration keeps of the account. */
export function accountValue(vendor: Vendor, draft: AccountDraft, account: Kept = NEW): Row {
  const isOver = account.beneath !== null;
  const stored = storedSecrets(account);
  const template = isOver ? {} : templateOf(vendor);
  const before: Row = account.kept ?? template;
  // What the form shows is written from the form alone, so that a field can be emptied.
  const { base_url: _address, wire: wireBefore, settings: settingsBefore, credentials: _secrets, ...base } = before;
  const credentials = filled(
    {
      ...Object.fromEntries(stored.map((name) => [name, HIDDEN])),
      ...draft.credentials,
    },
    stored,
  );
  // Credentials are replaced whole: those that come from the environment go on to.
  const fromEnvironment = Object.fromEntries(
    vendor.credentials.flatMap(({ name, variable, is_set: isSet }) =>
      variable !== null && isSet && draft.name === vendor.id ? [[name, `\${${variable}}`]] : [],
    ),
  );
  const settings = filled({
    ...((isOver ? account.beneath?.['settings'] : settingsBefore) as Texts | undefined),
    ...draft.settings,
  });
  const address = draft.baseUrl.trim() || template['base_url'];
  const saysWire = wireBefore !== undefined || draft.wire !== (account.beneath?.['wire'] ?? vendor.wire);
  const hasOwnSettings = Object.values(draft.settings).some((value) => value !== '');
  return {
    ...base,
    ...(Object.keys(credentials).length > 0 && { credentials: { ...fromEnvironment, ...credentials } }),
    ...(address !== undefined && address !== '' && { base_url: address }),
    ...(draft.wire !== '' && saysWire && { wire: draft.wire }),
    ...((hasOwnSettings || (!isOver && Object.keys(settings).length > 0)) && { settings }),
  };
}

/** A further account of a vendor: as the built-in one is, without its name, its id and its credentials. */
function templateOf({ vendor, account }: Vendor): Row {
  const { name: _name, id: _id, credentials: _credentials, ...rest } = account ?? {};
  // Variables are read for credentials alone.
  const plain = Object.entries(rest).filter(([, value]) => !JSON.stringify(value).includes('${'));
  return { ...Object.fromEntries(plain), vendor };
}

/** Without what is empty; a secret that is kept is not emptied by a field that nobody filled. */
function filled(texts: Texts, stored: readonly string[] = []): Texts {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, value]) => {
      if (value.trim() !== '') return [[name, value.trim()]];
      return stored.includes(name) ? [[name, HIDDEN]] : [];
    }),
  );
}

/** What is chosen for a model that the vendor has. */
export interface ModelChoice {
  readonly isOffered: boolean;
  readonly kind: string;
  /** By unit, as typed. */
  readonly price: Texts;
  readonly isFree: boolean;
}

export const choiceOf = (model: AccountModel): ModelChoice => ({
  isOffered: model.offered,
  kind: model.kind,
  price: {},
  isFree: false,
});

/** The price of a choice in the configuration's words; undefined while one is missing. */
export function priceOf(model: AccountModel, choice: ModelChoice, units: readonly string[]): unknown {
  if (model.price !== null) return model.price;
  if (choice.isFree) return 'free';
  const numbers = units.map((unit) => [unit, Number((choice.price[unit] ?? '').trim() || 'none')] as const);
  return numbers.every(([, usd]) => Number.isFinite(usd) && usd >= 0) ? Object.fromEntries(numbers) : undefined;
}

interface Offered {
  readonly account: string;
  readonly model: AccountModel;
  readonly choice: ModelChoice;
  readonly units: readonly string[];
  /** Asked where this one fails; '' for none. */
  readonly fallback: string;
}

/** The row of a model that the account is to offer: a new one, or `present` with one offer more. */
export function offeringRow(
  { account, model, choice, units, fallback }: Offered,
  present: Row | null,
  kept: Row | null,
): Row {
  const offer = { account, model: model.id, ...(model.dialects.length > 0 && { dialects: model.dialects }) };
  const fallbacks = fallback === '' ? {} : { fallbacks: withFallback(present, fallback) };
  // Its own may be there already, where saving stopped behind it and goes on.
  const others = offersIn(present ?? {}).filter((each) => each['account'] !== account || each['model'] !== model.id);
  if (others.length > 0) return { ...kept, offers: [...others, offer], ...fallbacks };
  return {
    kind: choice.kind,
    offers: [offer],
    price: priceOf(model, choice, units),
    ...(Object.keys(model.limits).length > 0 && { limits: model.limits }),
    ...fallbacks,
  };
}

/** The row without the offers of the account; undefined where nobody else offers it. */
export function withdrawnRow(account: string, present: Row | null, kept: Row | null): Row | undefined {
  const others = offersIn(present ?? {}).filter((offer) => offer['account'] !== account);
  return others.length === 0 ? undefined : { ...kept, offers: others };
}

/** What stands in for the model now, which a row replaces whole, and this model after it. */
function withFallback(present: Row | null, fallback: string): Row {
  const fallbacks = present?.['fallbacks'] as Row | undefined;
  const onError = (fallbacks?.['on_error'] ?? []) as readonly string[];
  return { ...fallbacks, on_error: onError.includes(fallback) ? onError : [...onError, fallback] };
}

function offersIn(row: Row): readonly Row[] {
  const { offers } = row;
  return Array.isArray(offers) ? (offers as Row[]) : [];
}

/** `api_key` → `API key`. */
export function fieldName(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/\b(api|id|url|arn)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
