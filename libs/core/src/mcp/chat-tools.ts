/** The tools of MCP servers that one chat is offered, and the calls that its model makes of them. */
import { GatewayError, isJsonObject, type ErrorCode, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  dialects,
  functionName,
  passesFilter,
  wantsApproval,
  type McpForm,
  type McpOffer,
  type McpServerName,
  type NamedMcpServer,
  type OfferedTool,
  type ToolOutcome,
} from '@model-gateway/translate';
import type { ChatCall, ChatTrace } from '../kinds/chat/types.ts';
import { addFurther, newTrace } from '../paid/trace.ts';
import type { Parts } from '../parts.ts';
import { guardedName } from './guarded-calls.ts';
import { wordsOf, type ChatServer, type McpService } from './mcp-service.ts';
import { cleanResult, codeOfFault, RpcFault } from './protocol.ts';
import { isOfferedTo, type ChatBounds } from './settings.ts';

export interface McpChatOptions {
  readonly service: McpService;
  readonly parts: Pick<Parts, 'catalogue' | 'now' | 'randomId' | 'publicUrl' | 'log'>;
  /** For what is asked beside the caller’s own request. */
  readonly newRequestId: () => string;
}

/** What is to be known of a chat. */
export type ToolCaller = Pick<ChatCall, 'caller' | 'dialect' | 'body' | 'model'>;

export interface ChatToolsOptions extends McpChatOptions {
  readonly bounds: ChatBounds;
}

/** A server that a chat may use, by the caller’s name of it. */
interface ChosenServer extends ChatServer {
  readonly label: string;
  /** Absent: it is offered by the operator. */
  readonly named?: NamedMcpServer;
}

/** A call as a model, or its caller, asks for it. */
export interface AskedCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

/** What ends an answer instead of being told to the model: it is about the caller, not about the tool. */
const ENDS_THE_ANSWER: ReadonlySet<ErrorCode> = new Set([
  'insufficient_quota',
  'run_limit_reached',
  'rate_limited',
  'internal',
]);
const LONGEST_WORDS = 2000;
const LONGEST_LABEL = 64;

export class ChatTools {
  readonly offered: readonly OfferedTool[];
  /** Labels of servers whose tools the caller is shown. */
  readonly labels: ReadonlySet<string>;
  readonly form: McpForm;
  readonly #sources: ReadonlyMap<string, ChatServer>;
  readonly #call: ToolCaller;
  readonly #trace: ChatTrace;
  readonly #options: ChatToolsOptions;
  readonly #most: number;
  #calls = 0;

  private constructor(
    call: ToolCaller,
    trace: ChatTrace,
    options: ChatToolsOptions,
    { chosen, offered }: { readonly chosen: readonly ChosenServer[]; readonly offered: readonly OfferedTool[] },
  ) {
    this.#call = call;
    this.#trace = trace;
    this.#options = options;
    this.form = formOf(call);
    this.offered = offered;
    this.labels = new Set(chosen.map(({ label }) => label));
    this.#sources = new Map(chosen.map((each) => [each.label, each]));
    this.#most = Math.min(options.bounds.calls, this.form.mostCalls?.(call.body.json) ?? Infinity);
  }

  /** Undefined where the chat has nothing to do with the operator’s servers. Throws where it names one that it may not use, or one that fails. */
  static async open(call: ToolCaller, trace: ChatTrace, options: ChatToolsOptions): Promise<ChatTools | undefined> {
    const form = formOf(call);
    const chosen = chosenServers(call, options);
    if (chosen.length === 0 && form.remembers?.(call.body.json) !== true) return undefined;
    const offered: OfferedTool[] = [];
    const taken = new Set(form.toolNames(call.body.json));
    const left: string[] = [];
    const listings = await Promise.all(chosen.map((each) => toolsOf(each, options)));
    for (const [index, each] of chosen.entries()) {
      const found = listings[index];
      if (found === undefined) left.push(`mcp/${each.label}`);
      const room = options.bounds.tools - offered.length;
      if (found !== undefined && found.length > room && each.named !== undefined)
        throw tooMany(each.named, options.bounds);
      for (const tool of (found ?? []).slice(0, room)) {
        const name = functionName(each.label, tool.tool, taken);
        taken.add(name);
        offered.push({ ...tool, name });
      }
    }
    if (left.length > 0)
      options.parts.log.warn({ request_id: call.caller.requestId, left }, 'a chat goes without tools of an MCP server');
    const asked = chosen.filter((_each, index) => listings[index] !== undefined);
    return new ChatTools(call, trace, options, { chosen: asked, offered });
  }

  offer(decided: ReadonlyMap<string, ToolOutcome>): McpOffer {
    const { labels, offered } = this;
    const nameOf = (label: string, tool: string): string =>
      offered.find((each) => each.label === label && each.tool === tool)?.name ?? functionName(label, tool);
    return { labels, tools: offered, nameOf, decided };
  }

  named(name: string): OfferedTool | undefined {
    return this.offered.find((tool) => tool.name === name);
  }

  /** Calls a tool. What goes wrong with it is an outcome, too; throws what ends the answer. */
  async run(tool: OfferedTool, asked: AskedCall): Promise<ToolOutcome> {
    const { callId, name } = asked;
    const failed = (text: string, error: JsonObject = protocolError(text)): ToolOutcome => ({
      callId,
      name,
      text: `Error: ${text}`,
      error,
    });
    if (++this.#calls > this.#most) return failed(`the limit of ${this.#most} calls for one answer is reached`);
    const args = argumentsIn(asked.arguments);
    if (args === undefined) return failed('the arguments are not a JSON object');
    try {
      const result = await this.#asked(tool, args);
      const text = this.#textOf(result);
      if (result['isError'] !== true) return { callId, name, text };
      return { callId, name, text, error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text }] } };
    } catch (error) {
      if (this.#call.caller.signal.aborted) throw error;
      if (error instanceof RpcFault) return failed(error.message, protocolError(error.message, error.code));
      if (!(error instanceof GatewayError) || ENDS_THE_ANSWER.has(error.code)) throw error;
      return failed(error.message, { type: 'http_error', code: error.status(), message: error.message });
    }
  }

  /** What a call comes to that is not made. */
  refused({ callId, name }: AskedCall, why: string): ToolOutcome {
    return { callId, name, text: `Error: ${why}`, error: protocolError(why) };
  }

  async #asked({ label, tool }: OfferedTool, args: JsonObject): Promise<JsonObject> {
    const { service, newRequestId, parts } = this.#options;
    const chosen = this.#sources.get(label);
    if (chosen === undefined) throw new Error(`no server is called ${label}`);
    const { key } = this.#call.caller;
    const id = newRequestId();
    const at = parts.now();
    const trace = newTrace();
    const model = guardedName(chosen.source.name, tool);
    const done = (error?: ErrorCode): void => {
      addFurther(this.#trace, {
        ...{ id, at, ms: parts.now() - at, kind: 'mcp', model, trace },
        ...(error !== undefined && { error }),
      });
    };
    try {
      const { result, charged } = await service.callTool(chosen.source, {
        caller: { ...this.#call.caller, requestId: id },
        method: 'tools/call',
        params: { name: tool, arguments: args },
        session: `${key.id} `,
      });
      trace.charged = charged;
      done();
      return result;
    } catch (error) {
      done(codeOfFault(error));
      throw error;
    }
  }

  /** A result as a model reads it: words, cut to what may be told of it. */
  #textOf(result: JsonObject): string {
    if (result['resultType'] === 'input_required') return 'The tool asks for input that only a person can give.';
    const { content, structuredContent } = result;
    const texts = Array.isArray(content) ? content.filter(isJsonObject).map(textOfContent) : [];
    const whole = texts.length === 0 ? JSON.stringify(structuredContent ?? null) : texts.join('\n');
    const { resultBytes } = this.#options.bounds;
    // So many characters have so many bytes at least: the rest is not looked through.
    const clean = cleanResult(whole.slice(0, resultBytes));
    if (whole.length <= resultBytes && Buffer.byteLength(clean) <= resultBytes) return clean;
    const cut = Buffer.from(clean)
      .subarray(0, resultBytes)
      .toString()
      .replace(/\ufffd+$/, '');
    return `${cut}… (cut: the result has ${Buffer.byteLength(whole)} bytes)`;
  }
}

/** The operator’s servers among those that a request names, and those that it is offered in any case. Throws `invalid_request` where it names one that it may not use. */
export function chosenServers(call: ToolCaller, { service, parts }: ChatToolsOptions): readonly ChosenServer[] {
  const { caller, model, body } = call;
  const form = formOf(call);
  const servers = service.serversFor(caller);
  const chosen: ChosenServer[] = [];
  const names = form.isNamed(body.json) ? form.servers(body.json) : [];
  for (const name of names) {
    const { place, label } = name;
    const found = serverOf(name, servers, parts.publicUrl());
    if (found === 'elsewhere') continue;
    const sources = servers.map(({ source }) => source);
    if (found === undefined) throw invalid(place, service.unknown(caller, label, sources));
    if (label.length > LONGEST_LABEL) throw invalid(place, `a server is called by ${LONGEST_LABEL} characters at most`);
    if (names.some((other) => other !== name && other.label === label))
      throw invalid(place, `'${label}' is named twice`);
    const named = { ...name, ...form.rules(body.json, name) };
    if (form.shown?.approval === undefined && (named.approval.usual || named.approval.always !== undefined))
      throw invalid(place, 'this format does not support approvals; send require_approval: never');
    chosen.push({ ...found, label, named });
  }
  const [first] = chosen;
  const why = whyWithout(call, form);
  if (why !== undefined && first?.named !== undefined) throw invalid(first.named.place, why);
  if (why !== undefined) return [];
  for (const each of servers) {
    const isThere = chosen.some(({ server, label }) => server === each.server || label === each.server.name);
    if (!isThere && isOfferedTo(each.server, model, caller.key)) chosen.push({ ...each, label: each.server.name });
  }
  return chosen;
}

function formOf({ dialect }: ToolCaller): McpForm {
  const { mcp } = dialects[dialect];
  if (mcp === undefined) throw new GatewayError('internal', `${dialect} has no tools`);
  return mcp;
}

/** Why a request goes without tools of servers. */
function whyWithout({ caller, body }: ToolCaller, form: McpForm): string | undefined {
  if (caller.spending !== undefined || body.json['background'] === true)
    return 'MCP servers are not asked for lines of batches and answers in the background';
  return form.wantsSeveral?.(body.json) === true ? 'MCP servers are asked for one answer only' : undefined;
}

/** `elsewhere`: the vendor asks it, or nobody. */
function serverOf(
  { label, url, hasOwnAccess }: McpServerName,
  servers: readonly ChatServer[],
  publicUrl: string,
): ChatServer | 'elsewhere' | undefined {
  // With credentials of the caller’s own it would be somebody else who asks.
  if (hasOwnAccess) return 'elsewhere';
  if (url === undefined) return servers.find(({ server }) => server.name === label);
  const address = hrefOf(url);
  const own = `${hrefOf(publicUrl).replace(/\/$/, '')}/mcp/`;
  if (address.startsWith(own)) return servers.find(({ server }) => server.name === address.slice(own.length));
  return servers.find(({ server }) => hrefOf(server.url) === address) ?? 'elsewhere';
}

function hrefOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function invalid(place: string, words: string): GatewayError {
  return new GatewayError('invalid_request', `${place}: ${words}`, { param: place });
}

function tooMany({ place }: NamedMcpServer, { tools }: ChatBounds): GatewayError {
  return invalid(
    place,
    `a chat is offered ${tools} tools of MCP servers at most; name those that you need in allowed_tools`,
  );
}

/** Undefined where a server that the operator offers cannot be asked: its chats do without. */
async function toolsOf(
  { label, source, named }: ChosenServer,
  { service }: ChatToolsOptions,
): Promise<readonly Omit<OfferedTool, 'name'>[] | undefined> {
  try {
    const { found } = await service.list([source], 'tools');
    return found.flatMap(({ listing }) => listing.items).flatMap((item) => toolOf(item, label, named) ?? []);
  } catch (error) {
    if (named === undefined) return undefined;
    throw error instanceof GatewayError
      ? error
      : new GatewayError('upstream_unavailable', `the MCP server '${source.name}' refused: ${wordsOf(error)}`);
  }
}

function toolOf(
  item: JsonObject,
  label: string,
  named: NamedMcpServer | undefined,
): Omit<OfferedTool, 'name'> | undefined {
  const { name: tool, description, inputSchema, annotations } = item;
  if (typeof tool !== 'string') return undefined;
  const isReadOnly = isJsonObject(annotations) && annotations['readOnlyHint'] === true;
  if (named !== undefined && (named.hidden.includes(tool) || !passesFilter(named.offered, tool, isReadOnly)))
    return undefined;
  const { $schema: _version, ...schema } = isJsonObject(inputSchema) ? inputSchema : {};
  return {
    label,
    tool,
    ...(typeof description === 'string' && { description }),
    schema: { ...schema, type: 'object', properties: schema['properties'] ?? {} },
    needsApproval: named !== undefined && wantsApproval(named.approval, tool, isReadOnly),
  };
}

function protocolError(message: string, code = -32000): JsonObject {
  return { type: 'mcp_protocol_error', code, message: message.slice(0, LONGEST_WORDS) };
}

function argumentsIn(text: string): JsonObject | undefined {
  try {
    const json = JSON.parse(text.trim() === '' ? '{}' : text) as Json;
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** What is no text is named. */
function textOfContent(content: JsonObject): string {
  const { type, text, mimeType, resource, uri } = content;
  if (typeof text === 'string') return text;
  if (isJsonObject(resource) && typeof resource['text'] === 'string') return resource['text'];
  const what = [type, mimeType, uri ?? (isJsonObject(resource) ? resource['uri'] : undefined)];
  return `[${what.filter((word) => typeof word === 'string').join(' ')}]`;
}
