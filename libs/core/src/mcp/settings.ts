/** The MCP servers that an operator has listed, and which keys may see them. */
import { matches } from '../keys/pattern.ts';
import type { KeyRecord } from '../ports/keys.ts';

/** Stands between the name of a server and that of its tool or prompt where several servers are one: names of servers have no underscore. */
export const NAME_SEPARATOR = '__';
/** The same between the name of a server and the scheme of its resource. */
export const URI_SEPARATOR = '+';
/** The server of the gateway’s own tools. */
export const OWN_SERVER = 'gateway';

/** An OAuth client of the operator’s: its tokens are fetched by client credentials (RFC 6749, 4.4). */
export interface McpOAuth {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  /** RFC 8707: for which server the token is. */
  readonly resource: string;
}

export interface McpServer {
  readonly name: string;
  readonly url: string;
  /** Sent with every request, credentials among them; they stand in no log and no error. */
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: McpOAuth;
  /** Names of tools, with `*` for any characters. Empty: all. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Names of keys and of groups, likewise; empty: all. */
  readonly keys: readonly string[];
  readonly groups: readonly string[];
  /** Whether test keys reach it: what it does is real. */
  readonly testKeys: boolean;
  /** Of one request, to its last byte. */
  readonly timeoutMs: number;
  /** Bytes of one answer. */
  readonly mostBytes: number;
  /** Of one kind of things that it lists. */
  readonly mostListed: number;
  /** US dollars of one call of a tool. */
  readonly pricePerCall: number;
  /** Chats that are offered its tools although they do not name it; absent: none. */
  readonly offeredTo?: ChatOffer;
}

/** Names of models, keys and groups, with `*` for any characters; of keys and groups an empty list is all. */
export interface ChatOffer {
  readonly models: readonly string[];
  readonly keys: readonly string[];
  readonly groups: readonly string[];
}

/** Bounds of one chat that asks MCP servers. */
export interface ChatBounds {
  /** Answers of the model, the last one among them. */
  readonly turns: number;
  readonly calls: number;
  /** After which no further turn begins. */
  readonly ms: number;
  /** Bytes of one result that the model is told. */
  readonly resultBytes: number;
  readonly tools: number;
}

export interface McpSettings {
  readonly servers: readonly McpServer[];
  /** Whether the gateway’s own tools are there. */
  readonly ownTools: boolean;
  /** Issuers whose clients can get a key for this gateway, as they are told (RFC 9728). */
  readonly authorizationServers: readonly string[];
  readonly chat: ChatBounds;
}

/** Whether a key may see a server. */
export function isVisible(
  { keys, groups, testKeys }: McpServer,
  key: Pick<KeyRecord, 'name' | 'group' | 'mode'>,
): boolean {
  return (key.mode === 'live' || testKeys) && among(keys, key.name) && among(groups, key.group);
}

/** Whether a chat is offered a server’s tools although it does not name it. */
export function isOfferedTo({ offeredTo }: McpServer, model: string, key: Pick<KeyRecord, 'name' | 'group'>): boolean {
  if (offeredTo === undefined) return false;
  const { models, keys, groups } = offeredTo;
  return models.some((pattern) => matches(pattern, model)) && among(keys, key.name) && among(groups, key.group);
}

/** Whether a tool of a server is among those that the operator lets through. */
export function isOffered({ include, exclude }: McpServer, tool: string): boolean {
  return among(include, tool) && !exclude.some((pattern) => matches(pattern, tool));
}

function among(patterns: readonly string[], name: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matches(pattern, name));
}
