/** One account with several keys or regions: each is asked, limited and cooled as an account of its own; people see one. */
import { createHash } from 'node:crypto';
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

/** The keys in a text of them. */
function keysOf(text: string): readonly string[] {
  return [...new Set(text.split(',').map((key) => key.trim()))].filter((key) => key !== '');
}

/**
 * What an account is asked by: every key in every region. The first has the id of the account, the others one that follows from key and region, so
 * that what the vendor keeps for one stays with it when others come and go. `regionSetting` is where the vendor reads the region.
 */
export function membersOf(account: AccountRow, regionSetting: string | undefined): readonly MemberRow[] {
  const { regions, ...row } = account;
  const said = row.credentials?.[KEY];
  const keys = said === undefined ? [] : keysOf(said);
  const isOne = keys.length < 2 && (regions?.length ?? 0) < 2;
  const members = (keys.length === 0 ? [undefined] : keys).flatMap((key) =>
    (regions ?? [undefined]).map((region) => ({ key, region })),
  );
  return members.map(({ key, region }, index) => ({
    row: {
      ...row,
      ...(index > 0 && { id: idOf(row.name, key, region) }),
      ...(key !== undefined && { credentials: { ...row.credentials, [KEY]: key } }),
      ...(region !== undefined &&
        regionSetting !== undefined && { settings: { ...row.settings, [regionSetting]: region } }),
    },
    ...(!isOne && { number: index + 1 }),
    ...(region !== undefined && { region }),
  }));
}

function idOf(name: string, key = '', region = ''): number {
  return derivedId(`${name} ${createHash('sha256').update(`${key} ${region}`).digest('hex')}`);
}
