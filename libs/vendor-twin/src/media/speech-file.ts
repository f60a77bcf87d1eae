import { littleEndian, speak, wav } from './speech.ts';
import type { SpeechSpec } from './spec.ts';

/** Speech as a file of the asked format. */
export async function makeSpeech(spec: SpeechSpec): Promise<Uint8Array> {
  const samples = speak(spec);
  switch (spec.format) {
    case 'wav':
      return wav(samples);
    case 'pcm':
      return littleEndian(samples);
    case 'mp3':
    case 'flac':
    case 'aac':
    case 'opus':
      throw new Error(`no ${spec.format} yet`);
  }
}
