/** Speech models: text in, sound out. */
import { OPERATIONS } from '@model-gateway/contracts';
import type { SpeechCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { speechOfChat, speechOfSpeech } from './speech-body.ts';
import { mostOfSpeech } from './speech.ts';

export { speechOfChat, speechOfSpeech } from './speech-body.ts';
export { createSpeech, type Speech, type SpeechCall, type Spoken } from './speech.ts';
export { speechTexts } from './texts.ts';

const quoted = (input: SpeechCreate, row: ModelRow): Quoted => ({ usage: mostOfSpeech(input, row) });

export const speechKind: KindModule = {
  name: 'speech',
  called: 'a speech model',
  capability: 'speech',
  likelyNames: /\btts\b|speech/i,
  rows: { speech: { pricedBy: ['character'] } },
  inputs: [],
  answersAtOnce: true,
  isGuarded: true,
  describe: () => ({
    operations: ['createChatCompletion', 'createSpeech'],
    formats: [OPERATIONS.createChatCompletion.dialect, 'speech'],
  }),
  quote: {
    createChatCompletion: (body, row) => quoted(speechOfChat(body, row), row),
    createSpeech: (body, row) => quoted(speechOfSpeech(body, row), row),
  },
};
