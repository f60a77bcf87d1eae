/** AWS's binary event stream, read as server-sent events of the Messages wire (docs/wire/bedrock.md#streams). */
import { pipeline, Transform, type Readable, type TransformCallback } from 'node:stream';
import type { EventStreamCodec } from '@smithy/core/event-streams';
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { parseVendorJson, textAt } from '@model-gateway/provider-kit';
import { errorEvent } from './fault.ts';

/** A message of the stream: an event of the answer, or what ends it early. */
export interface StreamMessage {
  /** `contentBlockDelta`, `throttlingException`. */
  readonly name: string;
  readonly isException: boolean;
  readonly payload: JsonObject;
}

/** What the messages of one answer, but for exceptions, are as events of the Messages wire; `end` when the stream is over. */
export interface MessagesTranslator {
  push(message: StreamMessage): readonly JsonObject[];
  end(): readonly JsonObject[];
}

/** A frame says its own length, which no vendor makes larger. */
const LARGEST_FRAME = 32 * 1024 * 1024;
const SMALLEST_FRAME = 16;
const LENGTH_BYTES = 4;

/** The stream as server-sent events. Closing it closes the vendor's. */
export function sseOf(source: Readable, translator: MessagesTranslator): Readable {
  const events = new EventsOfFrames(translator);
  // What goes wrong is told by the events themselves.
  pipeline(source, events, () => undefined);
  return events;
}

class EventsOfFrames extends Transform {
  readonly #translator: MessagesTranslator;
  #frames: FrameReader | undefined;
  /** An exception ended the answer: nothing comes after it. */
  #isOver = false;

  constructor(translator: MessagesTranslator) {
    super();
    this.#translator = translator;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.#frames !== undefined) {
      this.#write(this.#frames, chunk, done);
      return;
    }
    FrameReader.open().then(
      (frames) => {
        this.#frames = frames;
        this.#write(frames, chunk, done);
      },
      (error: unknown) => done(error as Error),
    );
  }

  override _flush(done: TransformCallback): void {
    try {
      this.#frames?.end();
      const last = this.#isOver ? '' : this.#translator.end().map(sseEvent).join('');
      done(null, last === '' ? undefined : Buffer.from(last));
    } catch (error) {
      done(error as Error);
    }
  }

  #write(frames: FrameReader, chunk: Buffer, done: TransformCallback): void {
    let text = '';
    try {
      for (const message of frames.push(chunk)) {
        if (this.#isOver) break;
        this.#isOver = message.isException;
        const { name, payload } = message;
        const events = message.isException ? [errorEvent(name, payload)] : this.#translator.push(message);
        for (const event of events) text += sseEvent(event);
      }
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, text === '' ? undefined : Buffer.from(text));
  }
}

function sseEvent(event: JsonObject): string {
  return `event: ${textAt(event, 'type') ?? 'message'}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Finds the messages in pieces of a stream, however frames are cut; AWS's own decoder reads them and checks their sums. */
export class FrameReader {
  readonly #codec: EventStreamCodec;
  #waiting: Buffer = Buffer.alloc(0);

  private constructor(codec: EventStreamCodec) {
    this.#codec = codec;
  }

  static async open(): Promise<FrameReader> {
    const { EventStreamCodec } = await import('@smithy/core/event-streams');
    return new FrameReader(
      new EventStreamCodec(
        (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
        (text) => Buffer.from(text, 'utf8'),
      ),
    );
  }

  /** Those that are whole now. Throws for what is no frame. */
  push(piece: Uint8Array): readonly StreamMessage[] {
    this.#waiting = this.#waiting.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#waiting, piece]);
    const messages: StreamMessage[] = [];
    while (this.#waiting.length >= LENGTH_BYTES) {
      const size = this.#waiting.readUInt32BE(0);
      if (size < SMALLEST_FRAME || size > LARGEST_FRAME)
        throw new GatewayError('upstream_malformed', 'the vendor’s stream contains an invalid frame');
      if (this.#waiting.length < size) break;
      messages.push(this.#decode(this.#waiting.subarray(0, size)));
      this.#waiting = this.#waiting.subarray(size);
    }
    return messages;
  }

  /** Throws where the stream broke off inside a frame. */
  end(): void {
    if (this.#waiting.length > 0)
      throw new GatewayError('upstream_unavailable', 'the vendor’s stream ended in the middle of a frame');
  }

  #decode(frame: Buffer): StreamMessage {
    let message: ReturnType<EventStreamCodec['decode']>;
    try {
      message = this.#codec.decode(frame);
    } catch (cause) {
      throw new GatewayError('upstream_malformed', 'a frame of the vendor’s stream is broken', { cause });
    }
    const word = (name: string): string => {
      const value = message.headers[name]?.value;
      return typeof value === 'string' ? value : '';
    };
    const isException = word(':message-type') !== 'event';
    const json = parseVendorJson(Buffer.from(message.body).toString('utf8'));
    return {
      name: isException ? word(':exception-type') || word(':error-code') : word(':event-type'),
      isException,
      payload: isJsonObject(json) ? json : {},
    };
  }
}
