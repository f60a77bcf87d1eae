import type { Json, JsonObject } from '@model-gateway/contracts';
import type { Account } from './adapter.ts';

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
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), bounded);
}
