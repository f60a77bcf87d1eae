/** A vendor's whole reply straight from the connection: no stream is made for bytes that are wanted together. */
import { GatewayError, type Json } from '@model-gateway/contracts';
import type { Dispatcher } from 'undici';
import { flatHeaders } from './media-url.ts';
import { transportError } from './refusal.ts';
import { atEndOfTurn } from './end-of-turn.ts';

export interface WholeReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Record<string, string>;
  /** Empty where `json` is there. */
  readonly body: Uint8Array;
  /** What `read` made of it. */
  readonly json?: Json;
}

export interface WholeReplyLimits {
  /** A larger reply is refused as malformed. */
  readonly largest: number;
  /** Of a refusal (status ≥ 400) this much is read. */
  readonly largestRefusal: number;
  /** Reads a body that is no refusal and smaller than `SLICED_FROM`; undefined: it is wanted as it is. The pieces are its only as long as it runs. */
  readonly read?: (chunks: readonly Uint8Array[], size: number) => Json | undefined;
}

/** Larger replies are read in slices, by whoever wanted them. */
export const SLICED_FROM = 1024 * 1024;
/** Replies above this size share the room below with each other: replies of many vendors at once must not fill the memory. */
const LARGE = 8 * 1024 * 1024;
const ROOM_OF_LARGE = 256 * 1024 * 1024;
let largeUnderWay = 0;
const NOTHING = new Uint8Array();

/** Rejects with GatewayError; `signal` cancels the request. Of a refusal whatever came counts: its status has said enough. */
export function askWhole(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  limits: WholeReplyLimits,
  signal: AbortSignal | undefined,
): Promise<WholeReply> {
  return new Promise((resolve, reject) => {
    const reader = new Reader(limits, resolve, reject, signal);
    if (reader.open()) dispatcher.dispatch(options, reader);
  });
}

class Reader implements Dispatcher.DispatchHandler {
  private readonly limits: WholeReplyLimits;
  private readonly resolve: (reply: WholeReply) => void;
  private readonly reject: (error: GatewayError) => void;
  private readonly signal: AbortSignal | undefined;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  /** Of `largeUnderWay`. */
  private counted = 0;
  private status = 0;
  private headers: Record<string, string> = {};
  private controller: Dispatcher.DispatchController | undefined;
  private done = false;

  constructor(
    limits: WholeReplyLimits,
    resolve: (reply: WholeReply) => void,
    reject: (error: GatewayError) => void,
    signal: AbortSignal | undefined,
  ) {
    this.limits = limits;
    this.resolve = resolve;
    this.reject = reject;
    this.signal = signal;
  }

  /** False when the caller has gone already. */
  open(): boolean {
    if (this.signal?.aborted === true) this.cancel();
    else this.signal?.addEventListener('abort', this.cancel, { once: true });
    return !this.done;
  }

  readonly cancel = (): void => {
    this.fail(cancelled());
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.done) controller.abort(cancelled());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = flatHeaders(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.done) return;
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.status >= 400) {
      if (this.size >= this.limits.largestRefusal) this.finish();
    } else if (this.size > LARGE && !this.growLarge(this.counted === 0 ? this.size : chunk.length)) {
      this.fail(
        new GatewayError(
          'upstream_malformed',
          'the vendor’s reply is too large to be read beside the others that come in now',
          {
            taken: 'unknown',
          },
        ),
      );
    } else if (this.size > this.limits.largest) {
      this.fail(
        new GatewayError('upstream_malformed', 'the vendor’s reply is larger than any reply should be', {
          taken: 'unknown',
        }),
      );
    }
  }

  onResponseEnd(): void {
    if (!this.done) this.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.done) return;
    if (this.status >= 400) this.finish();
    else this.fail(transportError(error, this.status === 0 ? 'before an answer came' : 'in the middle of its answer'));
  }

  private finish(): void {
    this.close();
    const { status } = this;
    const json = status >= 300 || this.size >= SLICED_FROM ? undefined : this.limits.read?.(this.chunks, this.size);
    if (json !== undefined) {
      atEndOfTurn(() => this.resolve({ status, headers: this.headers, body: NOTHING, json }));
      return;
    }
    const [only] = this.chunks;
    const body = this.chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.chunks, this.size);
    // Connections keep their readers for a while.
    this.chunks.length = 0;
    const reply = {
      status,
      headers: this.headers,
      body: status >= 400 ? body.subarray(0, this.limits.largestRefusal) : body,
    };
    atEndOfTurn(() => this.resolve(reply));
    // Nothing more is wanted of a refusal that goes on.
    if (status >= 400 && this.size >= this.limits.largestRefusal) this.controller?.abort(cancelled());
  }

  private fail(error: GatewayError): void {
    this.close();
    this.reject(error);
    this.controller?.abort(error);
  }

  /** Whether there is room for so many more bytes. */
  private growLarge(bytes: number): boolean {
    this.counted += bytes;
    largeUnderWay += bytes;
    return largeUnderWay <= ROOM_OF_LARGE;
  }

  private close(): void {
    this.done = true;
    largeUnderWay -= this.counted;
    this.counted = 0;
    this.signal?.removeEventListener('abort', this.cancel);
  }
}

function cancelled(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'unknown' });
}
