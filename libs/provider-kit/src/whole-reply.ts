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
  /** Of a large reply: gives its room to others, when the answer that was made of it has been read. */
  readonly release?: () => void;
}

export interface WholeReplyLimits {
  /** A larger reply is refused as malformed. */
  readonly largest: number;
  /** Of a refusal (status ≥ 400) this much is read. */
  readonly largestRefusal: number;
  /** Large replies of one payer leave room for those of others. */
  readonly payer?: number | undefined;
  /** Reads a body that is no refusal and smaller than `SLICED_FROM`; undefined: it is wanted as it is. The pieces are its only as long as it runs. */
  readonly read?: (chunks: readonly Uint8Array[], size: number) => Json | undefined;
}

/** Larger replies are read in slices, by whoever wanted them. */
export const SLICED_FROM = 1024 * 1024;
/** Replies above this size share the room below with each other: replies of many vendors at once must not fill the memory. */
const LARGE = 1024 * 1024;
const ROOM_OF_LARGE = 128 * 1024 * 1024;
const NOTHING = new Uint8Array();

/** An answer that was made of a large reply is held for no longer than this, whoever forgot it. */
const LONGEST_HELD_MS = 60_000;

/** What takes room: in all, or of one payer. */
class Share {
  private readonly most: number;
  used = 0;
  held = 0;
  /** Those that come in, in the order in which they became large. */
  readonly readers = new Set<Reader>();

  constructor(most: number) {
    this.most = most;
  }

  /** The first goes on where all would wait for each other. */
  hasRoomFor(reader: Reader): boolean {
    if (this.used <= this.most) return true;
    const [first] = this.readers;
    return first === reader && this.held < this.most;
  }
}

/**
 * The large replies that come in, and the answers that are made of them, until they have been read. They may have been paid for: where
 * there is no room for more, in all or of one payer, their vendors are read no further for a while.
 */
class RoomOfLarge {
  private readonly all = new Share(ROOM_OF_LARGE);
  private readonly payers = new Map<Payer, Share>();

  grow(reader: Reader, bytes: number): void {
    for (const share of this.sharesOf(reader.payer)) {
      share.readers.add(reader);
      share.used += bytes;
    }
    if (!this.mayGoOn(reader)) reader.pause();
  }

  leave(reader: Reader, bytes: number): void {
    for (const share of this.sharesOf(reader.payer)) share.readers.delete(reader);
    this.free(reader.payer, bytes);
  }

  /** It has come in, and is held until what this returns is called. */
  keep(reader: Reader, bytes: number): () => void {
    const { payer } = reader;
    for (const share of this.sharesOf(payer)) {
      share.readers.delete(reader);
      share.held += bytes;
    }
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(late);
      for (const share of this.sharesOf(payer)) share.held -= bytes;
      this.free(payer, bytes);
    };
    const late = setTimeout(release, LONGEST_HELD_MS).unref();
    this.wake();
    return release;
  }

  private sharesOf(payer: Payer): readonly [all: Share, own: Share] {
    let share = this.payers.get(payer);
    if (share === undefined) this.payers.set(payer, (share = new Share(ROOM_OF_LARGE / 2)));
    return [this.all, share];
  }

  private free(payer: Payer, bytes: number): void {
    for (const share of this.sharesOf(payer)) share.used -= bytes;
    if (this.payers.get(payer)?.used === 0) this.payers.delete(payer);
    this.wake();
  }

  private wake(): void {
    for (const each of this.all.readers) if (this.mayGoOn(each)) each.goOn();
  }

  /** A payer who holds nothing has one reply, whatever others hold. */
  private mayGoOn(reader: Reader): boolean {
    const [all, own] = this.sharesOf(reader.payer);
    const [first] = own.readers;
    return own.hasRoomFor(reader) && (all.hasRoomFor(reader) || (first === reader && own.held === 0));
  }

  get isWanted(): boolean {
    for (const { isPaused } of this.all.readers) if (isPaused) return true;
    return false;
  }
}

/** Whose request it is; undefined for what nobody asked for. */
type Payer = number | undefined;

const room = new RoomOfLarge();

/** Whether large replies wait for the room that answers take which have not been read. */
export function largeRepliesWait(): boolean {
  return room.isWanted;
}

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
  readonly payer: Payer;
  private readonly limits: WholeReplyLimits;
  private readonly resolve: (reply: WholeReply) => void;
  private readonly reject: (error: GatewayError) => void;
  private readonly signal: AbortSignal | undefined;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  /** Of the room of large replies. */
  private counted = 0;
  isPaused = false;
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
    this.payer = limits.payer;
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
    } else if (this.size > this.limits.largest) {
      this.fail(
        new GatewayError('upstream_malformed', 'the vendor’s reply is too large', {
          taken: 'unknown',
        }),
      );
    } else if (this.size > LARGE) {
      const more = this.counted === 0 ? this.size : chunk.length;
      this.counted += more;
      room.grow(this, more);
    }
  }

  onResponseEnd(): void {
    if (!this.done) this.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.done) return;
    if (this.status >= 400) this.finish();
    else this.fail(transportError(error, this.status === 0 ? 'before it answered' : 'in the middle of its answer'));
  }

  private finish(): void {
    const release = this.counted === 0 ? undefined : room.keep(this, this.counted);
    this.counted = 0;
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
      ...(release !== undefined && { release }),
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

  /** Reads no further until `goOn`. */
  pause(): void {
    this.isPaused = true;
    this.controller?.pause();
  }

  goOn(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    // One connection must not be read within another's turn.
    setImmediate(() => {
      if (!this.isPaused) this.controller?.resume();
    });
  }

  private close(): void {
    this.done = true;
    if (this.counted > 0) room.leave(this, this.counted);
    this.counted = 0;
    this.goOn();
    this.signal?.removeEventListener('abort', this.cancel);
  }
}

function cancelled(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'unknown' });
}
