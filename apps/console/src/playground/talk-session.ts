/** One spoken conversation: a client secret opens it, sound goes both ways, and what is said and spent is told as it comes. */
import { postJson } from '../api/connection.ts';
import { faultOf, type Fault } from '../api/fault.ts';
import type { Signal } from '../api/signal.ts';
import { t } from '../text/text.ts';
import type { Model } from './models.ts';
import { costOf } from './talk-cost.ts';
import { openMicrophone, Speaker, talkFault, type Microphone } from './talk-sound.ts';

type Json = Record<string, unknown>;

export interface SpokenLine {
  readonly id: string;
  readonly who: 'you' | 'model';
  readonly text: string;
  /** It was interrupted. */
  readonly isCut?: boolean;
}

export interface TalkState {
  readonly phase: 'off' | 'connecting' | 'on';
  readonly lines: readonly SpokenLine[];
  readonly isHeard: boolean;
  readonly isSpeaking: boolean;
  readonly isMuted: boolean;
  /** US dollars, by the list price; undefined where the price is not known. */
  readonly usd: number | undefined;
  readonly responses: number;
  readonly fault: Fault | undefined;
  /** Why it ended, where that is no fault. */
  readonly notice: string | undefined;
}

export const QUIET: TalkState = {
  ...{ phase: 'off', lines: [], isHeard: false, isSpeaking: false, isMuted: false },
  ...{ usd: undefined, responses: 0, fault: undefined, notice: undefined },
};

export interface TalkOptions {
  readonly model: Model;
  readonly session: Json;
  readonly state: Signal<TalkState>;
  /** What writes down what you say, and is paid apart. */
  readonly transcriber: Model | undefined;
}

const SECRET_SECONDS = 60;

export class TalkSession {
  readonly #options: TalkOptions;
  readonly #speaker: Speaker;
  #microphone: Microphone | undefined;
  #socket: WebSocket | undefined;
  #isOver = false;
  #isAnswering = false;

  constructor(options: TalkOptions) {
    this.#options = options;
    this.#speaker = new Speaker((isSpeaking) => this.#show({ isSpeaking }));
  }

  /** Resolves when it is open, or says in the state why not. */
  async start(): Promise<void> {
    const { session, state } = this.#options;
    state.set({ ...QUIET, phase: 'connecting', usd: 0 });
    try {
      // First, so that a browser that refuses it costs nothing.
      const microphone = await openMicrophone((audio) => this.#send({ type: 'input_audio_buffer.append', audio }));
      this.#microphone = microphone;
      if (this.#isClosed()) {
        microphone.close();
        return;
      }
      const body = { expires_after: { anchor: 'created_at', seconds: SECRET_SECONDS }, session };
      const { value } = (await (await postJson('/v1/realtime/client_secrets', body)).json()) as { value: string };
      if (!this.#isClosed()) this.#open(value);
    } catch (error) {
      this.#end({ fault: faultOf(error) });
    }
  }

  stop(): void {
    this.#end({});
  }

  mute(isMuted: boolean): void {
    if (this.#microphone !== undefined) this.#microphone.isMuted = isMuted;
    this.#show({ isMuted });
  }

  write(text: string): void {
    this.#interrupt(true);
    const id = `item_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`;
    this.#say({ id, who: 'you', text });
    const content = [{ type: 'input_text', text }];
    this.#send({ type: 'conversation.item.create', item: { id, type: 'message', role: 'user', content } });
    this.#send({ type: 'response.create' });
  }

  /** Stops the answer that is heard. */
  interrupt(): void {
    this.#interrupt(true);
  }

  #open(secret: string): void {
    const { model } = this.#options;
    const url = new URL('/v1/realtime', window.location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.searchParams.set('model', model.id);
    const socket = new WebSocket(url, ['realtime', `openai-insecure-api-key.${secret}`]);
    this.#socket = socket;
    socket.onmessage = ({ data }: MessageEvent<string>) => this.#hear(JSON.parse(data) as Json);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
  }

  #closed(code: number, reason: string): void {
    if (this.#options.state.get().phase === 'connecting' && code === 1006)
      this.#end({ fault: faultOf(talkFault(t('The conversation could not be opened.'))) });
    else if (code === 1000 || code === 1001) this.#end({ notice: reason });
    else if (this.#options.state.get().fault !== undefined) this.#end({});
    else this.#end({ fault: faultOf(talkFault(reason === '' ? t('The connection was lost.') : reason)) });
  }

  #end(how: Pick<Partial<TalkState>, 'fault' | 'notice'>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#speaker.interrupt();
    this.#speaker.close();
    this.#microphone?.close();
    this.#socket?.close();
    this.#show({ phase: 'off', isHeard: false, isSpeaking: false, isMuted: false, ...how });
  }

  #isClosed(): boolean {
    return this.#isOver;
  }

  #send(event: Json): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  #hear(event: Json): void {
    switch (event['type']) {
      case 'session.created':
        this.#show({ phase: 'on' });
        return;
      case 'input_audio_buffer.speech_started':
        this.#show({ isHeard: true });
        this.#interrupt(false);
        return;
      case 'input_audio_buffer.speech_stopped':
        this.#show({ isHeard: false });
        return;
      case 'input_audio_buffer.committed':
        // Where nothing tells when somebody speaks, this is the first word of it.
        this.#interrupt(false);
        // In its place, before the answer to it; what was said comes later.
        this.#say({ id: textIn(event, 'item_id'), who: 'you', text: '' });
        return;
      case 'conversation.item.input_audio_transcription.delta':
        this.#append(textIn(event, 'item_id'), 'you', textIn(event, 'delta'));
        return;
      case 'conversation.item.input_audio_transcription.completed':
        this.#say({ id: textIn(event, 'item_id'), who: 'you', text: textIn(event, 'transcript') });
        this.#spend(this.#options.transcriber, event['usage']);
        return;
      case 'response.created':
        this.#isAnswering = true;
        return;
      case 'response.output_audio.delta':
        this.#speaker.play(textIn(event, 'item_id'), textIn(event, 'delta'));
        return;
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        this.#append(textIn(event, 'item_id'), 'model', textIn(event, 'delta'));
        return;
      case 'response.done':
        this.#done(event['response'] as Json);
        return;
      case 'error':
        this.#failed(event['error'] as Json);
    }
  }

  #done(response: Json): void {
    this.#isAnswering = false;
    this.#spend(this.#options.model, response['usage']);
    this.#show({ responses: this.#options.state.get().responses + 1 });
    const { error } = (response['status_details'] ?? {}) as { error?: Json };
    if (response['status'] === 'failed' && error !== undefined) this.#failed(error);
  }

  #failed(error: Json): void {
    // An answer that was over already is nothing that anybody has to know of.
    if (error['code'] !== 'response_cancel_not_active') {
      const code = textIn(error, 'code') || textIn(error, 'type');
      this.#show({ fault: { message: textIn(error, 'message'), code, status: 0, requestId: undefined } });
    }
  }

  /** What was not heard is no part of the conversation. */
  #interrupt(isCancelled: boolean): void {
    if (isCancelled && this.#isAnswering) this.#send({ type: 'response.cancel' });
    const heard = this.#speaker.interrupt();
    if (heard === undefined) return;
    const { item: id, ms } = heard;
    this.#send({ type: 'conversation.item.truncate', item_id: id, content_index: 0, audio_end_ms: ms });
    const { lines } = this.#options.state.get();
    this.#show({ lines: lines.map((line) => (line.id === id ? { ...line, isCut: true } : line)) });
  }

  #append(id: string, who: SpokenLine['who'], text: string): void {
    const before = this.#options.state.get().lines.find((line) => line.id === id);
    this.#say({ ...(before ?? { id, who, text: '' }), text: (before?.text ?? '') + text });
  }

  #say(line: SpokenLine): void {
    const { lines } = this.#options.state.get();
    const isKnown = lines.some(({ id }) => id === line.id);
    this.#show({ lines: isKnown ? lines.map((each) => (each.id === line.id ? line : each)) : [...lines, line] });
  }

  /** An answer that failed, or whose vendor says nothing of it, has no usage. */
  #spend(model: Model | undefined, usage: unknown): void {
    if (usage === undefined || usage === null) return;
    const { usd } = this.#options.state.get();
    const more = costOf(model, usage as Json);
    this.#show({ usd: usd === undefined || more === undefined ? undefined : usd + more });
  }

  #show(change: Partial<TalkState>): void {
    const { state } = this.#options;
    state.set({ ...state.get(), ...change });
  }
}

function textIn(event: Json, name: string): string {
  const value = event[name];
  return typeof value === 'string' ? value : '';
}
