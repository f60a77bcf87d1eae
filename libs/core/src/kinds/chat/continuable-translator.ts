/** Translates the stream of one answer of which two vendors may say a part each (docs/guides/routing-fallbacks.md#streams-that-break). */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import { addUsage } from '@model-gateway/provider-kit';
import {
  createSseParser,
  nothingDelivered,
  type ChatDialect,
  type ChatEvent,
  type Delivered,
  type Encoded,
  type ReplyContext,
} from '@model-gateway/translate';
import { countPart, streamCode, type StreamTranslator } from './chat-stream.ts';

const HARMLESS: ReadonlySet<ChatEvent['type']> = new Set([
  'start',
  'delta',
  'block-stop',
  'reasoning-start',
  'reasoning-break',
  'opaque',
  'usage',
  'ping',
  'finish',
  'end',
]);

/** What the first vendor has said and told, when a second one goes on. */
interface FirstPart {
  readonly usage: Usage | undefined;
  /** The blocks that it took. */
  readonly blocks: number;
  /** Its text block that is open, until the second vendor's first one goes on with it. */
  openText: number | undefined;
}

/** A translator whose vendor may change once. What it tells of usage and of what came is that of the vendor that speaks. */
export class ContinuableTranslator implements StreamTranslator {
  private readonly encoder: ReturnType<ChatDialect['streamEncoder']>;
  private vendor: ChatDialect;
  private parser = createSseParser();
  private decoder: ReturnType<ChatDialect['streamDecoder']>;
  private reported: Usage | undefined;
  private came: Delivered = nothingDelivered();
  private isFinished = false;
  private hasFailed = false;
  private isOver = false;
  private breakOff: GatewayError | undefined;
  private text = '';
  private isText = true;
  /** The text block that is open, and the next that is free. */
  private openText: number | undefined;
  private nextBlock = 0;
  private before: FirstPart | undefined;
  /** Of the second vendor those that stand for a block of the first. */
  private readonly joined = new Map<number, number>();
  private mark = '';

  constructor(
    from: ChatDialect,
    to: ChatDialect,
    { sent, context }: { readonly sent: Encoded; readonly context: ReplyContext },
  ) {
    this.encoder = to.streamEncoder(context);
    this.vendor = from;
    this.decoder = from.streamDecoder(sent);
  }

  push(chunk: Uint8Array): string {
    let out = '';
    for (const event of this.parser.push(chunk)) out += this.say(this.decoder.push(event));
    this.isFinished = this.isOver;
    return out;
  }

  end(): string {
    let out = '';
    for (const event of this.parser.end()) out += this.say(this.decoder.push(event));
    this.isFinished ||= this.isOver;
    const last = this.decoder.end();
    if (!this.isFinished && !last.some(({ type }) => type === 'error'))
      this.isFinished = last.some(({ type }) => type === 'end');
    return out + this.say(last);
  }

  fail(error: GatewayError): string {
    if (this.isOver) return '';
    this.isOver = true;
    this.hasFailed = true;
    return this.encoder.push({ type: 'error', error: { code: streamCode(error), message: error.message } });
  }

  keepAlive(): string {
    return this.encoder.keepAlive();
  }

  usage(): Usage | undefined {
    return this.reported;
  }

  delivered(): Delivered {
    return this.came;
  }

  finished(): boolean {
    return this.isFinished;
  }

  failed(): boolean {
    return this.hasFailed;
  }

  broke(): GatewayError | undefined {
    return this.breakOff;
  }

  /** The text that was said, where another model can go on from it: text and thoughts alone. */
  said(): string | undefined {
    return this.isText && !this.isOver ? this.text : undefined;
  }

  /** The stream of another model is pushed from now on; `by` is its code. */
  goOn(from: ChatDialect, sent: Encoded, by: string): void {
    this.before = { usage: this.reported, blocks: this.nextBlock, openText: this.openText };
    this.vendor = from;
    this.parser = createSseParser();
    this.decoder = from.streamDecoder(sent);
    this.reported = undefined;
    this.came = nothingDelivered();
    this.breakOff = undefined;
    this.mark = `"gateway":{"continued_by":${JSON.stringify(by)}}`;
  }

  private say(said: readonly ChatEvent[]): string {
    let out = '';
    for (const event of said) {
      if (event.type === 'error' && this.before === undefined && this.isText) {
        this.breakOff = new GatewayError(event.error.code, event.error.message);
        return out;
      }
      this.note(event);
      const shown = this.placed(event);
      if (shown === undefined) continue;
      this.remember(shown);
      out += this.encoder.push(shown);
    }
    return this.marked(out);
  }

  private note(event: ChatEvent): void {
    if (event.type === 'start' || event.type === 'usage')
      this.reported = event.usage === undefined ? this.reported : { ...this.reported, ...event.usage };
    else if (event.type === 'delta') this.came.text += Buffer.byteLength(event.text);
    else if (event.type === 'end' || event.type === 'error') this.isOver = true;
    else countPart(this.came, event, this.vendor);
    if (event.type === 'error') this.hasFailed = true;
  }

  /** The event behind what the first vendor said; undefined for one that the caller has had. */
  private placed(event: ChatEvent): ChatEvent | undefined {
    const { before } = this;
    if (before === undefined) return event;
    if (event.type === 'start' || event.type === 'usage') {
      const both = [before.usage, event.usage].filter((each) => each !== undefined);
      return both.length === 0 ? undefined : { type: 'usage', usage: addUsage(both) };
    }
    if (!('block' in event)) return event;
    if (event.type === 'text-start' && before.openText !== undefined) {
      this.joined.set(event.block, before.openText);
      before.openText = undefined;
      return undefined;
    }
    return { ...event, block: this.joined.get(event.block) ?? event.block + before.blocks };
  }

  /** What was said in the caller's eyes. */
  private remember(event: ChatEvent): void {
    if ('block' in event) this.nextBlock = Math.max(this.nextBlock, event.block + 1);
    if (event.type === 'text-start') this.openText = event.block;
    else if (event.type === 'block-stop' && event.block === this.openText) this.openText = undefined;
    else if (event.type === 'delta' && event.block === this.openText) this.text += event.text;
    else if (!HARMLESS.has(event.type)) this.isText = false;
  }

  /** Every event is an object: a member that no client knows is passed over by all. */
  private marked(out: string): string {
    if (this.mark === '' || !/^data: \{/m.test(out)) return out;
    const written = out.replace(/^data: \{/m, `data: {${this.mark},`);
    this.mark = '';
    return written;
  }
}
