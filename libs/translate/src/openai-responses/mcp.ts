/** MCP servers that the gateway asks for a caller of the Responses format: items of theirs, and the functions that models are told of instead. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ServerToolPart } from '../conversation.ts';
import {
  hasMcpTool,
  isOwnMcpId,
  mcpTools,
  mcpToolRules,
  namesOfTools,
  withFunctions,
  type DecidedCall,
  type McpForm,
  type McpOffer,
} from '../shared/mcp.ts';
import { objectsOf, textOf, wordOf } from '../shared/read.ts';
import { asHistory, outputOf, saidIn, thinks, withSealedThoughts } from './kept.ts';

const NOT_DECIDED = 'This call has not been made: it has not been approved yet.';

export const mcp: McpForm = {
  isNamed: hasMcpTool,
  remembers: (body) => objectsOf(body['input']).some(isOwnItem),
  servers: mcpTools,
  rules: (_body, name) => mcpToolRules(name, true),
  toolNames: (body) => namesOfTools(body, (tool) => tool['name']),
  mostCalls: ({ max_tool_calls: most }) => (typeof most === 'number' ? most : undefined),
  decisions(body) {
    const items = objectsOf(body['input']);
    const requests = new Map(items.filter(isRequest).map((item) => [item['id'], item]));
    const made = madeCalls(items);
    return items.flatMap((item): DecidedCall[] => {
      const { type, approval_request_id: id, approve, reason } = item;
      const request = requests.get(id ?? null);
      if (type !== 'mcp_approval_response' || request === undefined || typeof id !== 'string' || made.has(id))
        return [];
      const why = wordOf(reason);
      return [
        {
          requestId: id,
          label: wordOf(request['server_label']) ?? '',
          tool: wordOf(request['name']) ?? '',
          arguments: textOf(request['arguments']) ?? '',
          approved: approve === true,
          ...(why !== undefined && { reason: why }),
        },
      ];
    });
  },
  listed: (body) =>
    new Set(
      objectsOf(body['input']).flatMap((item) =>
        item['type'] === 'mcp_list_tools' ? (wordOf(item['server_label']) ?? []) : [],
      ),
    ),
  asked(body, offer) {
    const { tools: _tools, tool_choice: choice, max_tool_calls: _most, ...rest } = body;
    const functions = withFunctions(body, offer, ({ name, description, schema }) => ({
      type: 'function',
      name,
      ...(description !== undefined && { description }),
      parameters: schema,
      // Schemas of strangers do not keep to the rules of strict ones.
      strict: false,
    }));
    return {
      ...rest,
      ...functions,
      ...(choice !== undefined && functions['tools'] !== undefined && { tool_choice: choiceOf(choice, offer) }),
      ...(Array.isArray(body['input']) && { input: itemsOf(body['input'], offer) }),
      ...(thinks(body) && { include: withSealedThoughts(body['include']) }),
      // What is asked in several turns nobody but the gateway can keep.
      store: false,
    };
  },
  continued(body, answer, outcomes) {
    const { tool_choice: choice } = body;
    const made = outcomes.map(({ callId, text }) => outputItem(callId, text));
    return {
      ...body,
      input: [...saidIn(body), ...asHistory(outputOf(answer)), ...made],
      // A call that was asked for has been made.
      ...(choice !== undefined && choice !== 'none' && { tool_choice: 'auto' }),
    };
  },
  shown: {
    list: (id, label, tools) =>
      part('mcp_list_tools', `mcpl_${id}`, {
        server_label: label,
        tools: tools.map(({ tool, description, schema }) => ({
          name: tool,
          description: description ?? null,
          input_schema: schema,
          annotations: null,
        })),
        error: null,
      }),
    call: ({ id, label, tool, arguments: text, outcome, approvedAs }) => [
      part('mcp_call', `mcp_${id}`, {
        server_label: label,
        name: tool,
        arguments: text,
        output: outcome.error === undefined ? outcome.text : null,
        error: outcome.error ?? null,
        status: outcome.error === undefined ? 'completed' : 'failed',
        approval_request_id: approvedAs ?? null,
      }),
    ],
    approval: (id, { label, tool, arguments: text }) =>
      part('mcp_approval_request', `mcpr_${id}`, { server_label: label, name: tool, arguments: text }),
  },
};

function part(type: string, id: string, members: JsonObject): ServerToolPart {
  return { type: 'server-tool', provider: 'openai', name: 'mcp', phase: 'call', id, raw: { id, type, ...members } };
}

function isOwnItem(item: JsonObject): boolean {
  const { type, id, approval_request_id: request } = item;
  return typeof type === 'string' && type.startsWith('mcp_') && (isOwnMcpId(id) || isOwnMcpId(request));
}

function isRequest(item: JsonObject): boolean {
  return item['type'] === 'mcp_approval_request' && isOwnMcpId(item['id']);
}

/** The requests for which a call has been made. */
function madeCalls(items: readonly JsonObject[]): ReadonlySet<Json | undefined> {
  return new Set(
    items.flatMap((item) => (item['type'] === 'mcp_call' ? (wordOf(item['approval_request_id']) ?? []) : [])),
  );
}

/** Earlier items with what came of servers as calls of functions. What a vendor’s own servers said stays as it is. */
function itemsOf(input: readonly Json[], offer: McpOffer): Json[] {
  const made = madeCalls(objectsOf([...input]));
  const requested = new Set(
    objectsOf([...input])
      .filter(isRequest)
      .map((item) => item['id']),
  );
  const answered = new Set(
    objectsOf([...input]).flatMap((item) =>
      item['type'] === 'mcp_approval_response' ? (wordOf(item['approval_request_id']) ?? []) : [],
    ),
  );
  return input.flatMap((item): Json[] => {
    if (!isJsonObject(item)) return [item];
    const { type, id, approval_request_id: request } = item;
    switch (type) {
      case 'mcp_list_tools':
        return isOwnMcpId(id) || offer.labels.has(wordOf(item['server_label']) ?? '') ? [] : [item];
      case 'mcp_call':
        return isOwnMcpId(id) ? [callItem(item, id, offer), outputItem(id, saidBy(item))] : [item];
      case 'mcp_approval_request':
        if (!isOwnMcpId(id)) return [item];
        if (made.has(id)) return [];
        return [callItem(item, id, offer), ...(answered.has(id) ? [] : [outputItem(id, NOT_DECIDED)])];
      case 'mcp_approval_response':
        if (!requested.has(request) || typeof request !== 'string') return isOwnMcpId(request) ? [] : [item];
        return made.has(request) ? [] : [outputItem(request, decisionOf(item, offer))];
      default:
        return [item];
    }
  });
}

function callItem(item: JsonObject, id: string, { nameOf }: McpOffer): JsonObject {
  const name = nameOf(wordOf(item['server_label']) ?? '', wordOf(item['name']) ?? '');
  return { type: 'function_call', call_id: id, name, arguments: textOf(item['arguments']) ?? '{}' };
}

function outputItem(callId: string, output: string): JsonObject {
  return { type: 'function_call_output', call_id: callId, output };
}

function saidBy({ output, error }: JsonObject): string {
  return typeof output === 'string'
    ? output
    : `Error: ${typeof error === 'string' ? error : JSON.stringify(error ?? null)}`;
}

function decisionOf({ approval_request_id: id, reason }: JsonObject, { decided }: McpOffer): string {
  const outcome = typeof id === 'string' ? decided.get(id) : undefined;
  if (outcome !== undefined) return outcome.text;
  const why = wordOf(reason);
  return `This call was not approved${why === undefined ? '.' : `: ${why}`}`;
}

/** A choice of servers as one of their functions. */
function choiceOf(choice: Json, offer: McpOffer): Json {
  if (!isJsonObject(choice)) return choice;
  const functionsOf = (named: JsonObject): JsonObject[] =>
    offer.tools
      .filter(({ label, tool }) => label === named['server_label'] && (named['name'] ?? tool) === tool)
      .map(({ name }) => ({ type: 'function', name }));
  if (choice['type'] === 'mcp') {
    const [first, ...others] = functionsOf(choice);
    if (first === undefined) return 'auto';
    return others.length === 0 ? first : { type: 'allowed_tools', mode: 'required', tools: [first, ...others] };
  }
  if (choice['type'] !== 'allowed_tools') return choice;
  const tools = objectsOf(choice['tools']).flatMap((tool) =>
    tool['type'] === 'mcp' && offer.labels.has(wordOf(tool['server_label']) ?? '') ? functionsOf(tool) : [tool],
  );
  return { ...choice, tools };
}
