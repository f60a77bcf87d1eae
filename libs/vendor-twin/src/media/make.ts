import { makeImage } from './image.ts';
import { makeSpeech } from './speech-file.ts';
import type { MediaSpec } from './spec.ts';
import { makeVideo } from './video.ts';

/** Makes the file of a spec: the slow work, done in the worker. */
export async function make(spec: MediaSpec): Promise<Uint8Array> {
  switch (spec.kind) {
    case 'video':
      return makeVideo(spec);
    case 'image':
      return makeImage(spec);
    case 'speech':
      return makeSpeech(spec);
  }
}
