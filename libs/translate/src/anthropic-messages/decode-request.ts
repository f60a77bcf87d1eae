/** POST /v1/messages, read (docs/wire/anthropic-messages.md#request-fields). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  ChatRequest,
  Effort,
  OutputFormat,
  ReasoningRequest,
  TextPart,
  Turn,
  Unportable,
  UserPart,
} from '../conversation.ts';
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
  readStrings,
  readWord,
  textOf,
  unknownFields,
  wordOf,
} from '../shared/read.ts';
import { unportableFields } from '../shared/translation.ts';
import {
  noteUnknown,
  readAssistantBlock,
  readCacheMark,
  readDocumentBlock,
  readImageBlock,
  readResultContent,
  readSearchResult,
  readTextBlock,
  unknownBlock,
  type BlockContext,
} from './blocks.ts';
import { restoreId } from './ids.ts';
import { decodeToolChoice, decodeTool } from './tools.ts';

const KNOWN = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'stream',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'metadata',
  'service_tier',
  'thinking',
  'output_config',
  'tools',
  'tool_choice',
  'cache_control',
]);

/** What the SDK's tool runner falls back on: it sends the whole conversation from then on. */
const NO_THREADS = 'thread_unsupported_request';

/** What an answer of another vendor would silently lack. */
const ONLY_HERE: Readonly<Record<string, Omit<Unportable, 'field'>>> = {
  thread: {
    reason:
      'only Anthropic keeps conversations, and this model is not served by it; send the whole conversation in `messages`',
    code: NO_THREADS,
  },
  previous_message_id: {
    reason:
      'only Anthropic keeps messages, and this model is not served by it; send the whole conversation in `messages`',
    code: NO_THREADS,
  },
  compaction: {
    reason: 'only Anthropic compacts conversations, and this model is not served by it; ask for a summary in a message',
  },
  mcp_servers: {
    reason:
      'only Anthropic connects to MCP servers by itself; name one that the gateway’s operator has listed, or declare their tools in `tools` for this model',
  },
  container: { reason: 'only Anthropic has code execution containers; leave it out for this model' },
};

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly Effort[];

/** Reads a Messages body; `max_tokens` may be absent, the target's own cap is used then. */
export function decodeRequest(body: Json): ChatRequest {
  const wire = readObject(body, '');
  const context: BlockContext & { nested: string[] } = { provider: 'anthropic', nested: [] };
  const extra = unknownFields(wire, KNOWN);
  const settings = decodeSettings(wire, extra, context.nested);
  const system = decodeSystem(wire['system'], 'system', context);
  const turns = decodeMessages(wire['messages'], context, system.length > 0);
  const tools = (optional(wire, 'tools', readArray, '') ?? []).map((tool, index) =>
    decodeTool(tool, at('tools', index), context),
  );
  const unportable = unportableFields(extra, ONLY_HERE);
  return present({
    dialect: 'anthropic-messages' as const,
    model: readName(wire['model'], 'model'),
    stream: optional(wire, 'stream', readBoolean, '') ?? false,
    system,
    turns,
    tools,
    ...settings,
    ...decodeToolChoice(wire['tool_choice']),
    extra,
    unportable: unportable.length === 0 ? undefined : unportable,
    nested: context.nested.length === 0 ? undefined : context.nested,
  });
}

function decodeSettings(wire: JsonObject, extra: JsonObject, nested: string[]) {
  const metadata = optional(wire, 'metadata', readObject, '') ?? {};
  const otherMetadata = unknownFields(metadata, new Set(['user_id']));
  const tier = optional(wire, 'service_tier', readString, '');
  return present({
    maxOutputTokens: optional(wire, 'max_tokens', readInteger, ''),
    stop: optional(wire, 'stop_sequences', readStrings, ''),
    temperature: optional(wire, 'temperature', readNumber, ''),
    topP: optional(wire, 'top_p', readNumber, ''),
    topK: optional(wire, 'top_k', readInteger, ''),
    user: wordOf(metadata['user_id']),
    metadata: Object.keys(otherMetadata).length === 0 ? undefined : otherMetadata,
    serviceTier: tier === 'standard_only' ? 'default' : tier,
    autoCache: readCacheMark(wire['cache_control']),
    ...decodeOutput(wire, extra, nested),
  });
}

function decodeOutput(
  wire: JsonObject,
  extra: JsonObject,
  nested: string[],
): { readonly reasoning: ReasoningRequest | undefined; readonly format: OutputFormat | undefined } {
  const config = optional(wire, 'output_config', readObject, '') ?? {};
  for (const key of Object.keys(config)) {
    if (key !== 'effort' && key !== 'format') nested.push(at('output_config', key));
  }
  const effort = optional(config, 'effort', (value, place) => readWord(value, EFFORTS, place), 'output_config');
  const thinking = decodeThinking(wire, extra);
  const reasoning = thinking === undefined && effort === undefined ? undefined : present({ ...thinking, effort });
  return { reasoning, format: optional(config, 'format', decodeFormat, 'output_config') };
}

function decodeThinking(wire: JsonObject, extra: JsonObject): ReasoningRequest | undefined {
  const thinking = optional(wire, 'thinking', readObject, '');
  if (thinking === undefined) return undefined;
  const display = textOf(thinking['display']);
  const shown = { visible: display === undefined ? undefined : display !== 'omitted', summary: display };
  switch (thinking['type']) {
    case 'enabled':
      return present({
        mode: 'enabled' as const,
        budgetTokens: readInteger(thinking['budget_tokens'], 'thinking.budget_tokens'),
        ...shown,
      });
    case 'adaptive':
      return present({ mode: 'adaptive' as const, ...shown });
    case 'disabled':
      return { mode: 'disabled' };
    default:
      // `between_tools` and what comes after it: no other wire has a word for it.
      readName(thinking['type'], 'thinking.type');
      extra['thinking'] = thinking;
      return undefined;
  }
}

function decodeFormat(value: Json | undefined, place: string): OutputFormat {
  const format = readObject(value, place);
  readWord(format['type'], ['json_schema'], at(place, 'type'));
  return { type: 'json-schema', schema: readObject(format['schema'], at(place, 'schema')) };
}

function decodeSystem(value: Json | undefined, place: string, context: BlockContext): TextPart[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value, place }];
  return readArray(value, place).map((item, index) => {
    const where = at(place, index);
    const block = readObject(item, where);
    if (block['type'] !== 'text') throw unknownBlock(block, where);
    return readTextBlock(block, where, context);
  });
}

/** None where the instructions are all that is said. */
function decodeMessages(value: Json | undefined, context: BlockContext, instructed: boolean): Turn[] {
  const messages = readArray(value ?? (instructed ? [] : undefined), 'messages');
  if (messages.length === 0 && !instructed) throw invalid('messages', 'must hold at least one message');
  return messages.map((item, index) => decodeTurn(item, at('messages', index), context));
}

function decodeTurn(item: Json, place: string, context: BlockContext): Turn {
  const message = readObject(item, place);
  const role = readWord(message['role'], ['user', 'assistant', 'system'], at(place, 'role'));
  noteUnknown(message, ['role', 'content'], place, context);
  const where = at(place, 'content');
  const content = message['content'];
  if (role === 'system') return { role, parts: decodeSystem(content, where, context), place };
  // A turn without words says nothing.
  if (content === null && role === 'assistant') return { role, parts: [], place };
  if (typeof content === 'string') {
    const parts: TextPart[] = content === '' ? [] : [{ type: 'text', text: content, place: where }];
    return { role, parts, place };
  }
  const blocks = readArray(content, where).map((block, index) => ({
    block: readObject(block, at(where, index)),
    at: at(where, index),
  }));
  if (role === 'user') {
    return { role, parts: blocks.flatMap((found) => decodeUserBlock(found.block, found.at, context)), place };
  }
  const parts: AssistantPart[] = blocks.map((found) => readAssistantBlock(found.block, found.at, context));
  return { role, parts, place };
}

function decodeUserBlock(block: JsonObject, place: string, context: BlockContext): readonly UserPart[] {
  switch (block['type']) {
    case 'text':
      return [readTextBlock(block, place, context)];
    case 'image':
      return [readImageBlock(block, place, context)];
    case 'document':
      return readDocumentBlock(block, place, context);
    case 'search_result':
      return [readSearchResult(block, place, context)];
    case 'tool_result':
      noteUnknown(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'], place, context);
      return [
        present({
          type: 'tool-result' as const,
          callId: restoreId(readName(block['tool_use_id'], at(place, 'tool_use_id'))),
          content: readResultContent(block['content'], at(place, 'content'), context),
          isError: optional(block, 'is_error', readBoolean, place),
          cache: readCacheMark(block['cache_control']),
          place,
        }),
      ];
    case 'container_upload':
      throw invalid(place, 'files in a code execution container exist at Anthropic only; send the file as a document');
    default:
      throw unknownBlock(block, place);
  }
}

/** The same body without `max_tokens` and `stream`: POST /v1/messages/count_tokens. */
export function decodeCountRequest(body: Json): ChatRequest {
  const wire = objectOf(body);
  return decodeRequest(wire === undefined ? body : { ...wire, stream: false });
}
