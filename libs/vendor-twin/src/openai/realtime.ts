import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { answerTo } from '../chat/answers.ts';
import { joined, samplesOf, telephoneSamples, VoiceDetector, wordsIn } from '../chat/hearing.ts';
import { plainTurn, tokensOf, type Answer } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { readMarkers, type Markers } from '../core/markers.ts';
import { Reader } from '../core/reader.ts';
import { Refusal } from '../core/refusal.ts';
import type { TwinSocket } from '../core/sockets.ts';
import { unixSeconds } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';
import { badRequest, complainAsOpenAi, openAiError, refuseUnknownModel } from './errors.ts';
import { readItem, sumOf, TOKENS_PER_SECOND, type Counted, type Item } from './realtime-items.ts';
import { RealtimeResponse } from './realtime-response.ts';
import {
  configOf,
  newSession,
  rateOf,
  responseConfig,
  updatedSession,
  type SessionConfig,
} from './realtime-session.ts';

const LONGEST_SECONDS = 3600;
/** Of sound that is committed. */
const SHORTEST_MS = 100;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** A long text is not walked through character by character. */
const LONGEST_CHECKED = 64 * 1024;

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/realtime',
    operation: 'realtime',
    handle: () => {
      throw badRequest('You must use a WebSocket to open a realtime session.', null);
    },
    admit(exchange) {
      const model = exchange.query.get('model');
      if (model === null && exchange.query.get('intent') !== 'transcription')
        throw badRequest("You must provide a 'model' parameter.", 'model', 'missing_model');
      if (exchange.header('openai-beta') !== undefined)
        throw badRequest('The Realtime Beta API is no longer supported.', null, 'beta_api_shape_disabled');
      if (model !== null) refuseUnknownModel(model);
    },
    connect: (exchange, socket) => new RealtimeSession(exchange, socket).open(),
  },
];

/** One session: a conversation, a buffer of sound, and one response at a time. */
class RealtimeSession {
  readonly exchange: Exchange;
  readonly socket: TwinSocket;
  readonly model: string;
  config: SessionConfig;
  readonly #items: Item[] = [];
  #response: RealtimeResponse | undefined;
  #hasSpoken = false;
  #ear: VoiceDetector | undefined;
  #sound: Int16Array[] = [];
  /** Of all sound that was ever appended, in milliseconds. */
  #heardMs = 0;
  #nextItemId: string;
  #cached: Counted = { text: 0, audio: 0, image: 0 };

  constructor(exchange: Exchange, socket: TwinSocket) {
    this.exchange = exchange;
    this.socket = socket;
    const model = exchange.query.get('model') ?? undefined;
    this.model = model ?? '';
    const expiresAt = unixSeconds(exchange.stage.now()) + LONGEST_SECONDS;
    this.config = configOf(newSession(exchange.stage.newId('sess_'), model, expiresAt));
    this.#nextItemId = exchange.stage.newId('item_');
  }

  open(): void {
    this.tell('session.created', { session: this.config.shown });
    this.#listen();
    this.socket.hear((data, isBinary) => this.#hear(data, isBinary));
    this.socket.onClose(() => void this.#response?.stop('client_cancelled'));
  }

  tell(type: string, event: JsonObject): void {
    if (this.socket.errorIsDue) {
      const error = { ...openAiError(500), event_id: null };
      this.socket.send({ type: 'error', event_id: this.exchange.stage.newId('event_'), error });
    }
    this.socket.send({ type, event_id: this.exchange.stage.newId('event_'), ...event });
  }

  /** Adds an item to the conversation, and tells of it. */
  add(item: Item, isDone = true, previous = this.#items.at(-1)?.id ?? null): void {
    const at = previous === null ? -1 : this.#items.findIndex(({ id }) => id === previous);
    this.#items.splice(previous === null && this.#items.length > 0 ? 0 : at + 1, 0, item);
    this.tell('conversation.item.added', { previous_item_id: previous, item: item.shown });
    if (isDone) this.tell('conversation.item.done', { previous_item_id: previous, item: item.shown });
  }

  replace(item: Item): void {
    const at = this.#items.findIndex(({ id }) => id === item.id);
    if (at >= 0) this.#items[at] = item;
  }

  /** A response is over: another one may begin. */
  finished({ heard, spoken }: { readonly heard: Counted; readonly spoken: boolean }): void {
    this.#response = undefined;
    this.#cached = heard;
    this.#hasSpoken ||= spoken;
  }

  get cached(): Counted {
    return this.#cached;
  }

  async #hear(data: Buffer, isBinary: boolean): Promise<void> {
    let eventId: string | null = null;
    try {
      const event: unknown = isBinary ? undefined : parsed(data);
      if (!isJsonObject(event)) throw badRequest('Could not parse your message as JSON.', null, 'invalid_json');
      const { event_id: given } = event;
      if (typeof given === 'string') eventId = given;
      await this.#obey(new Reader(event, [], complainAsOpenAi));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { error: words } = error.body as { readonly error: JsonObject };
      this.tell('error', { error: { ...words, event_id: eventId } });
    }
  }

  async #obey(event: Reader): Promise<void> {
    const type = event.string('type');
    const only = (names: string): void => event.only(new Set(`type event_id ${names}`.split(' ')));
    switch (type) {
      case 'session.update':
        only('session');
        this.config = configOf(updatedSession(this.config.shown, event.value['session'], this.#hasSpoken));
        this.#listen();
        this.tell('session.updated', { session: this.config.shown });
        return;
      case 'input_audio_buffer.append':
        only('audio');
        await this.#append(event);
        return;
      case 'input_audio_buffer.commit':
        only('');
        this.#commit();
        return;
      case 'input_audio_buffer.clear':
        only('');
        this.#sound = [];
        this.tell('input_audio_buffer.cleared', {});
        return;
      case 'conversation.item.create':
        only('previous_item_id item');
        this.#create(event);
        return;
      case 'conversation.item.retrieve':
      case 'conversation.item.truncate':
      case 'conversation.item.delete':
        this.#touch(type, event);
        return;
      case 'response.create':
        only('response');
        this.#refuseTranscription();
        await this.#respond(event.value['response']);
        return;
      case 'response.cancel':
        only('response_id');
        if (this.#response === undefined)
          throw badRequest('Cancellation failed: no active response found', null, 'response_cancel_not_active');
        await this.#response.stop('client_cancelled');
        return;
      default:
        throw badRequest(`Invalid value: '${type}'.`, 'type', 'invalid_value');
    }
  }

  #refuseTranscription(): void {
    if (this.config.kind === 'transcription')
      throw badRequest('Transcription sessions have no responses.', 'type', 'invalid_value');
  }

  #listen(): void {
    const { detection, input } = this.config;
    this.#ear = detection && new VoiceDetector({ rate: rateOf(input), silenceMs: detection.silenceMs });
  }

  async #append(event: Reader): Promise<void> {
    const audio = event.string('audio');
    if (audio.length % 4 !== 0 || (audio.length < LONGEST_CHECKED && !BASE64.test(audio)))
      throw badRequest("Invalid 'audio'. Expected base64-encoded audio bytes.", 'audio', 'invalid_value');
    const bytes = Buffer.from(audio, 'base64');
    const { input, detection } = this.config;
    if (input === 'audio/pcm' && bytes.length % 2 !== 0)
      throw badRequest('Audio must be whole 16-bit samples.', 'audio', 'invalid_value');
    const samples =
      input === 'audio/pcm' ? samplesOf(bytes) : telephoneSamples(bytes, input === 'audio/pcmu' ? 'pcmu' : 'pcma');
    this.#sound.push(samples);
    this.#heardMs += (samples.length * 1000) / rateOf(input);
    for (const { what, atMs } of this.#ear?.push(samples) ?? []) {
      if (what === 'started') {
        const told = { audio_start_ms: Math.round(atMs), item_id: this.#nextItemId };
        this.tell('input_audio_buffer.speech_started', told);
        if (detection?.interrupts === true) await this.#response?.stop('turn_detected');
        continue;
      }
      this.tell('input_audio_buffer.speech_stopped', { audio_end_ms: Math.round(atMs), item_id: this.#nextItemId });
      this.#commit();
      if (detection?.createsResponse === true && this.config.kind === 'realtime') await this.#respond(undefined);
    }
  }

  #commit(): void {
    const rate = rateOf(this.config.input);
    const samples = joined(this.#sound);
    const ms = (samples.length * 1000) / rate;
    if (ms < SHORTEST_MS)
      throw badRequest(
        `Error committing input audio buffer: buffer too small. Expected at least ${SHORTEST_MS}ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`,
        null,
        'input_audio_buffer_commit_empty',
      );
    this.#sound = [];
    const id = this.#nextItemId;
    this.#nextItemId = this.exchange.stage.newId('item_');
    const transcript = wordsIn(samples, rate);
    const content = [{ type: 'input_audio', transcript: null }];
    this.tell('input_audio_buffer.committed', { previous_item_id: this.#items.at(-1)?.id ?? null, item_id: id });
    this.add({
      id,
      shown: { id, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content },
      counted: { text: 0, audio: Math.ceil((ms / 1000) * TOKENS_PER_SECOND.heard), image: 0 },
      turn: { ...plainTurn('user', transcript), audios: 1 },
    });
    if (this.config.transcriber !== undefined) this.#transcribe(id, transcript, ms / 1000, this.config.transcriber);
  }

  #transcribe(itemId: string, transcript: string, seconds: number, model: string): void {
    if (/^(no-such|unknown|missing)-/.test(model)) {
      const error = {
        type: 'server_error',
        code: 'audio_unintelligible',
        message: 'The audio could not be transcribed.',
      };
      this.tell('conversation.item.input_audio_transcription.failed', { item_id: itemId, content_index: 0, error });
      return;
    }
    for (const delta of transcript.split(/(?= )/))
      if (delta !== '')
        this.tell('conversation.item.input_audio_transcription.delta', { item_id: itemId, content_index: 0, delta });
    const audio = Math.ceil(seconds * TOKENS_PER_SECOND.heard);
    const output = tokensOf(transcript);
    const isByDuration = /whisper/.test(model);
    this.exchange.record({
      ...{ kind: 'transcription', model, stream: true, aborted: false },
      billed: { seconds, ...(!isByDuration && { inputTokens: audio, inputAudioTokens: audio, outputTokens: output }) },
    });
    const usage: JsonObject = isByDuration
      ? { type: 'duration', seconds }
      : {
          ...{ type: 'tokens', total_tokens: audio + output, input_tokens: audio, output_tokens: output },
          input_token_details: { text_tokens: 0, audio_tokens: audio },
        };
    const told = { item_id: itemId, content_index: 0, transcript, usage };
    this.tell('conversation.item.input_audio_transcription.completed', told);
  }

  #create(event: Reader): void {
    this.#refuseTranscription();
    const previous = event.optionalString('previous_item_id');
    const item = readItem(event.object('item'), this.exchange.stage.newId('item_'), (callId) => this.#nameOf(callId));
    if (this.#items.some(({ id }) => id === item.id))
      throw badRequest(`Item with id '${item.id}' already exists.`, 'item.id', 'item_create_invalid_item_id');
    if (previous !== undefined && previous !== 'root' && !this.#items.some(({ id }) => id === previous))
      throw badRequest(`Previous item with id '${previous}' not found.`, 'previous_item_id', 'item_not_found');
    this.add(item, true, previous === 'root' ? null : (previous ?? this.#items.at(-1)?.id ?? null));
  }

  #nameOf(callId: string): string | undefined {
    const call = this.#items.find((item) => item.callId === callId)?.shown['name'];
    return typeof call === 'string' ? call : undefined;
  }

  #touch(type: string, event: Reader): void {
    const id = event.string('item_id');
    const at = this.#items.findIndex((item) => item.id === id);
    const item = this.#items[at];
    if (item === undefined) throw badRequest(`Item with item_id not found: ${id}`, 'item_id', 'item_not_found');
    if (type === 'conversation.item.retrieve') this.tell('conversation.item.retrieved', { item: item.shown });
    else if (type === 'conversation.item.delete') {
      this.#items.splice(at, 1);
      this.tell('conversation.item.deleted', { item_id: id });
    } else {
      if (item.shown['role'] !== 'assistant')
        throw badRequest('Only model output audio messages can be truncated', 'item_id', 'invalid_value');
      const ms = event.integer('audio_end_ms', 0);
      const content_index = event.integer('content_index', 0, 0);
      this.tell('conversation.item.truncated', { item_id: id, content_index, audio_end_ms: ms });
    }
  }

  async #respond(given: unknown): Promise<void> {
    if (this.#response !== undefined)
      throw badRequest(
        `Conversation already has an active response in progress: ${this.#response.id}. Wait until the response is finished before creating a new one.`,
        null,
        'conversation_already_has_active_response',
      );
    const { exchange, model } = this;
    const config = responseConfig(this.config, given);
    const given_ = config.input?.map((item) =>
      readItem(item, exchange.stage.newId('item_'), (callId) => this.#nameOf(callId)),
    );
    const items = given_ ?? this.#items;
    const system = [config.instructions, ...items.flatMap(({ instructions }) => instructions ?? [])].join('\n');
    const turns = items.flatMap(({ turn }) => turn ?? []);
    const said = turns.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
    const markers: Markers = readMarkers(`${said}\n${config.instructions}`, exchange.stage.seenMarkers);
    const answer: Answer = answerTo(
      {
        ...{ model, system: '', turns, tools: config.tools, choice: config.choice, parallel: true, format: 'text' },
        ...{ thinks: false, stop: [], search: false },
        ...(config.mostTokens !== undefined && { mostTokens: config.mostTokens }),
      },
      markers,
    );
    const tools = tokensOf(JSON.stringify(config.tools.length === 0 ? '' : config.tools));
    const heard = sumOf([
      { text: tokensOf(system) + tools, audio: 0, image: 0 },
      ...items.map(({ counted }) => counted),
    ]);
    this.#response = new RealtimeResponse(this, config, { answer, heard, markers });
    // Not waited for: the client may interrupt it.
    void this.#response.run();
  }
}

function parsed(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
