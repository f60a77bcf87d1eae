/** What adapters of embeddings share: OpenAI's wire, calls of a bounded size, what a vendor has no words for. */
import {
  GatewayError,
  isJsonObject,
  type DeclaredFields,
  type Json,
  type JsonObject,
  type Usage,
} from '@model-gateway/contracts';
import type { Upstream } from './adapter.ts';
import type { EmbeddingAdapter, EmbeddingCreate, EmbeddingInput, Vector } from './embedding-adapter.ts';
import { listAt, numberAt } from './json-path.ts';
import { addUsage, usageOf } from './usage-counts.ts';
import { defined } from './video-form.ts';
import { malformedReply } from './vendor-task.ts';

/** What every offer of embeddings may say. */
export const EMBEDDING_QUIRKS: DeclaredFields = {
  max_inputs: {
    type: 'count',
    about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
  },
};
/** What those on OpenAI's wire may say beside it. */
export const OPENAI_EMBEDDING_QUIRKS: DeclaredFields = {
  ...EMBEDDING_QUIRKS,
  base64: { type: 'flag', about: 'Whether the server is asked for base64 where callers want it; true unless said.' },
  token_ids: { type: 'flag', about: 'Whether the model takes token ids of OpenAI’s tokenizer; true unless said.' },
};

export interface OpenAiEmbeddings {
  /** Below the account's base URL. */
  readonly path: string;
  /** Texts of one call at most, by the vendor's name of the model; an offer's quirk `max_inputs` says otherwise. */
  readonly mostInputs: (model: string) => number;
  /** Whether it takes token ids, answers base64 and knows `user`. */
  readonly takes: { readonly tokens: boolean; readonly base64: boolean; readonly user: boolean };
}

/** Embeddings on OpenAI's wire (docs/wire/embeddings.md#openai). */
export function openAiEmbeddings({ path, mostInputs, takes }: OpenAiEmbeddings): EmbeddingAdapter {
  return {
    async embed(input, upstream) {
      const { quirks } = upstream;
      if (!takes.tokens || quirks['token_ids'] === false) refuseTokens(input);
      const base64 = takes.base64 && quirks['base64'] !== false && input.encoding === 'base64';
      const settings = {
        ...(input.shape === 'input' ? input.extra : {}),
        ...defined({
          model: upstream.model,
          dimensions: input.dimensions,
          encoding_format: base64 ? 'base64' : undefined,
          user: takes.user ? input.user : undefined,
        }),
      };
      const { vectors, usage } = await inCalls(
        input,
        mostInputsOf(upstream, mostInputs(upstream.model)),
        async (some) => {
          const contents = some.map(({ content }) => content as Json);
          const asked = { ...settings, input: contents };
          const { json } = await upstream.send({
            method: 'POST',
            path,
            json: asked,
            ...(base64 && { longTexts: 'embedding' }),
          });
          return {
            vectors: inOrder(listAt(json, 'data'), some.length),
            usage: usageOf({
              inputTokens: numberAt(json, 'usage', 'prompt_tokens') ?? numberAt(json, 'usage', 'total_tokens'),
            }),
          };
        },
      );
      return { vectors, usage, dropped: droppedOnOpenAiWire(input, takes.user) };
    },
  };
}

/** What has no place on OpenAI's wire. */
function droppedOnOpenAiWire({ inputs, user, shape, extra }: EmbeddingCreate, takesUser: boolean): readonly string[] {
  return [
    ...(user !== undefined && !takesUser ? ['user'] : []),
    ...(shape === 'contents' ? Object.keys(extra) : []),
    ...namesOfInputs(inputs),
  ];
}

/** The settings that inputs have of their own. */
function namesOfInputs(inputs: readonly EmbeddingInput[]): readonly string[] {
  const names = new Set<string>();
  for (const { taskType, title, extra = {} } of inputs) {
    if (taskType !== undefined) names.add('taskType');
    if (title !== undefined) names.add('title');
    for (const name of Object.keys(extra)) names.add(name);
  }
  return [...names];
}

/** Texts of one call at most: the offer's own, else the vendor's. */
export function mostInputsOf({ quirks }: Pick<Upstream, 'quirks'>, usual: number): number {
  const said = quirks['max_inputs'];
  return typeof said === 'number' ? said : usual;
}

/** Throws where token ids were given to a vendor that knows texts only. */
export function refuseTokens({ inputs }: EmbeddingCreate): void {
  const tokens = inputs.find(({ content }) => typeof content !== 'string');
  if (tokens === undefined) return;
  throw new GatewayError(
    'invalid_request',
    `${tokens.param}: this model’s vendor takes texts, not token ids; send the text itself`,
    { param: tokens.param },
  );
}

interface Answered {
  readonly vectors: readonly Vector[];
  readonly usage: Usage;
}

/** Asks for the inputs, so many in a call, one call after the other. */
export async function inCalls(
  { inputs }: Pick<EmbeddingCreate, 'inputs'>,
  most: number,
  ask: (inputs: readonly EmbeddingInput[]) => Promise<Answered>,
): Promise<Answered> {
  if (inputs.length <= most) return ask(inputs);
  const answers: Answered[] = [];
  for (let at = 0; at < inputs.length; at += most) answers.push(await ask(inputs.slice(at, at + most)));
  return { vectors: answers.flatMap(({ vectors }) => vectors), usage: usageOfAll(answers) };
}

/** What several calls used: none where one of them did not say. */
function usageOfAll(answers: readonly Answered[]): Usage {
  return answers.some(({ usage }) => usage.inputTokens === undefined)
    ? {}
    : addUsage(answers.map(({ usage }) => usage));
}

/** The vectors of a list whose items may say their places. */
function inOrder(items: readonly Json[], count: number): readonly Vector[] {
  if (items.length !== count) throw malformedReply(`it has ${items.length} vectors for ${count} texts`);
  const vectors = new Array<Vector | undefined>(count).fill(undefined);
  items.forEach((item, place) => {
    const { index = place, embedding }: JsonObject = isJsonObject(item) ? item : {};
    if (typeof index === 'number') vectors[index] = vectorOf(embedding);
  });
  if (vectors.length !== count || vectors.includes(undefined))
    throw malformedReply('its vectors are not in their places');
  return vectors as readonly Vector[];
}

/** A vector as it was answered; what is none is told when vectors are checked. */
export function vectorOf(value: Json | undefined): Vector {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value as readonly number[];
  throw malformedReply('a vector of it is none');
}
