/** Moves a stream from its vendor to its caller, whole event by whole event, to whatever end it comes. */
import type { Readable } from 'node:stream';
import { GatewayError } from '@model-gateway/contracts';
import { transportError } from '@model-gateway/provider-kit';
import type { Encoded } from '@model-gateway/translate';
import type { Sink, StreamEnd, StreamTranslator } from './chat-stream.ts';
import type { Resumption } from './continuations.ts';
import { tokensIn } from './delivered-tokens.ts';

const KEEP_ALIVE_MS = 15_000;

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
  /** Asks another vendor to go on when this one broke off; undefined when nobody can. Asked once. */
  readonly elsewhere?: (error: GatewayError) => Promise<Elsewhere> | undefined;
}

/** The stream of another vendor, of which the beginning was read. */
export interface Elsewhere {
  readonly raw: Readable;
  readonly first: readonly Buffer[];
}

const UNREADABLE_EVENT = new GatewayError('upstream_malformed', 'the vendor sent an event that cannot be read');

export interface Progress {
  /** Tokens from one report to the next. */
  readonly everyTokens: number;
  report(): void;
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
      const tokens = tokensIn(translator.delivered());
      if (tokens < reportAt || tokens === 0) return;
      reportAt = tokens + progress.everyTokens;
      progress.report();
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
      const broke = translator.broke?.();
      if (broke !== undefined) broken(broke);
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
      if (wentElsewhere(error)) return;
      say(translator.fail(error));
      finish(error);
    };
    let elsewhere = options.elsewhere;
    const wentElsewhere = (error: GatewayError): boolean => {
      const going = abandoned ? undefined : elsewhere?.(error);
      elsewhere = undefined;
      if (going === undefined) return false;
      raw.off('data', onData).off('end', onEnd).off('error', onError);
      raw.on('error', () => undefined).destroy();
      going.then(
        (next) => {
          if (closed) {
            next.raw.on('error', () => undefined).destroy();
            return;
          }
          listen(next.raw);
          for (const chunk of next.first) push(chunk);
          if (raw.readableEnded) raw.emit('end');
          else raw.resume();
        },
        () => {
          if (closed) return;
          say(translator.fail(error));
          finish(error);
        },
      );
      return true;
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
          translator.broke?.() ??
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
