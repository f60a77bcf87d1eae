/** Tools and the choice among them, both ways (docs/wire/chat-translation.md#tools, #tool-choice). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Tool, ToolChoice } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { foreignTool, quirk } from '../shared/translation.ts';
import { describeCustom, FREE_TEXT } from '../shared/custom-tools.ts';
import type { DroppedList } from '../shared/dropped.ts';
import { fieldName } from '../shared/field-names.ts';
import {
  at,
  objectOf,
  optional,
  present,
  readList,
  readName,
  readObject,
  readString,
  readStrings,
  readToolSchema,
  readWord,
} from '../shared/read.ts';
import { createToolNames, namesOf, type ToolNames } from '../shared/tool-names.ts';
import { fromOpenApi, toOpenApi } from './schema.ts';

const SEARCHES = new Set(['googleSearch', 'googleSearchRetrieval', 'enterpriseWebSearch']);
const DECLARATION = new Set(['name', 'description', 'parameters', 'parametersJsonSchema', 'parameters_json_schema']);

/** `tools`: each entry is keyed by what it is, and may hold several. */
export function decodeTools(value: Json | undefined, nested: string[]): Tool[] {
  if (value === undefined || value === null) return [];
  return readList(value, 'tools').flatMap((item, index) => {
    const place = at('tools', index);
    return Object.entries(readObject(item, place)).flatMap(([key, tool]): Tool[] => {
      const where = at(place, key);
      if (tool === null) return [];
      if (key === 'functionDeclarations') {
        return readList(tool, where).map((each, number) => decodeDeclaration(each, at(where, number), nested));
      }
      return [SEARCHES.has(key) ? decodeSearch(tool, where, nested) : hosted(key, tool, where)];
    });
  });
}

function hosted(key: string, tool: Json, place: string): Tool {
  return { type: 'hosted', provider: 'gemini', name: key, raw: { [key]: readObject(tool, place) }, place };
}

function decodeSearch(tool: Json, place: string, nested: string[]): Tool {
  const search = readObject(tool, place);
  for (const key of Object.keys(search)) if (key !== 'excludeDomains') nested.push(at(place, key));
  return present({
    type: 'web-search' as const,
    blockedDomains: optional(search, 'excludeDomains', readStrings, place),
    place,
  });
}

function decodeDeclaration(value: Json, place: string, nested: string[]): Tool {
  const tool = readObject(value, place);
  for (const key of Object.keys(tool)) if (!DECLARATION.has(key) && tool[key] !== null) nested.push(at(place, key));
  const subset = optional(tool, 'parameters', readToolSchema, place);
  const schema = optional(tool, 'parametersJsonSchema', readToolSchema, place);
  return present({
    type: 'function' as const,
    name: readName(tool['name'], at(place, 'name')),
    description: optional(tool, 'description', readString, place),
    parameters: schema ?? (subset === undefined ? undefined : fromOpenApi(subset)),
    place,
  });
}

export interface DecodedChoice {
  readonly toolChoice: ToolChoice | undefined;
  /** Calls are checked against their schemas. */
  readonly validated: boolean;
}

export function decodeToolConfig(value: Json | undefined, nested: string[]): DecodedChoice {
  const none = { toolChoice: undefined, validated: false };
  if (value === undefined || value === null) return none;
  const wire = readObject(value, 'toolConfig');
  for (const key of Object.keys(wire)) {
    // Follows from the tools themselves; the encoder says it again.
    if (key !== 'functionCallingConfig' && key !== 'includeServerSideToolInvocations') nested.push(`toolConfig.${key}`);
  }
  const place = 'toolConfig.functionCallingConfig';
  const config = optional(wire, 'functionCallingConfig', readObject, 'toolConfig');
  if (config === undefined) return none;
  const word = (optional(config, 'mode', readString, place) ?? 'AUTO').toUpperCase();
  const mode = readWord(word, ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'], at(place, 'mode'));
  const names = optional(config, 'allowedFunctionNames', readStrings, place) ?? [];
  return { toolChoice: choiceOf(mode, names), validated: mode === 'VALIDATED' };
}

function choiceOf(mode: string, names: readonly string[]): ToolChoice {
  const [only] = names;
  if (mode === 'NONE') return { type: 'none' };
  if (mode === 'ANY') {
    if (only === undefined) return { type: 'required' };
    return names.length === 1 ? { type: 'tool', name: only } : { type: 'subset', mode: 'required', names };
  }
  return only === undefined ? { type: 'auto' } : { type: 'subset', mode: 'auto', names };
}

export interface EncodedTools {
  readonly tools: JsonObject[];
  readonly toolConfig: JsonObject | undefined;
  readonly names: ToolNames;
  readonly customTools: ReadonlySet<string>;
}

export function encodeTools(request: ChatRequest, target: Target, dropped: DroppedList): EncodedTools {
  const names = createToolNames(namesOf(request), { maxLength: 128, allowed: /^[A-Za-z_][A-Za-z0-9_.:-]*$/ });
  const customTools = new Set<string>();
  const declarations: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const [index, tool] of request.tools.entries()) {
    const place = tool.place ?? at('tools', index);
    if (tool.type === 'custom') customTools.add(names.toWire(tool.name));
    if (tool.type === 'function' || tool.type === 'custom') {
      declarations.push(encodeDeclaration(tool, { place, names, target, dropped }));
    } else {
      others.push(encodeServerTool(tool, place, target, dropped));
    }
  }
  const tools = declarations.length > 0 ? [{ functionDeclarations: declarations }, ...others] : others;
  const calling = encodeChoice(request, names, declarations.length > 0, dropped);
  const mixed = declarations.length > 0 && others.length > 0 && quirk(target, 'mixed_tools') !== false;
  const toolConfig = {
    ...(calling !== undefined && { functionCallingConfig: calling }),
    ...(mixed && { includeServerSideToolInvocations: true }),
  };
  return { tools, toolConfig: Object.keys(toolConfig).length === 0 ? undefined : toolConfig, names, customTools };
}

interface ToolContext {
  readonly place: string;
  readonly names: ToolNames;
  readonly target: Target;
  readonly dropped: DroppedList;
}

function encodeDeclaration(
  tool: Extract<Tool, { type: 'function' | 'custom' }>,
  { place, names, target, dropped }: ToolContext,
): JsonObject {
  const description = tool.type === 'custom' ? describeCustom(tool, place, dropped) : (tool.description ?? '');
  const schema = tool.type === 'custom' ? FREE_TEXT : tool.parameters;
  if (tool.type === 'function' && tool.cache !== undefined) {
    dropped.add(at(place, 'cache_control'), 'caches are implicit here');
  }
  return {
    name: names.toWire(tool.name),
    ...(description !== '' && { description }),
    ...(schema !== undefined && !isEmptyObject(schema) && encodeSchema(schema, target)),
  };
}

/** A tool without parameters says nothing about them. */
function isEmptyObject(schema: JsonObject): boolean {
  const properties = objectOf(schema['properties']);
  return (
    Object.keys(properties ?? {}).length === 0 &&
    !('$ref' in schema || 'anyOf' in schema || 'oneOf' in schema || 'allOf' in schema)
  );
}

function encodeSchema(schema: JsonObject, target: Target): JsonObject {
  if (quirk(target, 'json_schema') === false) return { parameters: toOpenApi(schema) };
  return { parametersJsonSchema: schema['type'] === undefined ? { type: 'object', ...schema } : schema };
}

function encodeServerTool(
  tool: Extract<Tool, { type: 'web-search' | 'hosted' }>,
  place: string,
  target: Target,
  dropped: DroppedList,
): JsonObject {
  if (tool.type === 'hosted') {
    if (tool.provider === target.provider) return tool.raw;
    throw foreignTool(tool.name, place);
  }
  const lost = {
    allowed_domains: tool.allowedDomains,
    // Vertex takes them, the Gemini API does not.
    blocked_domains: quirk(target, 'search_domains') === true ? undefined : tool.blockedDomains,
    search_context_size: tool.contextSize,
    max_uses: tool.maxUses,
    user_location: tool.location,
  };
  for (const [key, value] of Object.entries(lost)) {
    if (value !== undefined) dropped.add(at(place, key), 'Google searches without such a setting');
  }
  const blocked = lost.blocked_domains === undefined ? tool.blockedDomains : undefined;
  return { googleSearch: blocked === undefined ? {} : { excludeDomains: [...blocked] } };
}

function encodeChoice(
  request: ChatRequest,
  names: ToolNames,
  hasFunctions: boolean,
  dropped: DroppedList,
): JsonObject | undefined {
  const { toolChoice: choice } = request;
  if (request.parallelToolCalls === false && hasFunctions) {
    dropped.add(fieldName(request, 'parallelToolCalls'), 'several calls at once cannot be switched off here');
  }
  if (!hasFunctions) {
    if (choice !== undefined && choice.type !== 'auto' && choice.type !== 'none') {
      dropped.add(fieldName(request, 'toolChoice'), 'there is no function to choose');
    }
    return undefined;
  }
  // Forced calls are held to their schemas anyway: only a free choice needs the stricter word (vercel/ai#18748).
  const strict = request.tools.some((tool) => tool.type === 'function' && tool.strict === true);
  const free = strict ? 'VALIDATED' : 'AUTO';
  switch (choice?.type) {
    case undefined:
      return strict ? { mode: free } : undefined;
    case 'auto':
      return { mode: free };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [names.toWire(choice.name)] };
    case 'subset': {
      const allowedFunctionNames = choice.names.map((name) => names.toWire(name));
      return { mode: choice.mode === 'required' ? 'ANY' : 'VALIDATED', allowedFunctionNames };
    }
  }
}
