/** A Responses request body to the middle form (docs/wire/openai-responses.md#request-fields, docs/wire/chat-translation.md). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, OutputFormat, ReasoningRequest, Unportable } from '../conversation.ts';
import { EFFORTS, VERBOSITIES, readSchemaFormat } from '../shared/openai-words.ts';
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
import { decodeToolChoice, decodeTools, unspoken } from './decode-tools.ts';
import { createGroupNames } from './group-names.ts';

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
  const groups = createGroupNames(body['tools']);
  const tools = decodeTools(read('tools', readArray) ?? [], { nested, groups });
  const items = decodeInput(read('instructions', readString), body['input'], groups);
  const unportable = unportableFields(extra, STATEFUL);
  unportable.push(...items.unportable);
  const text = read('text', readObject) ?? {};
  const choice = decodeToolChoice(body['tool_choice'], groups, tools);
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
