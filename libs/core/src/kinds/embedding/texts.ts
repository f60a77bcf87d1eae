import type { EmbeddingCreate } from '@model-gateway/provider-kit';
import type { InputTexts } from '../../guardrails/guarded-inputs.ts';

/** What is turned into vectors, as far as it is text and no token ids. */
export const embeddingTexts: InputTexts<EmbeddingCreate> = {
  kind: 'embedding',
  map: (create, put) => ({
    ...create,
    inputs: create.inputs.map((input) => ({
      ...input,
      ...(typeof input.content === 'string' && { content: put(input.content, input.param) }),
      ...(input.title !== undefined && { title: put(input.title, input.param) }),
    })),
  }),
};
