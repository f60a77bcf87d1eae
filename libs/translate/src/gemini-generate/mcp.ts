/** MCP servers that the gateway asks for a caller of Gemini's format. The wire has no place for what they did: models alone are told. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { serverName, type McpForm } from '../shared/mcp.ts';
import { arrayOf, at, objectOf, objectsOf, wordOf } from '../shared/read.ts';
import { objectsIn } from '../shared/request-cost.ts';

export const mcp: McpForm = {
  isNamed: ({ tools }) => objectsIn(tools).some((tool) => serversIn(tool) !== undefined),
  servers: ({ tools }) =>
    objectsIn(tools).flatMap((tool, index) =>
      objectsIn(serversIn(tool)).flatMap((server, place) => {
        const label = wordOf(server['name']);
        const transport = objectOf(either(server, 'streamableHttpTransport', 'streamable_http_transport'));
        const hasOwnAccess = Object.keys(objectOf(transport?.['headers']) ?? {}).length > 0;
        const where = at(at(at('tools', index), 'mcpServers'), place);
        return label === undefined ? [] : [serverName(server, where, { label, url: transport?.['url'], hasOwnAccess })];
      }),
    ),
  rules: () => ({ offered: {}, hidden: [], approval: { usual: false } }),
  toolNames: ({ tools }) =>
    new Set(
      objectsIn(tools).flatMap((tool) =>
        objectsIn(either(tool, 'functionDeclarations', 'function_declarations')).flatMap(
          ({ name }) => wordOf(name) ?? [],
        ),
      ),
    ),
  wantsSeveral(body) {
    const config = objectOf(either(body, 'generationConfig', 'generation_config')) ?? {};
    return Number(either(config, 'candidateCount', 'candidate_count') ?? 1) > 1;
  },
  asked(body, offer) {
    const { tools: _tools, ...rest } = body;
    const own = objectsIn(body['tools']).flatMap((tool) => {
      const named = serversIn(tool);
      if (named === undefined) return [tool];
      const { mcpServers: _camel, mcp_servers: _snake, ...others } = tool;
      const left = objectsIn(named).filter(({ name }) => !offer.labels.has(wordOf(name) ?? ''));
      const written = { ...others, ...(left.length > 0 && { mcpServers: left }) };
      return Object.keys(written).length === 0 ? [] : [written];
    });
    const functionDeclarations = offer.tools.map(({ name, description, schema }) => ({
      name,
      ...(description !== undefined && { description }),
      parametersJsonSchema: schema,
    }));
    const tools = [...own, ...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : [])];
    return { ...rest, ...(tools.length > 0 && { tools }) };
  },
  continued(body, answer, outcomes) {
    const [candidate] = objectsOf(answer['candidates']);
    const said = objectOf(candidate?.['content']) ?? {};
    const calls = objectsOf(said['parts']).flatMap((part): JsonObject[] => {
      const call = objectOf(part['functionCall']);
      return call === undefined ? [] : [call];
    });
    const parts = outcomes.map(({ name, text, error }, index) => {
      const id = wordOf(calls[index]?.['id']);
      const response = error === undefined ? { output: text } : { error: text };
      return { functionResponse: { ...(id !== undefined && { id }), name, response } };
    });
    const contents = body['contents'];
    return {
      ...withoutForcing(body),
      contents: [
        ...(isJsonObject(contents) ? [contents] : arrayOf(contents)),
        { ...said, role: 'model' },
        { role: 'user', parts },
      ],
    };
  },
};

function either(object: JsonObject, camel: string, snake: string): Json | undefined {
  return object[camel] ?? object[snake];
}

function serversIn(tool: JsonObject): Json | undefined {
  return either(tool, 'mcpServers', 'mcp_servers');
}

/** A call that was asked for has been made. */
function withoutForcing(body: JsonObject): JsonObject {
  const { toolConfig, tool_config: snake, ...rest } = body;
  const config = objectOf(toolConfig ?? snake);
  const calling = objectOf(
    config === undefined ? undefined : either(config, 'functionCallingConfig', 'function_calling_config'),
  );
  if (config === undefined || calling?.['mode'] !== 'ANY') return body;
  const { functionCallingConfig: _camel, function_calling_config: _snake, ...others } = config;
  return Object.keys(others).length === 0 ? rest : { ...rest, toolConfig: others };
}
