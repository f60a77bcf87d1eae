/** A realtime session: a client's WebSocket and a vendor's, with the turns between them paid one by one. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '@model-gateway/core';
import { realtimeEvents, type SessionView } from '@model-gateway/translate';
import { WebSocket } from 'ws';
import { parseBody } from '../../http/steps/read-body.ts';
import type { OpenSocket, SocketLine, SocketSession } from '../../http/upgrades.ts';
import { addSaid, addUnread, SessionAccount, type Said } from './account.ts';
import type { VendorLine } from './line.ts';
import { RealtimeTurn, type TurnRefusal } from './turns.ts';

const MINUTE = 60_000;
/** As OpenAI's. */
const LONGEST_MS = 60 * MINUTE;
const LONGEST_IDLE_MS = 30 * MINUTE;
const LOOK_MS = 30_000;
/** A reader who has not taken in this time what was written is hung up on: his turns hold money and places at vendors. */
const STALLED_MS = 120_000;
/** Bytes that wait to be taken by the client; beyond them nothing is read of the vendor. */
const MOST_UNSENT = 256 * 1024;
const LARGEST_FRAME = 16 * 1024 * 1024;
/** Money that is set aside for speech that nobody answers goes back. */
const LONGEST_UNANSWERED_MS = MINUTE;
/** Events without sound in a second; more wait. */
const OWN_EVENT = 'event_gw_';

/** Closing codes of RFC 6455, 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const TOO_LARGE = 1009;
const FAILED = 1011;

/** Refusals after which nothing more can be had with the key. */
const LASTING: ReadonlySet<number> = new Set([401, 403]);

export interface SessionParts {
  readonly now: () => number;
  readonly randomId: () => string;
  /** The row and the offer of a model that writes down what is heard, at the session's account. Throws what is wrong with it. */
  readonly transcriberOf: (model: string, offer: Offer) => { readonly row: ModelRow; readonly offer: Offer };
}

/** What a session is held with. */
export interface OpenedSession {
  readonly line: VendorLine;
  readonly offer: Offer;
  readonly row: ModelRow;
  /** As the client calls the model. */
  readonly model: string;
  readonly transcribes: boolean;
  readonly scrub: (text: string) => string;
  /** What the session is told to be before its client says anything. */
  readonly initial?: JsonObject;
}

interface Active {
  readonly turn: RealtimeTurn;
  readonly said: Said;
}

const UNKNOWN_VIEW: SessionView = {
  ...{ answersSpeech: true, transcriber: undefined, mostOutput: undefined },
  ...{ bytesPerSecond: 48_000, outputBytesPerSecond: 48_000 },
};

export class RealtimeSession implements SocketSession {
  readonly #webSocket: SocketLine;
  readonly #ask: OpenSocket['ask'];
  readonly #came: OpenSocket['came'];
  readonly #opened: OpenedSession;
  readonly #parts: SessionParts;
  readonly #account = new SessionAccount();
  readonly #openedAt: number;
  readonly #timer: NodeJS.Timeout;
  /** Turns for which money is set aside, or will be, and that no response has begun for; oldest first. */
  readonly #waiting: RealtimeTurn[] = [];
  /** By the id of their response. */
  readonly #active = new Map<string, Active>();
  /** By the id of the event that asked for them. */
  readonly #claims = new Map<string, RealtimeTurn>();
  /** Transcripts on their way, by their item. */
  readonly #transcripts = new Map<string, RealtimeTurn>();
  #transcriber: { readonly row: ModelRow; readonly offer: Offer } | undefined;
  #view = UNKNOWN_VIEW;
  /** Updates that the vendor has not confirmed. */
  #unconfirmed = 0;
  /** Somebody speaks, and is to be answered when the response under way is over. */
  #isSpokenTo = false;
  #usedAt: number;
  #isAlive = true;
  #isReading = true;
  #isHearing = false;
  #ending: { readonly code: number; readonly reason: string } | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Events are dealt with in their order. */
  #heard = Promise.resolve();
  #initial: JsonObject | undefined;

  constructor({ webSocket, ask, came }: OpenSocket, opened: OpenedSession, parts: SessionParts) {
    this.#webSocket = webSocket;
    this.#ask = ask;
    this.#came = came;
    this.#opened = opened;
    this.#parts = parts;
    this.#initial = opened.initial;
    this.#openedAt = this.#usedAt = parts.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      const release = this.#came();
      this.#heard = this.#heard.then(() => this.#hear(data, isBinary)).finally(release);
    });
    webSocket.on('pong', () => (this.#isAlive = true));
    // A frame that is none, or too large: it is closed with the code that says so.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => this.#closed());
    opened.line.listen({
      event: (text, event) => this.#told(text, event),
      closed: (code, reason) => this.#vendorClosed(code, reason),
    });
  }

  drain(): void {
    this.#end(GOING_AWAY, 'the gateway shuts down; connect again');
  }

  // ---- what the client says ----------------------------------------------------------------------------------------

  async #hear(data: Buffer, isBinary: boolean): Promise<void> {
    if (this.#isOver) return;
    this.#usedAt = this.#parts.now();
    this.#isAlive = true;
    if (data.length > LARGEST_FRAME) {
      this.#close(TOO_LARGE, 'a frame is larger than 16 MB');
      return;
    }
    let id: string | null = null;
    try {
      const event = isBinary ? undefined : await parseBody(data);
      if (!isJsonObject(event) || typeof event['type'] !== 'string')
        throw wrong(
          'an event is a JSON object with a type, in a text frame, such as {"type": "response.create"}',
          'type',
        );
      const { event_id: given } = event;
      if (typeof given === 'string') id = given;
      await this.#obey(data.toString(), event);
    } catch (error) {
      this.#refuse(known(error), id);
    }
  }

  async #obey(text: string, event: JsonObject): Promise<void> {
    switch (event['type']) {
      case 'input_audio_buffer.append': {
        const { audio } = event;
        if (this.#opened.line.turnsBySound && !(await this.#isAllowedToSpeak())) return;
        this.#account.hear(typeof audio === 'string' ? audio.length : 0);
        break;
      }
      case 'input_audio_buffer.clear':
        this.#account.forgetSound();
        break;
      case 'session.update':
        this.#update(event);
        return;
      case 'response.create':
        await this.#create(event);
        return;
      default:
        this.#account.read(text.length);
    }
    await this.#forward(text, event);
  }

  async #forward(text: string, event: JsonObject): Promise<void> {
    if (this.#isOver) return;
    const { line } = this.#opened;
    line.send(text, event);
    const draining = line.drained();
    if (draining === undefined) return;
    this.#isHearing = true;
    this.#readOrNot();
    await draining;
    this.#isHearing = false;
    this.#readOrNot();
  }

  /** Models are called by other names at the vendor; a session keeps the one that it was opened with. */
  #update(event: JsonObject): void {
    const session = realtimeEvents.objectAt(event, 'session');
    const { model } = session;
    if (typeof model === 'string' && model !== this.#opened.model)
      throw wrong(
        `session.model is '${model.slice(0, 100)}'; the session was opened with '${this.#opened.model}'`,
        'session.model',
      );
    const { input } = realtimeEvents.objectAt(session, 'audio') as { input?: Json };
    let transcriber = this.#transcriber;
    if (isJsonObject(input) && input['transcription'] !== undefined && !this.#opened.line.transcribesItself) {
      const { model: asked } = realtimeEvents.objectAt(input, 'transcription');
      transcriber = typeof asked === 'string' ? this.#parts.transcriberOf(asked, this.#opened.offer) : undefined;
    }
    this.#transcriber = transcriber;
    const changed = {
      ...event,
      session: realtimeEvents.withModels(session, {
        model: () => this.#opened.offer.model,
        transcriber: (name) => transcriber?.offer.model ?? name,
      }),
    };
    const text = JSON.stringify(changed);
    this.#account.read(text.length);
    this.#unconfirmed++;
    this.#opened.line.send(text, changed);
  }

  async #create(event: JsonObject): Promise<void> {
    if (this.#ending !== undefined) throw new GatewayError('unavailable', this.#ending.reason);
    const text = JSON.stringify(event);
    this.#account.read(text.length);
    const turn = this.#waiting.find(({ isClaimed }) => !isClaimed) ?? this.#openTurn();
    turn.isClaimed = true;
    const refusal = await this.#admitted(turn);
    if (refusal !== undefined) {
      this.#refused(refusal, event['event_id']);
      return;
    }
    // So that an error of the vendor's says which turn has not begun.
    const id = typeof event['event_id'] === 'string' ? event['event_id'] : `${OWN_EVENT}${this.#parts.randomId()}`;
    this.#claims.set(id, turn);
    const named = { ...event, event_id: id };
    await this.#forward(JSON.stringify(named), named);
  }

  /** Whether there is a turn for sound that comes in, where nothing tells when somebody speaks. */
  async #isAllowedToSpeak(): Promise<boolean> {
    if (this.#waiting.length > 0 || this.#active.size > 0) return true;
    const refusal = await this.#admitted(this.#openTurn());
    if (refusal !== undefined) this.#refused(refusal, null);
    return refusal === undefined;
  }

  // ---- what the vendor says ----------------------------------------------------------------------------------------

  #told(text: string, event: JsonObject | undefined): void {
    if (this.#isOver) return;
    if (event === undefined) {
      const [, id = ''] = RESPONSE_ID.exec(text.slice(0, 512)) ?? [];
      const active = this.#active.get(id);
      if (active !== undefined) {
        active.turn.firstByteAt ??= this.#parts.now();
        addUnread(active.said, text);
      }
      this.#tell(text);
      return;
    }
    this.#usedAt = this.#parts.now();
    const shown = this.#heed(event);
    if (shown === undefined) return;
    this.#tell(shown === event ? text : JSON.stringify(shown));
    this.#closeIfDone();
  }

  /** What the client is told of an event; undefined: nothing. */
  #heed(event: JsonObject): JsonObject | undefined {
    switch (event['type']) {
      case 'session.created':
      case 'session.updated':
        return this.#shownSession(event);
      case 'input_audio_buffer.speech_started':
      case 'input_audio_buffer.timeout_triggered':
        if (this.#view.answersSpeech || this.#unconfirmed > 0) this.#expectAnswer();
        return event;
      case 'input_audio_buffer.committed':
        this.#committed(event);
        return event;
      case 'conversation.item.input_audio_transcription.completed':
      case 'conversation.item.input_audio_transcription.failed':
        this.#transcribed(event);
        return event;
      case 'response.created':
        this.#began(event);
        return event;
      case 'response.done':
        this.#done(event);
        return event;
      case 'error':
        return this.#shownError(event);
      case 'rate_limits.updated':
        // Those of the vendor's account, which is not the client's.
        return undefined;
      default:
        this.#note(event);
        return event;
    }
  }

  #note(event: JsonObject): void {
    const { response_id: id } = event;
    const active = typeof id === 'string' ? this.#active.get(id) : undefined;
    if (active === undefined) return;
    active.turn.firstByteAt ??= this.#parts.now();
    addSaid(active.said, event);
  }

  #shownSession(event: JsonObject): JsonObject | undefined {
    const session = realtimeEvents.objectAt(event, 'session');
    this.#view = realtimeEvents.viewOf(session);
    if (event['type'] === 'session.updated') this.#unconfirmed = Math.max(0, this.#unconfirmed - 1);
    const initial = this.#initial;
    if (initial !== undefined && event['type'] === 'session.created') {
      // The client is told of the session when it is as it was agreed on.
      return this.#agreed(event, initial);
    }
    const shown = {
      ...event,
      session: realtimeEvents.withModels(session, {
        model: () => this.#opened.model,
        transcriber: (name) => this.#transcriber?.row.code ?? name,
      }),
    };
    if (initial === undefined) return shown;
    this.#initial = undefined;
    return { ...shown, type: 'session.created' };
  }

  #agreed(event: JsonObject, initial: JsonObject): JsonObject | undefined {
    try {
      this.#update({ type: 'session.update', event_id: `${OWN_EVENT}initial`, session: initial });
      return undefined;
    } catch (error) {
      this.#initial = undefined;
      this.#refuse(known(error), null);
      return this.#shownSession(event);
    }
  }

  #shownError(event: JsonObject): JsonObject {
    const error = realtimeEvents.objectAt(event, 'error');
    const { event_id: id, message } = error;
    const turn = typeof id === 'string' ? this.#claims.get(id) : undefined;
    if (typeof id === 'string' && turn !== undefined) {
      this.#claims.delete(id);
      this.#drop(turn);
    }
    const isOwn = typeof id === 'string' && id.startsWith(OWN_EVENT);
    const words = typeof message === 'string' ? this.#opened.scrub(message) : 'the vendor reports a fault';
    return { ...event, error: { ...error, message: words, ...(isOwn && { event_id: null }) } };
  }

  /** Speech is heard that the vendor will answer. */
  #expectAnswer(): void {
    if (this.#opened.transcribes || this.#waiting.length > 0) return;
    if (this.#active.size > 0) {
      // The response under way is cut by it, and gives its place back.
      this.#isSpokenTo = true;
      return;
    }
    void this.#admitted(this.#openTurn()).then((refusal) => {
      if (refusal === undefined || this.#isOver) return;
      this.#silence();
      this.#refused(refusal, null);
    });
  }

  /** Keeps the vendor from answering what nobody pays. */
  #silence(): void {
    const { line } = this.#opened;
    for (const type of ['input_audio_buffer.clear', 'response.cancel']) {
      const event = { type, event_id: `${OWN_EVENT}silence` };
      line.send(JSON.stringify(event), event);
    }
  }

  #began(event: JsonObject): void {
    const { id } = realtimeEvents.objectAt(event, 'response');
    if (typeof id !== 'string') return;
    const turn = this.#waiting.shift() ?? this.#openTurn(false);
    for (const [claim, claimed] of this.#claims) if (claimed === turn) this.#claims.delete(claim);
    this.#active.set(id, { turn, said: { audioBytes: 0, characters: 0 } });
    if (turn.isAdmitted) return;
    void turn.admitted.then((refusal) => {
      if (refusal === undefined || this.#isOver) return;
      this.#active.delete(id);
      this.#silence();
      this.#refused(refusal, null);
    });
  }

  #done(event: JsonObject): void {
    const response = realtimeEvents.objectAt(event, 'response');
    const { id, status } = response;
    const active = typeof id === 'string' ? this.#active.get(id) : undefined;
    if (typeof id !== 'string' || active === undefined) return;
    this.#active.delete(id);
    const reported = realtimeEvents.usageOfResponse(response);
    const usage = reported ?? (status === 'failed' ? undefined : this.#usedBy(active));
    if (reported !== undefined) this.#account.counted(reported);
    active.turn.end({
      usage,
      ...(status === 'failed' && { error: new GatewayError('upstream_unavailable', 'the vendor’s response failed') }),
    });
    if (!this.#isSpokenTo) return;
    this.#isSpokenTo = false;
    this.#expectAnswer();
  }

  #usedBy({ said }: Active) {
    return this.#account.used(said, this.#view);
  }

  #committed(event: JsonObject): void {
    const seconds = this.#account.commit(this.#view);
    if (this.#view.answersSpeech) this.#expectAnswer();
    const { item_id: item } = event;
    const transcriber = this.#transcriber;
    if (transcriber === undefined || typeof item !== 'string') return;
    const turn = this.#newTurn({
      ...{ model: transcriber.row.code, offer: transcriber.offer, transcribes: seconds },
      soFar: () => undefined,
    });
    this.#transcripts.set(item, turn);
    void turn.admitted.then((refusal) => {
      if (refusal !== undefined && !this.#isOver) this.#refused(refusal, null);
    });
  }

  #transcribed(event: JsonObject): void {
    const { item_id: item, type } = event;
    const turn = typeof item === 'string' ? this.#transcripts.get(item) : undefined;
    if (typeof item !== 'string' || turn === undefined) return;
    this.#transcripts.delete(item);
    const { transcribes: seconds = 0 } = turn.order;
    const isFailed = type !== 'conversation.item.input_audio_transcription.completed';
    const told = realtimeEvents.usageOfTranscription(event);
    turn.end({
      usage: isFailed ? undefined : { seconds, ...told, ...(told === undefined && { estimated: true }) },
      ...(isFailed && { error: new GatewayError('upstream_unavailable', 'the vendor’s transcription failed') }),
    });
  }

  #vendorClosed(code: number, reason: string): void {
    if (this.#isOver) return;
    const isUsual = code === NORMAL || code === GOING_AWAY;
    if (!isUsual || this.#active.size > 0) {
      const error = new GatewayError('upstream_unavailable', 'the vendor closed the connection');
      for (const active of this.#active.values()) active.turn.end({ usage: this.#usedBy(active), error });
      this.#active.clear();
      this.#refuse(error, null);
    }
    this.#close(isUsual ? NORMAL : FAILED, isUsual ? this.#opened.scrub(reason) : 'the vendor closed the connection');
  }

  // ---- turns -------------------------------------------------------------------------------------------------------

  /** A turn for a response; `isWaiting`: it has not begun yet. */
  #openTurn(isWaiting = true): RealtimeTurn {
    const turn = this.#newTurn({
      ...{ model: this.#opened.row.code, offer: this.#opened.offer },
      soFar: () => {
        const active = [...this.#active.values()].find((each) => each.turn === turn);
        return active === undefined ? undefined : this.#usedBy(active);
      },
    });
    if (isWaiting) this.#waiting.push(turn);
    return turn;
  }

  #newTurn(order: Omit<RealtimeTurn['order'], 'outlook'>): RealtimeTurn {
    const outlook = this.#account.outlook(this.#view);
    return new RealtimeTurn({ ...order, outlook }, this.#ask, this.#parts.now());
  }

  /** Waits for its money; nothing is read of the client meanwhile. What is refused waits no longer. */
  async #admitted(turn: RealtimeTurn): Promise<TurnRefusal | undefined> {
    if (turn.isAdmitted) return undefined;
    this.#isHearing = true;
    this.#readOrNot();
    const refusal = await turn.admitted;
    this.#isHearing = false;
    this.#readOrNot();
    if (refusal !== undefined) this.#drop(turn);
    return refusal;
  }

  /** No response will begin for it. */
  #drop(turn: RealtimeTurn): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    turn.end({ usage: undefined });
  }

  #refused({ status, error }: TurnRefusal, eventId: Json | undefined): void {
    const event_id = typeof eventId === 'string' ? eventId : null;
    this.#tell(JSON.stringify({ type: 'error', event_id: this.#eventId(), error: { ...error, event_id } }));
    if (LASTING.has(status)) this.#close(POLICY, 'nothing more can be asked with this key');
  }

  // ---- the connection ----------------------------------------------------------------------------------------------

  #look(): void {
    const now = this.#parts.now();
    for (const turn of [...this.#waiting])
      if (!turn.isClaimed && now - turn.openedAt >= LONGEST_UNANSWERED_MS) this.#drop(turn);
    if (now - this.#openedAt >= LONGEST_MS) {
      this.#refuse(new GatewayError('invalid_request', 'the session is 60 minutes old; connect again'), null);
      this.#close(NORMAL, 'the session is 60 minutes old');
      return;
    }
    if (this.#active.size === 0 && now - this.#usedAt >= LONGEST_IDLE_MS) {
      this.#close(NORMAL, 'nothing was said for 30 minutes');
      return;
    }
    if (this.#stalled === undefined && !this.#opened.line.look()) this.#vendorClosed(FAILED, '');
    // While nothing is read, its pong is not either.
    if (!this.#isReading) return;
    if (!this.#isAlive) this.#webSocket.terminate();
    else {
      this.#isAlive = false;
      this.#webSocket.ping();
    }
  }

  #end(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    for (const turn of [...this.#waiting]) if (!turn.isClaimed) this.#drop(turn);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#ending !== undefined && this.#active.size === 0 && this.#waiting.length === 0)
      this.#close(this.#ending.code, this.#ending.reason);
  }

  #close(code: number, reason: string): void {
    this.#webSocket.close(code, reason.slice(0, MOST_REASON));
    this.#closed();
  }

  #closed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    clearTimeout(this.#stalled);
    for (const active of this.#active.values()) active.turn.end({ usage: this.#usedBy(active), isLeft: true });
    for (const turn of this.#waiting) turn.end({ usage: undefined, isLeft: true });
    for (const turn of this.#transcripts.values()) {
      const { transcribes: seconds = 0 } = turn.order;
      turn.end({ usage: { seconds, estimated: true }, isLeft: true });
    }
    this.#opened.line.close();
  }

  #refuse(error: GatewayError, of: string | null): void {
    this.#tell(JSON.stringify(realtimeEvents.errorEvent(error, this.#eventId(), of)));
  }

  #eventId(): string {
    return `event_${this.#parts.randomId()}`;
  }

  #tell(text: string): void {
    const webSocket = this.#webSocket;
    if (webSocket.readyState !== WebSocket.OPEN) return;
    if (this.#stalled !== undefined || webSocket.bufferedAmount + text.length <= MOST_UNSENT) {
      webSocket.send(text);
      return;
    }
    this.#stalled = setTimeout(() => webSocket.terminate(), STALLED_MS).unref();
    this.#opened.line.pause();
    this.#readOrNot();
    webSocket.send(text, () => {
      clearTimeout(this.#stalled);
      this.#stalled = undefined;
      if (this.#isOver) return;
      this.#opened.line.resume();
      this.#readOrNot();
    });
  }

  /** Nothing is read of the client while a turn waits for its money, the vendor does not take what was said, or the client does not read. */
  #readOrNot(): void {
    const isReading = this.#stalled === undefined && !this.#isHearing;
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    this.#isAlive = true;
    if (isReading) this.#webSocket.resume();
    else this.#webSocket.pause();
  }
}

const RESPONSE_ID = /"response_id": ?"([^"]+)"/;
/** Of a close frame: 123 bytes. */
const MOST_REASON = 120;

function wrong(message: string, param: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}

function known(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('internal', 'the event could not be dealt with');
}
