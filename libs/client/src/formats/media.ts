/** Streams of pictures and of sound. */
import { bytesOf } from '../environment.ts';
import type { Schemas } from '../operations.ts';
import type { StreamFormat } from '../stream.ts';

type ImageEvent = Schemas['ImageStreamEvent'];
/** What a stream of pictures adds up to. */
export type Pictures = Pick<Schemas['ImageDataResult'], 'data' | 'usage'>;

/** The finished pictures; partial ones are only events. */
export const imageFormat: StreamFormat<ImageEvent, Pictures> = {
  textOf: () => '',
  sum() {
    const data: Pictures['data'] = [];
    let whole: Pictures | undefined;
    return {
      add({ type, usage, image_index: index = data.length, ...picture }) {
        const completed = type.endsWith('.completed');
        if (!completed && !/partial_(succeeded|failed)$/.test(type)) return;
        if (picture.b64_json !== undefined || picture.url !== undefined || picture['error'] !== undefined)
          data[index] = picture;
        if (completed) whole = { data, ...(usage !== undefined && { usage }) };
      },
      whole: () => whole,
    };
  },
};

type SpeechEvent = Schemas['SpeechStreamEvent'];

/** The sound, its pieces joined. */
export const speechFormat: StreamFormat<SpeechEvent, Uint8Array> = {
  textOf: () => '',
  sum() {
    const pieces: string[] = [];
    let done = false;
    return {
      add(event) {
        if (event.type === 'speech.audio.delta') pieces.push(event.audio);
        else done = true;
      },
      // Pieces may each end in padding: they are joined as bytes.
      whole: () => (done ? bytesOf(...pieces) : undefined),
    };
  },
};
