import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isJsonObject } from '@model-gateway/contracts';
import { EventStream, pause, type LateFault, type Reframe } from './event-stream.ts';
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
