import type { SpeechCreate } from '@model-gateway/provider-kit';
import type { InputTexts } from '../../guardrails/guarded-inputs.ts';

/** What is spoken, and how. */
export const speechTexts: InputTexts<SpeechCreate> = {
  kind: 'speech',
  map: (input, put) => ({
    ...input,
    text: put(input.text, input.shape === 'speech' ? 'input' : 'messages'),
    ...(input.instructions !== undefined && { instructions: put(input.instructions, 'instructions') }),
  }),
};
