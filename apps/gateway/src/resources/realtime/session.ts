/** A realtime session: a client's WebSocket and a vendor's, with the turns between them paid one by one. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Offer } from '@model-gateway/core';
import { realtimeEvents } from '@model-gateway/translate';
import {
  ClientSocket,
  CLOSE_FAILED,
  CLOSE_GOING_AWAY,
  CLOSE_NORMAL,
  CLOSE_POLICY,
  type ClientListener,
  type ClientMessage,
} from '../../http/client-socket.ts';
import { parseBody } from '../../http/steps/read-body.ts';
import type { OpenSocket, SocketSession } from '../../http/upgrades.ts';
import { silence, type DeferredSession, type OpenedSession } from './line.ts';
import { SessionConfiguration, shownError, shownResponse, withoutSecrets } from './session-configuration.ts';
import { Transcripts, type Transcriber } from './transcripts.ts';
import { LARGEST_FRAME, LONGEST_UNANSWERED_MS, SessionTurns, type RealtimeTurn, type TurnRefusal } from './turns.ts';

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

export class RealtimeSession implements SocketSession, ClientListener {
  readonly #client: ClientSocket;
  /** Undefined until a model is named. */
  #held: OpenedSession | undefined;
  readonly #deferred: DeferredSession | undefined;
  readonly #parts: SessionParts;
  readonly #configuration = new SessionConfiguration();
  readonly #turns: SessionTurns;
  readonly #transcripts: Transcripts;
  /** Somebody speaks, and is to be answered when the response under way is over. */
  #isSpokenTo = false;
  #ending: { readonly code: number; readonly reason: string } | undefined;
  #initial: JsonObject | undefined;

  constructor(socket: OpenSocket, opened: OpenedSession | DeferredSession, parts: SessionParts) {
    this.#parts = parts;
    this.#turns = new SessionTurns({ ask: socket.ask, now: parts.now, view: () => this.#configuration.view });
    this.#transcripts = new Transcripts({
      newTurn: (order) => this.#turns.apart(order),
      tell: (event) => this.#client.tell(JSON.stringify(event)),
      refused: (refusal, isLast) => {
        if (this.#client.isOver) return;
        this.#refused(refusal, null);
        if (isLast) this.#client.close(CLOSE_POLICY, 'transcripts are refused again and again');
      },
    });
    this.#client = new ClientSocket(socket, this, parts.now, LARGEST_FRAME);
    if ('line' in opened) {
      this.#deferred = undefined;
      this.#listen(opened, opened.initial);
      return;
    }
    const { session } = (this.#deferred = opened);
    this.#client.tell(JSON.stringify({ type: 'session.created', event_id: this.#eventId(), session }));
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
    this.#end(CLOSE_GOING_AWAY, 'the gateway shuts down; connect again');
  }

  async hear({ data, isBinary }: ClientMessage): Promise<void> {
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
        this.#turns.account.hear(typeof audio === 'string' ? audio.length : 0);
        break;
      }
      case 'input_audio_buffer.clear':
        this.#turns.account.forgetSound();
        break;
      case 'session.update':
        if (this.#held === undefined && this.#deferred !== undefined) await this.#connect(this.#deferred, event);
        else this.#update(event);
        return;
      case 'response.create':
        await this.#create(event);
        return;
      default:
        this.#turns.account.readMessage(text);
    }
    await this.#forward(text, event);
  }

  async #forward(text: string, event: JsonObject): Promise<void> {
    if (this.#client.isOver) return;
    const { line } = this.#opened;
    line.send(text, event);
    const draining = line.drained;
    if (draining !== undefined) await this.#client.hold(draining);
  }

  #update(event: JsonObject): void {
    const { line, model, offer } = this.#opened;
    const changed = this.#configuration.update(event, {
      ...{ model, offer, transcribesItself: line.transcribesItself },
      transcriberOf: (name) => this.#parts.transcriberOf(name, offer),
    });
    const text = JSON.stringify(changed);
    this.#turns.account.read(text.length);
    line.send(text, changed);
  }

  async #create(event: JsonObject): Promise<void> {
    if (this.#ending !== undefined) throw new GatewayError('unavailable', this.#ending.reason);
    this.#turns.account.readMessage(JSON.stringify(event));
    const turn = this.#turns.claimed(this.#order());
    const refusal = await this.#admitted(turn);
    if (refusal !== undefined) {
      this.#refused(refusal, event['event_id']);
      return;
    }
    const id = typeof event['event_id'] === 'string' ? event['event_id'] : `${OWN_EVENT}${this.#parts.randomId()}`;
    this.#turns.claim(id, turn);
    const named = { ...event, event_id: id };
    await this.#forward(JSON.stringify(named), named);
  }

  /** Whether there is a turn for sound that comes in, where nothing tells when somebody speaks. */
  async #isAllowedToSpeak(): Promise<boolean> {
    if (this.#turns.isWaiting || this.#turns.isActive) return true;
    if (this.#ending !== undefined) return false;
    const refusal = await this.#admitted(this.#turns.open(this.#order()));
    if (refusal !== undefined) this.#refused(refusal, null);
    return refusal === undefined;
  }

  #told(text: string, event: JsonObject | undefined): void {
    if (this.#client.isOver) return;
    if (event === undefined) {
      this.#turns.heard(text);
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
        if (this.#configuration.mayAnswerSpeech) this.#expectAnswer();
        return event;
      case 'input_audio_buffer.committed':
        this.#committed(event);
        return event;
      case 'conversation.item.input_audio_transcription.delta':
      case 'conversation.item.input_audio_transcription.segment':
        return this.#transcripts.ifPaid(event);
      case 'conversation.item.input_audio_transcription.completed':
      case 'conversation.item.input_audio_transcription.failed': {
        const shown = this.#transcripts.ifPaid(withoutSecrets(event, this.#opened.scrub));
        this.#transcripts.done(event);
        return shown;
      }
      case 'response.created':
        this.#began(event);
        return event;
      case 'response.done':
        this.#done(event);
        return shownResponse(event, this.#opened.scrub);
      case 'error':
        return this.#failed(event);
      case 'rate_limits.updated':
        // Those of the vendor's account, which is not the client's.
        return undefined;
      default:
        this.#turns.note(event);
        return event;
    }
  }

  #shownSession(event: JsonObject): JsonObject | undefined {
    const session = realtimeEvents.objectAt(event, 'session');
    this.#configuration.confirmed(event, session);
    this.#transcripts.transcriber = this.#configuration.transcriber;
    const initial = this.#initial;
    // The client is told of the session when it is as it was agreed on.
    if (initial !== undefined && event['type'] === 'session.created') return this.#agreed(event, initial);
    const shown = { ...event, session: this.#configuration.shown(session, this.#opened.model) };
    if (initial === undefined) return shown;
    this.#initial = undefined;
    // Who was told of a session before is told what became of it.
    return { ...shown, type: this.#deferred === undefined ? 'session.created' : 'session.updated' };
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

  /** Speech is heard that the vendor will answer. */
  #expectAnswer(): void {
    if (this.#opened.transcribes || this.#turns.isWaiting || this.#ending !== undefined) return;
    if (this.#turns.isActive) {
      // The response under way is cut by it, and gives its place back.
      this.#isSpokenTo = true;
      return;
    }
    void this.#admitted(this.#turns.open(this.#order())).then((refusal) => {
      if (refusal === undefined || this.#client.isOver) return;
      silence(this.#opened.line, OWN_EVENT);
      this.#refused(refusal, null);
    });
  }

  #failed(event: JsonObject): JsonObject {
    const { event_id: id } = realtimeEvents.objectAt(event, 'error');
    if (typeof id === 'string') this.#turns.unclaim(id);
    return shownError(event, this.#opened.scrub, OWN_EVENT);
  }

  #began(event: JsonObject): void {
    const { id } = realtimeEvents.objectAt(event, 'response');
    if (typeof id !== 'string') return;
    const turn = this.#turns.begin(id, this.#order());
    if (turn.isAdmitted) return;
    void turn.admitted.then((refusal) => {
      if (refusal === undefined || this.#client.isOver) return;
      this.#turns.abandon(id);
      silence(this.#opened.line, OWN_EVENT);
      this.#refused(refusal, null);
    });
  }

  #done(event: JsonObject): void {
    if (!this.#turns.done(realtimeEvents.objectAt(event, 'response')) || !this.#isSpokenTo) return;
    this.#isSpokenTo = false;
    this.#expectAnswer();
  }

  #committed(event: JsonObject): void {
    const { view } = this.#configuration;
    const seconds = this.#turns.account.commit(view);
    if (view.answersSpeech) this.#expectAnswer();
    this.#transcripts.committed(event, seconds);
  }

  #vendorClosed(code: number, reason: string): void {
    if (this.#client.isOver) return;
    const error = new GatewayError('upstream_unavailable', 'the vendor closed the connection');
    const isUsual = code === CLOSE_NORMAL || code === CLOSE_GOING_AWAY;
    if (isUsual && !this.#turns.isOwed) this.#turns.dropUnclaimed();
    else {
      this.#turns.broken(error);
      this.#refuse(error, null);
    }
    if (isUsual) this.#client.close(CLOSE_NORMAL, this.#opened.scrub(reason));
    else this.#client.close(CLOSE_FAILED, error.message);
  }

  #order(): Pick<RealtimeTurn['order'], 'model' | 'offer'> {
    return { model: this.#opened.row.code, offer: this.#opened.offer };
  }

  /** Waits for its money; nothing is read of the client meanwhile. What is refused waits no longer. */
  async #admitted(turn: RealtimeTurn): Promise<TurnRefusal | undefined> {
    if (turn.isAdmitted) return undefined;
    const refusal = await this.#client.hold(turn.admitted);
    if (refusal !== undefined) {
      this.#turns.drop(turn);
      this.#closeIfDone();
    }
    return refusal;
  }

  #refused({ status, error }: TurnRefusal, eventId: Json | undefined): void {
    const event_id = typeof eventId === 'string' ? eventId : null;
    this.#client.tell(JSON.stringify({ type: 'error', event_id: this.#eventId(), error: { ...error, event_id } }));
    if (LASTING.has(status)) this.#client.close(CLOSE_POLICY, 'nothing more can be asked with this key');
  }

  look(now: number): boolean {
    this.#turns.dropUnclaimed(now - LONGEST_UNANSWERED_MS);
    if (this.#held?.line.socket.look() !== false) return true;
    this.#vendorClosed(CLOSE_FAILED, '');
    return false;
  }

  isBusy(): boolean {
    return this.#turns.isActive;
  }

  expired(): void {
    this.#refuse(new GatewayError('invalid_request', 'the session is 60 minutes old; connect again'), null);
    this.#client.close(CLOSE_NORMAL, 'the session is 60 minutes old');
  }

  stalled(isStalled: boolean): void {
    if (isStalled) this.#held?.line.socket.pause();
    else this.#held?.line.socket.resume();
  }

  #end(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    this.#turns.dropUnclaimed();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#ending !== undefined && !this.#turns.isActive && !this.#turns.isWaiting)
      this.#client.close(this.#ending.code, this.#ending.reason);
  }

  closed(): void {
    this.#turns.left();
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

function wrong(message: string, param: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}

function known(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('internal', 'the event could not be handled');
}
