/** Pictures and speech. */
import type { BinaryReply } from '../binary.ts';
import type { Call } from '../call.ts';
import type { Core } from '../core.ts';
import { imageFormat, speechFormat, type Pictures } from '../formats/media.ts';
import type { BodyOf, Schemas } from '../operations.ts';
import type { EventStream } from '../stream.ts';
import type { RequestOptions } from '../transport.ts';
import { formOf, type Upload } from '../uploads.ts';
import { bytesOf } from '../webhooks.ts';

type ImageStream = EventStream<Schemas['ImageStreamEvent'], Pictures>;

/** The form of `POST /v1/images/edits`; numbers may be numbers. */
export interface ImageEdit {
  readonly model: string;
  readonly prompt: string;
  /** One picture or several, at most 16. */
  readonly image: Upload | readonly Upload[];
  /** A png that is transparent where the picture is to be changed. */
  readonly mask?: Upload;
  readonly n?: number;
  readonly size?: string;
  readonly response_format?: 'url' | 'b64_json';
  readonly quality?: string;
  readonly background?: string;
  readonly output_format?: string;
  readonly output_compression?: number;
  readonly input_fidelity?: string;
  readonly partial_images?: number;
  readonly user?: string;
  /** What a vendor adds tomorrow. */
  readonly [field: string]: unknown;
}

export function imagesOf(core: Core) {
  const editForm = ({ image, mask, ...fields }: ImageEdit): Promise<FormData> => formOf(fields, { image, mask });
  return {
    /** Pictures from a prompt; `data[]` or `output[]`, by the model's form. */
    generate: (
      body: BodyOf<'createImage'> & { readonly stream?: false | null },
      options?: RequestOptions,
    ): Call<Schemas['ImageResult']> => core.call('createImage', { body }, options),
    /** The same with partial pictures on the way, on models that have them. */
    stream: (body: Schemas['ImagePromptBody'], options?: RequestOptions): ImageStream =>
      core.stream('createImage', { body: { ...body, stream: true } }, imageFormat, options),
    /** Pictures from pictures and an instruction. */
    edit: (form: ImageEdit, options?: RequestOptions): Call<Schemas['ImageDataResult']> =>
      core.call('editImage', { body: editForm(form) }, options),
    /** The same with partial pictures on the way, on models that have them. */
    editStream: (form: ImageEdit, options?: RequestOptions): ImageStream =>
      core.stream('editImage', { body: editForm({ ...form, stream: true }) }, imageFormat, options),
  };
}

export function speechOf(core: Core) {
  return {
    /** Speaks a text; the file comes as it is made. */
    create: (
      body: BodyOf<'createSpeech'> & { readonly stream_format?: 'audio' },
      options?: RequestOptions,
    ): Call<BinaryReply> => core.download('createSpeech', { body }, options),
    /** Speaks a text as events; `final()` gives the sound. */
    stream: (
      body: BodyOf<'createSpeech'>,
      options?: RequestOptions,
    ): EventStream<Schemas['SpeechStreamEvent'], Uint8Array> =>
      core.stream('createSpeech', { body: { ...body, stream_format: 'sse' } }, speechFormat, options),
  };
}

/** The sound in a chat completion by a speech model; undefined when there is none. */
export function audioOf(completion: Schemas['ChatCompletion']): Uint8Array | undefined {
  const data = completion.choices[0]?.message.audio?.data;
  return data === undefined ? undefined : bytesOf(data);
}
