import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
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
    if (secret.length >= 4) clean = withoutSecret(clean, secret);
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

/** A text of any length without the account's credentials, in whatever way it spells them. */
export function withoutSecrets(
  text: string,
  { credentials, headers = {} }: Pick<Account, 'credentials' | 'headers'>,
): string {
  return [...Object.values(credentials), ...Object.values(headers)]
    .filter((secret) => secret.length >= SHORTEST_ENCODED)
    .reduce(withoutSecret, text);
}

const SHORTEST_ENCODED = 8;

/** A text without a secret, as it is or in base64, wherever in a longer text that was encoded it stood. */
function withoutSecret(text: string, secret: string): string {
  return spellingsOf(secret).reduce((clean, spelling) => clean.replaceAll(spelling, '[hidden]'), text);
}

/** Base64 spells a text in three ways, by how many bytes stand before it; characters that its neighbours have a part in are left out. */
function spellingsOf(secret: string): readonly string[] {
  const encoded = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const [first, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((way) => bytes.toString(way).slice(first, end));
  });
  return [secret, ...new Set(encoded.filter((spelling) => spelling.length >= SHORTEST_ENCODED))];
}

/** Members that name whose account it is. */
const ACCOUNT_MEMBER =
  /^(?:user_?id|consumer|container_?info|org(?:anization)?(?:_?id)?|project(?:_?id)?|account(?:_?id)?|team(?:_?id)?|api_?key)$/i;
/** A refusal is small. */
const LARGEST_REFUSAL = 64 * 1024;

/** A vendor's refusal fit for a caller of its own wire: every text as `cleanVendorText` has it, without members that name the account. Undefined for what is no refusal's size. */
export function cleanVendorBody(body: Json | undefined, scrub: (text: string) => string): JsonObject | undefined {
  const whole = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(whole) || JSON.stringify(whole).length > LARGEST_REFUSAL) return undefined;
  return cleanMembers(whole, scrub, 0);
}

function cleanMembers(object: JsonObject, scrub: (text: string) => string, depth: number): JsonObject {
  const members = Object.entries(object).filter(([name]) => !ACCOUNT_MEMBER.test(name));
  return Object.fromEntries(members.map(([name, value]) => [scrub(name), cleanValue(value, scrub, depth + 1)]));
}

function cleanValue(value: Json, scrub: (text: string) => string, depth: number): Json {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, scrub, depth + 1));
  return cleanMembers(value, scrub, depth);
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

const MAX_TEXT = 16_384;
const MAX_ITEMS = 500;
const MAX_DEPTH = 32;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,100};base64,/i;
const BASE64 = /^[A-Za-z0-9+/_-]{512}/;
const SECRET_NAME = /key|secret|token|password|private/i;

/** A vendor's body fit to be kept (`data.data`): embedded media and the account's secrets taken out, long texts and lists cut. */
export function storable(payload: Json, account: Pick<Account, 'credentials'>): Json {
  const secrets = Object.entries(account.credentials)
    .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= 8)
    .map(([, value]) => value);
  return clean(payload, secrets, 0);
}

function clean(value: Json, secrets: readonly string[], depth: number): Json {
  if (typeof value === 'string') return cleanText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => clean(item, secrets, depth + 1));
  // fromEntries defines properties: a key named __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, clean(item, secrets, depth + 1)]),
  ) satisfies JsonObject;
}

function cleanText(text: string, secrets: readonly string[]): string {
  if (DATA_URL.test(text) || BASE64.test(text)) return `[media removed: ${text.length} characters]`;
  const bounded = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return secrets.reduce(withoutSecret, bounded);
}
