/** A realtime session: a client's WebSocket and a vendor's, with the turns between them paid one by one. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ModelRow, Offer } from '@model-gateway/core';
import { realtimeEvents, type SessionView } from '@model-gateway/translate';
import { parseBody } from '../../http/steps/read-body.ts';
import type { OpenSocket, SocketSession } from '../../http/upgrades.ts';
import { addSaid, addUnread, SessionAccount, type Said } from './account.ts';
import { ClientLine, FAILED, GOING_AWAY, NORMAL, POLICY, type ClientListener } from './client-line.ts';
import type { VendorLine } from './line.ts';
import { Transcripts, type Transcriber } from './transcripts.ts';
import { RealtimeTurn, type TurnRefusal } from './turns.ts';

/** Money that is set aside for speech that nobody answers goes back. */
const LONGEST_UNANSWERED_MS = 60_000;
/** Ids of the gateway's own events. */
const OWN_EVENT = 'event_gw_';

/** Refusals after which nothing more can be had with the key. */
const LASTING: ReadonlySet<number> = new Set([401, 403]);

export interface SessionParts {
  readonly now: () => number;
  readonly randomId: () => string;
  /** The row and the offer of a model that writes down what is heard, at the session's account. Throws what is wrong with it. */
  readonly transcriberOf: (model: string, offer: Offer) => Transcriber;
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

/** A session whose model is named by its first update. */
export interface DeferredSession {
  /** Resolves with what is said against the model, too. */
  readonly connect: (model: string) => Promise<OpenedSession | TurnRefusal>;
  /** What the client is told of it before. */
  readonly session: JsonObject;
}

interface Active {
  readonly turn: RealtimeTurn;
  readonly said: Said;
}

const UNKNOWN_VIEW: SessionView = {
  ...{ answersSpeech: true, transcriber: undefined, mostOutput: undefined },
  ...{ bytesPerSecond: 48_000, outputBytesPerSecond: 48_000 },
};

export class RealtimeSession implements SocketSession, ClientListener {
  readonly #client: ClientLine;
  readonly #ask: OpenSocket['ask'];
  /** Undefined until a model is named. */
  #held: OpenedSession | undefined;
  readonly #deferred: DeferredSession | undefined;
  readonly #parts: SessionParts;
  readonly #account = new SessionAccount();
  /** Turns for which money is set aside, or will be, and that no response has begun for; oldest first. */
  readonly #waiting: RealtimeTurn[] = [];
  /** By the id of their response. */
  readonly #active = new Map<string, Active>();
  /** By the id of the event that asked for them. */
  readonly #claims = new Map<string, RealtimeTurn>();
  readonly #transcripts: Transcripts;
  /** Those that were asked for, the newest last, by what the vendor calls them. */
  readonly #transcribers = new Map<string, Transcriber>();
  #view = UNKNOWN_VIEW;
  /** Updates that the vendor has not confirmed. */
  #unconfirmed = 0;
  /** Somebody speaks, and is to be answered when the response under way is over. */
  #isSpokenTo = false;
  #ending: { readonly code: number; readonly reason: string } | undefined;
  #initial: JsonObject | undefined;

  constructor(socket: OpenSocket, opened: OpenedSession | DeferredSession, parts: SessionParts) {
    this.#ask = socket.ask;
    this.#parts = parts;
    this.#transcripts = new Transcripts({
      newTurn: (order) => this.#newTurn(order),
      refused: (refusal, isLast) => {
        if (this.#client.isOver) return;
        this.#refused(refusal, null);
        if (isLast) this.#client.close(POLICY, 'transcripts are refused again and again');
      },
    });
    this.#client = new ClientLine(socket, this, parts.now);
    if ('line' in opened) {
      this.#deferred = undefined;
      this.#listen(opened, opened.initial);
      return;
    }
    this.#deferred = opened;
    const created = { type: 'session.created', event_id: this.#eventId(), session: opened.session };
    this.#client.tell(JSON.stringify(created));
  }

  #listen(opened: OpenedSession, initial: JsonObject | undefined): void {
    this.#held = opened;
    this.#initial = initial;
    opened.line.listen({
      event: (text, event) => this.#told(text, event),
      closed: (code, reason) => this.#vendorClosed(code, reason),
    });
  }

  /** The vendor's side. Throws `invalid_request` while no model is named. */
  get #opened(): OpenedSession {
    if (this.#held === undefined)
      throw wrong(
        'name a model in session.audio.input.transcription.model first',
        'session.audio.input.transcription.model',
      );
    return this.#held;
  }

  /** Opens what was put off, by the model of the first update. */
  async #connect({ connect }: DeferredSession, event: JsonObject): Promise<void> {
    const session = realtimeEvents.objectAt(event, 'session');
    const { transcriber } = realtimeEvents.viewOf(session);
    if (transcriber === undefined) return;
    const opened = await this.#client.hold(connect(transcriber));
    if ('error' in opened) this.#refused(opened, event['event_id']);
    else if (this.#client.isOver) opened.line.close();
    else this.#listen(opened, session);
  }

  drain(): void {
    this.#end(GOING_AWAY, 'the gateway shuts down; connect again');
  }

  // ---- what the client says ----------------------------------------------------------------------------------------

  async hear(data: Buffer, isBinary: boolean): Promise<void> {
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
        if (this.#held === undefined && this.#deferred !== undefined) await this.#connect(this.#deferred, event);
        else this.#update(event);
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
    if (this.#client.isOver) return;
    const { line } = this.#opened;
    line.send(text, event);
    const draining = line.drained();
    if (draining !== undefined) await this.#client.hold(draining);
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
    let transcriber: Transcriber | undefined;
    if (isJsonObject(input) && input['transcription'] !== undefined && !this.#opened.line.transcribesItself) {
      const { model: asked } = realtimeEvents.objectAt(input, 'transcription');
      transcriber = typeof asked === 'string' ? this.#parts.transcriberOf(asked, this.#opened.offer) : undefined;
      if (transcriber !== undefined) this.#transcribers.set(transcriber.offer.model, transcriber);
    }
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
    if (this.#ending !== undefined) return false;
    const refusal = await this.#admitted(this.#openTurn());
    if (refusal !== undefined) this.#refused(refusal, null);
    return refusal === undefined;
  }

  // ---- what the vendor says ----------------------------------------------------------------------------------------

  #told(text: string, event: JsonObject | undefined): void {
    if (this.#client.isOver) return;
    if (event === undefined) {
      const [, id = ''] = RESPONSE_ID.exec(text.slice(0, 512)) ?? [];
      const active = this.#active.get(id);
      if (active !== undefined) {
        active.turn.firstByteAt ??= this.#parts.now();
        addUnread(active.said, text);
      }
      this.#client.tell(text);
      return;
    }
    this.#client.used();
    const shown = this.#heed(event);
    if (shown === undefined) return;
    this.#client.tell(shown === event ? text : JSON.stringify(shown));
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
      case 'conversation.item.input_audio_transcription.delta':
      case 'conversation.item.input_audio_transcription.segment':
        return this.#ifPaid(event, this.#transcripts.mayTell(event));
      case 'conversation.item.input_audio_transcription.completed':
      case 'conversation.item.input_audio_transcription.failed': {
        const mayTell = this.#transcripts.mayTell(event);
        this.#transcripts.done(event);
        return this.#ifPaid(this.#scrubbed(event), mayTell);
      }
      case 'response.created':
        this.#began(event);
        return event;
      case 'response.done':
        this.#done(event);
        return this.#shownResponse(event);
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

  /** An event of a transcript is told when it is known to be paid. */
  #ifPaid(event: JsonObject, mayTell: boolean | Promise<boolean>): JsonObject | undefined {
    if (typeof mayTell === 'boolean') return mayTell ? event : undefined;
    void mayTell.then((isPaid) => {
      if (isPaid) this.#client.tell(JSON.stringify(event));
    });
    return undefined;
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
    this.#transcripts.transcriber = this.#transcriberNamed(this.#view.transcriber);
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
        transcriber: (name) => this.#transcripts.transcriber?.row.code ?? name,
      }),
    };
    if (initial === undefined) return shown;
    this.#initial = undefined;
    // Who was told of a session before is told what became of it.
    return { ...shown, type: this.#deferred === undefined ? 'session.created' : 'session.updated' };
  }

  /** Who writes down what is heard, by the vendor's word: an update that it refused has changed nothing. */
  #transcriberNamed(name: string | undefined): Transcriber | undefined {
    if (name === undefined) return undefined;
    return this.#transcribers.get(name) ?? [...this.#transcribers.values()].at(-1);
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

  /** Vendors name what is the operator's in the words of their errors. */
  #scrubbed(holder: JsonObject): JsonObject {
    const { error } = holder;
    if (!isJsonObject(error) || typeof error['message'] !== 'string') return holder;
    return { ...holder, error: { ...error, message: this.#opened.scrub(error['message']) } };
  }

  #shownResponse(event: JsonObject): JsonObject {
    const response = realtimeEvents.objectAt(event, 'response');
    const { status_details: details } = response;
    if (!isJsonObject(details) || !isJsonObject(details['error'])) return event;
    return { ...event, response: { ...response, status_details: this.#scrubbed(details) } };
  }

  /** Speech is heard that the vendor will answer. */
  #expectAnswer(): void {
    if (this.#opened.transcribes || this.#waiting.length > 0 || this.#ending !== undefined) return;
    if (this.#active.size > 0) {
      // The response under way is cut by it, and gives its place back.
      this.#isSpokenTo = true;
      return;
    }
    void this.#admitted(this.#openTurn()).then((refusal) => {
      if (refusal === undefined || this.#client.isOver) return;
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
      if (refusal === undefined || this.#client.isOver) return;
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
    this.#transcripts.committed(event, seconds);
  }

  #vendorClosed(code: number, reason: string): void {
    if (this.#client.isOver) return;
    const isUsual = code === NORMAL || code === GOING_AWAY;
    if (!isUsual || this.#active.size > 0) {
      const error = new GatewayError('upstream_unavailable', 'the vendor closed the connection');
      for (const active of this.#active.values()) active.turn.end({ usage: this.#usedBy(active), error });
      this.#active.clear();
      this.#refuse(error, null);
    }
    this.#client.close(
      isUsual ? NORMAL : FAILED,
      isUsual ? this.#opened.scrub(reason) : 'the vendor closed the connection',
    );
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
    const refusal = await this.#client.hold(turn.admitted);
    if (refusal !== undefined) {
      this.#drop(turn);
      this.#closeIfDone();
    }
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
    this.#client.tell(JSON.stringify({ type: 'error', event_id: this.#eventId(), error: { ...error, event_id } }));
    if (LASTING.has(status)) this.#client.close(POLICY, 'nothing more can be asked with this key');
  }

  // ---- the connection ----------------------------------------------------------------------------------------------

  look(now: number): boolean {
    for (const turn of [...this.#waiting])
      if (!turn.isClaimed && now - turn.openedAt >= LONGEST_UNANSWERED_MS) this.#drop(turn);
    if (this.#held?.line.look() !== false) return true;
    this.#vendorClosed(FAILED, '');
    return false;
  }

  isBusy(): boolean {
    return this.#active.size > 0;
  }

  expired(): void {
    this.#refuse(new GatewayError('invalid_request', 'the session is 60 minutes old; connect again'), null);
  }

  stalled(isStalled: boolean): void {
    if (isStalled) this.#held?.line.pause();
    else this.#held?.line.resume();
  }

  #end(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    for (const turn of [...this.#waiting]) if (!turn.isClaimed) this.#drop(turn);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#ending !== undefined && this.#active.size === 0 && this.#waiting.length === 0)
      this.#client.close(this.#ending.code, this.#ending.reason);
  }

  closed(): void {
    for (const active of this.#active.values()) active.turn.end({ usage: this.#usedBy(active), isLeft: true });
    for (const turn of this.#waiting) turn.end({ usage: undefined, isLeft: true });
    this.#transcripts.closed();
    this.#held?.line.close();
  }

  #refuse(error: GatewayError, of: string | null): void {
    this.#client.tell(JSON.stringify(realtimeEvents.errorEvent(error, this.#eventId(), of)));
  }

  #eventId(): string {
    return `event_${this.#parts.randomId()}`;
  }
}

const RESPONSE_ID = /"response_id": ?"([^"]+)"/;

function wrong(message: string, param: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}

function known(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('internal', 'the event could not be dealt with');
}
