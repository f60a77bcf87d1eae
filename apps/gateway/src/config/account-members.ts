/** One account with several keys or regions: each is asked, limited and cooled as an account of its own; people see one. */
import { createHash } from 'node:crypto';
import type { VendorDeclaration } from '@model-gateway/provider-kit';
import { derivedId } from './rows.ts';
import type { AccountRow } from './schema.ts';

/** The credential of which an account may have several, as one text with commas between. */
const KEY = 'api_key';

/** A key in a region, as the row of an account that has only these. */
interface MemberRow {
  readonly row: AccountRow;
  /** Its place among those of the account, from 1; absent where it is the only one. */
  readonly number?: number;
  readonly region?: string;
}

/** What a vendor says of the regions that an account of it may have. */
export type RegionDeclaration = Pick<VendorDeclaration, 'regionSetting' | 'hasResources'>;

/** The keys in a text of them, in their places; one that is not set is empty. */
export function keysIn(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split(',').map((key) => key.trim());
}

/** The addresses in a text of them; a comma within an address is part of it. */
export function addressesIn(text: string): readonly string[] {
  return text.split(/\s*,\s*(?=https?:\/\/)/i);
}

/** The addresses of an account with several resources; those of `regions` in place of `base_url`. */
export function resourcesOf({ regions, base_url: base }: Pick<AccountRow, 'regions' | 'base_url'>): readonly string[] {
  return regions ?? (base === undefined ? [] : addressesIn(base));
}

/**
 * What an account is asked by: every key in every region, or every resource with its own key. The first has the id of the account, the others
 * one that follows from key and region, so that what the vendor keeps for one stays with it when others come and go.
 */
export function membersOf(account: AccountRow, declared: RegionDeclaration = {}): readonly MemberRow[] {
  const { regions, ...row } = account;
  const resources = declared.hasResources === true ? resourcesOf(account) : [];
  if (resources.length > 1) return membersAt(row, resources);
  const keys = [...new Set(keysIn(row.credentials?.[KEY]).filter((key) => key !== ''))];
  const { regionSetting } = declared;
  const [address] = resources;
  const isOne = keys.length < 2 && (regions?.length ?? 0) < 2;
  const members = (keys.length === 0 ? [undefined] : keys).flatMap((key) =>
    (regions ?? [undefined]).map((region) => ({ key, region })),
  );
  return members.map(({ key, region }, index) => ({
    row: {
      ...row,
      ...(index > 0 && { id: idOf(row.name, key, region) }),
      ...(address !== undefined && { base_url: address }),
      ...(key !== undefined && { credentials: { ...row.credentials, [KEY]: key } }),
      ...(region !== undefined &&
        regionSetting !== undefined && { settings: { ...row.settings, [regionSetting]: region } }),
    },
    ...(!isOne && { number: index + 1 }),
    ...(region !== undefined && { region: address === undefined ? region : hostOf(region) }),
  }));
}

/** Each resource with the key at its place; other credentials are those of all. */
function membersAt(row: AccountRow, resources: readonly string[]): readonly MemberRow[] {
  const keys = keysIn(row.credentials?.[KEY]);
  return resources.map((address, index) => {
    const key = keys[index];
    return {
      row: {
        ...row,
        ...(index > 0 && { id: idOf(row.name, key, address) }),
        base_url: address,
        ...(key !== undefined && { credentials: { ...row.credentials, [KEY]: key } }),
      },
      number: index + 1,
      region: hostOf(address),
    };
  });
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

function idOf(name: string, key = '', region = ''): number {
  return derivedId(`${name} ${createHash('sha256').update(`${key} ${region}`).digest('hex')}`);
}
