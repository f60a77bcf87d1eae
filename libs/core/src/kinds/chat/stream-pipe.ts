/** Moves a stream from its vendor to its caller, whole event by whole event, to whatever end it comes. */
import type { Readable } from 'node:stream';
import { GatewayError } from '@model-gateway/contracts';
import { transportError } from '@model-gateway/provider-kit';
import type { Encoded } from '@model-gateway/translate';
import type { Sink, StreamEnd, StreamTranslator } from './chat-stream.ts';
import type { Resumption } from './continuations.ts';
import { tokensIn } from './billed-usage.ts';

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

/** Moves a stream to its end. Never throws: an error is sent to the caller in its dialect and returned. */
export function pipeStream(options: PipeOptions): Promise<StreamEnd> {
  return new Promise((resolve) => new StreamPipe(options, resolve).start());
}

/** One stream on its way, over all vendors and continuations that it comes from. */
class StreamPipe {
  private readonly options: PipeOptions;
  private readonly translator: StreamTranslator;
  private readonly resolve: (end: StreamEnd) => void;
  private raw: Readable;
  /** The caller has gone. */
  private abandoned: boolean;
  private closed = false;
  /** Chunks of one read of the vendor's socket: they are translated and written as one. */
  private gathered: Buffer[] = [];
  /** Tokens at which progress is reported next. */
  private reportAt = 0;
  private elsewhere: PipeOptions['elsewhere'];
  private writes = 0;
  private writesBefore = -1;
  private keepAlive: NodeJS.Timeout | undefined;

  constructor(options: PipeOptions, resolve: (end: StreamEnd) => void) {
    this.options = options;
    this.translator = options.translator;
    this.resolve = resolve;
    this.raw = options.raw;
    this.abandoned = options.signal.aborted;
    this.elsewhere = options.elsewhere;
  }

  start(): void {
    const { first, signal, onDisconnect } = this.options;
    this.keepAlive = setInterval(this.whenQuiet, KEEP_ALIVE_MS);
    this.keepAlive.unref();
    signal.addEventListener('abort', this.onGone, { once: true });
    this.raw.on('error', this.onError).on('end', this.onEnd);
    if (this.abandoned && onDisconnect === 'abort') {
      this.finish();
      return;
    }
    for (const chunk of first) this.push(chunk);
    this.raw.on('data', this.onData);
    this.flow();
  }

  private readonly onData = (chunk: Buffer): void => {
    if (this.gathered.push(chunk) === 1) process.nextTick(this.translateGathered);
  };

  private readonly translateGathered = (): void => {
    const [only] = this.gathered;
    if (only === undefined || this.closed) return;
    const chunk = this.gathered.length === 1 ? only : Buffer.concat(this.gathered);
    this.gathered = [];
    this.push(chunk);
  };

  private readonly onError = (error: Error): void => {
    if (this.closed) return;
    this.translateGathered();
    // A finish without a clean close is a success (docs/wire/known-bugs-in-other-gateways.md#chat, bug 23); a silence after it too.
    if (this.translator.finished()) {
      this.write(this.translator.end());
      this.finish();
    } else this.broken(transportError(error, 'in the middle of its answer'));
  };

  private readonly onEnd = (): void => {
    if (this.closed) return;
    this.translateGathered();
    const { translator } = this;
    const { resume } = this.options;
    this.write(translator.end());
    const resumption = translator.resumption?.();
    if (translator.finished() || (resumption !== undefined && this.abandoned)) this.finish();
    else if (resumption !== undefined && resume !== undefined) this.continueHere(resumption, resume);
    else
      this.broken(
        translator.broke?.() ??
          new GatewayError('upstream_unavailable', 'the vendor closed the connection in the middle of its answer'),
      );
  };

  private readonly onGone = (): void => {
    this.abandoned = true;
    if (this.options.onDisconnect === 'abort') this.finish();
    else this.raw.resume();
  };

  private readonly whenQuiet = (): void => {
    if (this.writes === this.writesBefore) this.write(this.translator.keepAlive());
    this.writesBefore = this.writes;
  };

  private push(chunk: Buffer): void {
    const { translator } = this;
    this.write(translator.push(chunk));
    this.reportProgress();
    if (translator.malformed?.() === true) this.broken(UNREADABLE_EVENT);
    const broke = translator.broke?.();
    if (broke !== undefined) this.broken(broke);
  }

  private write(out: Buffer | string): void {
    if (this.abandoned || out.length === 0) return;
    this.writes++;
    const { sink } = this.options;
    if (sink.write(out)) return;
    this.raw.pause();
    void sink.drained().then(() => this.raw.resume());
  }

  private reportProgress(): void {
    const { progress } = this.options;
    if (progress === undefined) return;
    const tokens = tokensIn(this.translator.delivered());
    if (tokens < this.reportAt || tokens === 0) return;
    this.reportAt = tokens + progress.everyTokens;
    progress.report();
  }

  private broken(error: GatewayError): void {
    if (this.closed) return;
    this.translateGathered();
    if (!this.continueElsewhere(error)) this.fail(error);
  }

  private fail(error: GatewayError): void {
    this.write(this.translator.fail(error));
    this.finish(error);
  }

  private finish(error?: GatewayError): void {
    if (this.closed) return;
    this.translateGathered();
    this.closed = true;
    clearInterval(this.keepAlive);
    this.options.signal.removeEventListener('abort', this.onGone);
    this.raw.destroy();
    const { translator, abandoned } = this;
    this.resolve({
      usage: translator.usage(),
      delivered: translator.delivered(),
      finished: translator.finished(),
      failed: translator.failed(),
      abandoned,
      cut: abandoned && error === undefined && !translator.finished(),
      ...(error !== undefined && { error }),
    });
  }

  /** Asks the same vendor to go on after it paused. */
  private continueHere(resumption: Resumption, resume: NonNullable<PipeOptions['resume']>): void {
    resume(resumption).then(
      (continuation) => {
        if (this.closed) {
          discard(continuation.raw);
          return;
        }
        this.translator.next?.(continuation.sent);
        this.listen(continuation.raw);
        this.raw.resume();
      },
      (error: unknown) => this.broken(transportError(error, 'in the middle of its answer')),
    );
  }

  /** Asks another vendor to go on, once; false when nobody can. */
  private continueElsewhere(error: GatewayError): boolean {
    const continuing = this.abandoned ? undefined : this.elsewhere?.(error);
    this.elsewhere = undefined;
    if (continuing === undefined) return false;
    this.raw.off('data', this.onData).off('end', this.onEnd).off('error', this.onError);
    discard(this.raw);
    continuing.then(
      (next) => {
        if (this.closed) {
          discard(next.raw);
          return;
        }
        this.listen(next.raw);
        for (const chunk of next.first) this.push(chunk);
        this.flow();
      },
      () => {
        if (!this.closed) this.fail(error);
      },
    );
    return true;
  }

  private listen(stream: Readable): void {
    this.raw = stream;
    stream.on('error', this.onError).on('end', this.onEnd).on('data', this.onData);
  }

  /** A stream that ended while its first chunks were read has told its end already. */
  private flow(): void {
    if (this.raw.readableEnded) this.raw.emit('end');
    else this.raw.resume();
  }
}

function discard(stream: Readable): void {
  stream.on('error', () => undefined).destroy();
}
