/** Google's own realtime wire, relayed as it is to a vendor that speaks it: its turns are paid one by one (docs/wire/realtime.md#gemini-live). */
import { GatewayError, isJsonObject, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';
import { realtimeEvents, type SessionView } from '@model-gateway/translate';
import {
  ClientSocket,
  CLOSE_FAILED,
  CLOSE_GOING_AWAY,
  CLOSE_INVALID,
  CLOSE_NORMAL,
  CLOSE_POLICY,
  type ClientListener,
  type ClientMessage,
} from '../../http/client-socket.ts';
import type { OpenSocket, SocketSession } from '../../http/upgrades.ts';
import { addPart, newSaid, SessionAccount, TOKENS_PER_FRAME } from './account.ts';
import { jsonObjectIn, VendorSocket } from './vendor-socket.ts';
import {
  LARGEST_FRAME,
  LineRequest,
  LONGEST_UNANSWERED_MS,
  RealtimeTurn,
  withQuery,
  type TurnRefusal,
} from './turns.ts';

/** Sound at 16 kHz comes in, at 24 kHz goes out. */
const VIEW: SessionView = {
  ...{ answersSpeech: true, transcriber: undefined, mostOutput: undefined },
  ...{ bytesPerSecond: 32_000, outputBytesPerSecond: 48_000 },
};
const SOUND = /"audio" ?:|"media_?chunks" ?:/i;
const PICTURE = /"mime_?type" ?: ?"image\//i;
const STREAMED = /^\s*\{\s*"realtime_?input"/i;
/** What a model's name may begin with. */
const COLLECTION = /^(?:models|publishers\/google\/models)\//;

export interface GeminiSessionParts {
  readonly now: () => number;
  /** The path that opened it, by which its turns are asked; with the key where that came in its query. */
  readonly path: string;
}

export class GeminiSession implements SocketSession, ClientListener {
  readonly #ask: OpenSocket['ask'];
  readonly #parts: GeminiSessionParts;
  readonly #client: ClientSocket;
  readonly #account = new SessionAccount();
  #line: RealtimeLine | undefined;
  #vendor: VendorSocket | undefined;
  #turn: RealtimeTurn | undefined;
  #said = newSaid();
  #usage: Usage | undefined;
  #isEnding = false;

  constructor(socket: OpenSocket, parts: GeminiSessionParts) {
    this.#ask = socket.ask;
    this.#parts = parts;
    this.#client = new ClientSocket(socket, this, parts.now, LARGEST_FRAME);
  }

  drain(): void {
    this.#isEnding = true;
    if (!this.isBusy()) this.#client.close(CLOSE_GOING_AWAY, 'the gateway shuts down; connect again');
  }

  async hear({ data }: ClientMessage): Promise<void> {
    const text = data.toString();
    if (this.#line === undefined) {
      await this.#begin(jsonObjectIn(text));
      return;
    }
    if (!(await this.#isPaid(text)) || this.#client.isOver) return;
    await this.#put(text);
  }

  stalled(isStalled: boolean): void {
    if (isStalled) this.#vendor?.pause();
    else this.#vendor?.resume();
  }

  look(now: number): boolean {
    const turn = this.#turn;
    if (turn !== undefined && !this.#isSpeaking() && now - turn.openedAt >= LONGEST_UNANSWERED_MS) this.#end();
    if (this.#vendor?.look() !== false) return true;
    this.#vendorGone(CLOSE_FAILED, 'the vendor is gone');
    return false;
  }

  isBusy(): boolean {
    return this.#isSpeaking();
  }

  expired(): void {
    // Google has no word for it but the closing frame.
    this.#client.close(CLOSE_NORMAL, 'the session is 60 minutes old');
  }

  closed(): void {
    this.#turn?.end({ usage: this.#used(), isLeft: true });
    this.#vendor?.close();
  }

  /** The first message names the model. */
  async #begin(message: JsonObject | undefined): Promise<void> {
    const setup = message === undefined ? {} : realtimeEvents.objectAt(message, 'setup');
    const { model } = setup;
    if (typeof model !== 'string') {
      this.#client.close(CLOSE_INVALID, 'setup must be the first message, and name a model');
      return;
    }
    const query = new URLSearchParams({ model: model.replace(COLLECTION, '') });
    const request = new LineRequest();
    const opened = await this.#client.hold(request.open(this.#ask, withQuery(this.#parts.path, query)));
    if ('error' in opened) {
      this.#refused(opened);
      return;
    }
    if (opened.wire !== 'gemini-live' || this.#client.isOver) {
      opened.socket.terminate();
      this.#client.close(CLOSE_INVALID, `'${model}' does not speak BidiGenerateContent; GET /v1/realtime reaches it`);
      return;
    }
    this.#line = opened;
    this.#follow(opened);
    const { model: name } = opened.offer;
    const upstream = name.includes('/') ? name : `models/${name}`;
    await this.#put(JSON.stringify({ setup: { ...setup, model: upstream } }));
  }

  #follow({ socket, scrub }: RealtimeLine): void {
    this.#vendor = new VendorSocket(socket);
    this.#vendor.listen({
      message: (data, isBinary) => {
        const text = data.toString();
        this.#heed(jsonObjectIn(text) ?? {});
        this.#client.tell(isBinary ? data : text);
        if (this.#isEnding && !this.isBusy())
          this.#client.close(CLOSE_GOING_AWAY, 'the gateway shuts down; connect again');
      },
      closed: (code, reason) => this.#vendorGone(code, scrub(reason)),
    });
  }

  /** Nobody has left: the turn under way is broken, or was not answered. */
  #vendorGone(code: number, reason: string): void {
    const isUsual = code === CLOSE_NORMAL || code === CLOSE_GOING_AWAY;
    const error = new GatewayError('upstream_unavailable', 'the vendor closed the connection');
    this.#turn?.end({ usage: this.#used(), ...((!isUsual || this.#isSpeaking()) && { error }) });
    this.#turn = undefined;
    // 1005 and 1006 are said of a connection, never over it.
    this.#client.close(code === 1005 || code === 1006 ? CLOSE_FAILED : code, reason);
  }

  /** What costs money needs a turn; whether there is one. */
  async #isPaid(text: string): Promise<boolean> {
    this.#count(text);
    if (this.#turn === undefined && this.#isEnding) return false;
    const turn = this.#turn ?? this.#openTurn();
    if (turn === undefined || turn.isAdmitted) return turn !== undefined;
    const refusal = await this.#client.hold(turn.admitted);
    if (refusal === undefined) return true;
    if (this.#turn === turn) this.#turn = undefined;
    this.#refused(refusal);
    return false;
  }

  #count(text: string): void {
    if (!STREAMED.test(text)) this.#account.readMessage(text);
    else if (SOUND.test(text) && !PICTURE.test(text)) this.#account.hear(text.length);
    else this.#account.readMessage(text, TOKENS_PER_FRAME);
  }

  /** Undefined while no vendor is there. */
  #openTurn(): RealtimeTurn | undefined {
    const { offer, row } = this.#line ?? {};
    if (offer === undefined || row === undefined) return undefined;
    this.#said = newSaid();
    const order = { model: row.code, offer, outlook: this.#account.outlook(VIEW), soFar: () => this.#used() };
    this.#turn = new RealtimeTurn(order, this.#ask, this.#parts.now(), this.#parts.path);
    return this.#turn;
  }

  /** The vendor answers what came while it was answering something else: that is a turn of its own. */
  #expectPayment(): void {
    const turn = this.#openTurn();
    void turn?.admitted.then((refusal) => {
      if (refusal === undefined || this.#client.isOver) return;
      if (this.#turn === turn) this.#turn = undefined;
      this.#refused(refusal);
    });
  }

  #heed({ serverContent: content, usageMetadata: usage, toolCall }: JsonObject): void {
    const answers = isJsonObject(toolCall) || (isJsonObject(content) && content['modelTurn'] !== undefined);
    if (answers && this.#turn === undefined) this.#expectPayment();
    if (isJsonObject(usage)) this.#usage = realtimeEvents.usageOfLive(usage);
    if (isJsonObject(content)) {
      const { parts } = realtimeEvents.objectAt(content, 'modelTurn');
      for (const part of Array.isArray(parts) ? parts.filter(isJsonObject) : []) this.#note(part);
      if (content['turnComplete'] === true) this.#end();
    }
    if (isJsonObject(toolCall)) this.#end();
  }

  #note(part: JsonObject): void {
    if (this.#turn !== undefined) this.#turn.firstByteAt ??= this.#parts.now();
    addPart(this.#said, part);
  }

  /** A turn is over, and billed by what the vendor says of it. */
  #end(): void {
    const usage = this.#usage ?? this.#used();
    if (this.#usage !== undefined) this.#account.counted(this.#usage);
    this.#usage = undefined;
    this.#turn?.end({ usage });
    this.#turn = undefined;
    this.#said = newSaid();
  }

  #isSpeaking(): boolean {
    return this.#said.audioBytes > 0 || this.#said.characters > 0;
  }

  #used(): Usage | undefined {
    return this.#usage ?? this.#account.used(this.#said, VIEW);
  }

  async #put(text: string): Promise<void> {
    this.#vendor?.send(text);
    const draining = this.#vendor?.drained;
    if (draining !== undefined) await this.#client.hold(draining);
  }

  /** Google says in the closing frame what is wrong. */
  #refused({ error }: TurnRefusal): void {
    const { message } = error;
    this.#client.close(CLOSE_POLICY, typeof message === 'string' ? message : 'the request was refused');
  }
}
