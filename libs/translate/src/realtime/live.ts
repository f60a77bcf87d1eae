/** Gemini Live behind OpenAI's realtime events, both ways and without I/O (docs/wire/realtime.md#gemini-live). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { errorEvent, objectAt } from './events.ts';
import { LiveAnswer, usageInOpenAi } from './live-answer.ts';
import { isManual, newLiveSession, setupOf, withUpdate } from './live-setup.ts';
import { bytesOf, fromTelephone, Resampler, samplesOf, toTelephone, type TelephoneLaw } from './sound.ts';

const HEARD_RATE = 16_000;
const SPOKEN_RATE = 24_000;
const TELEPHONE_RATE = 8_000;
const DATA_URL = /^data:([\w/+.-]+);base64,/;

export interface LiveOptions {
  /** As the client calls it. */
  readonly model: string;
  /** As the vendor calls it. */
  readonly upstreamModel: string;
  readonly newId: (prefix: string) => string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly toClient: (event: JsonObject) => void;
  readonly toVendor: (message: JsonObject) => void;
  /** The vendor must be connected to anew, with `setup`, before anything else is sent to it. */
  readonly reconnect: () => void;
}

/** One session's two sides. */
export class LiveTranslation {
  readonly #options: LiveOptions;
  #session: JsonObject;
  #isSetUp = false;
  #handle: string | undefined;
  #answer: LiveAnswer | undefined;
  /** A response was cancelled: the rest of the vendor's turn is nobody's. */
  #isMuted = false;
  #lastItem: string | null = null;
  /** What was said to the vendor and is to be answered. */
  #turns: JsonObject[] = [];
  #results: JsonObject[] = [];
  readonly #calls = new Map<string, string>();
  /** Manual: sound was sent since the last commit; it was committed and not answered yet. */
  #isSpeaking = false;
  #isCommitted = false;
  /** Speech of the client, as its item. */
  #speech: { readonly item: string; transcript: string } | undefined;
  #usage: JsonObject | undefined;
  #wantsNewConnection = false;
  #into: Resampler | undefined;
  #outOf: Resampler | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#session = newLiveSession(options.newId('sess_'), options.model, options.expiresAt);
  }

  open(): void {
    this.#tell('session.created', { session: this.#session });
  }

  /** The first message of a new connection. */
  setup(): JsonObject {
    return { setup: setupOf(this.#session, this.#options.upstreamModel, this.#handle) };
  }

  get canResume(): boolean {
    return this.#handle !== undefined;
  }

  /** The vendor's connection broke: what it was saying has no end. */
  broken(): void {
    this.#answer?.end('failed', { type: 'failed', error: { type: 'server_error', code: 'connection_lost' } }, null);
    this.#forgetAnswer();
  }

  // ---- from the client ---------------------------------------------------------------------------------------------

  fromClient(event: JsonObject): void {
    // Usually the vendor's next handle begins it, which has the last turn in it.
    if (this.#wantsNewConnection && this.#answer === undefined && this.#handle !== undefined) this.#connectAnew();
    switch (event['type']) {
      case 'session.update':
        this.#update(objectAt(event, 'session'));
        return;
      case 'input_audio_buffer.append':
        this.#append(event['audio']);
        return;
      case 'input_audio_buffer.commit':
        this.#commit();
        return;
      case 'input_audio_buffer.clear':
        this.#isSpeaking = false;
        this.#tell('input_audio_buffer.cleared', {});
        return;
      case 'conversation.item.create':
        this.#create(objectAt(event, 'item'));
        return;
      case 'conversation.item.truncate':
        // The vendor knows by itself how much was heard when it was interrupted.
        this.#tell('conversation.item.truncated', {
          ...{ item_id: event['item_id'] ?? '', content_index: event['content_index'] ?? 0 },
          audio_end_ms: event['audio_end_ms'] ?? 0,
        });
        return;
      case 'response.create':
        this.#respond(objectAt(event, 'response'));
        return;
      case 'response.cancel':
        this.#cancel();
        return;
      case 'output_audio_buffer.clear':
        return;
      default:
        throw wrong(`type '${textOf(event['type']).slice(0, 60)}' is no event that this model has`, 'type');
    }
  }

  #update(update: JsonObject): void {
    const before = JSON.stringify(setupOf(this.#session, '', undefined));
    this.#session = withUpdate(this.#session, update);
    this.#into = this.#outOf = undefined;
    const isChanged = JSON.stringify(setupOf(this.#session, '', undefined)) !== before;
    // What a connection was set up with cannot change: another one goes on from it.
    if (this.#isSetUp && isChanged) this.#connectAnew();
    this.#tell('session.updated', { session: this.#session });
  }

  /** Set up with what is known by now: by the first word that is no `session.update`. */
  #send(message: JsonObject): void {
    this.#setUp();
    this.#options.toVendor(message);
  }

  #setUp(): void {
    if (this.#isSetUp) return;
    this.#isSetUp = true;
    this.#options.toVendor(this.setup());
  }

  #connectAnew(): void {
    if (this.#answer !== undefined) {
      this.#wantsNewConnection = true;
      return;
    }
    this.#wantsNewConnection = false;
    this.#options.reconnect();
  }

  #append(audio: Json | undefined): void {
    if (typeof audio !== 'string') throw wrong('audio is missing; send base64', 'audio');
    if (isManual(this.#session) && !this.#isSpeaking) {
      this.#isSpeaking = true;
      this.#send({ realtimeInput: { activityStart: {} } });
    }
    const data = Buffer.from(this.#heard(Buffer.from(audio, 'base64'))).toString('base64');
    this.#send({ realtimeInput: { audio: { data, mimeType: `audio/pcm;rate=${HEARD_RATE}` } } });
  }

  #heard(bytes: Uint8Array): Uint8Array {
    const law = lawOf(objectAt(this.#session, 'audio', 'input'));
    this.#into ??= new Resampler(law === undefined ? SPOKEN_RATE : TELEPHONE_RATE, HEARD_RATE);
    return bytesOf(this.#into.push(law === undefined ? samplesOf(bytes) : fromTelephone(bytes, law)));
  }

  #commit(): void {
    if (!isManual(this.#session))
      throw wrong('the model commits by itself what it hears; set turn_detection to null', 'type');
    if (!this.#isSpeaking)
      throw wrong(
        'Error committing input audio buffer: no sound was appended',
        'type',
        'input_audio_buffer_commit_empty',
      );
    this.#isSpeaking = false;
    this.#isCommitted = true;
    this.#speech = { item: this.#options.newId('item_'), transcript: '' };
    this.#tellSpeech(this.#speech.item);
  }

  #tellSpeech(item: string): void {
    this.#tell('input_audio_buffer.committed', { previous_item_id: this.#lastItem, item_id: item });
    const content = [{ type: 'input_audio', transcript: null }];
    this.#add({ id: item, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content });
  }

  #create(item: JsonObject): void {
    const id = textOf(item['id']) || this.#options.newId('item_');
    const { type, role, content } = item;
    if (type === 'function_call_output') {
      const call = textOf(item['call_id']);
      const name = this.#calls.get(call);
      if (name === undefined)
        throw wrong(`Tool call ID '${call.slice(0, 100)}' not found in conversation.`, 'item.call_id');
      this.#results.push({ id: call, name, response: resultOf(item['output']) });
    } else if (type === 'message') {
      const parts = (Array.isArray(content) ? content : []).filter(isJsonObject).map((part) => this.#partOf(part));
      this.#turns.push({ role: role === 'assistant' ? 'model' : 'user', parts });
    } else throw wrong('item.type must be message or function_call_output with this model', 'item.type');
    this.#add({ object: 'realtime.item', status: 'completed', ...item, id });
  }

  #partOf(part: JsonObject): JsonObject {
    const { type, image_url: url, audio } = part;
    if (type === 'input_image' && typeof url === 'string') {
      const [head = '', mimeType = ''] = DATA_URL.exec(url) ?? [];
      if (head === '') throw wrong('image_url must be a data: URL with base64', 'item.content');
      return { inlineData: { mimeType, data: url.slice(head.length) } };
    }
    if (type === 'input_audio' && typeof audio === 'string')
      return { inlineData: { mimeType: `audio/pcm;rate=${SPOKEN_RATE}`, data: audio } };
    return { text: textOf(part['text']) || textOf(part['transcript']) };
  }

  #respond({ instructions }: JsonObject): void {
    if (this.#answer !== undefined)
      throw wrong(
        `Conversation already has an active response in progress: ${this.#answer.id}`,
        'type',
        'conversation_already_has_active_response',
      );
    if (typeof instructions === 'string') this.#turns.push({ role: 'user', parts: [{ text: instructions }] });
    if (this.#results.length > 0) this.#send({ toolResponse: { functionResponses: this.#results } });
    const [turns, hadResults] = [this.#turns, this.#results.length > 0];
    this.#turns = [];
    this.#results = [];
    if (this.#isCommitted) {
      this.#isCommitted = false;
      if (turns.length > 0) this.#send({ clientContent: { turns, turnComplete: false } });
      this.#send({ realtimeInput: { activityEnd: {} } });
    } else if (turns.length > 0 || !hadResults) this.#send({ clientContent: { turns, turnComplete: true } });
    this.#begin();
  }

  #cancel(): void {
    if (this.#answer === undefined)
      throw wrong('Cancellation failed: no active response found', 'type', 'response_cancel_not_active');
    this.#isMuted = true;
    this.#answer.end('cancelled', { type: 'cancelled', reason: 'client_cancelled' }, null);
    this.#forgetAnswer();
  }

  // ---- from the vendor ---------------------------------------------------------------------------------------------

  fromVendor(message: JsonObject): void {
    const { usageMetadata: usage, serverContent: content, toolCall, goAway, sessionResumptionUpdate: update } = message;
    if (isJsonObject(usage)) this.#usage = usageInOpenAi(usage);
    if (isJsonObject(update) && update['resumable'] !== false) {
      const { newHandle } = update;
      if (typeof newHandle === 'string' && newHandle !== '') this.#handle = newHandle;
      if (this.#wantsNewConnection && this.#answer === undefined) this.#connectAnew();
    }
    if (isJsonObject(content)) this.#content(content);
    if (isJsonObject(toolCall)) this.#called(toolCall);
    if (isJsonObject(goAway)) {
      this.#wantsNewConnection = true;
      if (this.#answer === undefined && this.#handle !== undefined) this.#connectAnew();
    }
  }

  /** What there is to tell of what was said, by the client first. */
  #content(content: JsonObject): void {
    const { text: heard } = objectAt(content, 'inputTranscription');
    if (typeof heard === 'string' && heard !== '') this.#speaking().transcript += heard;
    if (content['interrupted'] === true) this.#interrupted();
    const { parts } = objectAt(content, 'modelTurn');
    for (const part of Array.isArray(parts) ? parts.filter(isJsonObject) : []) this.#said(part);
    const { text: spoken } = objectAt(content, 'outputTranscription');
    if (typeof spoken === 'string' && spoken !== '' && !this.#isMuted) this.#begin().text(spoken);
    if (content['turnComplete'] === true) this.#completed();
  }

  #said(part: JsonObject): void {
    if (this.#isMuted || part['thought'] === true) return;
    const { data } = objectAt(part, 'inlineData');
    if (typeof data === 'string') this.#begin().sound(this.#spoken(data));
    const { text } = part;
    if (typeof text === 'string' && text !== '' && !this.#isSpoken()) this.#begin().text(text);
  }

  #spoken(base64: string): string {
    const law = lawOf(objectAt(this.#session, 'audio', 'output'));
    if (law === undefined) return base64;
    this.#outOf ??= new Resampler(SPOKEN_RATE, TELEPHONE_RATE);
    const samples = this.#outOf.push(samplesOf(Buffer.from(base64, 'base64')));
    return Buffer.from(toTelephone(samples, law)).toString('base64');
  }

  #called({ functionCalls }: JsonObject): void {
    const answer = this.#begin();
    for (const call of Array.isArray(functionCalls) ? functionCalls.filter(isJsonObject) : []) {
      const id = textOf(call['id']) || this.#options.newId('call_');
      const name = textOf(call['name']);
      this.#calls.set(id, name);
      answer.call(id, name, call['args'] ?? {});
    }
    this.#end('completed', null);
  }

  #completed(): void {
    this.#isMuted = false;
    if (this.#answer !== undefined) this.#end('completed', null);
    this.#usage = undefined;
  }

  #interrupted(): void {
    const item = this.#speaking().item;
    this.#tell('input_audio_buffer.speech_started', { audio_start_ms: 0, item_id: item });
    if (this.#answer !== undefined) {
      this.#isMuted = true;
      this.#end('cancelled', { type: 'cancelled', reason: 'turn_detected' });
    }
  }

  #speaking(): { readonly item: string; transcript: string } {
    return (this.#speech ??= { item: this.#options.newId('item_'), transcript: '' });
  }

  /** The response that the vendor makes now; its first word tells that what the client said is over. */
  #begin(): LiveAnswer {
    if (this.#answer !== undefined) return this.#answer;
    if (!isManual(this.#session) && this.#speech !== undefined) {
      const { item } = this.#speech;
      this.#tell('input_audio_buffer.speech_stopped', { audio_end_ms: 0, item_id: item });
      this.#tellSpeech(item);
    }
    this.#tellTranscript();
    this.#answer = new LiveAnswer({
      tell: (type, event) => this.#tell(type, event),
      newId: this.#options.newId,
      isSpoken: this.#isSpoken(),
      previous: () => this.#lastItem,
    });
    return this.#answer;
  }

  #tellTranscript(): void {
    const speech = this.#speech;
    this.#speech = undefined;
    if (speech === undefined || speech.transcript === '') return;
    if (!isJsonObject(objectAt(this.#session, 'audio', 'input')['transcription'])) return;
    const at = { item_id: speech.item, content_index: 0 };
    this.#tell('conversation.item.input_audio_transcription.delta', { ...at, delta: speech.transcript });
    this.#tell('conversation.item.input_audio_transcription.completed', { ...at, transcript: speech.transcript });
  }

  #end(status: 'completed' | 'cancelled', details: JsonObject | null): void {
    this.#answer?.end(status, details, this.#usage ?? null);
    this.#usage = undefined;
    this.#forgetAnswer();
  }

  #forgetAnswer(): void {
    this.#lastItem = this.#answer?.lastItem ?? this.#lastItem;
    this.#answer = undefined;
  }

  #isSpoken(): boolean {
    const { output_modalities: modalities } = this.#session;
    return !Array.isArray(modalities) || modalities[0] !== 'text';
  }

  #add(item: JsonObject): void {
    this.#tell('conversation.item.added', { previous_item_id: this.#lastItem, item });
    this.#tell('conversation.item.done', { previous_item_id: this.#lastItem, item });
    this.#lastItem = textOf(item['id']);
  }

  #tell(type: string, event: JsonObject): void {
    this.#options.toClient({ type, event_id: this.#options.newId('event_'), ...event });
  }
}

/** What a client is told of an event that was wrong. */
export function liveError(error: unknown, newId: (prefix: string) => string, of: Json | undefined): JsonObject {
  const known =
    error instanceof GatewayError ? error : new GatewayError('internal', 'the event could not be forwarded');
  const event = errorEvent(known, newId('event_'), typeof of === 'string' ? of : null);
  const code = known.details.vendorCode;
  return code === undefined ? event : { ...event, error: { ...objectAt(event, 'error'), code } };
}

function lawOf(sound: JsonObject): TelephoneLaw | undefined {
  const { type } = objectAt(sound, 'format');
  if (type === 'audio/pcmu') return 'pcmu';
  return type === 'audio/pcma' ? 'pcma' : undefined;
}

function resultOf(output: Json | undefined): JsonObject {
  try {
    const value = JSON.parse(textOf(output)) as Json;
    if (isJsonObject(value)) return value;
  } catch {
    // Text is a result, too.
  }
  return { result: output ?? '' };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function wrong(message: string, param: string, code?: string): GatewayError {
  return new GatewayError('invalid_request', message, { param, ...(code !== undefined && { vendorCode: code }) });
}
