import type { MusicCreate } from '@model-gateway/provider-kit';
import type { InputTexts } from '../../guardrails/guarded-inputs.ts';

/** What is to be heard, and what is sung. */
export const musicTexts: InputTexts<MusicCreate> = {
  kind: 'music',
  map: (input, put) => ({
    ...input,
    prompt: put(input.prompt, 'prompt'),
    ...(input.lyrics !== undefined && { lyrics: put(input.lyrics, 'lyrics') }),
  }),
};
