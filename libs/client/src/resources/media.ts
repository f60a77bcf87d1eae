/** Pictures and speech. */
import type { BinaryReply } from '../binary.ts';
import {
  sentOf,
  type ImageBody,
  type ImageEdit,
  type ImageModel,
  type ImageStreamBody,
  type SpeechBody,
} from '../bodies.ts';
import type { Call } from '../call.ts';
import { bytesOf } from '../environment.ts';
import { imageFormat, speechFormat, type Pictures } from '../formats/media.ts';
import type { Schemas } from '../operations.ts';
import type { EventStream } from '../stream.ts';
import type { RequestOptions } from '../transport.ts';
import type { AtOnce } from './chat.ts';
import { Resource } from './resource.ts';

type ImageStream = EventStream<Schemas['ImageStreamEvent'], Pictures>;

/** Pictures. */
export class Images extends Resource {
  /** Pictures from a prompt; `data[]` or `output[]`, by the model's form. */
  generate<const Model extends ImageModel>(
    body: AtOnce<ImageBody<Model>>,
    options?: RequestOptions,
  ): Call<Schemas['ImageResult']> {
    return this.core.call('createImage', { body: sentOf(body) }, options) as Call<Schemas['ImageResult']>;
  }
  /** The same in the background: answers with a task at once, which `videos.wait(id)` waits for. */
  createTask<const Model extends ImageModel>(
    body: AtOnce<ImageBody<Model>>,
    options?: RequestOptions,
  ): Call<Schemas['ImageTaskAcknowledgement']> {
    return this.core.call('createImage', { body: sentOf(body, { async: true }) }, options) as Call<
      Schemas['ImageTaskAcknowledgement']
    >;
  }
  /** The same with partial pictures on the way, on models that have them. */
  stream(body: ImageStreamBody, options?: RequestOptions): ImageStream {
    return this.core.stream('createImage', { body: sentOf(body, { stream: true }) }, imageFormat, options);
  }
  /** Pictures from pictures and an instruction; `onUpload` of the options is told how far they have gone. */
  edit(form: ImageEdit, options?: RequestOptions): Call<Schemas['ImageDataResult']> {
    return this.core.call('editImage', { body: editForm(form) }, options);
  }
  /** The same with partial pictures on the way, on models that have them. */
  editStream(form: ImageEdit, options?: RequestOptions): ImageStream {
    return this.core.stream('editImage', { body: editForm(form, { stream: true }) }, imageFormat, options);
  }
  /** Makes pictures like one, without words. */
  vary(form: Omit<ImageEdit, 'prompt' | 'mask'>, options?: RequestOptions): Call<Schemas['ImageDataResult']> {
    return this.core.call('createImageVariation', { body: editForm(form) }, options);
  }
}

async function editForm(
  { image, mask, ...fields }: Omit<ImageEdit, 'prompt'> & { readonly prompt?: string },
  more?: object,
): Promise<FormData> {
  // Loaded when it is first needed: most programs upload nothing.
  const { formOf } = await import('../uploads.ts');
  return formOf(sentOf(fields, more), { image, mask });
}

/** Spoken text. */
export class Speech extends Resource {
  /** Speaks a text; the file comes as it is made. */
  create(body: SpeechBody & { readonly stream_format?: 'audio' }, options?: RequestOptions): Call<BinaryReply> {
    return this.core.download('createSpeech', { body: sentOf(body) }, options);
  }
  /** Speaks a text as events; `final()` gives the sound. */
  stream(body: SpeechBody, options?: RequestOptions): EventStream<Schemas['SpeechStreamEvent'], Uint8Array> {
    return this.core.stream('createSpeech', { body: sentOf(body, { stream_format: 'sse' }) }, speechFormat, options);
  }
}

/** One picture of a result. */
export interface Picture {
  readonly url?: string;
  readonly b64_json?: string;
  readonly size?: string;
}

/** The pictures of a result in either form (`data[]`, `output[]`), without those that failed. */
export function picturesOf(result: Schemas['ImageResult']): Picture[] {
  const { data, output } = result as Partial<Schemas['ImageDataResult'] & Schemas['ImageOutputResult']>;
  return data === undefined
    ? (output ?? []).flatMap(({ content }) => content.map(({ text }) => ({ url: text })))
    : data.filter(({ url, b64_json: embedded }) => (url ?? embedded) !== undefined);
}

/** The sound in a chat completion by a speech model; undefined when there is none. */
export function audioOf(completion: Schemas['ChatCompletion']): Uint8Array | undefined {
  const data = completion.choices[0]?.message.audio?.data;
  return data === undefined ? undefined : bytesOf(data);
}
