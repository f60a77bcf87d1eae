/** Holds accounts and offers against what their vendors declare: addresses, credentials, settings, quirks, dialects, models. */
import { builtInAccounts } from './built-in.ts';
import {
  isJsonObject,
  type DeclaredField,
  type DeclaredFields,
  type DialectName,
  type Json,
} from '@model-gateway/contracts';
import { kindOf, KINDS } from '@model-gateway/core';
import { accountOn, type AccountDeclaration } from '@model-gateway/provider-kit';
import { dialectFacts } from '@model-gateway/translate';
import type { KnownVendor } from '../adapters.ts';
import { addressesIn, keysIn, resourcesOf } from './account-members.ts';
import type { ConfigFault, Path } from './fault.ts';
import { didYouMean } from './nearest.ts';
import { passThroughFaults } from './pass-through.ts';
import type { AccountRow, ModelFileRow } from './schema.ts';

/** Vendors by the `vendor` word of an account. */
export type Vendors = ReadonlyMap<string, KnownVendor>;
type OfferRow = ModelFileRow['offers'][number];

/** The wire an account names: a field of its own, or a setting. */
export function wireOf(row: AccountRow): string | undefined {
  const said = row.wire ?? row.settings?.['wire'];
  return said === '' ? undefined : said;
}

/** Whether one of the sets that its vendor declares sufficient is filled, by credentials or settings. */
export function isFilled(row: AccountRow, vendors: Vendors): boolean {
  const vendor = vendors.get(row.vendor);
  const declared = vendor === undefined ? undefined : accountOn(vendor.declares, wireOf(row));
  const given = givenNames(row, ([, value]) => value !== '');
  return declared?.sufficient.some((set) => set.every((name) => given.has(name))) ?? false;
}

/** Whether nobody knows where its server is. */
export function lacksAddress(row: AccountRow, vendors: Vendors): boolean {
  const vendor = vendors.get(row.vendor);
  const declared = vendor === undefined ? undefined : accountOn(vendor.declares, wireOf(row));
  return !hasAddress(row, vendor) && declared !== undefined && declared.baseUrl === undefined;
}

function hasAddress(row: AccountRow, vendor: Pick<KnownVendor, 'declares'> | undefined): boolean {
  return row.base_url !== undefined || (vendor?.declares.hasResources === true && row.regions !== undefined);
}

/** Of an account that has the name of a built-in one: that one's address as it is written, with the variable that it waits for. */
function awaitedAddress({ name }: AccountRow): string | undefined {
  const { base_url: text } = builtInAccounts().find((each) => each.name === name)?.row ?? {};
  return typeof text === 'string' ? text : undefined;
}

/** What is said of an account whose server nobody knows. */
function noAddress(name: string, awaited: string | undefined): string {
  const variable = awaited === undefined ? undefined : /\$\{(\w+)\}/.exec(awaited)?.[1];
  if (awaited === undefined || variable === undefined)
    return `${name} has no address of its own; say where the server is`;
  return `nobody says where its server is: set ${variable}, or add the line base_url: '${awaited.replace(`\${${variable}}`, `<${variable}>`)}'`;
}

/**
 * What is wrong with an account, as far as its vendor can say. A built-in account whose variable is unset is off; `isOwn` says that
 * somebody wrote its credentials, and means it to work.
 */
export function accountFaults(path: Path, row: AccountRow, vendors: Vendors, isOwn: boolean): readonly ConfigFault[] {
  const vendor = vendors.get(row.vendor);
  if (vendor === undefined) {
    const known = [...vendors.keys()];
    const message = `'${row.vendor}' is no known vendor; known are ${known.join(', ')}${didYouMean(row.vendor, known)}`;
    return [{ path: [...path, 'vendor'], message }];
  }
  const wire = wireOf(row);
  const declared = accountOn(vendor.declares, wire);
  const faults: ConfigFault[] = [];
  if (declared === undefined) {
    const place = row.wire === undefined ? ['settings', 'wire'] : ['wire'];
    faults.push({ path: [...path, ...place], message: noSuchWire(vendor, wire ?? '') });
  } else {
    const name = wire === undefined ? vendor.id : `${vendor.id} on wire ${wire}`;
    faults.push(...credentialFaults(path, row, { name, declared }));
    // What has no key is off, and asked nothing.
    const isOff = Object.values(row.credentials ?? {}).includes('');
    const awaited = awaitedAddress(row);
    if (!hasAddress(row, vendor) && declared.baseUrl === undefined && !isOff && (isOwn || awaited === undefined))
      faults.push({ path: [...path, 'base_url'], message: noAddress(name, awaited) });
  }
  const wires = vendor.declares.wires === undefined ? {} : { wire: { about: '', type: 'text' } as const };
  // An unknown wire is named above.
  const { wire: _wire, ...settings } = row.settings ?? {};
  const written = Object.entries(settings).filter(([, value]) => value !== '');
  faults.push(
    ...fieldFaults([...path, 'settings'], Object.fromEntries(written), {
      word: 'setting',
      owner: vendor.id,
      declared: [{ ...wires, ...vendor.declares.settings }],
    }),
    ...regionFaults([...path, 'regions'], row, vendor),
    ...dialectFaults([...path, 'dialects'], row.dialects, vendor),
    ...(row.pass_through === undefined
      ? []
      : passThroughFaults([...path, 'pass_through'], row.pass_through, vendor.signsBodies)),
  );
  return faults;
}

/** What is wrong with an offer that its account's vendor cannot serve as it is written. */
export function offerFaults(
  path: Path,
  { model, offer, account }: { readonly model: ModelFileRow; readonly offer: OfferRow; readonly account: AccountRow },
  vendors: Vendors,
): readonly ConfigFault[] {
  const vendor = vendors.get(account.vendor);
  if (vendor === undefined) return [];
  const { name, capability } = kindOf(model);
  if (!vendor.capabilities.includes(capability)) {
    const served = KINDS.filter((kind) => vendor.capabilities.includes(kind.capability)).map((kind) => kind.name);
    const message = `${vendor.id} serves no ${name} models; it serves ${served.join(', ')}`;
    return [{ path: [...path, 'account'], message }];
  }
  const dialects = capability === 'chat' ? dialectsOf(offer, account) : [];
  const faults: ConfigFault[] = [];
  if (capability === 'chat') faults.push(...offerDialectFaults(path, offer, { dialects, vendor }));
  faults.push(
    ...fieldFaults([...path, 'quirks'], offer.quirks ?? {}, {
      word: 'quirk',
      owner: `a ${model.kind} offer of ${vendor.id}`,
      declared: [
        vendor.declares.quirks?.[capability] ?? {},
        ...dialects.map((dialect) => dialectFacts[dialect].quirks),
      ],
    }),
  );
  const settings = { ...account.settings, ...(account.wire !== undefined && { wire: account.wire }) };
  const refusal = vendor.declares.refuseModel?.({ model: offer.model, quirks: offer.quirks ?? {}, settings });
  if (refusal !== undefined) faults.push({ path: [...path, 'model'], message: refusal });
  return faults;
}

/** The wires a chat offer may be asked in: its own, else its account's. */
export function dialectsOf(offer: OfferRow, account: Pick<AccountRow, 'dialects'> | undefined): readonly DialectName[] {
  return offer.dialects ?? (offer.dialect === undefined ? (account?.dialects ?? []) : [offer.dialect]);
}

function regionFaults(path: Path, row: AccountRow, { id, declares }: KnownVendor): readonly ConfigFault[] {
  const { regionSetting: setting, hasResources } = declares;
  if (hasResources === true) return resourceFaults(path, row, id);
  if (row.base_url !== undefined && addressesIn(row.base_url).length > 1)
    return [
      {
        path: [...path.slice(0, -1), 'base_url'],
        message: `an account of ${id} has one address; write an account for each`,
      },
    ];
  if (row.regions === undefined) return [];
  if (setting === undefined)
    return [{ path, message: `${id} has no regions by name; write an account for each, with its base_url` }];
  if (row.base_url !== undefined)
    return [{ path, message: 'the address of a region follows from its name; leave out base_url' }];
  if (row.settings?.[setting] !== undefined)
    return [{ path, message: `regions stand in place of settings.${setting}; leave out one of the two` }];
  return [];
}

/** Resources are addresses, each with a key; Entra ID's credentials are those of all. */
function resourceFaults(path: Path, row: AccountRow, vendor: string): readonly ConfigFault[] {
  if (row.regions !== undefined && row.base_url !== undefined)
    return [{ path, message: 'regions are addresses in place of base_url; leave out one of the two' }];
  const place: Path = row.regions === undefined ? [...path.slice(0, -1), 'base_url'] : path;
  const resources = resourcesOf(row);
  const wrong = resources.find((address) => !URL.canParse(address) || !/^https?:/i.test(address));
  if (wrong !== undefined)
    return [
      { path: place, message: `'${wrong}' is no address of a resource, such as https://my-resource.openai.azure.com` },
    ];
  if (new Set(resources).size < resources.length) return [{ path: place, message: 'an address is there twice' }];
  const keys = keysIn(row.credentials?.['api_key']).length;
  if (resources.length < 2 || keys === 0 || keys === resources.length) return [];
  const message = `${vendor} has ${resources.length} resources and ${keys === 1 ? '1 key' : `${keys} keys`}: write one key for each resource, in the same order`;
  return [{ path: place, message }];
}

function noSuchWire({ id, declares }: KnownVendor, wire: string): string {
  const wires = Object.keys(declares.wires ?? {});
  if (wires.length === 0) return `${id} has one wire only; leave it out`;
  return `${id} has no wire '${wire}'; it has ${wires.join(', ')}${didYouMean(wire, wires)}`;
}

function givenNames(row: AccountRow, counts: (entry: [string, string]) => boolean = () => true): ReadonlySet<string> {
  const given = Object.entries({ ...row.settings, ...row.credentials }).filter(counts);
  return new Set(given.map(([name]) => name));
}

function credentialFaults(
  path: Path,
  row: AccountRow,
  { name, declared }: { readonly name: string; readonly declared: AccountDeclaration },
): readonly ConfigFault[] {
  const known = Object.keys(declared.credentials);
  const unknown = Object.keys(row.credentials ?? {}).filter((one) => !known.includes(one));
  if (unknown.length > 0) {
    return unknown.map((one) => ({
      path: [...path, 'credentials', one],
      message: `unknown credential; ${name} knows ${known.join(', ')}${didYouMean(one, known)}`,
    }));
  }
  const given = givenNames(row);
  if (declared.sufficient.some((set) => set.every((one) => given.has(one)))) return [];
  const sets = declared.sufficient.map((set) => listed(set)).join(', or ');
  const there = known.filter((one) => given.has(one));
  const has = there.length === 0 ? 'there are none' : `there is only ${listed(there)}`;
  return [{ path: [...path, 'credentials'], message: `${name} needs ${sets}; ${has}` }];
}

function dialectFaults(
  path: Path,
  dialects: readonly DialectName[] | undefined,
  { id, dialects: spoken }: KnownVendor,
): readonly ConfigFault[] {
  return (dialects ?? []).flatMap((dialect, index) =>
    spoken.includes(dialect)
      ? []
      : [
          {
            path: [...path, index],
            message: `${id} does not speak ${dialect}; it speaks ${spoken.length === 0 ? 'none' : spoken.join(', ')}`,
          },
        ],
  );
}

function offerDialectFaults(
  path: Path,
  offer: OfferRow,
  { dialects, vendor }: { readonly dialects: readonly DialectName[]; readonly vendor: KnownVendor },
): readonly ConfigFault[] {
  if (dialects.length === 0) {
    const spoken = vendor.dialects.join(', ');
    return [{ path: [...path, 'dialect'], message: `a chat offer needs one of ${spoken}` }];
  }
  if (offer.dialects !== undefined) return dialectFaults([...path, 'dialects'], offer.dialects, vendor);
  // Those of the account are named there.
  if (offer.dialect === undefined) return [];
  return dialectFaults(path, [offer.dialect], vendor).map(({ message }) => ({ path: [...path, 'dialect'], message }));
}

interface FieldOwner {
  readonly word: 'setting' | 'quirk';
  readonly owner: string;
  /** Tables that may each know a name; a value is right when one of them takes it. */
  readonly declared: readonly DeclaredFields[];
}

function fieldFaults(
  path: Path,
  written: Readonly<Record<string, Json>>,
  { word, owner, declared }: FieldOwner,
): readonly ConfigFault[] {
  const known = [...new Set(declared.flatMap((table) => Object.keys(table)))];
  return Object.entries(written).flatMap(([name, value]) => {
    const place = [...path, name];
    const fields = declared.flatMap((table) => (Object.hasOwn(table, name) ? [table[name] as DeclaredField] : []));
    if (fields.length === 0) {
      const list = known.length === 0 ? 'none' : known.join(', ');
      return [{ path: place, message: `unknown ${word}; ${owner} knows ${list}${didYouMean(name, known)}` }];
    }
    return fields.some((field) => takes(field, value)) ? [] : [{ path: place, message: valueFault(fields, value) }];
  });
}

function takes({ type, values }: DeclaredField, value: Json): boolean {
  if (values?.some((one) => one === value) === true) return true;
  if (type === undefined) return false;
  switch (type) {
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'flag':
      return typeof value === 'boolean';
    case 'count':
      return Number.isSafeInteger(value) && (value as number) > 0;
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'names':
      return isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string' && one !== '');
  }
}

const TYPE_WORDS = {
  text: 'a text',
  flag: 'true or false',
  count: 'a whole number from 1',
  texts: 'a list of texts',
  names: 'an object of texts',
} as const;

function valueFault(fields: readonly DeclaredField[], value: Json): string {
  const values = [...new Set(fields.flatMap((field) => field.values ?? []))].map(String);
  const types = [...new Set(fields.flatMap(({ type }) => (type === undefined ? [] : [TYPE_WORDS[type]])))];
  if (types.length > 0) return `must be ${[...types, ...values].join(' or ')}`;
  const near = typeof value === 'string' ? didYouMean(value, values) : '';
  return `${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)} is none of ${values.join(', ')}${near}`;
}

/** `a, b and c` */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
