/** What a vendor of speech must answer. */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { Upstream } from './adapter.ts';

export interface SpeechCreate {
  /** The request the caller used: chat-completions (`chat`, unless given) or /v1/audio/speech. Says what a field is called. */
  readonly shape?: 'chat' | 'speech';
  /** The caller's body as it came: sent nearly as it is where the vendor's wire has this very form. */
  readonly body?: JsonObject;
  /** Whether the caller wants the vendor's own events (`stream_format: sse`). */
  readonly asEvents?: boolean;
  /** The text to speak, byte for byte. */
  readonly text: string;
  /** Style in natural language. */
  readonly instructions?: string;
  readonly voice?: string;
  /** `wav`, `mp3`, `pcm16`, `opus`, `aac`, `flac`. */
  readonly format: string;
  readonly speed?: number;
  readonly stream: boolean;
  readonly extra: JsonObject;
}
export interface SpeechReply {
  readonly mime: string;
  readonly sampleRate?: number;
  /** Audio bytes as they arrive; with `isEvents` the vendor's events, as text. */
  readonly audio: AsyncIterable<Uint8Array>;
  /** Only where the caller wants events: `audio` is those of the vendor, and `soundBytes` tells how much sound has come in them. */
  readonly isEvents?: true;
  readonly soundBytes?: () => number;
  readonly id?: string;
  /** Read when `audio` has ended. */
  readonly usage: () => Usage;
  readonly dropped: readonly string[];
}
export interface SpeechAdapter {
  speak(input: SpeechCreate, upstream: Upstream): Promise<SpeechReply>;
}
