import { imageField, type ImageCreate } from '@model-gateway/provider-kit';
import type { InputTexts } from '../../guardrails/guarded-inputs.ts';

/** What people write for pictures. */
export const imageTexts: InputTexts<ImageCreate> = {
  kind: 'image',
  map: (input, put) => ({
    ...input,
    prompt: put(input.prompt, input.shape === 'predict' ? 'instances[0].prompt' : 'prompt'),
    ...(input.negativePrompt !== undefined && {
      negativePrompt: put(input.negativePrompt, imageField(input, 'negativePrompt')),
    }),
  }),
};
