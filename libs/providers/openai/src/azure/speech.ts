import type { SpeechAdapter } from '@model-gateway/provider-kit';
import { speech as ofOpenAi } from '../speech.ts';
import { azureUpstream } from './addresses.ts';

export const speech: SpeechAdapter = { speak: (input, upstream) => ofOpenAi.speak(input, azureUpstream(upstream)) };
