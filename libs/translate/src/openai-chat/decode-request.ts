/**
 * A chat-completions request body, with every vendor's extensions, to the middle form (docs/wire/openai-chat.md#request-fields,
 * docs/wire/chat-translation.md).
 */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, OutputFormat, ReasoningRequest, Tool, ToolChoice, Unportable } from '../conversation.ts';
import { EFFORTS, VERBOSITIES, readParameters, readSchemaFormat, readWebSearch } from '../shared/openai-words.ts';
import {
  at,
  invalid,
  objectOf,
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
  wordOf,
} from '../shared/read.ts';
import { unportableFields } from '../shared/translation.ts';
import { decodeMessages } from './decode-messages.ts';

const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'response_format',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'parallel_tool_calls',
  'reasoning_effort',
  'reasoning',
  'include_reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'verbosity',
  'modalities',
  'audio',
  'image_config',
  'web_search_options',
  'metadata',
  'service_tier',
  'user',
  'prompt_cache_key',
]);

/** What a vendor keeps, or looks up, and puts into the conversation: an answer without it would be about something else. */
const KEPT_ELSEWHERE: Readonly<Record<string, Omit<Unportable, 'field'>>> = {
  previous_response_id: { reason: 'this model does not keep earlier answers; send the whole conversation in messages' },
  conversation: { reason: 'this model does not keep conversations; send the whole conversation in messages' },
  conversation_id: { reason: 'this model does not keep conversations; send the whole conversation in messages' },
  thread_id: { reason: 'this model does not keep conversations; send the whole conversation in messages' },
  data_sources: { reason: 'this model does not look into your data sources; send what they hold in messages' },
  documents: { reason: 'this model has no such field; send the documents in messages' },
};

/** Throws GatewayError `invalid_request` naming the place; what the middle form has no word for is kept in `extra`. */
export function decodeRequest(value: Json): ChatRequest {
  const body = readObject(value, '');
  const { system, turns } = decodeMessages(body['messages']);
  const nested: string[] = [];
  const tools = decodeTools(body, nested);
  const read = <T>(key: string, reader: (value: Json | undefined, place: string) => T): T | undefined =>
    optional(body, key, reader, '');
  const streamOptions = read('stream_options', readObject) ?? {};
  const extra = unknownFields(body, KNOWN);
  const user = read('user', readString);
  const unportable = unportableFields(extra, KEPT_ELSEWHERE);
  return present({
    dialect: 'openai-chat' as const,
    model: readName(body['model'], 'model'),
    stream: read('stream', readBoolean) ?? false,
    streamUsage: optional(streamOptions, 'include_usage', readBoolean, 'stream_options'),
    system,
    turns,
    tools,
    // Some applications send it without tools (docs/wire/chat-translation.md#habits-of-clients); then it means nothing.
    toolChoice: tools.some((tool) => tool.type !== 'web-search') ? decodeToolChoice(body) : undefined,
    parallelToolCalls: tools.length === 0 ? undefined : read('parallel_tool_calls', readBoolean),
    maxOutputTokens: read('max_completion_tokens', readCap) ?? read('max_tokens', readCap),
    stop: read('stop', readStop),
    temperature: read('temperature', readNumber),
    topP: read('top_p', readNumber),
    topK: read('top_k', readNumber),
    presencePenalty: read('presence_penalty', readNumber),
    frequencyPenalty: read('frequency_penalty', readNumber),
    seed: read('seed', readInteger),
    count: read('n', readCount),
    logprobs: read('logprobs', readBoolean),
    topLogprobs: read('top_logprobs', readTopLogprobs),
    logitBias: read('logit_bias', readObject),
    format: read('response_format', readFormat),
    verbosity: read('verbosity', (word, place) => readWord(word, VERBOSITIES, place)),
    reasoning: decodeReasoning(body),
    modalities: read('modalities', readModalities),
    audio: read('audio', readAudio),
    image: read('image_config', readImage),
    // `safety_identifier` is the newer word; beside `user` both are kept.
    user: user ?? read('safety_identifier', readString),
    metadata: read('metadata', readObject),
    serviceTier: read('service_tier', readString),
    cacheKey: read('prompt_cache_key', readString),
    extra: user === undefined ? withoutField(extra, 'safety_identifier') : extra,
    unportable: unportable.length === 0 ? undefined : unportable,
    nested: nested.length === 0 ? undefined : nested,
  });
}

function withoutField(object: JsonObject, field: string): JsonObject {
  if (!Object.hasOwn(object, field)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== field));
}

export function readStop(value: Json | undefined, place: string): string[] {
  if (typeof value === 'string') return [value];
  return readArray(value, place).map((text, index) => readString(text, at(place, index)));
}

/** Here, where it is known by which of its names it came. */
function readCap(value: Json | undefined, place: string): number {
  const cap = readInteger(value, place);
  if (cap < 1) throw invalid(place, `must be 1 or more, not ${cap}`);
  return cap;
}

/** One answer is what is given anyway. */
export function readCount(value: Json | undefined, place: string): number | undefined {
  const count = readInteger(value, place);
  if (count < 1) throw invalid(place, `must be 1 or more, not ${count}`);
  return count === 1 ? undefined : count;
}

/** Zero asks for none beside the token itself, which is what everyone gives. */
function readTopLogprobs(value: Json | undefined, place: string): number | undefined {
  const count = readInteger(value, place);
  return count === 0 ? undefined : count;
}

function readModalities(value: Json | undefined, place: string): string[] | undefined {
  const words = readArray(value, place).map((word, index) => readString(word, at(place, index)).toLowerCase());
  const others = words.filter((word) => word !== 'text');
  return others.length === 0 ? undefined : others;
}

function readAudio(value: Json | undefined, place: string): NonNullable<ChatRequest['audio']> {
  const audio = readObject(value, place);
  return present({ format: optional(audio, 'format', readString, place), voice: audio['voice'] ?? undefined });
}

function readImage(value: Json | undefined, place: string): NonNullable<ChatRequest['image']> {
  const image = readObject(value, place);
  return present({
    aspectRatio: optional(image, 'aspect_ratio', readString, place),
    size: optional(image, 'image_size', readString, place),
  });
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
    case 'json_schema': {
      const where = at(place, 'json_schema');
      return readSchemaFormat(readObject(format['json_schema'], where), where);
    }
  }
}

const SPOKEN: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict']);

function decodeTools(body: JsonObject, nested: string[]): Tool[] {
  const tools = (optional(body, 'tools', readArray, '') ?? []).map((item, index) =>
    decodeTool(readObject(item, at('tools', index)), at('tools', index), nested),
  );
  (optional(body, 'functions', readArray, '') ?? []).forEach((item, index) => {
    const place = at('functions', index);
    tools.push(decodeFunction(readObject(item, place), {}, place, nested));
  });
  const search = optional(body, 'web_search_options', readObject, '');
  if (search !== undefined) tools.push(readWebSearch(search, 'web_search_options'));
  return tools;
}

function decodeTool(tool: JsonObject, place: string, nested: string[]): Tool {
  const type = readName(tool['type'] ?? 'function', at(place, 'type'));
  if (type === 'function') {
    const where = at(place, 'function');
    return decodeFunction(readObject(tool['function'], where), tool, where, nested);
  }
  if (type === 'custom') {
    const where = at(place, 'custom');
    const custom = readObject(tool['custom'], where);
    return present({
      type: 'custom' as const,
      name: readName(custom['name'], at(where, 'name')),
      description: optional(custom, 'description', readString, where),
      format: readCustomFormat(optional(custom, 'format', readObject, where)),
      place: where,
    });
  }
  if (type.startsWith('web_search')) return readWebSearch(tool, place);
  return { type: 'hosted', provider: 'openai-chat', name: type, raw: tool, place };
}

/** Responses writes the grammar flat; that is the form in between. */
function readCustomFormat(format: JsonObject | undefined): JsonObject | undefined {
  const grammar = objectOf(format?.['grammar']);
  return grammar === undefined ? format : { type: 'grammar', ...grammar };
}

function decodeFunction(fn: JsonObject, around: JsonObject, place: string, nested: string[]): Tool {
  for (const [key, value] of Object.entries(fn)) if (!SPOKEN.has(key) && value !== null) nested.push(at(place, key));
  const mark = objectOf(around['cache_control']);
  const ttl = wordOf(mark?.['ttl']);
  return present({
    type: 'function' as const,
    name: readName(fn['name'], at(place, 'name')),
    description: optional(fn, 'description', readString, place),
    parameters: readParameters(fn, 'parameters', place),
    strict: optional(fn, 'strict', readBoolean, place),
    cache: mark === undefined ? undefined : ttl === undefined ? {} : { ttl },
    place,
  });
}

const CHOICES = ['auto', 'none', 'required'] as const;

function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body['tool_choice'] ?? legacyChoice(body['function_call']);
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === 'string') {
    // `any` is what Mistral calls it.
    return { type: readWord(choice === 'any' ? 'required' : choice, CHOICES, 'tool_choice') };
  }
  const object = readObject(choice, 'tool_choice');
  const type = readWord(object['type'], ['function', 'custom', 'allowed_tools', ...CHOICES], 'tool_choice.type');
  switch (type) {
    case 'auto':
    case 'none':
    case 'required':
      return { type };
    case 'function':
    case 'custom':
      return { type: 'tool', name: nameIn(object, type, 'tool_choice') };
    case 'allowed_tools': {
      const place = at('tool_choice', 'allowed_tools');
      const allowed = readObject(object['allowed_tools'], place);
      const mode = readWord(allowed['mode'], ['auto', 'required'], at(place, 'mode'));
      const names = readArray(allowed['tools'], at(place, 'tools')).map((item, index) => {
        const where = at(at(place, 'tools'), index);
        const tool = readObject(item, where);
        return nameIn(tool, tool['type'] === 'custom' ? 'custom' : 'function', where);
      });
      return { type: 'subset', mode, names };
    }
  }
}

function nameIn(object: JsonObject, key: string, place: string): string {
  const where = at(place, key);
  return readName(readObject(object[key], where)['name'], at(where, 'name'));
}

function legacyChoice(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? { type: 'function', function: value } : value;
}

/** `reasoning_effort`, and how OpenRouter, Ark, DeepSeek and Qwen ask for the same. */
function decodeReasoning(body: JsonObject): ReasoningRequest | undefined {
  const object = optional(body, 'reasoning', readObject, '') ?? {};
  const thinking = optional(body, 'thinking', readObject, '') ?? {};
  const enabled =
    optional(body, 'enable_thinking', readBoolean, '') ?? optional(object, 'enabled', readBoolean, 'reasoning');
  const kind = wordOf(thinking['type']);
  const mode = MODES[kind ?? (enabled === undefined ? '' : enabled ? 'enabled' : 'disabled')];
  const exclude = optional(object, 'exclude', readBoolean, 'reasoning');
  const effort =
    optional(body, 'reasoning_effort', readEffort, '') ?? optional(object, 'effort', readEffort, 'reasoning');
  const reasoning = present({
    effort,
    budgetTokens:
      optional(thinking, 'budget_tokens', readInteger, 'thinking') ??
      optional(body, 'thinking_budget', readInteger, '') ??
      optional(object, 'max_tokens', readInteger, 'reasoning'),
    mode,
    visible: optional(body, 'include_reasoning', readBoolean, '') ?? (exclude === undefined ? undefined : !exclude),
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

const MODES: Readonly<Record<string, ReasoningRequest['mode']>> = {
  enabled: 'enabled',
  disabled: 'disabled',
  adaptive: 'adaptive',
  auto: 'adaptive',
};

function readEffort(value: Json | undefined, place: string): NonNullable<ReasoningRequest['effort']> {
  return readWord(value, EFFORTS, place);
}
