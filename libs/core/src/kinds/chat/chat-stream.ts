/** Streams on their way to the caller: the vendor's bytes untouched with usage read in passing, or one dialect turned into another. */
import type { Readable } from 'node:stream';
import { GatewayError, type Usage } from '@model-gateway/contracts';
import { transportError } from '@model-gateway/provider-kit';
import {
  createEventCheck,
  createSseParser,
  createStreamObserver,
  nothingDelivered,
  type ChatDialect,
  type ChatEvent,
  type Delivered,
  type Encoded,
  type ReplyContext,
  type StreamObserverOptions,
} from '@model-gateway/translate';

import { createContinuedDecoder, type Resumption } from './continuations.ts';
import { tokensIn } from './delivered-tokens.ts';

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
export interface StreamTranslator {
  push(chunk: Buffer): Buffer | string;
  end(): Buffer | string;
  usage(): Usage | undefined;
  /** What has come so far; one object that changes. */
  delivered(): Delivered;
  /** Whether the vendor said that it had finished, in whatever way. */
  finished(): boolean;
  /** Whether it said that it had failed. */
  failed(): boolean;
  /** Whether an event came that no client could read: nothing behind it is given on. */
  malformed?(): boolean;
  /** The error that ends a stream of the caller's dialect. */
  fail(error: GatewayError): string;
  /** A no-op of the caller's dialect, '' where none may be said now. */
  keepAlive(): string;
  /** After `end`: what the vendor must be asked again with, because it broke off on purpose. */
  resumption?(): Resumption | undefined;
  /** The next continuation's stream is pushed from now on. */
  next?(sent: Encoded): void;
}

const KEEP_ALIVE_MS = 15_000;
/** A first event larger than this is no refusal. */
const LARGEST_FIRST_EVENT = 256 * 1024;

/** Reads until the first event is whole, so that a refusal inside a 200 can still go elsewhere. */
export async function readFirst(raw: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const done = (): void => {
      raw.off('data', onData).off('end', done).off('error', onError);
      resolve(chunks);
    };
    const onError = (error: Error): void => {
      raw.off('data', onData).off('end', done);
      reject(transportError(error, 'before its first event'));
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < LARGEST_FIRST_EVENT && !endsEvent(chunk) && !endsEvent(Buffer.concat(chunks))) return;
      raw.pause();
      done();
    };
    raw.on('data', onData).on('end', done).on('error', onError);
  });
}

const LARGEST_WHOLE_REPLY = 96 * 1024 * 1024;

/** What comes behind `readFirst`, to the end; throws when it is cut or too much. */
export async function readRest(raw: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (raw.readableEnded) return chunks;
  try {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LARGEST_WHOLE_REPLY) throw new GatewayError('upstream_malformed', 'the vendor’s answer is too large');
    }
  } catch (error) {
    throw transportError(error, 'in the middle of its answer');
  }
  return chunks;
}

function endsEvent(bytes: Buffer): boolean {
  return bytes.includes('\n\n') || bytes.includes('\r\n\r\n');
}

/** The refusal that the first event carries, if it is one. */
export function refusalIn(first: readonly Buffer[], dialect: ChatDialect): GatewayError | undefined {
  const parser = createSseParser();
  for (const chunk of first) {
    const [event] = parser.push(chunk);
    if (event !== undefined) return dialect.refusalIn(event);
  }
  return undefined;
}

export interface ForwardingOptions extends StreamObserverOptions {
  readonly requestId: string;
}

/** Same dialect in and out. */
export function createForwardingTranslator(dialect: ChatDialect, options: ForwardingOptions): StreamTranslator {
  const observer = createStreamObserver(dialect, options);
  const check = createEventCheck(dialect.forwarding.finished);
  return {
    push: (chunk) => check.pass(observer.push(chunk)),
    end: () => check.pass(observer.end()),
    malformed: () => check.malformed(),
    usage: () => observer.usage(),
    delivered: () => observer.delivered(),
    finished: () => observer.finished(),
    failed: () => observer.failed(),
    fail: (error) => observer.closing() + check.numbered(dialect.errorEvent(error, options.requestId)),
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
function countPart(delivered: Delivered, event: ChatEvent, from: ChatDialect): void {
  if (event.type === 'audio-delta') {
    delivered.audio += Math.floor(((event.data?.length ?? 0) * 3) / 4);
    delivered.text += Buffer.byteLength(event.transcript ?? '');
  } else if (event.type === 'image') delivered.pictures++;
  else if (event.type === 'reasoning-start' && from.forwarding.thinksUnseen !== undefined)
    delivered.thinksUnseen = true;
}

type StreamCode = Extract<ChatEvent, { type: 'error' }>['error']['code'];

function streamCode(error: GatewayError): StreamCode {
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

/** A further request of one answer: what was sent, and its stream. */
export interface ContinuationStream {
  readonly sent: Encoded;
  readonly raw: Readable;
}

export interface PipeOptions {
  readonly raw: Readable;
  readonly first: readonly Buffer[];
  readonly translator: StreamTranslator;
  readonly sink: Sink;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  readonly onDisconnect: 'drain' | 'abort';
  /** Told when so much more has come that what it costs should be written down; cheap, and not for every chunk. */
  readonly progress?: Progress;
  /** Asks the vendor to go on where it broke off. */
  readonly resume?: (resumption: Resumption) => Promise<ContinuationStream>;
}

const UNREADABLE_EVENT = new GatewayError('upstream_malformed', 'the vendor sent an event that cannot be read');

export interface Progress {
  /** Tokens from one report to the next. */
  readonly everyTokens: number;
  report(usage: Usage | undefined, delivered: Delivered): void;
}

/** Moves a stream to its end. Never throws: what went wrong is said to the caller in its dialect and returned. */
export function pipeStream(options: PipeOptions): Promise<StreamEnd> {
  const { first, translator, sink, signal, onDisconnect, progress, resume } = options;
  return new Promise((resolve) => {
    let raw = options.raw;
    let abandoned = signal.aborted;
    let spokeAt = 0;
    let closed = false;

    const say = (out: Buffer | string): void => {
      if (abandoned || out.length === 0) return;
      spokeAt++;
      if (sink.write(out)) return;
      raw.pause();
      void sink.drained().then(() => raw.resume());
    };
    let reportAt = 0;
    const report = (): void => {
      if (progress === undefined) return;
      const delivered = translator.delivered();
      const tokens = tokensIn(delivered);
      if (tokens < reportAt || tokens === 0) return;
      reportAt = tokens + progress.everyTokens;
      progress.report(translator.usage(), delivered);
    };
    // What one read of the vendor's socket brought is turned and written as one.
    let gathered: Buffer[] = [];
    const translateGathered = (): void => {
      const [only] = gathered;
      if (only === undefined || closed) return;
      const chunk = gathered.length === 1 ? only : Buffer.concat(gathered);
      gathered = [];
      push(chunk);
    };
    const push = (chunk: Buffer): void => {
      say(translator.push(chunk));
      report();
      if (translator.malformed?.() === true) broken(UNREADABLE_EVENT);
    };
    const finish = (error?: GatewayError): void => {
      if (closed) return;
      translateGathered();
      closed = true;
      clearInterval(keepAlive);
      signal.removeEventListener('abort', onGone);
      raw.destroy();
      resolve({
        usage: translator.usage(),
        delivered: translator.delivered(),
        finished: translator.finished(),
        failed: translator.failed(),
        abandoned,
        cut: abandoned && error === undefined && !translator.finished(),
        ...(error !== undefined && { error }),
      });
    };
    const broken = (error: GatewayError): void => {
      if (closed) return;
      translateGathered();
      say(translator.fail(error));
      finish(error);
    };
    const onGone = (): void => {
      abandoned = true;
      if (onDisconnect === 'abort') finish();
      else raw.resume();
    };

    let spokenBefore = -1;
    const keepAlive = setInterval(() => {
      if (spokeAt === spokenBefore) say(translator.keepAlive());
      spokenBefore = spokeAt;
    }, KEEP_ALIVE_MS);
    keepAlive.unref();

    signal.addEventListener('abort', onGone, { once: true });
    const onError = (error: Error): void => {
      if (closed) return;
      translateGathered();
      // A finish without a clean close is a success (docs/wire/known-bugs-in-other-gateways.md#chat, bug 23); a silence after it too.
      if (translator.finished()) {
        say(translator.end());
        finish();
      } else broken(transportError(error, 'in the middle of its answer'));
    };
    const onEnd = (): void => {
      if (closed) return;
      translateGathered();
      say(translator.end());
      const resumption = translator.resumption?.();
      if (translator.finished()) finish();
      else if (resumption !== undefined && abandoned) finish();
      else if (resumption !== undefined && resume !== undefined) goOn(resumption, resume);
      else
        broken(
          new GatewayError('upstream_unavailable', 'the vendor closed the connection in the middle of its answer'),
        );
    };
    const goOn = (resumption: Resumption, ask: NonNullable<PipeOptions['resume']>): void => {
      ask(resumption).then(
        (continuation) => {
          if (closed) {
            continuation.raw.on('error', () => undefined).destroy();
            return;
          }
          translator.next?.(continuation.sent);
          listen(continuation.raw);
          raw.resume();
        },
        (error: unknown) => broken(transportError(error, 'in the middle of its answer')),
      );
    };
    const listen = (stream: Readable): void => {
      raw = stream;
      raw.on('error', onError).on('end', onEnd);
      if (stream !== options.raw) raw.on('data', onData);
    };
    const onData = (chunk: Buffer): void => {
      if (gathered.push(chunk) === 1) process.nextTick(translateGathered);
    };
    listen(raw);
    if (abandoned && onDisconnect === 'abort') {
      finish();
      return;
    }
    for (const chunk of first) push(chunk);
    raw.on('data', onData);
    if (raw.readableEnded) raw.emit('end');
    else raw.resume();
  });
}
