/** MCP servers that the gateway asks for a caller of chat completions. The wire has no place for what they did: models alone are told. */
import type { JsonObject } from '@model-gateway/contracts';
import { hasMcpTool, mcpTools, mcpToolRules, namesOfTools, withFunctions, type McpForm } from '../shared/mcp.ts';
import { arrayOf, objectOf, objectsOf } from '../shared/read.ts';

export const mcp: McpForm = {
  isNamed: hasMcpTool,
  servers: mcpTools,
  rules: (_body, name) => mcpToolRules(name, false),
  toolNames: (body) => namesOfTools(body, (tool) => objectOf(tool['function'] ?? tool['custom'] ?? null)?.['name']),
  wantsSeveral: ({ n }) => typeof n === 'number' && n > 1,
  asked(body, offer) {
    const { tools: _tools, ...rest } = body;
    return {
      ...rest,
      ...withFunctions(body, offer, ({ name, description, schema }) => ({
        type: 'function',
        function: { name, ...(description !== undefined && { description }), parameters: schema },
      })),
    };
  },
  continued(body, answer, outcomes) {
    const { messages, tool_choice: choice } = body;
    const [first] = objectsOf(answer['choices']);
    const results = outcomes.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text }));
    return {
      ...body,
      messages: [...arrayOf(messages), messageOf(objectOf(first?.['message']) ?? {}), ...results],
      // A call that was asked for has been made.
      ...(choice !== undefined && choice !== 'none' && { tool_choice: 'auto' }),
    };
  },
};

/** Members of answers that no request has. */
const ONLY_ANSWERED = new Set(['annotations', 'audio', 'documents', 'images', 'refusal']);

function messageOf(message: JsonObject): JsonObject {
  const said = Object.entries(message).filter(([name, value]) => value !== null && !ONLY_ANSWERED.has(name));
  const { content } = message;
  return {
    ...Object.fromEntries(said),
    role: 'assistant',
    content: content === '' || content === undefined ? null : content,
  };
}
