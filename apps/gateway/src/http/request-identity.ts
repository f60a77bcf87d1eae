/** Who a request is made for: its user, its session and its run, as headers, bodies and the ids of agents name them (docs/guides/money.md#who-spent-it). */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { present } from '../present.ts';
import type { Exchange } from './exchange.ts';

const LONGEST = 128;
const LONGEST_PACKED = 4096;
const HASH_LETTERS = 32;
const CONTROLS = /\p{Cc}/u;

/**
 * Where clients send the id of a session, the most deliberate first: ours, Claude Code's (from 2.1.86), Codex's of today and before, those of
 * OpenCode and Qwen Code, and the name that several SDKs use.
 */
const SESSION_HEADERS = [
  'x-gateway-session',
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'conversation_id',
  'x-opencode-session',
  'x-qwen-code-session-id',
  'x-session-id',
] as const;

/** Headers that say who a request is made for. */
export const IDENTITY_HEADERS: readonly string[] = ['x-gateway-user', 'x-gateway-run', ...SESSION_HEADERS];

/** Adds to the caller whom the request is made for. `body` is a JSON body, or the fields of a form. */
export function identify({ headers }: Pick<Request, 'headers'>, exchange: Exchange, body: unknown): void {
  const { knownCaller: caller, session: signedIn } = exchange;
  if (caller === undefined) return;
  const { key, tags, identity: known } = caller;
  const said = isJsonObject(body) ? inBody(body) : undefined;
  // Who signed in and whose key it is are certain, what a request says of itself is not.
  const user =
    known?.user ??
    boundedText(signedIn?.record.person?.name) ??
    key.tags?.['user'] ??
    boundedText(headers['x-gateway-user']) ??
    tags?.['user'] ??
    said?.user;
  const session = known?.session ?? sessionIn(headers) ?? said?.session;
  const run = known?.run ?? boundedText(headers['x-gateway-run']) ?? session;
  if (user === undefined && session === undefined && run === undefined) return;
  exchange.knownCaller = { ...caller, identity: present({ user, session, run }) };
}

function sessionIn(headers: IncomingHttpHeaders): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    // Most requests have none of them.
    const session = value === undefined ? undefined : boundedText(value);
    if (session !== undefined) return session;
  }
  return undefined;
}

/**
 * The names of OpenAI's and Anthropic's formats, which no other format has with another meaning. `prompt_cache_key` comes last: agents send a
 * session's id in it, others one text for all requests.
 */
function inBody(body: JsonObject): Found {
  const { metadata, conversation } = body;
  const more = isJsonObject(metadata) ? metadata : undefined;
  const packed = more === undefined ? undefined : unpacked(more['user_id']);
  return {
    user: boundedText(body['safety_identifier']) ?? boundedText(body['user']) ?? packed?.user,
    session:
      packed?.session ??
      boundedText(more?.['session_id']) ??
      boundedText(isJsonObject(conversation) ? conversation['id'] : conversation) ??
      boundedText(body['prompt_cache_key']),
  };
}

/** What a body says, if anything. */
interface Found {
  readonly user: string | undefined;
  readonly session?: string | undefined;
}

/** `user_<device>_account_<account>_session_<session>`, as Claude Code sent it before 2.1.78. */
const PACKED = /^user_(.+?)_account_(.*?)_session_(.+)$/;

/** Anthropic's `metadata.user_id`. Claude Code packs three ids into it: the one of the account, if there is one, is the user. */
function unpacked(userId: unknown): Found | undefined {
  if (typeof userId !== 'string') return undefined;
  const [, device, account, session] = PACKED.exec(userId.slice(0, LONGEST_PACKED)) ?? [];
  if (session !== undefined)
    return { user: boundedText(account) ?? boundedText(device), session: boundedText(session) };
  if (!userId.startsWith('{') || userId.length > LONGEST_PACKED) return { user: boundedText(userId) };
  try {
    const ids: unknown = JSON.parse(userId);
    if (!isJsonObject(ids)) return { user: boundedText(userId) };
    const { account_uuid: account, device_id: device, session_id: session } = ids;
    return { user: boundedText(account) ?? boundedText(device), session: boundedText(session) };
  } catch {
    return { user: boundedText(userId) };
  }
}

/** A text that databases and pages take: one that is too long, or has control characters, is known by its hash. Nothing of anything else. */
export function boundedText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === '') return undefined;
  if (text.length <= LONGEST && text.isWellFormed() && !CONTROLS.test(text)) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex').slice(0, HASH_LETTERS)}`;
}
