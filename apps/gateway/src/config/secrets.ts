/** Keeps secrets out of what is said about a configuration. */

import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** Members whose texts are secrets, whatever is below them. */
export const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'access_key',
  'client_secret',
  'credentials',
  'encryption_key',
  'headers',
  'key',
  'metrics_key',
  'password',
  'secret',
  'secret_key',
  'webhook_secret',
  'webhook_url',
]);
/** What stands for them where a configuration is shown. */
export const HIDDEN = '***';
/** A password in an address. */
const PASSWORD = /(:\/\/[^/@\s:]*):[^/@\s]*@/g;
/** Shorter ones are words that messages are made of. */
const SHORTEST = 6;
const KEY_LIKE = /\b(?:sk|rk|pk|whsec)[-_][A-Za-z0-9_-]{8,}/g;

/** Makes the function that takes out of a message what the file's secrets and the environment say. */
export function createScrubber(value: unknown, fromEnvironment: ReadonlySet<string>): (text: string) => string {
  const secrets = new Set([...fromEnvironment, ...secretsIn(value, false)].filter((text) => text.length >= SHORTEST));
  const longestFirst = [...secrets].sort((left, right) => right.length - left.length);
  return (text) => longestFirst.reduce((said, secret) => said.replaceAll(secret, '…'), text).replace(KEY_LIKE, '…');
}

function secretsIn(value: unknown, secret: boolean): readonly string[] {
  if (typeof value === 'string') return secret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => secretsIn(item, secret || SECRET_MEMBERS.has(name)));
}

/** A configuration as operators may see it: secrets, and whatever came from the environment, are `***`. */
export function withoutSecrets(value: unknown, fromEnvironment: ReadonlySet<string>): JsonObject {
  const secrets = [...fromEnvironment].filter((text) => text.length >= SHORTEST).sort((a, b) => b.length - a.length);
  const hide = (text: string): string =>
    secrets
      .reduce((said, secret) => said.replaceAll(secret, HIDDEN), text)
      .replace(PASSWORD, `$1:${HIDDEN}@`)
      .replace(KEY_LIKE, HIDDEN);
  const copy = (item: unknown, secret: boolean): Json => {
    if (Array.isArray(item)) return item.map((each) => copy(each, secret));
    if (isJsonObject(item))
      return Object.fromEntries(
        Object.entries(item).map(([name, each]) => [name, copy(each, secret || SECRET_MEMBERS.has(name))]),
      );
    if (item === undefined || item === null) return null;
    if (secret) return HIDDEN;
    if (typeof item !== 'string') return item as Json;
    return fromEnvironment.has(item) ? HIDDEN : hide(item);
  };
  const shown = copy(value, false);
  return isJsonObject(shown) ? shown : {};
}
