import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { perStage, type Stage } from '../core/stage.ts';
import { textOf } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { partsOf, readContents } from './contents.ts';
import { badContent, refuseAsGoogle, refuseUnknownModel } from './errors.ts';
import { abilitiesOf } from './models.ts';
import { CACHED_CONTENT, CACHED_CONTENT_UPDATE, readProto } from './proto.ts';

const ONE = /^\/v1(?:beta)?\/cachedContents\/(?<id>[^/:]+)$/;
const ALL = /^\/v1(?:beta)?\/cachedContents$/;
const LEAST_TOKENS = 1024;
const HOUR_MS = 3_600_000;
const TOKENS_OF_MEDIUM = 258;
/** With a content they would be said twice. */
const BEGINNING = ['systemInstruction', 'tools', 'toolConfig'] as const;

/** Contents that are kept by name (docs/wire/gemini-generate.md#cached-contents). */
export const routes: readonly Route[] = [
  { method: 'POST', path: ALL, operation: 'cache', handle: create },
  { method: 'GET', path: ALL, operation: 'cache', handle: list },
  { method: 'GET', path: ONE, operation: 'cache', handle: (exchange) => exchange.reply(200, shown(find(exchange))) },
  { method: 'PATCH', path: ONE, operation: 'cache', handle: update },
  { method: 'DELETE', path: ONE, operation: 'cache', handle: remove },
];

interface KeptContent {
  readonly name: string;
  readonly model: string;
  readonly displayName: string | undefined;
  readonly beginning: JsonObject;
  readonly tokens: number;
  readonly createdAt: number;
  updatedAt: number;
  expiresAt: number;
}

const contentsOf = perStage(() => new Map<string, KeptContent>());

/** A request with what it begins with in it, and how many tokens of it were kept. */
export function withKeptContent(stage: Stage, body: JsonObject, model: string): { body: JsonObject; kept: number } {
  const { cachedContent: name, ...request } = body;
  if (name === undefined) return { body, kept: 0 };
  const found = contentsOf(stage).get(textOf(name));
  if (found === undefined || found.expiresAt <= stage.now()) throw nowhere();
  if (found.model !== model)
    throw badContent(
      `Model used by GenerateContent request (models/${model}) and CachedContent (models/${found.model}) has to be the same.`,
    );
  if (BEGINNING.some((each) => request[each] !== undefined))
    throw badContent(
      'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
    );
  const contents = [...listOf(found.beginning['contents']), ...listOf(request['contents'])];
  return { body: { ...found.beginning, ...request, contents }, kept: found.tokens };
}

function create(exchange: Exchange): void {
  const { stage } = exchange;
  const body = read(exchange, CACHED_CONTENT);
  const model = /^models\/(.+)$/.exec(textOf(body['model']))?.[1] ?? '';
  refuseUnknownModel(model);
  const beginning: JsonObject = Object.fromEntries(
    Object.entries(body).filter(([name]) => name === 'contents' || BEGINNING.some((each) => each === name)),
  );
  readContents(listOf(beginning['contents']) as JsonObject[], abilitiesOf(model));
  const tokens = tokensIn(beginning);
  if (tokens < LEAST_TOKENS)
    throw badContent(`Cached content is too small. total_token_count=${tokens}, min_total_token_count=${LEAST_TOKENS}`);
  const createdAt = stage.now();
  const { displayName } = body;
  const content: KeptContent = {
    ...{ name: `cachedContents/${stage.newId('c')}`, model, beginning, tokens, createdAt, updatedAt: createdAt },
    displayName: typeof displayName === 'string' ? displayName : undefined,
    expiresAt: endIn(body, createdAt) ?? createdAt + HOUR_MS,
  };
  contentsOf(stage).set(content.name, content);
  exchange.reply(200, shown(content));
}

function update(exchange: Exchange): void {
  const found = find(exchange);
  const now = exchange.stage.now();
  const end = endIn(read(exchange, CACHED_CONTENT_UPDATE), now);
  if (end === undefined) throw badContent('At least one field to update must be set.');
  found.expiresAt = end;
  found.updatedAt = now;
  exchange.reply(200, shown(found));
}

function remove(exchange: Exchange): void {
  contentsOf(exchange.stage).delete(find(exchange).name);
  exchange.reply(200, {});
}

function list(exchange: Exchange): void {
  const now = exchange.stage.now();
  const all = [...contentsOf(exchange.stage).values()].filter(({ expiresAt }) => expiresAt > now);
  exchange.reply(200, { cachedContents: all.map(shown) });
}

function find(exchange: Exchange): KeptContent {
  const found = contentsOf(exchange.stage).get(`cachedContents/${exchange.params['id']}`);
  if (found === undefined || found.expiresAt <= exchange.stage.now()) throw nowhere();
  return found;
}

function nowhere() {
  return refuseAsGoogle(403, { message: 'CachedContent not found (or permission denied)' });
}

function read(exchange: Exchange, shape: typeof CACHED_CONTENT): JsonObject {
  let json: Json;
  try {
    json = JSON.parse(exchange.body.toString('utf8')) as Json;
  } catch {
    throw badContent('Invalid JSON payload received. Unexpected token.');
  }
  const body = readProto(json, shape, '');
  return isJsonObject(body) ? body : {};
}

function endIn({ ttl, expireTime }: JsonObject, now: number): number | undefined {
  if (ttl !== undefined && expireTime !== undefined) throw badContent('Only one of ttl and expire_time can be set.');
  if (ttl === undefined && expireTime === undefined) return undefined;
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(ttl))?.[1];
  const end = seconds === undefined ? Date.parse(textOf(expireTime)) : now + Number(seconds) * 1000;
  if (!Number.isFinite(end) || end <= now) throw badContent('Expiration time must be in the future.');
  return end;
}

function shown({ name, model, displayName, tokens, createdAt, updatedAt, expiresAt }: KeptContent): JsonObject {
  return {
    name,
    model: `models/${model}`,
    ...(displayName !== undefined && { displayName }),
    createTime: new Date(createdAt).toISOString(),
    updateTime: new Date(updatedAt).toISOString(),
    expireTime: new Date(expiresAt).toISOString(),
    usageMetadata: { totalTokenCount: tokens },
  };
}

function tokensIn({ contents, systemInstruction, tools }: JsonObject): number {
  const contentsAll = [...listOf(contents), systemInstruction].filter(isJsonObject);
  const parts = contentsAll.flatMap((content) => partsOf(content));
  const ofParts = parts.reduce(
    (sum, part) => sum + (part['text'] === undefined ? TOKENS_OF_MEDIUM : tokensOf(textOf(part['text']))),
    0,
  );
  return ofParts + (tools === undefined ? 0 : tokensOf(JSON.stringify(tools)));
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
