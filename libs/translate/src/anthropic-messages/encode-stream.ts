/**
 * Middle events as the events of one message (docs/wire/anthropic-messages.md#stream-grammar,
 * docs/wire/chat-streams.md#writing-each-wire). The wire has one open block at a time and counts them 0, 1, 2…: of blocks that
 * run side by side the first is written live, the others wait their turn.
 */
import type { Usage } from '@model-gateway/contracts';
import type { ChatEvent, StreamError } from '../conversation.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import { statusInStream } from '../shared/error-words.ts';
import { CUT_STREAM, fromStreamError } from '../shared/openai-error.ts';
import { formatSse } from '../shared/sse.ts';
import { mergeUsage } from '../shared/usage.ts';
import { encodeError } from './error.ts';
import { LiveBlockWriter, type Block, type BlockStart, type WithinBlock } from './live-block-writer.ts';
import { messageId } from './reply.ts';
import { writeStop, type Ending } from './stop.ts';
import { writeUsage } from './usage.ts';

/** Characters that may wait behind an open block. */
const MOST_WAITING = 16 * 1024 * 1024;
const PING = formatSse('{"type":"ping"}', 'ping');
const MESSAGE_STOP = formatSse('{"type":"message_stop"}', 'message_stop');

const TOO_MUCH_WAITING: StreamError = {
  code: 'upstream_malformed',
  message: 'The model wrote too many things at once to be put in order.',
};

export function streamEncoder(context: ReplyContext): StreamEncoder {
  return new MessageStreamEncoder(context);
}

class MessageStreamEncoder implements StreamEncoder {
  private readonly context: ReplyContext;
  private readonly writer = new LiveBlockWriter();
  private readonly blocks = new Map<number, Block>();
  /** Blocks not yet written to their end, in the order they began: the first is live. */
  private queue: Block[] = [];
  private waitingSize = 0;
  private started = false;
  private over = false;
  private usage: Usage | undefined;
  private ending: Ending | undefined;

  constructor(context: ReplyContext) {
    this.context = context;
  }

  keepAlive(): string {
    return this.over ? '' : PING;
  }

  push(event: ChatEvent): string {
    if (this.over || ('choice' in event && event.choice !== 0)) return '';
    switch (event.type) {
      case 'start':
        this.usage = mergeUsage(this.usage, event.usage);
        return this.begin(event.id);
      case 'delta':
      case 'reasoning-break':
      case 'opaque':
      case 'citation':
        return this.within(event);
      case 'text-start':
      case 'refusal-start':
      case 'reasoning-start':
      case 'tool-call-start':
      case 'server-tool':
      case 'image':
        return this.begin() + this.openBlock(event);
      case 'audio-delta':
        return this.begin() + this.audio(event);
      case 'block-stop':
        return this.stop(this.blocks.get(event.block));
      case 'usage':
        this.usage = mergeUsage(this.usage, event.usage);
        return '';
      case 'finish':
        this.ending = event;
        return '';
      case 'ping':
        return PING;
      case 'error':
        return this.fail(event.error);
      case 'end':
        return this.begin() + this.end();
      case 'continuation':
        return '';
    }
  }

  private begin(id?: string): string {
    if (this.started) return '';
    this.started = true;
    return messageStart(messageId(id, this.context), this.context.model, this.usage);
  }

  private openBlock(start: BlockStart): string {
    const once = start.type === 'server-tool' || start.type === 'image';
    const block: Block = { start, waiting: [], stopped: once, open: false, opaque: undefined, kept: [] };
    this.blocks.set(start.block, block);
    this.queue.push(block);
    return once ? this.advance() : '';
  }

  private within(event: WithinBlock): string {
    const block = this.blocks.get(event.block);
    if (block === undefined || block.stopped) return '';
    if (block === this.queue[0]) return this.writer.within(block, event);
    block.waiting.push(event);
    this.waitingSize += sizeOf(event);
    return this.waitingSize > MOST_WAITING ? this.fail(TOO_MUCH_WAITING) : '';
  }

  private audio(event: Extract<ChatEvent, { type: 'audio-delta' }>): string {
    if (event.transcript === undefined) return '';
    const opened = this.blocks.has(event.block) ? '' : this.openBlock(event);
    return opened + this.within({ type: 'delta', block: event.block, text: event.transcript });
  }

  private stop(block: Block | undefined): string {
    if (block === undefined) return '';
    block.stopped = true;
    return block === this.queue[0] ? this.advance() : '';
  }

  /** Writes the first blocks of the queue as far as they have come. */
  private advance(): string {
    let text = '';
    for (;;) {
      const first = this.queue[0];
      if (first === undefined) return text;
      for (const event of first.waiting) {
        this.waitingSize -= sizeOf(event);
        text += this.writer.within(first, event);
      }
      first.waiting.length = 0;
      if (!first.stopped) return text;
      text += this.writer.close(first);
      this.queue.shift();
      this.blocks.delete(first.start.block);
    }
  }

  private end(): string {
    for (const block of this.queue) block.stopped = true;
    const rest = this.advance();
    this.queue = [];
    if (this.ending === undefined) return rest + this.fail(CUT_STREAM);
    const stop = writeStop(this.ending);
    this.over = true;
    const delta = { type: 'message_delta', delta: stop, usage: writeUsage(this.usage) };
    return `${rest}${formatSse(JSON.stringify(delta), 'message_delta')}${MESSAGE_STOP}`;
  }

  private fail(error: StreamError): string {
    this.over = true;
    const refusal = fromStreamError(error);
    return formatSse(JSON.stringify(encodeError(refusal, this.context.requestId, statusInStream(refusal))), 'error');
  }
}

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

function sizeOf(event: WithinBlock): number {
  return event.type === 'delta' ? event.text.length : 64;
}
