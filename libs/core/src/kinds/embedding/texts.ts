import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { EmbeddingCreate, EmbeddingInput } from '@model-gateway/provider-kit';
import type { InputTexts } from '../../guardrails/guarded-inputs.ts';

/** What is turned into vectors, as far as it is text and no token ids. */
export const embeddingTexts: InputTexts<EmbeddingCreate> = {
  kind: 'embedding',
  map(create, put) {
    const inputs = create.inputs.map((input): EmbeddingInput => {
      const content = typeof input.content === 'string' ? put(input.content, input.param) : input.content;
      const title = input.title === undefined ? undefined : put(input.title, input.param);
      if (content === input.content && title === input.title) return input;
      return {
        ...input,
        content,
        ...(title !== undefined && { title }),
        ...(input.parts !== undefined && {
          parts: [{ text: content as string }, ...input.parts.filter((part) => 'image' in part)],
        }),
        ...(input.body !== undefined && { body: bodyWith(input.body, content as Json, title) }),
      };
    });
    const isSame = inputs.every((input, index) => input === create.inputs[index]);
    return isSame ? create : { ...create, inputs, body: wholeWith(create, inputs) };
  },
};

/** One input's own body with other texts: several parts of text become one. */
function bodyWith(body: JsonObject, text: Json, title: string | undefined): JsonObject {
  const { content } = body;
  if (Array.isArray(content)) return { ...body, content: [{ type: 'text', text }, ...othersOf(content)] };
  if (!isJsonObject(content)) return { ...body, text };
  const parts = Array.isArray(content['parts']) ? content['parts'] : [];
  return {
    ...body,
    content: { ...content, parts: [{ text }, ...othersOf(parts)] },
    ...(title !== undefined && { title }),
  };
}

function othersOf(parts: readonly Json[]): readonly Json[] {
  return parts.filter((part) => !isJsonObject(part) || typeof part['text'] !== 'string');
}

/** The whole body of these inputs. */
function wholeWith({ shape, body }: EmbeddingCreate, inputs: readonly EmbeddingInput[]): JsonObject {
  const [alone] = inputs;
  if (shape === 'contents')
    return 'requests' in body ? { ...body, requests: inputs.map((each) => each.body ?? {}) } : (alone?.body ?? body);
  const list = inputs.map((each): Json => each.body ?? (each.content as Json));
  if (shape === 'typed') return { ...body, ...('inputs' in body ? { inputs: list } : { texts: list }) };
  return { ...body, input: typeof body['input'] === 'string' ? (list[0] ?? null) : list };
}
