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
  invalid,
  optional,
  present,
  readBoolean,
  readInteger,
  readName,
  readObject,
  readString,
  readStrings,
  readToolSchema,
  readWord,
  wordOf,
} from '../shared/read.ts';
import { createToolNames, namesOf, type ToolNames } from '../shared/tool-names.ts';
import { noteUnknown, readCacheMark, type BlockContext } from './blocks.ts';
import { writeCacheMark } from './cache.ts';
import { structuredSchema, toolSchema } from './schema.ts';

const WEB_SEARCH = /^web_search_\d{8}$/;
const WEB_SEARCH_NAME = 'web_search';
const DEFAULT_WEB_SEARCH = 'web_search_20250305';

/** One entry of `tools`. */
export function decodeTool(value: Json, place: string, context: BlockContext): Tool {
  const tool = readObject(value, place);
  const type = wordOf(tool['type']) ?? 'custom';
  if (type === 'custom') return decodeFunction(tool, place, context);
  const name = wordOf(tool['name']) ?? type;
  if (!WEB_SEARCH.test(type)) return { type: 'hosted', provider: context.provider, name, raw: tool, place };
  noteUnknown(
    tool,
    ['type', 'name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location'],
    place,
    context,
  );
  return present({
    type: 'web-search' as const,
    allowedDomains: optional(tool, 'allowed_domains', readStrings, place),
    blockedDomains: optional(tool, 'blocked_domains', readStrings, place),
    maxUses: optional(tool, 'max_uses', readInteger, place),
    location: optional(tool, 'user_location', readLocation, place),
    place,
  });
}

function decodeFunction(tool: JsonObject, place: string, context: BlockContext): Tool {
  noteUnknown(tool, ['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'], place, context);
  return present({
    type: 'function' as const,
    name: readName(tool['name'], at(place, 'name')),
    description: optional(tool, 'description', readString, place),
    parameters: optional(tool, 'input_schema', readToolSchema, place),
    strict: optional(tool, 'strict', readBoolean, place),
    cache: readCacheMark(tool['cache_control']),
    place,
  });
}

/** Flat, as Responses has it: `{city, country, region, timezone}`. */
function readLocation(value: Json | undefined, place: string): JsonObject {
  return Object.fromEntries(Object.entries(readObject(value, place)).filter(([key]) => key !== 'type'));
}

/** `tool_choice`, with the parallel switch that hides in it. */
export function decodeToolChoice(value: Json | undefined): {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
} {
  if (value === undefined || value === null) return {};
  const choice = readObject(value, 'tool_choice');
  const parallel = optional(choice, 'disable_parallel_tool_use', readBoolean, 'tool_choice');
  const type = readWord(choice['type'], ['auto', 'any', 'tool', 'none'], 'tool_choice.type');
  const toolChoice: ToolChoice =
    type === 'tool'
      ? { type, name: readName(choice['name'], 'tool_choice.name') }
      : { type: type === 'any' ? 'required' : type };
  return { toolChoice, ...(parallel === true && { parallelToolCalls: false }) };
}

export interface EncodedTools {
  readonly tools: JsonObject[];
  readonly toolChoice: JsonObject | undefined;
  readonly names: ToolNames;
  /** Wire names of tools that stand for custom ones. */
  readonly customTools: ReadonlySet<string>;
  readonly jsonTool: string | undefined;
  /** The model has no choice but to call a tool. */
  readonly forced: boolean;
}

/** Everything about tools; `jsonSchema` is the structured answer that this model can only give as a tool's input. */
export function encodeTools(
  request: ChatRequest,
  target: Target,
  dropped: DroppedList,
  jsonSchema: JsonObject | undefined,
): EncodedTools {
  // The server's search has its name for itself.
  const searches = request.tools.some((tool) => tool.type === 'web-search');
  const names = createToolNames(namesOf(request), searches ? { allowed: /^(?!web_search$)[A-Za-z0-9_-]+$/ } : {});
  const customTools = new Set<string>();
  const offered = withinSubset(request);
  const tools = offered.map((tool, index) => {
    if (tool.type === 'custom') customTools.add(names.toWire(tool.name));
    return encodeTool(tool, tool.place ?? at('tools', index), { target, dropped, names });
  });
  const jsonTool = jsonSchema === undefined ? undefined : freeName('json', request);
  if (jsonTool !== undefined && jsonSchema !== undefined) {
    tools.push({ name: jsonTool, description: 'Gives the answer.', input_schema: jsonSchema });
  }
  const choice = encodeChoice(request, { tools, names, jsonTool, dropped });
  const forced = choice?.['type'] === 'any' || choice?.['type'] === 'tool';
  return { tools, toolChoice: choice, names, customTools, jsonTool, forced };
}

function freeName(wish: string, request: ChatRequest): string {
  const taken = namesOf(request);
  let name = wish;
  for (let round = 2; taken.has(name); round += 1) name = `${wish}_${round}`;
  return name;
}

/** A subset to choose from is said here by offering no more than that. */
function withinSubset(request: ChatRequest): readonly Tool[] {
  const choice = request.toolChoice;
  if (choice?.type !== 'subset') return request.tools;
  return request.tools.filter((tool) => choice.names.includes('name' in tool ? tool.name : WEB_SEARCH_NAME));
}

interface ToolContext {
  readonly target: Target;
  readonly dropped: DroppedList;
  readonly names: ToolNames;
}

function encodeTool(tool: Tool, place: string, context: ToolContext): JsonObject {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, place, context);
    case 'custom':
      return {
        name: context.names.toWire(tool.name),
        description: describeCustom(tool, place, context.dropped),
        input_schema: FREE_TEXT,
      };
    case 'web-search':
      if (tool.contextSize !== undefined) {
        context.dropped.add(at(place, 'search_context_size'), 'no such setting in anthropic-messages');
      }
      return {
        type: (quirk(context.target, 'web_search_tool') as string | undefined) ?? DEFAULT_WEB_SEARCH,
        name: WEB_SEARCH_NAME,
        ...(tool.maxUses !== undefined && { max_uses: tool.maxUses }),
        ...domains(tool, place, context.dropped),
        ...(tool.location !== undefined && { user_location: { type: 'approximate', ...tool.location } }),
      };
    case 'hosted':
      if (tool.provider === context.target.provider) return { ...tool.raw };
      throw foreignTool(tool.name, place);
  }
}

/** One of the two lists may be given. */
function domains(tool: Extract<Tool, { type: 'web-search' }>, place: string, dropped: DroppedList): JsonObject {
  if (tool.allowedDomains !== undefined) {
    if (tool.blockedDomains !== undefined) {
      dropped.add(at(place, 'blocked_domains'), 'cannot be given together with allowed domains');
    }
    return { allowed_domains: [...tool.allowedDomains] };
  }
  return tool.blockedDomains === undefined ? {} : { blocked_domains: [...tool.blockedDomains] };
}

function encodeFunction(
  tool: Extract<Tool, { type: 'function' }>,
  place: string,
  { target, dropped, names }: ToolContext,
): JsonObject {
  const found = toolSchema(tool.parameters);
  if (found === undefined) throw invalid(place, 'its parameters must be a JSON Schema of type "object"');
  if (found.changed) dropped.add(at(place, 'parameters'), 'a union at the root is merged into one object');
  const strictKnown = quirk(target, 'structured_output') !== false;
  if (tool.strict === true && !strictKnown) dropped.add(at(place, 'strict'), 'this model has no strict tools');
  return {
    name: names.toWire(tool.name),
    ...(tool.description !== undefined && tool.description !== '' && { description: tool.description }),
    input_schema: tool.strict === true && strictKnown ? structuredSchema(found.schema) : found.schema,
    ...(tool.strict !== undefined && strictKnown && { strict: tool.strict }),
    ...writeCacheMark(tool.cache, place, dropped),
  };
}

interface ChoiceContext {
  readonly tools: readonly JsonObject[];
  readonly names: ToolNames;
  readonly jsonTool: string | undefined;
  readonly dropped: DroppedList;
}

function encodeChoice(request: ChatRequest, context: ChoiceContext): JsonObject | undefined {
  const { tools, names, jsonTool, dropped } = context;
  if (tools.length === 0) {
    if (request.toolChoice !== undefined && request.toolChoice.type !== 'none' && request.toolChoice.type !== 'auto') {
      dropped.add(fieldName(request, 'toolChoice'), 'there is no tool to choose');
    }
    return undefined;
  }
  const single = request.parallelToolCalls === false || jsonTool !== undefined;
  const choice = choiceOf(request.toolChoice, names, jsonTool, tools.length);
  if (choice === undefined) return single ? { type: 'auto', disable_parallel_tool_use: true } : undefined;
  return single && choice['type'] !== 'none' ? { ...choice, disable_parallel_tool_use: true } : choice;
}

function choiceOf(
  choice: ToolChoice | undefined,
  names: ToolNames,
  jsonTool: string | undefined,
  count: number,
): JsonObject | undefined {
  if (choice?.type === 'tool') return { type: 'tool', name: names.toWire(choice.name) };
  if (jsonTool !== undefined) {
    // The answer itself is a tool here: beside the caller's own ones, one of them must be called.
    return count === 1 || choice?.type === 'none' ? { type: 'tool', name: jsonTool } : { type: 'any' };
  }
  switch (choice?.type) {
    case undefined:
      return undefined;
    case 'auto':
      return { type: 'auto' };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any' };
    case 'subset':
      return { type: choice.mode === 'required' ? 'any' : 'auto' };
  }
}
