/** Which accounts are on, and what those that are off lack. */
import { vendors } from '../adapters.ts';
import { builtInAccounts } from './built-in.ts';
import { isFilled, lacksAddress, listed } from './declared-faults.ts';
import { pathText } from './fault.ts';
import type { ConfigRows } from './rows.ts';
import type { AccountRow } from './schema.ts';

/** An account is on when every credential it names has a value, and its vendor finds enough among them; a local model may name none. */
export function stateOf(placed: ConfigRows['accounts'][number]): { readonly on: boolean; readonly offReason?: string } {
  const { path, row, source } = placed;
  const place = `${pathText(path)}.`;
  const unset = [...source.unset].flatMap(([text, variable]) => (text.startsWith(place) ? [variable] : []));
  const empty = Object.entries(row.credentials ?? {}).flatMap(([name, value]) => (value === '' ? [name] : []));
  if (unset.length === 0 && empty.length === 0 && lacksAddress(row, vendors))
    return { on: false, offReason: `${addressVariable(row)} is not set` };
  if (unset.length === 0 && empty.length === 0 && isFilled(row, vendors)) return { on: true };
  return { on: false, offReason: offReason(row, unset, empty) };
}

/** Names what is missing: variables of the environment where they are known, else members of the row. */
function offReason(row: AccountRow, unset: readonly string[], empty: readonly string[]): string {
  const builtIn = unset.length > 0 || empty.length === 0 ? undefined : builtInAccounts().find(isNamed(row.name));
  const missing =
    unset.length > 0 ? [...new Set(unset)] : empty.map((name) => builtIn?.variables[name] ?? `credentials.${name}`);
  if (missing.length > 0) return `${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} not set`;
  return 'its credentials are not complete';
}

/** What says where the server of a built-in account is. */
function addressVariable({ name }: AccountRow): string {
  const { base_url: url } = builtInAccounts().find(isNamed(name))?.row ?? {};
  return (typeof url === 'string' ? /\$\{(\w+)/.exec(url)?.[1] : undefined) ?? 'base_url';
}

function isNamed(name: string): (account: { readonly name: string }) => boolean {
  return (account) => account.name === name;
}
