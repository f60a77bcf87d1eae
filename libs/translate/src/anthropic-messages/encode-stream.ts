/**
 * Middle events as the events of one message (docs/wire/anthropic-messages.md#stream-grammar,
 * docs/wire/chat-streams.md#writing-each-wire). The wire has one open block at a time and counts them 0, 1, 2…: of blocks that
 * run side by side the first is written live, the others wait their turn.
 */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { ChatEvent, Opaque, StreamError } from '../conversation.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import { statusInStream } from '../shared/error-words.ts';
import { CUT_STREAM, fromStreamError } from '../shared/openai-error.ts';
import { formatSse } from '../shared/sse.ts';
import { mergeUsage } from '../shared/usage.ts';
import { encodeError } from './error.ts';
import { showId } from './ids.ts';
import { messageId } from './reply.ts';
import { writeStop, type Ending } from './stop.ts';
import { writeUsage } from './usage.ts';
import {
  imageText,
  isBareSignature,
  isOwnServerTool,
  redactedBlock,
  signatureOf,
  writeCitation,
} from './write-block.ts';

/** Characters that may wait behind an open block. */
const MOST_WAITING = 16 * 1024 * 1024;
const PING = formatSse('{"type":"ping"}', 'ping');

type Start = Extract<
  ChatEvent,
  {
    type:
      | 'text-start'
      | 'refusal-start'
      | 'reasoning-start'
      | 'tool-call-start'
      | 'server-tool'
      | 'image'
      | 'audio-delta';
  }
>;
type Within = Extract<ChatEvent, { type: 'delta' | 'reasoning-break' | 'opaque' | 'citation' }>;

interface Block {
  readonly start: Start;
  /** What came while another block was open. */
  readonly waiting: Within[];
  stopped: boolean;
  /** Whether its wire block is open: nothing empty is ever opened. */
  open: boolean;
  opaque: Opaque | undefined;
  /** The free text of a custom tool: the wire wants JSON, whole. */
  readonly kept: string[];
}

const TOO_MUCH_WAITING: StreamError = {
  code: 'upstream_malformed',
  message: 'The model wrote too many things at once to be put in order.',
};

export function streamEncoder(context: ReplyContext): StreamEncoder {
  const writer = createWriter();
  const blocks = new Map<number, Block>();
  let queue: Block[] = [];
  let waitingSize = 0;
  let started = false;
  let over = false;
  let usage: Usage | undefined;
  let ending: Ending | undefined;

  const begin = (id?: string): string => {
    if (started) return '';
    started = true;
    return messageStart(messageId(id, context), context.model, usage);
  };

  const fail = (error: StreamError): string => {
    over = true;
    const refusal = fromStreamError(error);
    return formatSse(JSON.stringify(encodeError(refusal, context.requestId, statusInStream(refusal))), 'error');
  };

  const openBlock = (start: Start): string => {
    const once = start.type === 'server-tool' || start.type === 'image';
    const block: Block = { start, waiting: [], stopped: once, open: false, opaque: undefined, kept: [] };
    blocks.set(start.block, block);
    queue.push(block);
    return once ? advance() : '';
  };

  /** Writes the first blocks of the queue as far as they have come. */
  const advance = (): string => {
    let text = '';
    for (;;) {
      const first = queue[0];
      if (first === undefined) return text;
      for (const event of first.waiting) {
        waitingSize -= sizeOf(event);
        text += writer.within(first, event);
      }
      first.waiting.length = 0;
      if (!first.stopped) return text;
      text += writer.close(first);
      queue.shift();
      blocks.delete(first.start.block);
    }
  };

  const within = (event: Within): string => {
    const block = blocks.get(event.block);
    if (block === undefined || block.stopped) return '';
    if (block === queue[0]) return writer.within(block, event);
    block.waiting.push(event);
    waitingSize += sizeOf(event);
    return waitingSize > MOST_WAITING ? fail(TOO_MUCH_WAITING) : '';
  };

  const audio = (event: Extract<ChatEvent, { type: 'audio-delta' }>): string => {
    if (event.transcript === undefined) return '';
    const opened = blocks.has(event.block) ? '' : openBlock(event);
    return opened + within({ type: 'delta', block: event.block, text: event.transcript });
  };

  const finish = (): string => {
    for (const block of queue) block.stopped = true;
    const rest = advance();
    queue = [];
    if (ending === undefined) return rest + fail(CUT_STREAM);
    const stop = writeStop(ending);
    over = true;
    const delta = { type: 'message_delta', delta: stop, usage: writeUsage(usage) };
    return `${rest}${formatSse(JSON.stringify(delta), 'message_delta')}${MESSAGE_STOP}`;
  };

  const push = (event: ChatEvent): string => {
    if (over || ('choice' in event && event.choice !== 0)) return '';
    switch (event.type) {
      case 'start':
        usage = mergeUsage(usage, event.usage);
        return begin(event.id);
      case 'delta':
      case 'reasoning-break':
      case 'opaque':
      case 'citation':
        return within(event);
      case 'text-start':
      case 'refusal-start':
      case 'reasoning-start':
      case 'tool-call-start':
      case 'server-tool':
      case 'image':
        return begin() + openBlock(event);
      case 'audio-delta':
        return begin() + audio(event);
      case 'block-stop': {
        const block = blocks.get(event.block);
        if (block === undefined) return '';
        block.stopped = true;
        return block === queue[0] ? advance() : '';
      }
      case 'usage':
        usage = mergeUsage(usage, event.usage);
        return '';
      case 'finish':
        ending = event;
        return '';
      case 'ping':
        return PING;
      case 'error':
        return fail(event.error);
      case 'end':
        return begin() + finish();
      case 'continuation':
        return '';
    }
  };
  return { push, keepAlive: () => (over ? '' : PING) };
}

const MESSAGE_STOP = formatSse('{"type":"message_stop"}', 'message_stop');

function messageStart(id: string, model: string, usage: Usage | undefined): string {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: writeUsage(usage),
  };
  return formatSse(JSON.stringify({ type: 'message_start', message }), 'message_start');
}

function sizeOf(event: Within): number {
  return event.type === 'delta' ? event.text.length : 64;
}

interface BlockWriter {
  within(block: Block, event: Within): string;
  close(block: Block): string;
}

/** Writes the block that is live; knows the index it has. */
function createWriter(): BlockWriter {
  let index = -1;

  const open = (block: Block, content: JsonObject): string => {
    if (block.open) return '';
    block.open = true;
    return startBlock(content);
  };
  const startBlock = (content: JsonObject): string => {
    index += 1;
    const event = `{"type":"content_block_start","index":${index},"content_block":${JSON.stringify(content)}}`;
    return `event: content_block_start\ndata: ${event}\n\n`;
  };
  const stopBlock = (): string => `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`;
  const delta = (kind: string, field: string, text: string): string =>
    `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${kind}","${field}":${JSON.stringify(text)}}}\n\n`;
  const whole = (content: JsonObject): string => startBlock(content) + stopBlock();

  /** Readers put a call's input together from its deltas. */
  const serverTool = (raw: JsonObject): string =>
    raw['type'] === 'mcp_tool_use'
      ? startBlock({ ...raw, input: {} }) +
        delta('input_json_delta', 'partial_json', JSON.stringify(raw['input'] ?? {})) +
        stopBlock()
      : whole(raw);

  const text = (block: Block, event: Within): string => {
    if (event.type === 'delta') {
      return event.text === '' ? '' : open(block, { type: 'text', text: '' }) + delta('text_delta', 'text', event.text);
    }
    // State that comes behind words has no place: a block behind the text would be taken for the answer.
    if (event.type === 'opaque')
      return block.open || event.opaque.value === '' ? '' : whole(redactedBlock(event.opaque));
    const citation = event.type === 'citation' ? writeCitation(event.citation) : undefined;
    if (citation === undefined) return '';
    const opened = open(block, { type: 'text', text: '' });
    const payload = { type: 'content_block_delta', index, delta: { type: 'citations_delta', citation } };
    return opened + formatSse(JSON.stringify(payload), 'content_block_delta');
  };

  const reasoning = (block: Block, event: Within): string => {
    if (event.type === 'opaque') block.opaque = event.opaque;
    if (event.type === 'reasoning-break') return block.open ? delta('thinking_delta', 'thinking', '\n\n') : '';
    if (event.type !== 'delta' || event.text === '') return '';
    return openThinking(block) + delta('thinking_delta', 'thinking', event.text);
  };
  const openThinking = (block: Block): string => open(block, { type: 'thinking', thinking: '', signature: '' });

  const tool = (block: Block, start: Extract<Start, { type: 'tool-call-start' }>, event: Within): string => {
    if (event.type === 'opaque') {
      // Before the call, so that a reader finds it ahead of what it signs.
      if (!block.open && event.opaque.value !== '') return whole(redactedBlock(event.opaque));
      block.opaque = event.opaque;
    }
    if (event.type !== 'delta') return '';
    const opened = openTool(block, start);
    if (start.kind === 'custom') {
      block.kept.push(event.text);
      return opened;
    }
    return event.text === '' ? opened : opened + delta('input_json_delta', 'partial_json', event.text);
  };
  const openTool = (block: Block, { id, name }: Extract<Start, { type: 'tool-call-start' }>): string =>
    open(block, { type: 'tool_use', id: showId(id), name, input: {} });

  const closeReasoning = (block: Block): string => {
    const { opaque } = block;
    const state = opaque === undefined || opaque.value === '' ? undefined : opaque;
    if (!block.open) {
      if (state === undefined) return '';
      if (state.kind === 'redacted' || !isBareSignature(state)) return whole(redactedBlock(state));
    }
    return openThinking(block) + delta('signature_delta', 'signature', signatureOf(state)) + stopBlock();
  };

  const closeTool = (block: Block, start: Extract<Start, { type: 'tool-call-start' }>): string => {
    const opened = openTool(block, start);
    const input = start.kind === 'custom' ? JSON.stringify({ input: block.kept.join('') }) : '';
    const said = input === '' ? opened : opened + delta('input_json_delta', 'partial_json', input);
    return said + stopBlock() + stateBehind(block);
  };
  const stateBehind = ({ opaque }: Block): string =>
    opaque === undefined || opaque.value === '' ? '' : whole(redactedBlock(opaque));

  return {
    within: (block, event) => {
      const { start } = block;
      if (start.type === 'tool-call-start') return tool(block, start, event);
      return start.type === 'reasoning-start' ? reasoning(block, event) : text(block, event);
    },
    close: (block) => {
      const { start } = block;
      switch (start.type) {
        case 'tool-call-start':
          return closeTool(block, start);
        case 'reasoning-start':
          return closeReasoning(block);
        case 'server-tool':
          return isOwnServerTool(start.part) ? serverTool(start.part.raw) : '';
        case 'image': {
          const { opaque } = start.part;
          const state = opaque === undefined || opaque.value === '' ? '' : whole(redactedBlock(opaque));
          const opened = open(block, { type: 'text', text: '' });
          return state + opened + delta('text_delta', 'text', imageText(start.part)) + stopBlock();
        }
        case 'text-start':
        case 'refusal-start':
        case 'audio-delta':
          return block.open ? stopBlock() : '';
      }
    },
  };
}
