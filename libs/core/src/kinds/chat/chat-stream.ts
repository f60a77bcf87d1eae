/** Streams on their way to the caller: the vendor's bytes untouched with usage read in passing, or one dialect turned into another. */
import type { GatewayError } from '@model-gateway/contracts';
import { type Usage } from '@model-gateway/contracts';
import {
  createSseParser,
  createStreamObserver,
  nothingDelivered,
  type ChatDialect,
  type ChatEvent,
  type Delivered,
  type Encoded,
  type ReplyContext,
  type StreamObserver,
  type StreamObserverOptions,
} from '@model-gateway/translate';
import { createContinuedDecoder, type Resumption } from './continuations.ts';

/** Where a stream goes: a response socket. */
export interface Sink {
  /** False when the caller reads slower than the vendor writes: wait for `drained`. */
  write(chunk: Uint8Array | string): boolean;
  drained(): Promise<void>;
}

/** How a stream ended, for the bill and the log. */
export interface StreamEnd {
  readonly usage: Usage | undefined;
  /** What came, by modality: the estimate when `usage` is unknown. */
  readonly delivered: Delivered;
  /** Whether the vendor said that it had finished: `usage` is its last word then. */
  readonly finished: boolean;
  /** Whether it said that it had failed. */
  readonly failed: boolean;
  readonly error?: GatewayError;
  /** The caller hung up before the end. */
  readonly abandoned: boolean;
  /** The vendor was hung up on because of that: it may have more to bill than it has told. */
  readonly cut: boolean;
}

/** One continuation's work: bytes in, text or bytes out. */
export interface StreamTranslator extends Pick<
  StreamObserver,
  'push' | 'end' | 'usage' | 'delivered' | 'finished' | 'failed'
> {
  /** Whether an event came that no client could read: nothing behind it is given on. */
  malformed?(): boolean;
  /** What the vendor broke off with, where it is not told yet. */
  broke?(): GatewayError | undefined;
  /** The error that ends a stream of the caller's dialect. */
  fail(error: GatewayError): string;
  /** A no-op of the caller's dialect, '' where none may be said now. */
  keepAlive(): string;
  /** After `end`: what the vendor must be asked again with, because it broke off on purpose. */
  resumption?(): Resumption | undefined;
  /** The next continuation's stream is pushed from now on. */
  next?(sent: Encoded): void;
}

export interface ForwardingOptions extends StreamObserverOptions {
  readonly requestId: string;
}

/** Same dialect in and out. */
export function createForwardingTranslator(dialect: ChatDialect, options: ForwardingOptions): StreamTranslator {
  const observer = createStreamObserver(dialect, options);
  return {
    push: (chunk) => observer.push(chunk),
    end: () => observer.end(),
    usage: () => observer.usage(),
    delivered: () => observer.delivered(),
    finished: () => observer.finished(),
    failed: () => observer.failed(),
    malformed: () => observer.malformed(),
    fail: (error) =>
      observer.closing() + observer.numbered(dialect.errorEvent(observer.unreadFailure() ?? error, options.requestId)),
    keepAlive: () => '',
  };
}

/** One dialect in, another out. */
export function createDialectTranslator(
  from: ChatDialect,
  to: ChatDialect,
  { sent, context }: { readonly sent: Encoded; readonly context: ReplyContext },
): StreamTranslator {
  let parser = createSseParser();
  const decoder = createContinuedDecoder(from, sent);
  const encoder = to.streamEncoder(context);
  let usage: Usage | undefined;
  const delivered = nothingDelivered();
  let finished = false;
  let failed = false;
  /** The caller has been told the end: nothing more may be said. */
  let over = false;
  const say = (said: readonly ChatEvent[]): string => {
    let text = '';
    for (const event of said) {
      if (event.type === 'usage' || event.type === 'start')
        usage = event.usage === undefined ? usage : { ...usage, ...event.usage };
      else if (event.type === 'delta') delivered.text += Buffer.byteLength(event.text);
      else if (event.type === 'end' || event.type === 'error') over = true;
      else countPart(delivered, event, from);
      if (event.type === 'error') failed = true;
      text += encoder.push(event);
    }
    return text;
  };
  return {
    push(chunk) {
      let text = '';
      for (const event of parser.push(chunk)) text += say(decoder.push(event));
      finished = over;
      return text;
    },
    end() {
      let text = '';
      for (const event of parser.end()) text += say(decoder.push(event));
      finished ||= over;
      const last = decoder.end();
      // An error that only the end of the bytes brings: the vendor was cut off, and what usage it told so far is not its last word.
      if (!finished && !last.some(({ type }) => type === 'error')) finished = last.some(({ type }) => type === 'end');
      return text + say(last);
    },
    usage: () => usage,
    delivered: () => delivered,
    finished: () => finished,
    failed: () => failed,
    fail(error) {
      if (over) return '';
      return say([{ type: 'error', error: { code: streamCode(error), message: error.message } }]);
    },
    keepAlive: () => encoder.keepAlive(),
    resumption: () => decoder.resumption(),
    next(nextSent) {
      parser = createSseParser();
      decoder.next(nextSent);
    },
  };
}

/** What is no text: sound, pictures, and the sign that a model thinks more than it shows. */
export function countPart(delivered: Delivered, event: ChatEvent, from: ChatDialect): void {
  if (event.type === 'audio-delta') {
    delivered.audio += Math.floor(((event.data?.length ?? 0) * 3) / 4);
    delivered.text += Buffer.byteLength(event.transcript ?? '');
  } else if (event.type === 'image') delivered.pictures++;
  else if (event.type === 'reasoning-start' && from.forwarding.thinksUnseen !== undefined)
    delivered.thinksUnseen = true;
}

type StreamCode = Extract<ChatEvent, { type: 'error' }>['error']['code'];

export function streamCode(error: GatewayError): StreamCode {
  switch (error.code) {
    case 'upstream_rate_limited':
    case 'upstream_unavailable':
    case 'upstream_malformed':
    case 'upstream_timeout':
    case 'content_refused':
    case 'invalid_request':
      return error.code;
    default:
      return 'internal';
  }
}
