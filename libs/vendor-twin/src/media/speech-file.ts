import { aac } from './aac.ts';
import { flac } from './flac.ts';
import { mp3 } from './mp3.ts';
import { silentOpus } from './opus.ts';
import { littleEndian, notesOf, secondsOf, speak, wav } from './speech.ts';
import type { SpeechSpec } from './spec.ts';

/** Speech as a file of the asked format. */
export async function makeSpeech(spec: SpeechSpec): Promise<Uint8Array> {
  switch (spec.format) {
    case 'wav':
      return wav(speak(spec));
    case 'pcm':
      return littleEndian(speak(spec));
    case 'mp3':
      return mp3(notesOf(spec));
    case 'flac':
      return flac(speak(spec));
    case 'aac':
      return aac(speak(spec));
    case 'opus':
      return silentOpus(secondsOf(spec));
  }
}
