/** What a vendor must answer that writes down what is said in a recording. */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { Generated, Upstream } from './adapter.ts';

/** The forms in which vendors answer; every other that callers know is made of one of them. */
export type TranscriptForm = 'json' | 'verbose_json' | 'diarized_json';

export interface TranscriptionCreate {
  /** `translate`: into English. */
  readonly task: 'transcribe' | 'translate';
  readonly file: {
    /** With the ending of what it is by its bytes: vendors go by that. */
    readonly filename: string;
    readonly mime: string;
    readonly size: number;
    /** Opened once per attempt. */
    readonly open: () => AsyncIterable<Uint8Array>;
  };
  /** Of the sound, as measured. */
  readonly seconds: number;
  readonly form: TranscriptForm;
  /** ISO 639, as the caller wrote it; what it is worth the vendor knows, as of the temperature. */
  readonly language?: string;
  readonly prompt?: string;
  readonly temperature?: string;
  readonly granularities: readonly string[];
  readonly include: readonly string[];
  /** Every other field by its own name, as often as it came: a vendor's new parameter works on day one. */
  readonly extra: readonly (readonly [name: string, value: string])[];
}

export interface Transcript {
  /** In the asked form: `text` is always there. */
  readonly body: JsonObject & { readonly text: string };
}

/** Events are those of OpenAI's wire (docs/wire/transcription.md#stream). */
export type TranscriptEvent =
  /** Always the first: the vendor has begun to answer. Until then another offer may be tried. */
  | { readonly type: 'started'; readonly dropped: readonly string[] }
  | { readonly type: 'delta'; readonly body: JsonObject & { readonly delta: string } }
  | { readonly type: 'segment'; readonly body: JsonObject }
  /** Always the last. */
  | { readonly type: 'done'; readonly body: JsonObject & { readonly text: string }; readonly usage: Usage };

export interface TranscriptionAdapter {
  transcribe(input: TranscriptionCreate, upstream: Upstream): Promise<Generated<Transcript>>;
  /** A vendor without a stream tells the whole as one event. */
  stream(input: TranscriptionCreate, upstream: Upstream): AsyncIterable<TranscriptEvent>;
}
