/** A Responses request body to the middle form (docs/wire/openai-responses.md#request-fields, docs/wire/chat-translation.md). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, OutputFormat, ReasoningRequest, Tool, ToolChoice, Unportable } from '../conversation.ts';
import { EFFORTS, VERBOSITIES, readParameters, readSchemaFormat, readWebSearch } from '../shared/openai-words.ts';
import {
  at,
  optional,
  present,
  readArray,
  readBoolean,
  readInteger,
  readName,
  readNumber,
  readObject,
  readString,
  readWord,
  unknownFields,
} from '../shared/read.ts';
import { unportableFields } from '../shared/translation.ts';
import { decodeInput } from './decode-items.ts';

const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'include',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'service_tier',
  'reasoning',
  'text',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
]);

/** What needs OpenAI's memory: no other wire can answer it (docs/wire/chat-translation.md#stored-state-of-responses). */
const STATEFUL: Readonly<Record<string, Omit<Unportable, 'field'>>> = {
  previous_response_id: {
    reason: 'this model does not keep earlier responses; send the whole conversation in input',
  },
  conversation: { reason: 'this model does not keep conversations; send the whole conversation in input' },
  background: { reason: 'this model does not answer in the background; leave it out and use stream' },
  prompt: { reason: 'this model does not know stored prompts; send the instructions and input themselves' },
};

/** Throws GatewayError `invalid_request` naming the place; what the middle form has no word for is kept in `extra`. */
export function decodeRequest(value: Json): ChatRequest {
  const body = readObject(value, '');
  const read = <T>(key: string, reader: (value: Json | undefined, place: string) => T): T | undefined =>
    optional(body, key, reader, '');
  const nested: string[] = [];
  const extra = unknownFields(body, KNOWN);
  const items = decodeInput(read('instructions', readString), body['input']);
  const unportable = unportableFields(extra, STATEFUL);
  unportable.push(...items.unportable);
  const text = read('text', readObject) ?? {};
  const tools = decodeTools(read('tools', readArray) ?? [], nested);
  const choice = decodeToolChoice(body['tool_choice']);
  if (choice === 'hosted') {
    extra['tool_choice'] = body['tool_choice'] ?? null;
    unportable.push({ field: 'tool_choice', reason: 'this model has no such hosted tool; choose one of your own' });
  }
  const include = decodeInclude(read('include', readArray) ?? []);
  if (include.others.length > 0) extra['include'] = include.others;
  const user = read('user', readString);
  if (user !== undefined && body['safety_identifier'] !== undefined && body['safety_identifier'] !== null) {
    extra['safety_identifier'] = body['safety_identifier'];
  }
  return present({
    dialect: 'openai-responses' as const,
    model: readName(body['model'], 'model'),
    stream: read('stream', readBoolean) ?? false,
    system: items.system,
    turns: items.turns,
    tools,
    toolChoice: tools.length === 0 || choice === 'hosted' ? undefined : choice,
    parallelToolCalls: tools.length === 0 ? undefined : read('parallel_tool_calls', readBoolean),
    maxOutputTokens: read('max_output_tokens', readInteger),
    temperature: read('temperature', readNumber),
    topP: read('top_p', readNumber),
    logprobs: include.logprobs ? true : undefined,
    topLogprobs: read('top_logprobs', readTopLogprobs),
    format: optional(text, 'format', readFormat, 'text'),
    verbosity: optional(text, 'verbosity', (word, place) => readWord(word, VERBOSITIES, place), 'text'),
    reasoning: decodeReasoning(read('reasoning', readObject), nested),
    user: user ?? read('safety_identifier', readString),
    metadata: read('metadata', readObject),
    serviceTier: read('service_tier', readString),
    cacheKey: read('prompt_cache_key', readString),
    extra,
    unportable: unportable.length === 0 ? undefined : unportable,
    nested: nested.length === 0 ? undefined : nested,
  });
}

/** Zero asks for none, which is what everyone gives. */
function readTopLogprobs(value: Json | undefined, place: string): number | undefined {
  const count = readInteger(value, place);
  return count === 0 ? undefined : count;
}

/** Encrypted reasoning is carried anyhow. */
function decodeInclude(include: readonly Json[]): { readonly logprobs: boolean; readonly others: Json[] } {
  const words = include.map((word, index) => readString(word, at('include', index)));
  return {
    logprobs: words.includes('message.output_text.logprobs'),
    others: words.filter((word) => word !== 'message.output_text.logprobs' && word !== 'reasoning.encrypted_content'),
  };
}

const FORMATS = ['text', 'json_object', 'json_schema'] as const;

function readFormat(value: Json | undefined, place: string): OutputFormat {
  const format = readObject(value, place);
  const type = readWord(format['type'], FORMATS, at(place, 'type'));
  switch (type) {
    case 'text':
      return { type };
    case 'json_object':
      return { type: 'json-object' };
    case 'json_schema':
      return readSchemaFormat(format, place);
  }
}

const SPOKEN_FUNCTION: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const SPOKEN_SEARCH: ReadonlySet<string> = new Set(['type', 'search_context_size', 'user_location', 'filters']);

function decodeTools(tools: readonly Json[], nested: string[]): Tool[] {
  return tools.map((item, index) => {
    const place = at('tools', index);
    const tool = readObject(item, place);
    const type = readName(tool['type'] ?? 'function', at(place, 'type'));
    if (type === 'function') {
      unspoken(tool, SPOKEN_FUNCTION, place, nested);
      return present({
        type: 'function' as const,
        name: readName(tool['name'], at(place, 'name')),
        description: optional(tool, 'description', readString, place),
        parameters: readParameters(tool, 'parameters', place),
        strict: optional(tool, 'strict', readBoolean, place),
        place,
      });
    }
    if (type === 'custom') {
      return present({
        type: 'custom' as const,
        name: readName(tool['name'], at(place, 'name')),
        description: optional(tool, 'description', readString, place),
        format: optional(tool, 'format', readObject, place),
        place,
      });
    }
    if (type.startsWith('web_search')) {
      unspoken(tool, SPOKEN_SEARCH, place, nested);
      return readWebSearch(tool, place);
    }
    return { type: 'hosted' as const, provider: 'openai', name: type, raw: tool, place };
  });
}

function unspoken(tool: JsonObject, spoken: ReadonlySet<string>, place: string, nested: string[]): void {
  for (const [key, value] of Object.entries(tool)) if (!spoken.has(key) && value !== null) nested.push(at(place, key));
}

const CHOICES = ['auto', 'none', 'required'] as const;

function decodeToolChoice(value: Json | undefined): ToolChoice | 'hosted' | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return { type: readWord(value, CHOICES, 'tool_choice') };
  const choice = readObject(value, 'tool_choice');
  const type = readName(choice['type'], 'tool_choice.type');
  if (type === 'function' || type === 'custom') {
    return { type: 'tool', name: readName(choice['name'], 'tool_choice.name') };
  }
  if (type !== 'allowed_tools') return 'hosted';
  const names: string[] = [];
  for (const [index, item] of readArray(choice['tools'], 'tool_choice.tools').entries()) {
    const place = at('tool_choice.tools', index);
    const tool = readObject(item, place);
    if (tool['type'] !== 'function' && tool['type'] !== 'custom') return 'hosted';
    names.push(readName(tool['name'], at(place, 'name')));
  }
  return { type: 'subset', mode: readWord(choice['mode'], ['auto', 'required'], 'tool_choice.mode'), names };
}

const SPOKEN_REASONING: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary']);

function decodeReasoning(object: JsonObject | undefined, nested: string[]): ReasoningRequest | undefined {
  if (object === undefined) return undefined;
  unspoken(object, SPOKEN_REASONING, 'reasoning', nested);
  const summary =
    optional(object, 'summary', readString, 'reasoning') ??
    optional(object, 'generate_summary', readString, 'reasoning');
  const reasoning = present({
    effort: optional(object, 'effort', (word, place) => readWord(word, EFFORTS, place), 'reasoning'),
    visible: summary === undefined ? undefined : true,
    summary,
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}
