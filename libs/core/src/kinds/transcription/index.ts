/** Transcription models: sound in, text out. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { mostOfTranscript, translates } from './expected.ts';

export { readTranscriptionForm, type RecordingForm, type TranscriptFormat, type TranscriptionAsk } from './form.ts';
export {
  createTranscriptions,
  type TranscriptionCall,
  type Transcriptions,
  type WrittenEvent,
} from './transcriptions.ts';

/** A quote has no file: how long it is must be said. */
function quoted({ seconds, prompt }: JsonObject, row: ModelRow): Quoted {
  if (typeof seconds !== 'number' || !(seconds > 0)) {
    throw new GatewayError('invalid_request', 'seconds is missing; send the length of the recording instead of file', {
      param: 'seconds',
    });
  }
  return { usage: mostOfTranscript({ seconds, ...(typeof prompt === 'string' && { prompt }) }, row) };
}

export const transcriptionKind: KindModule = {
  name: 'transcription',
  called: 'a transcription model',
  capability: 'transcriptions',
  likelyNames: /whisper|transcri/i,
  rows: { transcription: { pricedBy: ['second'] } },
  inputs: [],
  answersAtOnce: true,
  describe: (row) => ({
    operations: translates(row) ? ['createTranscription', 'createTranslation'] : ['createTranscription'],
    formats: ['multipart'],
  }),
  quote: { createTranscription: quoted, createTranslation: quoted },
};
