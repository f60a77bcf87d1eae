/**
 * What new-api (or One API) keeps: channels, tokens, users and options, out of its SQLite file or as JSON with these lists
 * (https://github.com/QuantumNous/new-api).
 */
import { DatabaseSync } from 'node:sqlite';
import { UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import { Draft, idText, numberIn, objectIn, objectsIn, openAiRoot, textIn } from './draft.ts';
import { accountFor, addOffer, type KnownModels } from './known-models.ts';

/** The built-in account for the number of a channel's type. */
const ACCOUNTS: Readonly<Record<number, string>> = {
  1: 'openai',
  3: 'azure',
  4: 'local',
  8: 'local',
  14: 'anthropic',
  17: 'dashscope',
  20: 'openrouter',
  24: 'gemini',
  25: 'moonshot-cn',
  26: 'zhipu',
  27: 'perplexity',
  33: 'bedrock',
  34: 'cohere',
  35: 'minimax',
  38: 'jina',
  40: 'siliconflow-cn',
  41: 'vertex-ai',
  42: 'mistral',
  43: 'deepseek',
  45: 'ark',
  47: 'local',
  48: 'xai',
  50: 'kling',
  54: 'ark',
  55: 'openai',
};
/** Servers whose address says nothing of the path. */
const USUAL_SERVER = 'http://localhost:11434';
/** Dollars per million input tokens of a ratio of 1. */
const DOLLARS_OF_RATIO = 2;
const ENABLED = 1;

/** What was read of it. */
export interface NewApi {
  readonly channels: readonly JsonObject[];
  readonly tokens: readonly JsonObject[];
  readonly users: readonly JsonObject[];
  /** Values of the table of options, by their names. */
  readonly options: Readonly<Record<string, string>>;
}

/** Reads the file of SQLite; it is not written to. */
export function readNewApiDatabase(file: string): NewApi {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = new Set(
      database
        .prepare("select name from sqlite_master where type = 'table'")
        .all()
        .map(({ name }) => name),
    );
    const rows = (table: string): JsonObject[] =>
      tables.has(table) ? (database.prepare(`select * from ${table}`).all() as JsonObject[]) : [];
    const options = rows('options').map(({ key, value }) => [idText(key), textIn(value) ?? ''] as const);
    const isThere = ({ deleted_at: deleted }: JsonObject): boolean => deleted === null || deleted === undefined;
    return {
      channels: rows('channels'),
      tokens: rows('tokens').filter(isThere),
      users: rows('users').filter(isThere),
      options: Object.fromEntries(options),
    };
  } finally {
    database.close();
  }
}

/** Reads lists of the same rows out of JSON: `{channels, tokens, users, options}`, or an answer of `GET /api/channel/`. */
export function newApiOfJson(value: JsonObject): NewApi {
  const data = value['data'];
  const answer = Array.isArray(data) ? data : objectIn(data)['items'];
  return {
    channels: objectsIn(value['channels'] ?? answer),
    tokens: objectsIn(value['tokens']),
    users: objectsIn(value['users']),
    options: Object.fromEntries(
      Object.entries(objectIn(value['options'])).map(([name, option]) => [
        name,
        typeof option === 'string' ? option : JSON.stringify(option),
      ]),
    ),
  };
}

export function fromNewApi({ channels, tokens, users, options }: NewApi, known: KnownModels): Draft {
  const draft = new Draft();
  const ratios = new Ratios(options);
  for (const [group, ratio] of Object.entries(ratios.groups))
    if (group !== 'default' || ratio !== 1) draft.groups[group] = { factor: ratio };
  for (const channel of channels) addChannel(draft, known, ratios, channel);
  if (tokens.length === 0)
    draft.note(
      'tokens',
      'there are none in what was read: declare their texts as keys, so that callers need no new ones',
    );
  const owners = addUsers(draft, users);
  for (const token of tokens) addToken(draft, owners, token);
  return draft;
}

/** What new-api's administrators set of prices. */
class Ratios {
  readonly groups: Readonly<Record<string, number>>;
  readonly #model: Readonly<Record<string, number>>;
  readonly #completion: Readonly<Record<string, number>>;
  readonly #cache: Readonly<Record<string, number>>;
  readonly #perCall: Readonly<Record<string, number>>;

  constructor(options: Readonly<Record<string, string>>) {
    this.groups = numbersIn(options['GroupRatio']);
    this.#model = numbersIn(options['ModelRatio']);
    this.#completion = numbersIn(options['CompletionRatio']);
    this.#cache = numbersIn(options['CacheRatio']);
    this.#perCall = numbersIn(options['ModelPrice']);
  }

  priceOf(model: string, kind: string): JsonObject | undefined {
    const perCall = this.#perCall[model];
    if (perCall !== undefined)
      return kind === 'video' ? { video: perCall } : kind === 'image' ? { image: perCall } : undefined;
    const ratio = this.#model[model];
    if (ratio === undefined) return undefined;
    const input = rounded(ratio * DOLLARS_OF_RATIO);
    const cache = this.#cache[model];
    return {
      input,
      ...(cache !== undefined && { cached_input: rounded(input * cache) }),
      ...(kind !== 'embedding' && { output: rounded(input * (this.#completion[model] ?? 1)) }),
    };
  }
}

function numbersIn(text: string | undefined): Readonly<Record<string, number>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return Object.fromEntries(
      Object.entries(objectIn(value)).flatMap(([name, each]) => {
        const number = numberIn(each);
        return number === undefined ? [] : [[name, number]];
      }),
    );
  } catch {
    return {};
  }
}

function rounded(dollars: number): number {
  return Number(dollars.toPrecision(10));
}

function addChannel(draft: Draft, known: KnownModels, ratios: Ratios, channel: JsonObject): void {
  const name = textIn(channel['name']) ?? `channel ${idText(channel['id'])}`;
  const place = `channel ${idText(channel['id'])} (${name})`;
  const type = numberIn(channel['type']) ?? 0;
  const base = ACCOUNTS[type];
  if (channel['status'] !== undefined && channel['status'] !== ENABLED)
    return draft.note(place, 'is off, and left out');
  if (base === undefined)
    return draft.note(
      place,
      `is left out: the gateway has no vendor for channels of type ${type}. A server with OpenAI's wire is an account of the vendor openai-compatible`,
    );
  const groups = (textIn(channel['group']) ?? 'default').split(',').filter((group) => group !== '');
  if (groups.some((group) => group !== 'default') && !groups.includes('default'))
    draft.note(place, `serves the groups ${groups.join(', ')} alone: routes with when.groups say the same here`);
  for (const member of ['param_override', 'header_override', 'status_code_mapping', 'other', 'settings', 'setting'])
    if (saysMore(channel[member]))
      draft.note(`${place}.${member}`, 'is not carried over; body_fields and headers of an account are the nearest');
  const mapping = objectIn(jsonIn(channel['model_mapping']));
  const priority = numberIn(channel['priority']) ?? 0;
  const weight = numberIn(channel['weight']) ?? 0;
  const order = { priority: priority === 0 ? undefined : -priority, weight: weight === 0 ? undefined : weight };
  keysOf(channel).forEach((key, index) => {
    const account = accountOf(draft, known, { channel, base, name: index === 0 ? name : `${name} ${index + 1}`, key });
    if (account === undefined) return draft.note(place, 'needs credentials of several parts: set them in its account');
    for (const code of (textIn(channel['models']) ?? '').split(',').filter((each) => each !== '')) {
      const model = textIn(mapping[code]) ?? code;
      addOffer(draft, known, {
        ...{ code, account, deployment: { base, model, ...order }, priceAs: (kind) => ratios.priceOf(code, kind) },
        like: known.model(base, model) ?? known.code(code),
      });
    }
  });
}

function saysMore(value: unknown): boolean {
  return typeof value === 'string' && !['', '{}', 'null'].includes(value.trim());
}

/** Several keys are written one below the other. */
function keysOf(channel: JsonObject): readonly (string | undefined)[] {
  const text = textIn(channel['key']);
  const keys = text?.split('\n').filter((line) => line.trim() !== '') ?? [];
  return keys.length === 0 ? [undefined] : keys;
}

interface ChannelAccount {
  readonly channel: JsonObject;
  readonly base: string;
  readonly name: string;
  readonly key: string | undefined;
}

function accountOf(draft: Draft, known: KnownModels, { channel, base, name, key }: ChannelAccount): string | undefined {
  const url = textIn(channel['base_url']);
  const id = Number(channel['id']);
  const credentials = credentialsOf(draft, { base, key, id });
  if (credentials === undefined) return undefined;
  const baseUrl = url ?? (base === 'local' ? USUAL_SERVER : undefined);
  const isOpenAi = base === 'local' || known.account(base).vendor === 'openai';
  return accountFor(draft, known, {
    base,
    name,
    row: { ...(baseUrl !== undefined && { base_url: isOpenAi ? openAiRoot(baseUrl) : baseUrl }), credentials },
  });
}

function credentialsOf(
  draft: Draft,
  { base, key, id }: { base: string; key: string | undefined; id: number },
): Readonly<Record<string, string>> | undefined {
  const named = (part: string): string => `CHANNEL_${id}_${part}`;
  if (base === 'local') return { api_key: key === undefined ? 'none' : draft.secret(named('KEY'), key) };
  if (key === undefined) return { api_key: `\${${named('KEY')}}` };
  const parts = key.split('|');
  if (base === 'kling' && parts.length === 2)
    return {
      access_key: draft.secret(named('ACCESS_KEY'), parts[0] ?? ''),
      secret_key: draft.secret(named('SECRET_KEY'), parts[1] ?? ''),
    };
  if (base === 'bedrock' && parts.length >= 2)
    return {
      access_key_id: draft.secret(named('ACCESS_KEY_ID'), parts[0] ?? ''),
      secret_access_key: draft.secret(named('SECRET_ACCESS_KEY'), parts[1] ?? ''),
    };
  if (base === 'vertex-ai') return undefined;
  return { api_key: draft.secret(named('KEY'), key) };
}

/** Owners by the number of the user; a user's balance is put in by a command. */
function addUsers(draft: Draft, users: readonly JsonObject[]): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  for (const user of users) {
    const id = numberIn(user['id']) ?? 0;
    const wanted = textIn(user['username']) ?? `user-${id}`;
    const name = /^\d+$/.test(wanted) ? `user-${wanted}` : wanted;
    const group = textIn(user['group']);
    owners.set(id, name);
    draft.owners.push({ name, ...(group !== undefined && group !== 'default' && { group }), credit_limit: 0 });
    const dollars = rounded((numberIn(user['quota']) ?? 0) / UNITS_PER_DOLLAR);
    if (dollars > 0) draft.commands.push(`gateway owners topup ${quoted(name)} ${dollars}`);
  }
  return owners;
}

function quoted(text: string): string {
  return /^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function addToken(draft: Draft, owners: ReadonlyMap<number, string>, token: JsonObject): void {
  const id = idText(token['id']);
  const text = textIn(token['key']);
  const name = `${textIn(token['name']) ?? 'token'}-${id}`;
  const place = `token ${id}`;
  if (text === undefined) return draft.note(place, 'has no key in what was read, and is left out');
  if (token['status'] !== undefined && token['status'] !== ENABLED)
    return draft.note(place, 'is off, expired or used up, and left out');
  const key = draft.secret(`TOKEN_${id}`, text.startsWith('sk-') ? text : `sk-${text}`);
  const isLimited = token['model_limits_enabled'] === true || token['model_limits_enabled'] === 1;
  const models = isLimited ? (textIn(token['model_limits']) ?? '').split(',').filter((each) => each !== '') : [];
  const ranges = (textIn(token['allow_ips']) ?? '')
    .split(/[\n,]/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const expires = numberIn(token['expired_time']) ?? -1;
  const isUnlimited = token['unlimited_quota'] === true || token['unlimited_quota'] === 1;
  const left = rounded((numberIn(token['remain_quota']) ?? 0) / UNITS_PER_DOLLAR);
  const group = textIn(token['group']);
  const owner = owners.get(numberIn(token['user_id']) ?? 0);
  draft.keys.push({
    ...{ name, key },
    ...(owner !== undefined && { owner }),
    ...(group !== undefined && group !== 'auto' && { group }),
    ...(models.length > 0 && { models }),
    ...(ranges.length > 0 && { ip_ranges: ranges }),
    ...(expires > 0 && { expires_at: new Date(expires * 1000).toISOString() }),
    ...(!isUnlimited && { limits: { spend_total: left } }),
  });
  if (group === 'auto') draft.note(place, 'has the group auto: its key has the group of its owner');
}

function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
