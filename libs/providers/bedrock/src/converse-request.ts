/** A request of the Messages wire as one of Converse (docs/wire/bedrock.md#converse). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { defined, listAt, textAt } from '@model-gateway/provider-kit';

/** What Converse has a word for; everything else goes to the model as `additionalModelRequestFields`, in the model's own words. */
const OWN = new Set([
  'model',
  'stream',
  'messages',
  'system',
  'max_tokens',
  'temperature',
  'top_p',
  'stop_sequences',
  'tools',
  'tool_choice',
  'metadata',
  'cache_control',
  'service_tier',
]);
const IMAGE_TYPES = new Set(['png', 'jpeg', 'gif', 'webp']);
const CACHE_POINT: JsonObject = { cachePoint: { type: 'default' } };

/** How the account wants its requests to be served, beside what callers say. */
export interface ConverseOptions {
  readonly guardrail: string;
  readonly guardrailVersion: string;
  readonly latency: string;
  /** Names of `anthropic-beta`. */
  readonly betas: readonly string[];
}

/** `invalid_request` for what Converse cannot be asked. */
export function toConverse(body: JsonObject, options: ConverseOptions): JsonObject {
  const { messages, system, tools, tool_choice: choice } = body;
  const turns = turnsOf(listAt(messages));
  const further = Object.fromEntries(Object.entries(body).filter(([name]) => !OWN.has(name)));
  const extra = { ...further, ...(options.betas.length > 0 && { anthropic_beta: [...options.betas] }) };
  const inference = defined({
    maxTokens: body['max_tokens'],
    temperature: body['temperature'],
    topP: body['top_p'],
    stopSequences: body['stop_sequences'],
  });
  const guardrailConfig = {
    guardrailIdentifier: options.guardrail,
    guardrailVersion: options.guardrailVersion === '' ? 'DRAFT' : options.guardrailVersion,
  };
  return {
    messages: turns,
    ...defined({
      system: system === undefined ? undefined : systemOf(system),
      toolConfig: toolConfigOf(tools, choice, turns),
    }),
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...(Object.keys(extra).length > 0 && { additionalModelRequestFields: extra }),
    ...(options.guardrail !== '' && { guardrailConfig }),
    ...(options.latency !== '' && { performanceConfig: { latency: options.latency } }),
  };
}

/** What `count-tokens` takes of it. */
export function toConverseCount(body: JsonObject, options: ConverseOptions): JsonObject {
  const { messages, system, toolConfig } = toConverse(body, options);
  return { input: { converse: defined({ messages, system, toolConfig }) } };
}

/** Turns alternate, and all results of a turn stand in one: neighbours of a role are one turn. */
function turnsOf(messages: readonly Json[]): JsonObject[] {
  const turns: { role: string; content: JsonObject[] }[] = [];
  const names = new DocumentNames();
  for (const [index, message] of messages.entries()) {
    const role = textAt(message, 'role') ?? 'user';
    const content = blocksOf(
      isJsonObject(message) ? (message['content'] ?? '') : '',
      `messages[${index}].content`,
      names,
    );
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function systemOf(system: Json): JsonObject[] {
  return blocksOf(system, 'system', new DocumentNames());
}

/** Empty texts are refused by the vendor, and say nothing. */
function blocksOf(content: Json, at: string, names: DocumentNames): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return listAt(content).flatMap((block, index) => {
    if (!isJsonObject(block)) return [];
    const made = blockOf(block, `${at}[${index}]`, names);
    return block['cache_control'] === undefined || made.length === 0 ? made : [...made, cachePointOf(block)];
  });
}

function cachePointOf(block: JsonObject): JsonObject {
  return textAt(block, 'cache_control', 'ttl') === '1h' ? { cachePoint: { type: 'default', ttl: '1h' } } : CACHE_POINT;
}

function blockOf(block: JsonObject, at: string, names: DocumentNames): JsonObject[] {
  switch (block['type']) {
    case 'text':
      return (textAt(block, 'text') ?? '') === '' ? [] : [{ text: textAt(block, 'text') ?? '' }];
    case 'image':
      return [imageOf(block, at)];
    case 'document':
      return [documentOf(block, at, names)];
    case 'tool_use':
      return [
        {
          toolUse: {
            toolUseId: textAt(block, 'id') ?? '',
            name: textAt(block, 'name') ?? '',
            input: block['input'] ?? {},
          },
        },
      ];
    case 'tool_result':
      return [resultOf(block, at, names)];
    case 'thinking': {
      const text = textAt(block, 'thinking') ?? '';
      const signature = textAt(block, 'signature') ?? '';
      const reasoningText = { text, ...(signature !== '' && { signature }) };
      return [{ reasoningContent: { reasoningText } }];
    }
    case 'redacted_thinking':
      return [{ reasoningContent: { redactedContent: textAt(block, 'data') ?? '' } }];
    default:
      throw cannotTake(at, `blocks of type ${String(textAt(block, 'type'))}`);
  }
}

function imageOf(block: JsonObject, at: string): JsonObject {
  const format = /^image\/(\w+)$/.exec(textAt(block, 'source', 'media_type') ?? '')?.[1] ?? '';
  const bytes = textAt(block, 'source', 'data');
  if (bytes === undefined) throw cannotTake(at, 'pictures by their address; send them as base64');
  if (!IMAGE_TYPES.has(format)) throw cannotTake(at, `pictures of the type image/${format}`);
  return { image: { format, source: { bytes } } };
}

function documentOf(block: JsonObject, at: string, names: DocumentNames): JsonObject {
  const name = names.next(textAt(block, 'title'));
  const data = textAt(block, 'source', 'data');
  if (data === undefined) throw cannotTake(at, 'documents by their address; send them as base64');
  const isText = textAt(block, 'source', 'type') === 'text';
  const bytes = isText ? Buffer.from(data, 'utf8').toString('base64') : data;
  return { document: { format: isText ? 'txt' : 'pdf', name, source: { bytes } } };
}

function resultOf(block: JsonObject, at: string, names: DocumentNames): JsonObject {
  const content = blocksOf(block['content'] ?? '', `${at}.content`, names);
  return {
    toolResult: {
      toolUseId: textAt(block, 'tool_use_id') ?? '',
      content: content.length === 0 ? [{ text: '(no output)' }] : content,
      ...(block['is_error'] === true && { status: 'error' }),
    },
  };
}

/** A request that tells of calls must have tools, even where none may be called now. */
function toolConfigOf(
  tools: Json | undefined,
  choice: Json | undefined,
  turns: readonly JsonObject[],
): JsonObject | undefined {
  const kind = textAt(choice, 'type');
  const tellsOfCalls = turns.some(({ content }) =>
    listAt(content).some((block) => isJsonObject(block) && ('toolUse' in block || 'toolResult' in block)),
  );
  const given = listAt(tools);
  if (given.length === 0 || (kind === 'none' && !tellsOfCalls)) return undefined;
  return {
    tools: given.flatMap((tool, index) => (isJsonObject(tool) ? toolOf(tool, index) : [])),
    ...(kind === 'any' && { toolChoice: { any: {} } }),
    ...(kind === 'tool' && { toolChoice: { tool: { name: textAt(choice, 'name') ?? '' } } }),
    ...(kind === 'auto' && { toolChoice: { auto: {} } }),
  };
}

function toolOf(tool: JsonObject, index: number): JsonObject[] {
  const type = textAt(tool, 'type') ?? 'custom';
  if (type !== 'custom') throw cannotTake(`tools[${index}]`, `the tool ${type}`);
  const toolSpec = defined({
    name: tool['name'],
    description: tool['description'] === '' ? undefined : tool['description'],
    inputSchema: { json: tool['input_schema'] ?? { type: 'object' } },
  });
  return tool['cache_control'] === undefined ? [{ toolSpec }] : [{ toolSpec }, cachePointOf(tool)];
}

/** Names of documents are told to the model, may hold few characters, and differ within a request. */
class DocumentNames {
  #count = 0;

  next(title: string | undefined): string {
    this.#count += 1;
    const plain = (title ?? '')
      .replaceAll(/[^A-Za-z0-9 ()[\]-]+/g, ' ')
      .replaceAll(/ {2,}/g, ' ')
      .trim()
      .slice(0, 150);
    return plain === '' ? `document ${this.#count}` : `${plain} ${this.#count}`;
  }
}

function cannotTake(param: string, what: string): GatewayError {
  return new GatewayError('invalid_request', `this model’s vendor takes no ${what}`, { param });
}
