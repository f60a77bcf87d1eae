/** What a vendor must answer that makes music and other sounds. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Upstream } from './adapter.ts';
import type { SpeechReply } from './speech-adapter.ts';

export interface MusicCreate {
  /** In natural language. */
  readonly prompt: string;
  /** What is sung. */
  readonly lyrics?: string;
  /** What is asked of the vendor, and what is billed. */
  readonly seconds: number;
  /** True where nobody may sing. */
  readonly instrumental?: boolean;
  /** `mp3`, `opus`, `wav`, `pcm`. */
  readonly format: string;
  readonly seed?: number;
  /** Every other field by its own name. */
  readonly extra: JsonObject;
}

export interface MusicAdapter {
  /** Sound as it comes. */
  compose(input: MusicCreate, upstream: Upstream): Promise<SpeechReply>;
}
