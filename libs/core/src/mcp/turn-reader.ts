/** Streams of an answer in several turns: each is read for its parts, and all leave as one. */
import type { Usage } from '@model-gateway/contracts';
import {
  createSseParser,
  isSseComment,
  type AssistantPart,
  type ChatDialect,
  type ChatEvent,
  type StopReason,
  type StreamDecoder,
  type StreamEncoder,
} from '@model-gateway/translate';
import type { Sink } from '../kinds/chat/chat-stream.ts';
import { createPartCollector } from '../kinds/chat/part-collector.ts';

type Finish = Extract<ChatEvent, { type: 'finish' }>;

/** One stream to the caller, whoever speaks in it. */
export class AnswerWriter {
  readonly #encoder: StreamEncoder;
  readonly #sink: Sink;
  #begun: readonly AssistantPart[] | undefined;
  #blocks = 0;
  #isFull = false;

  /** `begun` is shown as soon as the answer has begun. */
  constructor(encoder: StreamEncoder, sink: Sink, begun: readonly AssistantPart[]) {
    this.#encoder = encoder;
    this.#sink = sink;
    this.#begun = begun;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  newBlock(): number {
    return this.#blocks++;
  }

  say(event: ChatEvent): void {
    this.#write(this.#encoder.push(event));
  }

  /** The first turn has begun; a later one says nothing of that. */
  begin(event: Extract<ChatEvent, { type: 'start' }>): void {
    const begun = this.#begun;
    if (begun === undefined) return;
    this.#begun = undefined;
    this.say(event);
    for (const part of begun) this.#showPart(part);
  }

  async show(parts: readonly AssistantPart[]): Promise<void> {
    for (const part of parts) {
      this.#showPart(part);
      if (this.#isFull) await this.drained();
    }
  }

  keepAlive(): void {
    this.#write(this.#encoder.keepAlive());
  }

  /** Says now and then that the answer goes on. */
  async keptAlive<T>(work: Promise<T>, everyMs: number): Promise<T> {
    const timer = setInterval(() => this.keepAlive(), everyMs);
    timer.unref();
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  finish(stop: StopReason, told: Finish | undefined, usage: Usage | undefined): void {
    if (usage !== undefined) this.say({ type: 'usage', usage });
    this.say({ type: 'finish', choice: 0, ...told, stop });
    this.say({ type: 'end' });
  }

  async drained(): Promise<void> {
    await this.#sink.drained();
    this.#isFull = false;
  }

  #showPart(part: AssistantPart): void {
    if (part.type === 'server-tool') this.say({ type: 'server-tool', block: this.newBlock(), choice: 0, part });
  }

  #write(text: string): void {
    if (text !== '' && !this.#sink.write(text)) this.#isFull = true;
  }
}

/** The stream of one turn: what the caller may see goes on at once, calls of tools that the gateway makes are kept. */
export class TurnReader implements Sink {
  usage: Usage | undefined;
  finish: Finish | undefined;
  /** Whether the turn came to its end, and nothing went wrong. */
  isWhole = false;
  readonly #writer: AnswerWriter;
  readonly #decoder: StreamDecoder;
  readonly #isOurs: (name: string) => boolean;
  readonly #parser = createSseParser();
  readonly #collector = createPartCollector();
  /** By the turn’s own number; undefined is kept back. */
  readonly #blocks = new Map<number, number | undefined>();

  constructor(dialect: ChatDialect, writer: AnswerWriter, isOurs: (name: string) => boolean) {
    this.#decoder = dialect.streamDecoder();
    this.#writer = writer;
    this.#isOurs = isOurs;
  }

  get stop(): StopReason {
    return this.finish?.stop ?? 'stop';
  }

  parts(): readonly AssistantPart[] {
    return this.#collector.parts();
  }

  write(chunk: Uint8Array | string): boolean {
    const found = this.#parser.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    if (found.length === 0 && isSseComment(chunk)) this.#writer.keepAlive();
    for (const event of found) for (const each of this.#decoder.push(event)) this.#take(each);
    return !this.#writer.isFull;
  }

  drained(): Promise<void> {
    return this.#writer.drained();
  }

  /** After the last byte. */
  end(): void {
    for (const event of this.#parser.end()) for (const each of this.#decoder.push(event)) this.#take(each);
    for (const each of this.#decoder.end()) this.#take(each);
  }

  #take(event: ChatEvent): void {
    this.#collector.push(event);
    switch (event.type) {
      case 'start':
        this.#addUsage(event.usage);
        this.#writer.begin(event);
        return;
      case 'usage':
        this.#addUsage(event.usage);
        return;
      case 'finish':
        this.finish = event;
        return;
      case 'end':
        this.isWhole = true;
        return;
      case 'continuation':
        return;
      case 'ping':
      case 'error':
        this.#writer.say(event);
        return;
      case 'tool-call-start':
        this.#blocks.set(event.block, this.#isOurs(event.name) ? undefined : this.#writer.newBlock());
        break;
      default:
        if (!this.#blocks.has(event.block)) this.#blocks.set(event.block, this.#writer.newBlock());
    }
    const block = this.#blocks.get(event.block);
    if (block !== undefined) this.#writer.say({ ...event, block });
  }

  /** Counts are cumulative. */
  #addUsage(usage: Usage | undefined): void {
    if (usage !== undefined) this.usage = { ...this.usage, ...usage };
  }
}
