import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import type { JsonObject } from '@model-gateway/contracts';
import { samplesOf, telephoneBytes } from '../chat/hearing.ts';
import { plainTurn, tokensOf, type Answer } from '../chat/talk.ts';
import type { Markers } from '../core/markers.ts';
import { textOf } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { TwinSocket } from '../core/sockets.ts';
import { TOKENS_PER_SECOND, type Counted, type Item } from './realtime-items.ts';
import { rateOf, type ResponseConfig } from './realtime-session.ts';

const RATE = 24_000;
/** Of sound in one event. */
const PIECE_MS = 100;

type Reason = 'client_cancelled' | 'turn_detected';

/** What is said, and of what. */
interface Spoken {
  readonly answer: Answer;
  readonly heard: Counted;
  readonly markers: Markers;
}

/** The session that it is said in. */
interface Session {
  readonly exchange: Exchange;
  readonly socket: TwinSocket;
  readonly model: string;
  readonly cached: Counted;
  tell(type: string, event: JsonObject): void;
  add(item: Item, isDone?: boolean, previous?: string | null): void;
  replace(item: Item): void;
  finished(of: { readonly heard: Counted; readonly spoken: boolean }): void;
}

/** One response on its way. The mark `[[twin:pace=50]]` makes it wait so many milliseconds after each piece. */
export class RealtimeResponse {
  readonly id: string;
  readonly #session: Session;
  readonly #config: ResponseConfig;
  readonly #spoken: Spoken;
  readonly #output: JsonObject[] = [];
  #stopped: Reason | undefined;
  #isOver = false;
  #done: Promise<void> | undefined;
  #text = 0;
  #audioMs = 0;

  constructor(session: Session, config: ResponseConfig, spoken: Spoken) {
    this.id = session.exchange.stage.newId('resp_');
    this.#session = session;
    this.#config = config;
    this.#spoken = spoken;
  }

  run(): Promise<void> {
    return (this.#done ??= this.#run());
  }

  /** Ends it before its time; resolves when it has. */
  async stop(reason: Reason): Promise<void> {
    this.#stopped ??= reason;
    await this.#done;
  }

  async #run(): Promise<void> {
    const { answer, markers } = this.#spoken;
    const fault = markers.faults.find(({ kind }) => kind === 'cut' || kind === 'status' || kind === 'hang');
    this.#session.tell('response.created', { response: this.#shown('in_progress') });
    this.#session.tell('rate_limits.updated', {
      rate_limits: [{ name: 'tokens', limit: 40_000, remaining: 39_000, reset_seconds: 1 }],
    });
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'status') {
      const error = { type: 'server_error', code: 'server_error', message: 'The server had an error.' };
      this.#finish('failed', { type: 'failed', error });
      return;
    }
    if (answer.calls.length === 0) await this.#say(answer.text, fault?.kind === 'cut');
    for (const { name, input } of answer.calls) this.#call(name, JSON.stringify(input));
    if (this.#stopped !== undefined) this.#finish('cancelled', { type: 'cancelled', reason: this.#stopped });
    else if (answer.finish === 'length')
      this.#finish('incomplete', { type: 'incomplete', reason: 'max_output_tokens' });
    else if (answer.finish === 'refusal') this.#finish('incomplete', { type: 'incomplete', reason: 'content_filter' });
    else this.#finish('completed', null);
  }

  async #say(text: string, isCut: boolean): Promise<void> {
    const { isSpoken } = this.#config;
    const place = { response_id: this.id, output_index: 0 };
    const { item, id } = this.#begin({ type: 'message', role: 'assistant', content: [] }, place);
    const part: JsonObject = isSpoken ? { type: 'output_audio', transcript: '' } : { type: 'output_text', text: '' };
    const at = { ...place, item_id: id, content_index: 0 };
    const { tell } = this;
    tell('response.content_part.added', { ...at, part });
    const said = isSpoken ? await this.#speak(text, at, isCut) : await this.#write(text, at, isCut);
    if (isCut) return;
    const done: JsonObject = isSpoken
      ? { type: 'output_audio', transcript: said }
      : { type: 'output_text', text: said };
    if (isSpoken) {
      tell('response.output_audio.done', at);
      tell('response.output_audio_transcript.done', { ...at, transcript: said });
    } else tell('response.output_text.done', { ...at, text: said });
    tell('response.content_part.done', { ...at, part: done });
    const status = this.#stopped === undefined ? 'completed' : 'incomplete';
    this.#end({ ...item, status, content: [done] }, place, said);
  }

  async #speak(text: string, at: JsonObject, isCut: boolean): Promise<string> {
    const { output, voice } = this.#config;
    const spec = { kind: 'speech', text, voice, format: 'pcm', sung: false, speed: 1 } as const;
    const sound = await this.#session.exchange.stage.media.file(spec);
    const words = text.split(/(?= )/);
    const size = (RATE * 2 * PIECE_MS) / 1000;
    const pieces = Math.max(1, Math.ceil(sound.length / size));
    let said = '';
    for (let piece = 0; piece < pieces && this.#isWanted(); piece += 1) {
      const upTo = Math.ceil(((piece + 1) * words.length) / pieces);
      const delta = words.slice(Math.ceil((piece * words.length) / pieces), upTo).join('');
      if (delta !== '') this.tell('response.output_audio_transcript.delta', { ...at, delta });
      said += delta;
      const bytes = sound.subarray(piece * size, (piece + 1) * size);
      this.tell('response.output_audio.delta', { ...at, delta: encoded(bytes, output).toString('base64') });
      this.#audioMs += (bytes.length * 1000) / (RATE * 2);
      this.#text = tokensOf(said);
      if (isCut && piece >= 1) this.#session.socket.cut();
      await this.#pause();
    }
    return said;
  }

  async #write(text: string, at: JsonObject, isCut: boolean): Promise<string> {
    let said = '';
    for (const delta of text.split(/(?= )/)) {
      if (!this.#isWanted()) break;
      this.tell('response.output_text.delta', { ...at, delta });
      said += delta;
      this.#text = tokensOf(said);
      if (isCut) this.#session.socket.cut();
      await this.#pause();
    }
    return said;
  }

  #call(name: string, args: string): void {
    const place = { response_id: this.id, output_index: this.#output.length };
    const callId = this.#session.exchange.stage.newId('call_');
    const { item, id } = this.#begin({ type: 'function_call', name, call_id: callId, arguments: '' }, place);
    const at = { ...place, item_id: id, call_id: callId };
    for (const delta of args.match(/.{1,12}/gs) ?? [])
      this.tell('response.function_call_arguments.delta', { ...at, delta });
    this.tell('response.function_call_arguments.done', { ...at, name, arguments: args });
    this.#text += 9 + tokensOf(args);
    this.#end({ ...item, status: 'completed', arguments: args }, place, '');
  }

  #begin(body: JsonObject, place: JsonObject): { readonly item: JsonObject; readonly id: string } {
    const id = this.#session.exchange.stage.newId('item_');
    const item: JsonObject = { id, object: 'realtime.item', ...body, status: 'in_progress' };
    this.tell('response.output_item.added', { ...place, item });
    if (!this.#config.isApart) {
      const callId = item['call_id'];
      this.#session.add(
        {
          ...{ id, shown: item, counted: { text: 0, audio: 0, image: 0 }, turn: plainTurn('assistant', '') },
          ...(typeof callId === 'string' && { callId }),
        },
        false,
      );
    }
    return { item, id };
  }

  #end(item: JsonObject, place: JsonObject, said: string): void {
    this.#output.push(item);
    if (!this.#config.isApart) {
      const callId = item['call_id'];
      this.#session.replace({
        ...{ id: textOf(item['id']), shown: item, turn: plainTurn('assistant', said) },
        counted: { text: this.#text, audio: this.#audioTokens(), image: 0 },
        ...(typeof callId === 'string' && { callId }),
      });
      this.tell('conversation.item.done', { item });
    }
    this.tell('response.output_item.done', { ...place, item });
  }

  readonly tell = (type: string, event: JsonObject): void => {
    if (!this.#isOver) this.#session.tell(type, event);
  };

  #isWanted(): boolean {
    return this.#stopped === undefined && this.#session.socket.isOpen;
  }

  async #pause(): Promise<void> {
    await this.#session.socket.drained();
    const ms = Number(this.#spoken.markers.words.get('pace') ?? this.#session.exchange.stage.chunkDelayMs);
    if (ms > 0) await pause(ms, undefined, { ref: false });
    else await setImmediate();
  }

  #audioTokens(): number {
    return Math.ceil((this.#audioMs / 1000) * TOKENS_PER_SECOND.spoken);
  }

  #finish(status: string, details: JsonObject | null): void {
    const { heard } = this.#spoken;
    const cached = this.#session.cached;
    const audio = this.#audioTokens();
    const input = heard.text + heard.audio + heard.image;
    const usage = {
      total_tokens: input + this.#text + audio,
      input_tokens: input,
      output_tokens: this.#text + audio,
      input_token_details: {
        ...{ text_tokens: heard.text, audio_tokens: heard.audio, image_tokens: heard.image },
        cached_tokens: cached.text + cached.audio + cached.image,
        cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: cached.image },
      },
      output_token_details: { text_tokens: this.#text, audio_tokens: audio },
    };
    const { exchange, model, socket } = this.#session;
    exchange.record({
      ...{ kind: 'realtime', model, stream: true, aborted: !socket.isOpen },
      billed: {
        ...{ inputTokens: input, cachedInputTokens: usage.input_token_details.cached_tokens },
        ...{ inputAudioTokens: heard.audio, inputImageTokens: heard.image },
        ...{ outputTokens: usage.output_tokens, outputAudioTokens: audio },
      },
    });
    this.tell('response.done', { response: { ...this.#shown(status), status_details: details, usage } });
    this.#isOver = true;
    this.#session.finished({ heard: this.#config.isApart ? cached : heard, spoken: audio > 0 });
  }

  #shown(status: string): JsonObject {
    return {
      ...{ object: 'realtime.response', id: this.id, status, status_details: null },
      ...{ output: [...this.#output], conversation_id: this.#config.isApart ? null : 'conv_twin', usage: null },
      ...this.#config.shown,
    };
  }
}

function encoded(bytes: Buffer, format: ResponseConfig['output']): Buffer {
  if (format === 'audio/pcm') return bytes;
  const samples = samplesOf(bytes);
  const every = RATE / rateOf(format);
  const fewer = samples.filter((_, index) => index % every === 0);
  return telephoneBytes(fewer, format === 'audio/pcmu' ? 'pcmu' : 'pcma');
}
