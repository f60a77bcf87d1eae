/** Recordings, written down. */
import { sentOf, type Extra, type OtherModel } from '../bodies.ts';
import { Call } from '../call.ts';
import { transcriptFormat } from '../formats/transcripts.ts';
import type { TranscriptionModelCode } from '../generated/models.ts';
import type { Schemas } from '../operations.ts';
import type { EventStream } from '../stream.ts';
import type { RequestOptions } from '../transport.ts';
import type { Upload } from '../uploads.ts';
import { Resource } from './resource.ts';

/** What transcriptions can name. */
export type TranscriptionModel = TranscriptionModelCode | OtherModel;
/** How a transcript is told: `text`, `srt` and `vtt` are text, the others an object. */
export type TranscriptFormat = 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json' | 'diarized_json';
/** The form of `POST /v1/audio/translations`; numbers may be numbers. */
export interface TranslationBody<Format extends TranscriptFormat = TranscriptFormat> extends Extra {
  readonly model: TranscriptionModel;
  /** The recording. */
  readonly file: Upload;
  readonly prompt?: string;
  readonly response_format?: Format;
  /** 0 to 1. */
  readonly temperature?: number;
}
/** The form of `POST /v1/audio/transcriptions`. */
export interface TranscriptionBody<Format extends TranscriptFormat = TranscriptFormat> extends TranslationBody<Format> {
  /** ISO 639: `en`. */
  readonly language?: string;
  /** With `verbose_json`. */
  readonly timestamp_granularities?: readonly ('word' | 'segment')[];
  readonly include?: readonly 'logprobs'[];
  readonly chunking_strategy?: 'auto' | object;
}

type Told<Format extends TranscriptFormat> = Format extends 'text' | 'srt' | 'vtt' ? string : Schemas['Transcript'];

/** What is said in recordings. `onUpload` of the options is told how far the file has gone. */
export class Transcriptions extends Resource {
  /** What is said: an object, or for `text`, `srt` and `vtt` a text. */
  create<const Format extends TranscriptFormat = 'json'>(
    form: TranscriptionBody<Format>,
    options: RequestOptions = {},
  ): Call<Told<Format>> {
    return new Call(this.core.open('createTranscription', { body: formWith(form) }, options, 'whole'), told<Format>);
  }
  /** The same, as it is written; `text()` gives its pieces. */
  stream(
    form: TranscriptionBody<'json' | 'text' | 'diarized_json'>,
    options?: RequestOptions,
  ): EventStream<Schemas['TranscriptStreamEvent'], Schemas['Transcript']> {
    const body = formWith(form, { stream: true });
    return this.core.stream('createTranscription', { body }, transcriptFormat, options);
  }
  /** What is said, in English. */
  translate<const Format extends Exclude<TranscriptFormat, 'diarized_json'> = 'json'>(
    form: TranslationBody<Format>,
    options: RequestOptions = {},
  ): Call<Told<Format>> {
    return new Call(this.core.open('createTranslation', { body: formWith(form) }, options, 'whole'), told<Format>);
  }
}

/** Fields that are lists go out once for each of their values. */
async function formWith({ file, ...fields }: TranscriptionBody, more?: object): Promise<FormData> {
  // Loaded when it is first needed: most programs upload nothing.
  const { formOf } = await import('../uploads.ts');
  const sent: Record<string, unknown> = sentOf(fields, more);
  const single = Object.fromEntries(Object.entries(sent).filter(([, value]) => !Array.isArray(value)));
  const form = await formOf(single, { file });
  for (const [name, values] of Object.entries(sent))
    if (Array.isArray(values)) for (const value of values) form.append(`${name}[]`, String(value));
  return form;
}

async function told<Format extends TranscriptFormat>(response: Response): Promise<Told<Format>> {
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return (isJson ? response.json() : response.text()) as Promise<Told<Format>>;
}
