import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { isJsonObject } from '@model-gateway/contracts';
import type { TwinFault } from './faults.ts';
import type { JobFate } from './jobs.ts';
import { readMarkers, type Markers } from './markers.ts';
import { Reader, type Complain } from './reader.ts';
import { Refusal, type Refuse } from './refusal.ts';
import type { Stage } from './stage.ts';
import type { LedgerAnswer } from './ledger.ts';

/** The client has gone, or must never hear from us again: nothing left to do. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

/** Faults that change a reply on its way out. */
type LateFault = Extract<
  TwinFault,
  {
    kind:
      | 'no-answer'
      | 'cut'
      | 'stall'
      | 'error-event'
      | 'malformed'
      | 'torn-json'
      | 'content-type'
      | 'dribble'
      | 'slow-first-token'
      | 'late-usage';
  }
>;
/** Faults that are the fate of a job or the word of a poll: the handler asks for them. */
type InnerFault = Extract<TwinFault, { kind: 'refusal' | 'moderation' | 'fail' | 'never' | 'unknown-status' }>;

interface ExchangeParts {
  readonly stage: Stage;
  readonly vendor: { readonly name: string };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly search: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The words of the route, or else of the vendor. */
  readonly refusal: Refuse;
  readonly connection?: Map<string, unknown>;
}

/** One request and its reply. Handlers read it, say what the vendor says, and never see the faults on the way out. */
export class Exchange {
  readonly stage: Stage;
  readonly vendor: { readonly name: string };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly search: string;
  readonly params: Readonly<Record<string, string>>;
  #body: Buffer;
  /** How to say no here. */
  readonly refusal: Refuse;
  /** What the vendor remembers for as long as the WebSocket is open that the request came over; undefined over HTTP. */
  readonly connection: Map<string, unknown> | undefined;
  #late: LateFault[] = [];
  #inner: InnerFault[] = [];
  #gone = false;
  #reframe: Reframe | undefined;
  #query: URLSearchParams | undefined;

  constructor(parts: ExchangeParts) {
    this.stage = parts.stage;
    this.vendor = parts.vendor;
    this.request = parts.request;
    this.response = parts.response;
    this.path = parts.path;
    this.search = parts.search;
    this.params = parts.params;
    this.#body = parts.body;
    this.refusal = parts.refusal;
    this.connection = parts.connection;
    this.response.once('close', () => {
      this.#gone = !this.response.writableFinished;
    });
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.search));
  }

  get body(): Buffer {
    return this.#body;
  }

  /** For vendors that take what others have in the body from the path: their handlers find it where they look. */
  restate(body: Buffer): void {
    this.#body = body;
  }

  /** For vendors that send another one's events in frames of their own. */
  reframe(how: Reframe): void {
    this.#reframe = how;
  }

  /** The client hung up before it had everything. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Faults that wait for the reply: a WebSocket suffers them itself. */
  get lateFaults(): readonly TwinFault[] {
    return this.#late;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** The body as a JSON object, or the vendor's 400. */
  json(complain: Complain): Reader {
    let value: unknown;
    try {
      value = JSON.parse(this.body.toString('utf8'));
    } catch {
      throw this.refusal(400, { message: 'The request body is not valid JSON.' });
    }
    if (!isJsonObject(value)) throw this.refusal(400, { message: 'The request body must be a JSON object.' });
    return new Reader(value, [], complain);
  }

  /** Obeys the marks in a prompt: waits, refuses, or remembers what to do to the reply. */
  async obey(text: string): Promise<Markers> {
    const markers = readMarkers(text, this.stage.seenMarkers);
    for (const fault of markers.faults) await this.meet(fault);
    if (!this.#inner.some(({ kind }) => kind === 'refusal')) return markers;
    return { ...markers, words: new Map([...markers.words, ['refuse', '']]) };
  }

  /** Suffers one fault, now or on the way out. */
  async meet(fault: TwinFault): Promise<void> {
    switch (fault.kind) {
      case 'status':
        throw this.#refusalFor(fault);
      case 'slow':
        await this.wait(fault.ms);
        return;
      case 'hang':
        await this.wait(undefined);
        return;
      case 'reset':
        this.request.socket.resetAndDestroy();
        throw new Gone();
      case 'refusal':
      case 'moderation':
      case 'fail':
      case 'never':
      case 'unknown-status':
        this.#inner.push(fault);
        return;
      default:
        this.#late.push(fault);
    }
  }

  /** How a job created by this request will end. */
  fate(markers: Markers): JobFate {
    if (markers.words.has('expire')) return 'expire';
    for (const { kind } of this.#inner) {
      if (kind !== 'unknown-status' && kind !== 'refusal') return kind;
    }
    return 'succeed';
  }

  /** The status word of this poll: the true one, unless a fault says otherwise. */
  word(word: string): string {
    const fault = this.#inner.find((candidate) => candidate.kind === 'unknown-status');
    return fault?.kind === 'unknown-status' ? (fault.word ?? 'pondering') : word;
  }

  record(answer: Omit<LedgerAnswer, 'vendor'>): void {
    this.stage.ledger.record({ vendor: this.vendor.name, ...answer });
  }

  /** Sends a whole reply; objects as JSON. */
  reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    const payload = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const head: Record<string, string | number> = { 'content-type': 'application/json', ...headers };
    if (this.#late.length > 0) {
      this.#replyBadly(status, payload, head);
      return;
    }
    head['content-length'] = payload.length;
    this.response.writeHead(status, head);
    this.response.end(payload);
  }

  refuse(refusal: Refusal): void {
    if (this.response.headersSent) this.response.destroy();
    else this.reply(refusal.status, refusal.body, refusal.headers);
  }

  /** Opens a streamed reply. `errorFrame` is the vendor's own error in mid-stream, made when it is needed where it counts events. */
  events(headers: Readonly<Record<string, string>>, errorFrame: string | (() => string)): EventStream {
    const type = this.#late.find((fault) => fault.kind === 'content-type');
    if (this.#late.some((fault) => fault.kind === 'no-answer')) {
      this.response.destroy();
      throw new Gone();
    }
    const own = this.#reframe === undefined ? headers : { ...headers, ...this.#reframe.headers };
    this.response.writeHead(200, { ...own, ...(type?.kind === 'content-type' && { 'content-type': type.value }) });
    if (this.#late.some((fault) => fault.kind === 'slow-first-token')) this.response.flushHeaders();
    return new EventStream(this, { faults: this.#late, errorFrame, reframe: this.#reframe });
  }

  #refusalFor(fault: Extract<TwinFault, { kind: 'status' }>): Refusal {
    const headers = fault.headers ?? {};
    if (fault.body !== undefined) return new Refusal(fault.status, fault.body, headers);
    const seconds = Number(headers['retry-after']);
    const usual = this.refusal(fault.status, Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {});
    return new Refusal(usual.status, usual.body, { ...usual.headers, ...headers });
  }

  /** Waits that long (for ever without a number). Rejects with `Gone` when the connection ends before. */
  async wait(ms: number | undefined): Promise<void> {
    const hungUp = new AbortController();
    const onClose = (): void => hungUp.abort();
    this.response.once('close', onClose);
    try {
      // The longest a timer can wait is as good as for ever: `close()` of the twin ends it.
      await setTimeout(ms ?? 2 ** 31 - 1, undefined, { signal: hungUp.signal, ref: false });
    } catch {
      throw new Gone();
    } finally {
      this.response.off('close', onClose);
    }
  }

  #replyBadly(status: number, payload: Buffer, head: Record<string, string | number>): void {
    let bytes = payload;
    for (const fault of this.#late) {
      if (fault.kind === 'no-answer') {
        this.response.destroy();
        return;
      }
      if (fault.kind === 'malformed') bytes = Buffer.from('\u0000\u0001{"half":\ufffd]]>\u0007', 'latin1');
      if (fault.kind === 'torn-json') bytes = bytes.subarray(0, Math.floor(bytes.length / 2));
      if (fault.kind === 'content-type') head['content-type'] = fault.value;
    }
    this.response.writeHead(status, { ...head, 'content-length': bytes.length });
    const cut = this.#late.find((fault) => fault.kind === 'cut');
    const dribble = this.#late.find((fault) => fault.kind === 'dribble');
    const slow = this.#late.find((fault) => fault.kind === 'slow-first-token');
    if (slow?.kind === 'slow-first-token') {
      this.response.flushHeaders();
      void this.wait(slow.ms).then(
        () => this.response.end(bytes),
        () => undefined,
      );
    } else if (cut?.kind === 'cut') {
      const most = Math.max(0, Math.min(cut.afterBytes ?? Math.floor(bytes.length / 2), bytes.length - 1));
      this.response.flushHeaders();
      this.response.write(bytes.subarray(0, most), () => this.response.destroy());
    } else if (dribble?.kind === 'dribble') {
      void this.#dribble(bytes, dribble.bytesPerWrite, dribble.delayMs);
    } else {
      this.response.end(bytes);
    }
  }

  async #dribble(bytes: Buffer, size: number, delayMs: number | undefined): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#gone; at += size) {
      this.response.write(bytes.subarray(at, at + size));
      await pause(delayMs);
    }
    this.response.end();
  }
}

/** Server-sent events in another framing. */
export interface Reframe {
  readonly headers: Readonly<Record<string, string>>;
  readonly frame: (sse: string) => Buffer;
}

/** A streamed reply: one `send` per event, each its own write, so that a client meets them one by one. */
export class EventStream {
  readonly #exchange: Exchange;
  readonly #errorFrame: string | (() => string);
  readonly #cut: { readonly afterEvents: number; readonly afterBytes: number } | undefined;
  readonly #stallAfter: number;
  readonly #errorAfter: number;
  readonly #dribble: { readonly size: number; readonly delayMs: number | undefined } | undefined;
  readonly #malformed: boolean;
  readonly #reframe: Reframe | undefined;
  readonly #firstAfterMs: number;
  #usageAfterMs: number;
  #events = 0;
  #bytes = 0;
  #over = false;

  constructor(
    exchange: Exchange,
    {
      faults,
      errorFrame,
      reframe,
    }: {
      readonly faults: readonly LateFault[];
      readonly errorFrame: string | (() => string);
      readonly reframe: Reframe | undefined;
    },
  ) {
    this.#exchange = exchange;
    this.#reframe = reframe;
    this.#errorFrame = errorFrame;
    let cut: { afterEvents: number; afterBytes: number } | undefined;
    let stallAfter = Number.POSITIVE_INFINITY;
    let errorAfter = Number.POSITIVE_INFINITY;
    let dribble: { size: number; delayMs: number | undefined } | undefined;
    let [firstAfterMs, usageAfterMs] = [0, 0];
    for (const fault of faults) {
      if (fault.kind === 'slow-first-token') firstAfterMs = fault.ms;
      if (fault.kind === 'late-usage') usageAfterMs = fault.ms;
      if (fault.kind === 'cut') cut = cutOf(fault);
      if (fault.kind === 'stall') stallAfter = fault.afterEvents;
      if (fault.kind === 'error-event') errorAfter = fault.afterEvents ?? 0;
      if (fault.kind === 'dribble') dribble = { size: fault.bytesPerWrite, delayMs: fault.delayMs };
    }
    this.#cut = cut;
    this.#stallAfter = stallAfter;
    this.#errorAfter = errorAfter;
    this.#dribble = dribble;
    this.#firstAfterMs = firstAfterMs;
    this.#usageAfterMs = usageAfterMs;
    this.#malformed = faults.some((fault) => fault.kind === 'malformed' || fault.kind === 'torn-json');
  }

  /** False once nobody listens any more: produce nothing further. */
  get open(): boolean {
    return !this.#over && !this.#exchange.gone;
  }

  async send(frame: string | Buffer): Promise<boolean> {
    if (!this.open) return false;
    if (!(await this.#waited(frame))) return false;
    if (this.#cut !== undefined && this.#events >= this.#cut.afterEvents) return this.#hangUp('');
    if (this.#events >= this.#stallAfter) return this.#stall();
    if (this.#events >= this.#errorAfter) return this.#fail();
    const bytes = this.#malformed && this.#events === 1 ? 'data: {"torn": \u0000]}\n\n' : this.#framed(frame);
    if (this.#cut !== undefined && this.#bytes + bytes.length > this.#cut.afterBytes) {
      return this.#hangUp(Buffer.from(bytes).subarray(0, Math.max(0, this.#cut.afterBytes - this.#bytes)));
    }
    this.#events += 1;
    this.#bytes += bytes.length;
    await this.#write(bytes);
    return this.open;
  }

  end(): void {
    if (!this.open) return;
    this.#over = true;
    this.#exchange.response.end();
  }

  /** Waits where a fault asks for it before this event; false when the client has left meanwhile. */
  async #waited(frame: string | Buffer): Promise<boolean> {
    let ms = this.#events === 0 ? this.#firstAfterMs : 0;
    if (this.#usageAfterMs > 0 && this.#events > 0 && saysUsage(frame)) {
      ms = this.#usageAfterMs;
      this.#usageAfterMs = 0;
    }
    if (ms === 0) return true;
    return this.#exchange.wait(ms).then(
      () => true,
      () => false,
    );
  }

  async #write(frame: string | Buffer): Promise<void> {
    const { response, stage } = this.#exchange;
    if (this.#dribble !== undefined) {
      const bytes = Buffer.from(frame);
      for (let at = 0; at < bytes.length && this.open; at += this.#dribble.size) {
        response.write(bytes.subarray(at, at + this.#dribble.size));
        await pause(this.#dribble.delayMs);
      }
      return;
    }
    if (!response.write(frame)) await drained(this.#exchange);
    await pause(stage.chunkDelayMs);
  }

  #hangUp(last: string | Buffer): boolean {
    this.#over = true;
    const { response } = this.#exchange;
    response.write(last.length === 0 ? '\n' : last, () => response.destroy());
    return false;
  }

  /** Resolves when the client has left. */
  async #stall(): Promise<boolean> {
    const { response } = this.#exchange;
    if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
    return false;
  }

  #fail(): boolean {
    this.#over = true;
    const said = typeof this.#errorFrame === 'string' ? this.#errorFrame : this.#errorFrame();
    this.#exchange.response.end(this.#framed(said));
    return false;
  }

  #framed(frame: string | Buffer): string | Buffer {
    return this.#reframe === undefined || typeof frame !== 'string' ? frame : this.#reframe.frame(frame);
  }
}

/** Whether it is the event that says the whole usage, in the words of any vendor: what comes first says a beginning at most. */
function saysUsage(frame: string | Buffer): boolean {
  const text = typeof frame === 'string' ? frame : frame.toString('latin1');
  if (text.includes('"usageMetadata"')) return text.includes('"finishReason"');
  return text.includes('"usage":{') || text.includes('"eval_count":');
}

function cutOf(fault: Extract<TwinFault, { kind: 'cut' }>): { afterEvents: number; afterBytes: number } {
  const afterEvents = fault.afterEvents ?? Number.POSITIVE_INFINITY;
  // A mark in a prompt says both, for plain and streamed replies; on a stream events are what counts.
  const afterBytes = fault.afterEvents === undefined ? (fault.afterBytes ?? 0) : Number.POSITIVE_INFINITY;
  return { afterEvents, afterBytes };
}

async function pause(ms: number | undefined): Promise<void> {
  if (ms !== undefined && ms > 0) await setTimeout(ms);
  else await setImmediate();
}

async function drained(exchange: Exchange): Promise<void> {
  const { response } = exchange;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
