/** MCP servers in chats, where whoever answers asks them itself: what a request names of them, and how what came of their tools is told (docs/wire/mcp.md#in-chats). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ServerToolPart } from '../conversation.ts';
import { shortHash } from './ids.ts';
import { at, objectOf, objectsOf, readObject, readStrings, readWord, wordOf } from './read.ts';

/** Tools by name, or those that only read; without members all of them. */
export interface ToolFilter {
  readonly names?: readonly string[];
  readonly readOnly?: boolean;
}

/** Before which calls the caller is asked: `always` goes before `never`, and what neither names is as usual. */
export interface ApprovalRule {
  readonly usual: boolean;
  readonly always?: ToolFilter;
  readonly never?: ToolFilter;
}

/** An MCP server as a request names it. What the rest says is not looked at before it is known whose server it is: a vendor’s may have words of its own. */
export interface McpServerName {
  /** Where the request names it: `tools[1]`. */
  readonly place: string;
  readonly raw: JsonObject;
  /** What the caller calls it. */
  readonly label: string;
  readonly url?: string;
  /** It comes with credentials of the caller’s, or is a connector of the vendor’s. */
  readonly hasOwnAccess: boolean;
}

/** What a request says of a server’s tools. */
export interface McpServerRules {
  readonly offered: ToolFilter;
  /** Names of tools that are not offered all the same. */
  readonly hidden: readonly string[];
  readonly approval: ApprovalRule;
}

export type NamedMcpServer = McpServerName & McpServerRules;

/** A tool of a server, as a model is offered it. */
export interface OfferedTool {
  /** As the model calls it. */
  readonly name: string;
  readonly label: string;
  /** As its server calls it. */
  readonly tool: string;
  readonly description?: string;
  readonly schema: JsonObject;
  readonly needsApproval: boolean;
}

/** What came of a call. */
export interface ToolOutcome {
  /** The model’s id of the call. */
  readonly callId: string;
  readonly name: string;
  /** For the model; for the caller, too. */
  readonly text: string;
  /** Absent: the tool has done what it was asked. */
  readonly error?: JsonObject;
}

/** A call that has ended, or waits for its caller. */
export interface ShownCall {
  readonly id: string;
  readonly label: string;
  readonly tool: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  readonly outcome: ToolOutcome;
  /** The request that its caller has approved. */
  readonly approvedAs?: string;
}

/** A call that its caller has decided on. */
export interface DecidedCall {
  readonly requestId: string;
  readonly label: string;
  readonly tool: string;
  readonly arguments: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** What a request is given in place of the servers that it names. */
export interface McpOffer {
  /** Labels of servers that the gateway asks: they are taken out of the request. */
  readonly labels: ReadonlySet<string>;
  readonly tools: readonly OfferedTool[];
  /** The name under which a model is told of an earlier call. */
  readonly nameOf: (label: string, tool: string) => string;
  /** What came of calls that the caller has approved, by the id of the request for it. */
  readonly decided: ReadonlyMap<string, ToolOutcome>;
}

/** How a chat wire speaks of MCP servers; throws nothing but `invalid_request`. */
export interface McpForm {
  /** Whether a request names servers at all. */
  isNamed(body: JsonObject): boolean;
  /** Whether its conversation has something in it that the gateway has asked of servers; absent where answers show nothing of that. */
  remembers?(body: JsonObject): boolean;
  /** The servers that it names; throws nothing. */
  servers(body: JsonObject): readonly McpServerName[];
  /** What it says of one of them. */
  rules(body: JsonObject, name: McpServerName): McpServerRules;
  /** Names of the caller’s own tools. */
  toolNames(body: JsonObject): ReadonlySet<string>;
  /** Whether several answers are asked for. */
  wantsSeveral?(body: JsonObject): boolean;
  /** How many calls the caller allows. */
  mostCalls?(body: JsonObject): number | undefined;
  /** Calls that the caller has decided on and that have not been made; absent where the wire has no approvals. */
  decisions?(body: JsonObject): readonly DecidedCall[];
  /** Labels whose tools the conversation lists already. */
  listed?(body: JsonObject): ReadonlySet<string>;
  /** The request as a model is asked: tools of servers as functions, earlier calls as calls of functions. */
  asked(body: JsonObject, offer: McpOffer): JsonObject;
  /** The request for the next turn: with a whole answer of this wire, and what came of all its calls. */
  continued(body: JsonObject, answer: JsonObject, outcomes: readonly ToolOutcome[]): JsonObject;
  /** How the caller is shown what happened; absent where the wire has no place for it. */
  readonly shown?: {
    readonly list?: (id: string, label: string, tools: readonly OfferedTool[]) => ServerToolPart;
    readonly call: (call: ShownCall) => readonly ServerToolPart[];
    readonly approval?: (id: string, call: Pick<ShownCall, 'label' | 'tool' | 'arguments'>) => ServerToolPart;
  };
}

/** Begins ids of items that the gateway made: vendors’ own have none. */
export const OWN_ID = 'gw_';

export function isOwnMcpId(id: Json | undefined): id is string {
  return typeof id === 'string' && /^(?:mcp|mcpl|mcpr|mcptoolu)_gw_/.test(id);
}

export function passes({ names, readOnly }: ToolFilter, tool: string, isReadOnly: boolean): boolean {
  return (names === undefined || names.includes(tool)) && (readOnly === undefined || readOnly === isReadOnly);
}

/** Whether the caller is asked before a tool is called. */
export function wantsApproval({ usual, always, never }: ApprovalRule, tool: string, isReadOnly: boolean): boolean {
  if (always !== undefined && passes(always, tool, isReadOnly)) return true;
  return never !== undefined && passes(never, tool, isReadOnly) ? false : usual;
}

const LONGEST_NAME = 64;

/** A name that every wire takes, and that none of `taken` has. */
export function functionName(label: string, tool: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = `${label}__${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  const hash = shortHash(`${label}\n${tool}`);
  let name = plain.length <= LONGEST_NAME ? plain : withTail(plain, `_${hash}`);
  for (let round = 2; taken.has(name); round++) name = withTail(plain, `_${hash}_${round}`);
  return name;
}

/** A name is cut behind: its first character is one that names begin with. */
function withTail(name: string, tail: string): string {
  return name.slice(0, LONGEST_NAME - tail.length) + tail;
}

/** The servers among `tools`: OpenAI’s form. */
export function mcpTools({ tools }: JsonObject): readonly McpServerName[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool, index) => {
    const label = isJsonObject(tool) && tool['type'] === 'mcp' ? wordOf(tool['server_label']) : undefined;
    if (!isJsonObject(tool) || label === undefined) return [];
    const headers = Object.keys(objectOf(tool['headers']) ?? {});
    const access = ['connector_id', 'authorization', 'tunnel_id'].some((name) => (tool[name] ?? null) !== null);
    return [
      serverName(tool, at('tools', index), {
        label,
        url: tool['server_url'],
        hasOwnAccess: access || headers.length > 0,
      }),
    ];
  });
}

export function serverName(
  raw: JsonObject,
  place: string,
  {
    label,
    url,
    hasOwnAccess,
  }: { readonly label: string; readonly url: Json | undefined; readonly hasOwnAccess: boolean },
): McpServerName {
  const address = wordOf(url);
  return { place, raw, label, ...(address !== undefined && { url: address }), hasOwnAccess };
}

/** What an entry of `tools` says in OpenAI’s form. */
export function mcpToolRules({ raw, place }: McpServerName, usualApproval: boolean): McpServerRules {
  return {
    offered: readFilter(raw['allowed_tools'], at(place, 'allowed_tools')),
    hidden: [],
    approval: readApproval(raw['require_approval'], at(place, 'require_approval'), usualApproval),
  };
}

export function hasMcpTool({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some((tool) => isJsonObject(tool) && tool['type'] === 'mcp');
}

function readFilter(value: Json | undefined, place: string): ToolFilter {
  if (value === undefined || value === null) return {};
  if (Array.isArray(value)) return { names: readStrings(value, place) };
  const { tool_names: names, read_only: readOnly } = readObject(value, place);
  return {
    ...(names !== undefined && names !== null && { names: readStrings(names, at(place, 'tool_names')) }),
    ...(typeof readOnly === 'boolean' && { readOnly }),
  };
}

function readApproval(value: Json | undefined, place: string, usual: boolean): ApprovalRule {
  if (value === undefined || value === null) return { usual };
  if (typeof value === 'string') return { usual: readWord(value, ['always', 'never'] as const, place) === 'always' };
  const { always, never } = readObject(value, place);
  return {
    usual,
    ...(always !== undefined && always !== null && { always: readFilter(always, at(place, 'always')) }),
    ...(never !== undefined && never !== null && { never: readFilter(never, at(place, 'never')) }),
  };
}

/** `tools` without the servers that the gateway asks, and with their tools as functions. */
export function withFunctions(
  { tools }: JsonObject,
  { labels, tools: offered }: McpOffer,
  write: (tool: OfferedTool) => JsonObject,
): JsonObject {
  const given = Array.isArray(tools) ? tools : [];
  const own = given.filter(
    (tool) => !(isJsonObject(tool) && tool['type'] === 'mcp' && labels.has(wordOf(tool['server_label']) ?? '')),
  );
  const all = [...own, ...offered.map(write)];
  return all.length === 0 ? {} : { tools: all };
}

export function namesOfTools(
  { tools }: JsonObject,
  nameOf: (tool: JsonObject) => Json | undefined,
): ReadonlySet<string> {
  return new Set(objectsOf(tools).flatMap((tool) => wordOf(nameOf(tool)) ?? []));
}
