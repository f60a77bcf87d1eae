/** MCP servers that the gateway asks for a caller of Anthropic's format: blocks of theirs, and the tools that models are told of instead. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ServerToolPart } from '../conversation.ts';
import {
  isOwnMcpId,
  namesOfTools,
  serverName,
  type McpForm,
  type McpOffer,
  type McpServerRules,
  type OfferedTool,
  type ToolFilter,
} from '../shared/mcp.ts';
import { argumentsValue, arrayOf, at, objectOf, objectsOf, optional, readStrings, wordOf } from '../shared/read.ts';

export const mcp: McpForm = {
  isNamed: (body) => arrayOf(body['mcp_servers']).length > 0,
  remembers: (body) => objectsOf(body['messages']).some(({ content }) => objectsOf(content).some(isOwnBlock)),
  servers: ({ mcp_servers: servers }) =>
    arrayOf(servers).flatMap((server, index) => {
      const label = nameIn(server, 'name');
      if (!isJsonObject(server) || label === '') return [];
      const hasOwnAccess = (server['authorization_token'] ?? null) !== null;
      return [serverName(server, at('mcp_servers', index), { label, url: server['url'], hasOwnAccess })];
    }),
  rules: (body, { raw, place }) => ({
    ...offeredBy(toolsetOf(body, raw), objectOf(raw['tool_configuration']), at(place, 'tool_configuration')),
    approval: { usual: false },
  }),
  toolNames: (body) => namesOfTools(body, (tool) => tool['name']),
  asked(body, offer) {
    const { mcp_servers: named, tools: given, messages, ...rest } = body;
    const servers = arrayOf(named).filter((server) => !offer.labels.has(nameIn(server, 'name')));
    const own = arrayOf(given).filter(
      (tool) => !(objectOf(tool)?.['type'] === 'mcp_toolset' && offer.labels.has(nameIn(tool, 'mcp_server_name'))),
    );
    const tools = [...own, ...functionsOf(offer, arrayOf(given))];
    return {
      ...rest,
      ...(messages !== undefined && { messages: messagesOf(messages, offer) }),
      ...(servers.length > 0 && { mcp_servers: servers }),
      ...(tools.length > 0 && { tools }),
    };
  },
  continued(body, answer, outcomes) {
    const { messages, tool_choice: choice } = body;
    // An empty text is refused when it comes back.
    const content = arrayOf(answer['content']).filter((block) => objectOf(block)?.['text'] !== '');
    const results = outcomes.map(({ callId, text, error }) => ({
      type: 'tool_result',
      tool_use_id: callId,
      content: text,
      ...(error !== undefined && { is_error: true }),
    }));
    return {
      ...body,
      messages: [...arrayOf(messages), { role: 'assistant', content }, { role: 'user', content: results }],
      // A call that was asked for has been made.
      ...(isJsonObject(choice) &&
        (choice['type'] === 'any' || choice['type'] === 'tool') && { tool_choice: freed(choice) }),
    };
  },
  shown: {
    call: ({ id, label, tool, arguments: text, outcome }) => [
      part(`mcptoolu_${id}`, 'call', {
        type: 'mcp_tool_use',
        id: `mcptoolu_${id}`,
        name: tool,
        server_name: label,
        input: argumentsValue(text),
      }),
      part(`mcptoolu_${id}`, 'result', {
        type: 'mcp_tool_result',
        tool_use_id: `mcptoolu_${id}`,
        is_error: outcome.error !== undefined,
        content: [{ type: 'text', text: outcome.text }],
      }),
    ],
  },
};

function part(id: string, phase: ServerToolPart['phase'], raw: JsonObject): ServerToolPart {
  return { type: 'server-tool', provider: 'anthropic', name: 'mcp', phase, id, raw };
}

/** The mark of a toolset stands on its last tool: the cache ends there. */
function functionsOf({ tools }: McpOffer, given: readonly Json[]): JsonObject[] {
  const marks = new Map(
    given.flatMap((tool): (readonly [string, Json])[] => {
      const mark = objectOf(tool)?.['type'] === 'mcp_toolset' ? objectOf(tool)?.['cache_control'] : undefined;
      return mark === undefined || mark === null ? [] : [[nameIn(tool, 'mcp_server_name'), mark]];
    }),
  );
  return tools.map((tool, index) => {
    const mark = tools[index + 1]?.label === tool.label ? undefined : marks.get(tool.label);
    return { ...functionOf(tool), ...(mark !== undefined && { cache_control: mark }) };
  });
}

function functionOf({ name, description, schema }: OfferedTool): JsonObject {
  return { name, ...(description !== undefined && { description }), input_schema: schema };
}

function freed({ disable_parallel_tool_use: single }: JsonObject): JsonObject {
  return { type: 'auto', ...(single !== undefined && { disable_parallel_tool_use: single }) };
}

function nameIn(value: Json, member: string): string {
  return wordOf(objectOf(value)?.[member]) ?? '';
}

/** What `tools` says of a server. */
function toolsetOf({ tools }: JsonObject, server: Json): JsonObject | undefined {
  const name = nameIn(server, 'name');
  return objectsOf(tools).find((tool) => tool['type'] === 'mcp_toolset' && tool['mcp_server_name'] === name);
}

function offeredBy(
  toolset: JsonObject | undefined,
  older: JsonObject | undefined,
  place: string,
): Pick<McpServerRules, 'offered' | 'hidden'> {
  const configs = Object.entries(objectOf(toolset?.['configs']) ?? {});
  const withWord = (enabled: boolean): string[] =>
    configs.filter(([, config]) => objectOf(config)?.['enabled'] === enabled).map(([name]) => name);
  if (older?.['enabled'] === false) return { offered: { names: [] }, hidden: [] };
  if (objectOf(toolset?.['default_config'])?.['enabled'] === false)
    return { offered: { names: withWord(true) }, hidden: [] };
  const names = older === undefined ? undefined : optional(older, 'allowed_tools', readStrings, place);
  const offered: ToolFilter = names === undefined ? {} : { names };
  return { offered, hidden: withWord(false) };
}

function isOwnBlock(block: JsonObject): boolean {
  return block['type'] === 'mcp_tool_use' && isOwnMcpId(block['id']);
}

/** Messages with what servers did as calls of tools and their results. */
function messagesOf(messages: Json, offer: McpOffer): Json {
  if (!Array.isArray(messages)) return messages;
  const written: Json[] = [];
  /** For the next message of the user: the caller’s own results belong beside them. */
  let waiting: JsonObject[] = [];
  for (const message of messages) {
    const content = isJsonObject(message) ? message['content'] : undefined;
    if (!isJsonObject(message) || waiting.length > 0) {
      if (isJsonObject(message) && message['role'] === 'user') {
        const said = typeof content === 'string' ? [{ type: 'text', text: content }] : arrayOf(content);
        written.push({ ...message, content: [...waiting, ...said] });
        waiting = [];
        continue;
      }
      if (waiting.length > 0) written.push({ role: 'user', content: waiting });
      waiting = [];
    }
    if (!isJsonObject(message) || message['role'] !== 'assistant' || !objectsOf(content).some(isOwnBlock)) {
      written.push(message);
      continue;
    }
    const split = turnsOf(message, objectsOf(content), offer);
    written.push(...split.turns);
    waiting = split.waiting;
  }
  return waiting.length > 0 ? [...written, { role: 'user', content: waiting }] : written;
}

/** One message of the model’s as turns: results stand on the user’s side. */
function turnsOf(
  message: JsonObject,
  blocks: readonly JsonObject[],
  { nameOf }: McpOffer,
): { readonly turns: readonly JsonObject[]; readonly waiting: JsonObject[] } {
  const turns: JsonObject[] = [];
  let said: JsonObject[] = [];
  let results: JsonObject[] = [];
  for (const block of blocks) {
    const { type, id, tool_use_id: of } = block;
    if (isOwnBlock(block)) {
      const name = nameOf(nameIn(block, 'server_name'), nameIn(block, 'name'));
      said.push({ type: 'tool_use', id: id ?? '', name, input: block['input'] ?? {} });
    } else if (type === 'mcp_tool_result' && isOwnMcpId(of)) {
      results.push({ ...block, type: 'tool_result' });
    } else {
      if (results.length > 0 && type !== 'tool_use') {
        turns.push({ ...message, content: said }, { role: 'user', content: results });
        said = [];
        results = [];
      }
      said.push(block);
    }
  }
  if (said.length > 0) turns.push({ ...message, content: said });
  return { turns, waiting: results };
}
