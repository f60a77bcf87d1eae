import type { DeclaredFields } from '@model-gateway/contracts';
import type { DialectFacts } from '../facts.ts';
import { facts as chatFacts } from '../openai-chat/facts.ts';
import { STREAM_OPTIONS } from '../shared/quirks.ts';

const quirks: DeclaredFields = {
  ...STREAM_OPTIONS,
  completion_answers: {
    values: ['chat'],
    about: '`chat`: the vendor answers text completions in the form of chat completions (Mistral).',
  },
  seed_field: { values: ['random_seed'], about: 'The field of a seed in text completions; `seed` unless said.' },
};

export const facts: DialectFacts = {
  title: 'text completions',
  // Named as chat completions name them, but for these.
  fieldNames: { ...chatFacts.fieldNames, turns: 'prompt', maxOutputTokens: 'max_tokens', topLogprobs: 'logprobs' },
  outputCaps: ['max_tokens'],
  // It asks for no reasoning.
  reasoning: {},
  quirks,
};
