import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { dotted, type Reader } from '../core/reader.ts';
import type { Talk, TalkTool } from '../chat/talk.ts';
import { readCacheControl, readMessage, readText, type Block, type BlockRules } from './blocks.ts';
import { capabilitiesOf, type Capabilities } from './models.ts';
import { badMessage, refuseAsAnthropic } from './errors.ts';
import { orderedTurns } from './ordering.ts';

const FIELDS = new Set(
  (
    'model messages max_tokens system stop_sequences temperature top_p top_k stream metadata service_tier speed thinking ' +
    'output_config tools tool_choice cache_control container thread previous_message_id diagnostics inference_geo mcp_servers context_management'
  ).split(' '),
);
/** `anthropic-beta: structured-outputs-…`: the older place of `output_config.format`. */
const FIELDS_OF_BETA = new Set([...FIELDS, 'output_format']);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MOST_CACHE_MARKS = 4;

export interface MessagesOrder {
  readonly talk: Talk;
  readonly stream: boolean;
  /** Thinking text is shown, not only signed. */
  readonly showsThinking: boolean;
  /** What cache marks keep; undefined without one. */
  readonly cached: KeptPrefixes | undefined;
  /** A server tool call of the last message that still waits for its result. */
  readonly paused: { readonly id: string; readonly query: string } | undefined;
  readonly serviceTier: string;
}

export interface ReadOptions {
  readonly newVersion: boolean;
  /** `count_tokens` needs no cap. */
  readonly counting: boolean;
  /** Names in `anthropic-beta`. */
  readonly betas: readonly string[];
}

/** Reads a Messages request as strictly as the vendor does. */
export function readMessages(body: Reader, { newVersion, counting, betas }: ReadOptions): MessagesOrder {
  body.only(betas.some((beta) => beta.startsWith('structured-outputs-')) ? FIELDS_OF_BETA : FIELDS);
  refuseThread(body);
  refuseUnknownContainer(body);
  const model = body.string('model');
  if (/^(no-such|unknown|missing)-/.test(model)) throw refuseAsAnthropic(404, { message: `model: ${model}` });
  const able = capabilitiesOf(model);
  const cap = counting ? undefined : body.integer('max_tokens', 1);
  if (cap !== undefined && cap > able.maxOutput) {
    throw badMessage(
      `max_tokens: ${cap} > ${able.maxOutput}, which is the maximum allowed number of output tokens for ${model}`,
    );
  }
  const thinking = readThinking(body, able, cap);
  checkSampling(body, { able, newVersion, thinks: thinking.mode !== 'off' });
  const cache = new CacheMarks(body);
  const rules: BlockRules = { newVersion, onCacheMark: (block) => cache.mark(block) };
  const { tools, search } = readTools(body, cache);
  const system = readSystem(body, cache);
  const messages = body.array('messages').map((item, index) => readMessage(body.item('messages', item, index), rules));
  if (messages.length === 0) throw badMessage('messages: at least one message is required');
  const ordered = orderedTurns(messages, thinking.mode === 'enabled');
  if (ordered.system.length > 0 && !able.rejectsSampling) {
    throw badMessage('messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter');
  }
  const last = messages.at(-1);
  const paused = last?.role === 'assistant' ? openServerCall(last.blocks) : undefined;
  if (last?.role === 'assistant' && paused === undefined) checkPrefill(last.blocks, able, thinking.mode !== 'off');
  const choice = readChoice(body, tools, thinking.mode === 'enabled');
  const stop = body.strings('stop_sequences');
  if (stop.some((text) => text.trim() === ''))
    throw badMessage('stop_sequences: each stop sequence must contain non-whitespace');
  body.optionalObject('metadata')?.only(new Set(['user_id']));
  return {
    talk: {
      model,
      system: [...system, ...ordered.system].join('\n\n'),
      turns: ordered.turns,
      tools,
      choice: choice.choice,
      parallel: choice.parallel,
      format: readFormat(body, able),
      thinks: thinking.mode !== 'off',
      ...(cap !== undefined && { mostTokens: cap }),
      stop,
      search,
    },
    stream: body.optionalBoolean('stream') ?? false,
    showsThinking: thinking.shown,
    cached: cache.result(),
    paused,
    serviceTier: body.optionalOneOf('service_tier', ['auto', 'standard_only'] as const) ?? 'auto',
  };
}

function readThinking(
  body: Reader,
  able: Capabilities,
  cap: number | undefined,
): { mode: 'off' | 'enabled' | 'adaptive'; shown: boolean } {
  const thinking = body.optionalObject('thinking');
  const effort = body
    .optionalObject('output_config')
    ?.optionalOneOf('effort', ['low', 'medium', 'high', 'xhigh', 'max'] as const);
  if (thinking === undefined) return { mode: able.thinksByDefault ? 'adaptive' : 'off', shown: !able.hidesThinking };
  const type = thinking.oneOf('type', ['enabled', 'adaptive', 'disabled', 'between_tools'] as const);
  const display = thinking.optionalOneOf('display', ['summarized', 'omitted'] as const);
  const shown = display === undefined ? !able.hidesThinking : display === 'summarized';
  switch (type) {
    case 'disabled':
      if (able.thinksByDefault && (effort === 'xhigh' || effort === 'max')) {
        throw badMessage('thinking.type: `disabled` is not supported with an effort above high');
      }
      return { mode: 'off', shown };
    case 'between_tools':
      return { mode: 'off', shown };
    case 'adaptive':
      if (!able.adaptive) throw badMessage('thinking.type: adaptive thinking is not supported on this model');
      return { mode: 'adaptive', shown };
    case 'enabled': {
      const budget = thinking.integer('budget_tokens');
      if (budget < 1024)
        throw badMessage('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
      if (cap !== undefined && budget >= cap)
        throw badMessage('`max_tokens` must be greater than `thinking.budget_tokens`');
      return { mode: 'enabled', shown };
    }
  }
}

function checkSampling(
  body: Reader,
  { able, newVersion, thinks }: { readonly able: Capabilities; readonly newVersion: boolean; readonly thinks: boolean },
): void {
  const temperature = body.optionalNumber('temperature', 0, 1);
  const topP = body.optionalNumber('top_p', 0, 1);
  const topK = body.optionalInteger('top_k', 0);
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    if (newVersion && body.has(name)) throw badMessage(`${name}: Extra inputs are not permitted with this API version`);
  }
  if (able.rejectsSampling) {
    if (temperature !== undefined && temperature !== 1)
      throw badMessage('`temperature` may only be set to 1 on this model');
    if (topP !== undefined && topP < 0.99) throw badMessage('`top_p` may only be set to 0.99 or above on this model');
    if (topK !== undefined) throw badMessage('`top_k` is not supported on this model');
  }
  if (able.oneSampler && temperature !== undefined && topP !== undefined) {
    throw badMessage('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  }
  if (!thinks) return;
  if (temperature !== undefined && temperature !== 1) {
    throw badMessage('`temperature` may only be set to 1 when thinking is enabled');
  }
  if (topK !== undefined) throw badMessage('`top_k` must be unset when thinking is enabled');
  if (topP !== undefined && topP < 0.95)
    throw badMessage('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled');
}

function readSystem(body: Reader, cache: CacheMarks): string[] {
  const { system } = body.value;
  if (system === undefined || system === null) return [];
  if (typeof system === 'string') return system === '' ? [] : [system];
  body.array('system');
  return body.objects('system').map((block) => {
    block.oneOf('type', ['text'] as const);
    if (block.has('cache_control')) cache.mark(block);
    return readText(block);
  });
}

const SERVER_TOOLS =
  /^(web_search|web_fetch|code_execution|tool_search_tool_\w+|bash|text_editor|memory|browser|computer|mcp_toolset|advisor)\w*$/;

function readTools(body: Reader, cache: CacheMarks): { tools: TalkTool[]; search: boolean } {
  const tools: TalkTool[] = [];
  let search = false;
  const names = new Set<string>();
  for (const tool of body.objects('tools')) {
    const type = tool.optionalString('type') ?? 'custom';
    const at = dotted(tool.path);
    if (tool.has('cache_control')) cache.mark(tool);
    const name = tool.string('name');
    if (names.has(name)) throw badMessage('tools: Tool names must be unique.');
    names.add(name);
    if (type !== 'custom') {
      if (!SERVER_TOOLS.test(type))
        throw badMessage(`${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
      search ||= type.startsWith('web_search');
      continue;
    }
    if (!TOOL_NAME.test(name))
      throw badMessage(`${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    tools.push({ name, schema: readInputSchema(tool, at) });
  }
  return { tools, search };
}

function readInputSchema(tool: Reader, at: string): JsonObject {
  if (!tool.has('input_schema')) throw badMessage(`${at}.custom.input_schema: Field required`);
  const schema = tool.object('input_schema').value;
  if (schema['type'] === undefined) throw badMessage(`${at}.custom.input_schema.type: Field required`);
  if (schema['type'] !== 'object') throw badMessage(`${at}.custom.input_schema.type: Input should be 'object'`);
  return schema;
}

function readChoice(
  body: Reader,
  tools: readonly TalkTool[],
  thinks: boolean,
): { choice: Talk['choice']; parallel: boolean } {
  const choice = body.optionalObject('tool_choice');
  if (choice === undefined) return { choice: 'auto', parallel: true };
  if (!body.has('tools')) throw badMessage('tool_choice: may only be specified while providing tools');
  const type = choice.oneOf('type', ['auto', 'any', 'tool', 'none'] as const);
  if (thinks && (type === 'any' || type === 'tool')) {
    throw badMessage('Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (type === 'none' && choice.has('disable_parallel_tool_use'))
    choice.fail('disable_parallel_tool_use', '', 'unknown');
  const parallel = choice.optionalBoolean('disable_parallel_tool_use') !== true;
  if (type !== 'tool') return { choice: type === 'any' ? 'required' : type, parallel };
  const name = choice.string('name');
  if (!tools.some((tool) => tool.name === name))
    throw badMessage(`tool_choice: Tool '${name}' not found in provided tools`);
  return { choice: [name], parallel };
}

/** Threads are a beta that not every account has: whoever is refused so sends the whole conversation (docs/wire/anthropic-messages.md). */
function refuseThread(body: Reader): void {
  for (const name of ['thread', 'previous_message_id']) {
    if (body.has(name))
      throw badMessage(`${name}: threads are not supported for this request`, 'thread_unsupported_request');
  }
}

/** Nobody makes containers at the twin: a name of one is the name of nobody's. */
function refuseUnknownContainer(body: Reader): void {
  const { container } = body.value;
  const id = isJsonObject(container) ? container['id'] : container;
  if (typeof id === 'string') throw refuseAsAnthropic(404, { message: `Container not found: ${id}` });
}

function readFormat(body: Reader, able: Capabilities): Talk['format'] {
  const config = body.optionalObject('output_config');
  config?.only(new Set(['effort', 'format']));
  if (config?.has('format') === true && body.has('output_format')) {
    throw badMessage('output_format: cannot be used together with output_config.format');
  }
  const format = body.optionalObject('output_format') ?? config?.optionalObject('format');
  if (format === undefined) return 'text';
  format.oneOf('type', ['json_schema'] as const);
  format.only(new Set(['type', 'schema']));
  const schema = format.object('schema').value;
  if (!able.structured) throw badMessage('output_config.format: This model does not support structured outputs');
  requireOutputSchema(schema, 'output_config.format.schema');
  return { schema };
}

function checkPrefill(blocks: readonly Block[], able: Capabilities, thinks: boolean): void {
  if (!able.prefill) {
    throw badMessage(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  if (thinks) throw badMessage('Prefilling the assistant response is not compatible with thinking.');
  const last = blocks.at(-1);
  if (last?.type === 'text' && last.text !== last.text.trimEnd()) {
    throw badMessage('messages: final assistant content cannot end with trailing whitespace');
  }
}

function openServerCall(blocks: readonly Block[]): MessagesOrder['paused'] {
  const call = blocks.findLast((block) => block.type === 'server_tool_use');
  if (call?.toolId === undefined) return undefined;
  const answered = blocks.some((block) => block.type === 'web_search_tool_result' && block.toolId === call.toolId);
  return answered ? undefined : { id: call.toolId, query: 'the paused search' };
}

/** Beginnings of a request, without their marks. */
export interface KeptPrefixes {
  /** What ends with a mark, the longest last. */
  readonly written: readonly string[];
  /** Where the vendor looks for what it has kept: up to the last mark and up to twenty messages before it, the longest first. */
  readonly looked: readonly string[];
  readonly ttl: '5m' | '1h';
}

const LOOKED_BACK = 20;

/** Counts cache marks, and finds what they keep. */
class CacheMarks {
  readonly #body: Reader;
  #count = 0;
  readonly #marked: Reader[] = [];

  constructor(body: Reader) {
    this.#body = body;
    if (!body.has('cache_control')) return;
    readCacheControl(body.object('cache_control'));
    this.#count = 1;
  }

  mark(block: Reader): void {
    this.#count += 1;
    if (this.#count > MOST_CACHE_MARKS) {
      throw badMessage(`A maximum of 4 blocks with cache_control may be provided. Found ${this.#count}.`);
    }
    readCacheControl(block.object('cache_control'));
    this.#marked.push(block);
  }

  result(): KeptPrefixes | undefined {
    if (this.#count === 0) return undefined;
    const { messages } = this.#body.value;
    const count = Array.isArray(messages) ? messages.length : 0;
    const ends = this.#marked.map(({ path }) => (path[0] === 'messages' ? Number(path[1]) + 1 : 0));
    if (this.#body.has('cache_control')) ends.push(count);
    ends.sort((left, right) => left - right);
    const last = ends.at(-1) ?? 0;
    const looked = Array.from({ length: Math.min(last, LOOKED_BACK) + 1 }, (_, back) => this.#upTo(last - back));
    const mark = (this.#marked.at(-1) ?? this.#body).object('cache_control');
    return {
      written: ends.map((end) => this.#upTo(end)),
      looked: last > LOOKED_BACK ? [...looked, this.#upTo(0)] : looked,
      ttl: mark.optionalOneOf('ttl', ['5m', '1h'] as const) ?? '5m',
    };
  }

  /** Tools, orders and so many messages, which are another prompt with another choice of tools or another way to think. */
  #upTo(end: number): string {
    const { tools, system, messages, model, tool_choice: choice, thinking } = this.#body.value;
    const said = Array.isArray(messages) ? messages.slice(0, end) : [];
    const parts = [model, tools, system, ...(said.length === 0 ? [] : [choice ?? null, thinking ?? null, said])];
    return JSON.stringify(parts, (name, value: unknown) => (name === 'cache_control' ? undefined : value));
  }
}

const REFUSED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
];

/** Structured output takes a subset of JSON Schema: closed objects, no bounds (docs/wire/chat-translation.md#tools). */
export function requireOutputSchema(schema: JsonObject, at: string): void {
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit);
      return;
    }
    if (!isJsonObject(node)) return;
    const type = typeof node['type'] === 'string' ? node['type'] : 'any';
    for (const name of REFUSED) {
      if (node[name] !== undefined) throw badMessage(`${at}: For '${type}' type, property '${name}' is not supported`);
    }
    if (node['type'] === 'object' && node['additionalProperties'] !== false) {
      throw badMessage(`${at}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
    }
    for (const key of ['properties', '$defs', 'definitions'] as const)
      Object.values(isJsonObject(node[key]) ? node[key] : {}).forEach(visit);
    for (const key of ['items', 'anyOf', 'allOf', 'oneOf'] as const) visit(node[key]);
  };
  visit(schema);
}
