/** Google's own realtime wire, relayed as it is to a vendor that speaks it: its turns are paid one by one (docs/wire/realtime.md#gemini-live). */
import { isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { RealtimeLine } from '@model-gateway/core';
import { realtimeEvents, type SessionView } from '@model-gateway/translate';
import type { OpenSocket, SocketSession } from '../../http/upgrades.ts';
import { SessionAccount, type Said } from './account.ts';
import { ClientLine, FAILED, GOING_AWAY, NORMAL, POLICY, type ClientListener } from './client-line.ts';
import { PacedSender } from './line.ts';
import { LineRequest, RealtimeTurn, withQuery, type TurnRefusal } from './turns.ts';

const LONGEST_UNANSWERED_MS = 60_000;
/** Closing code of a message that is none. */
const INVALID = 1007;
const CLOSED_WITHIN_MS = 1000;
/** Sound at 16 kHz comes in, at 24 kHz goes out. */
const VIEW: SessionView = {
  ...{ answersSpeech: true, transcriber: undefined, mostOutput: undefined },
  ...{ bytesPerSecond: 32_000, outputBytesPerSecond: 48_000 },
};
const SOUND = /"audio" ?:|"mediaChunks" ?:/;
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
  readonly #client: ClientLine;
  readonly #account = new SessionAccount();
  readonly #sender = new PacedSender();
  #line: RealtimeLine | undefined;
  #turn: RealtimeTurn | undefined;
  #said: Said = { audioBytes: 0, characters: 0 };
  #usage: Usage | undefined;
  #isEnding = false;
  #isAlive = true;

  constructor(socket: OpenSocket, parts: GeminiSessionParts) {
    this.#ask = socket.ask;
    this.#parts = parts;
    this.#client = new ClientLine(socket, this, parts.now);
  }

  drain(): void {
    this.#isEnding = true;
    if (!this.isBusy()) this.#client.close(GOING_AWAY, 'the gateway shuts down; connect again');
  }

  async hear(data: Buffer): Promise<void> {
    const text = data.toString();
    if (this.#line === undefined) {
      await this.#begin(parsed(text));
      return;
    }
    if (!(await this.#isPaid(text)) || this.#client.isOver) return;
    await this.#put(text);
  }

  stalled(isStalled: boolean): void {
    if (isStalled) this.#line?.socket.pause();
    else {
      // While nothing was read, its pong was not either.
      this.#isAlive = true;
      this.#line?.socket.resume();
    }
  }

  look(now: number): boolean {
    const turn = this.#turn;
    if (turn !== undefined && !this.#isSpeaking() && now - turn.openedAt >= LONGEST_UNANSWERED_MS) this.#end();
    if (this.#line === undefined) return true;
    if (!this.#isAlive) {
      this.#client.close(FAILED, 'the vendor is gone');
      return false;
    }
    this.#isAlive = false;
    this.#line.socket.ping(undefined, undefined, () => undefined);
    return true;
  }

  isBusy(): boolean {
    return this.#isSpeaking();
  }

  expired(): void {
    // Google has no word for it but the closing frame.
  }

  closed(): void {
    this.#turn?.end({ usage: this.#used(), isLeft: true });
    const socket = this.#line?.socket;
    if (socket === undefined) return;
    socket.close(NORMAL);
    setTimeout(() => socket.terminate(), CLOSED_WITHIN_MS).unref();
  }

  /** The first message names the model. */
  async #begin(message: JsonObject | undefined): Promise<void> {
    const setup = message === undefined ? {} : realtimeEvents.objectAt(message, 'setup');
    const { model } = setup;
    if (typeof model !== 'string') {
      this.#client.close(INVALID, 'setup must be the first message, and name a model');
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
      this.#client.close(INVALID, `'${model}' does not speak BidiGenerateContent; GET /v1/realtime reaches it`);
      return;
    }
    this.#line = opened;
    this.#follow(opened);
    const { model: name } = opened.offer;
    const upstream = name.includes('/') ? name : `models/${name}`;
    await this.#put(JSON.stringify({ setup: { ...setup, model: upstream } }));
  }

  #follow({ socket, scrub }: RealtimeLine): void {
    socket.on('error', () => undefined);
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#isAlive = true;
      this.#heed(parsed(data.toString()) ?? {});
      this.#client.tell(isBinary ? data : data.toString());
      if (this.#isEnding && !this.isBusy()) this.#client.close(GOING_AWAY, 'the gateway shuts down; connect again');
    });
    socket.once('close', (code: number, reason: Buffer) => {
      if (this.#client.isOver) return;
      // 1005 and 1006 are said of a connection, never over it.
      this.#client.close(code === 1005 || code === 1006 ? FAILED : code, scrub(reason.toString()));
    });
    socket.resume();
  }

  /** What costs money needs a turn; whether there is one. */
  async #isPaid(text: string): Promise<boolean> {
    if (SOUND.test(text)) this.#account.hear(text.length);
    else this.#account.read(text.length);
    if (this.#turn === undefined && this.#isEnding) return false;
    const turn = this.#turn ?? this.#openTurn();
    if (turn === undefined || turn.isAdmitted) return turn !== undefined;
    const refusal = await this.#client.hold(turn.admitted);
    if (refusal === undefined) return true;
    if (this.#turn === turn) this.#turn = undefined;
    this.#refused(refusal);
    return false;
  }

  /** Undefined while no vendor is there. */
  #openTurn(): RealtimeTurn | undefined {
    const { offer, row } = this.#line ?? {};
    if (offer === undefined || row === undefined) return undefined;
    this.#said = { audioBytes: 0, characters: 0 };
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
    const { data } = realtimeEvents.objectAt(part, 'inlineData');
    if (typeof data === 'string') this.#said.audioBytes += (data.length * 3) / 4;
    const { text } = part;
    if (typeof text === 'string') this.#said.characters += text.length;
  }

  /** A turn is over, and billed by what the vendor says of it. */
  #end(): void {
    const usage = this.#usage ?? this.#used();
    if (this.#usage !== undefined) this.#account.counted(this.#usage);
    this.#usage = undefined;
    this.#turn?.end({ usage });
    this.#turn = undefined;
    this.#said = { audioBytes: 0, characters: 0 };
  }

  #isSpeaking(): boolean {
    return this.#said.audioBytes > 0 || this.#said.characters > 0;
  }

  #used(): Usage | undefined {
    return this.#usage ?? this.#account.used(this.#said, VIEW);
  }

  async #put(text: string): Promise<void> {
    const socket = this.#line?.socket;
    if (socket === undefined) return;
    this.#sender.send(socket, text);
    if (this.#sender.drained !== undefined) await this.#client.hold(this.#sender.drained);
  }

  /** Google says in the closing frame what is wrong. */
  #refused({ error }: TurnRefusal): void {
    const { message } = error;
    this.#client.close(POLICY, typeof message === 'string' ? message : 'the request was refused');
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const message = JSON.parse(text) as Json;
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
