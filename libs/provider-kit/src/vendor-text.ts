import type { Account } from './adapter.ts';

const MAX_LENGTH = 1000;
const KEY_LIKE = /\b(?:sk|rk|pk|ak|AKID|AIza|Bearer)[-_ ]?[A-Za-z0-9_\-.*]{12,}/g;
const ORGANISATION = /\b(?:org|proj)-[A-Za-z0-9]{6,}/g;
const REQUEST_ID = /[,;.(]?\s*\(?\brequest[ _-]?id\b\s*[:=]?\s*[A-Za-z0-9_-]{6,}\)?/gi;
const ADDRESS = /https?:\/\/[^\s"'<>)]+/g;

/** Settings that say whose account it is. */
const OWNERS = ['project', 'project_id'];

/** A vendor's sentence fit for a caller: no credentials, hosts, organisation, project or request ids; bounded. */
export function cleanVendorText(
  text: string,
  account: Pick<Account, 'name' | 'baseUrl' | 'credentials' | 'headers'> & Partial<Pick<Account, 'settings'>>,
): string {
  let clean = text.length > MAX_LENGTH * 4 ? text.slice(0, MAX_LENGTH * 4) : text;
  for (const secret of [...Object.values(account.credentials), ...Object.values(account.headers ?? {})]) {
    if (secret.length >= 4) clean = clean.replaceAll(secret, '[hidden]');
  }
  for (const name of OWNERS) {
    const owner = account.settings?.[name] ?? '';
    if (owner.length >= 4) clean = clean.replaceAll(owner, '[hidden]');
  }
  clean = clean
    .replace(KEY_LIKE, '[hidden]')
    .replace(ORGANISATION, '[hidden]')
    .replace(REQUEST_ID, '')
    .replace(ADDRESS, (address) => (address.startsWith(account.baseUrl) ? '[vendor]' : address))
    .replaceAll(hostOf(account.baseUrl), '[vendor]')
    .trim();
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}
