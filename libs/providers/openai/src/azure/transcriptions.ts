import type { TranscriptionAdapter } from '@model-gateway/provider-kit';
import { quirks as quirksOfOpenAi, transcriptions as ofOpenAi } from '../transcriptions.ts';
import { azureUpstream } from './addresses.ts';

export const quirks = quirksOfOpenAi;

export const transcriptions: TranscriptionAdapter = {
  transcribe: (input, upstream) => ofOpenAi.transcribe(input, azureUpstream(upstream)),
  stream: (input, upstream) => ofOpenAi.stream(input, azureUpstream(upstream)),
};
