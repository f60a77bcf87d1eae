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
import type { EmbeddingAdapter, EmbeddingCreate, EmbeddingInput, EmbeddingReply, Vector } from './embedding-adapter.ts';
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

/** Embeddings on OpenAI's wire (docs/wire/embeddings.md#openai). A body in its own form goes out as it came. */
export function openAiEmbeddings({ path, mostInputs, takes }: OpenAiEmbeddings): EmbeddingAdapter {
  return {
    async embed(input, upstream) {
      const { quirks } = upstream;
      const isOwn = input.shape === 'input';
      if (!takes.tokens || quirks['token_ids'] === false) refuseTokens(input);
      if (!isOwn) refuseMedia(input);
      const mayAskBase64 = takes.base64 && quirks['base64'] !== false;
      const base64 = mayAskBase64 && input.encoding === 'base64';
      const settings = isOwn
        ? ownSettings(input, upstream.model, { base64: mayAskBase64, user: takes.user })
        : defined({ model: upstream.model, input: null, dimensions: oneDimension(input) });
      const most = mostInputsOf(upstream, mostInputs(upstream.model));
      const { vectors, usage, answer } = await inCalls(input, most, async (some) => {
        const json = { ...settings, input: inputOf(input, some) };
        const reply = await upstream.send({
          method: 'POST',
          path,
          json,
          ...(base64 && { longTexts: 'embedding' }),
        });
        return answeredOf(reply.json, some.length, input);
      });
      return {
        vectors,
        usage,
        dropped: droppedOnOpenAiWire(input, takes.user),
        ...(isOwn && answer !== undefined && { answer }),
      };
    },
  };
}

/** The caller's own body, but for what this vendor cannot be told. */
function ownSettings(
  { body, encoding }: EmbeddingCreate,
  model: string,
  takes: { readonly base64: boolean; readonly user: boolean },
): JsonObject {
  const settings: JsonObject = { ...body, model };
  if (encoding === 'base64' && !takes.base64) delete settings['encoding_format'];
  if (!takes.user) delete settings['user'];
  return settings;
}

/** As the caller wrote it: one alone, or a list. */
function inputOf({ shape, body, inputs }: EmbeddingCreate, some: readonly EmbeddingInput[]): Json {
  if (shape === 'input' && some.length === inputs.length) return body['input'] ?? null;
  return some.map(({ content, body: item }): Json => (shape === 'input' ? item : undefined) ?? (content as Json));
}

function answeredOf(json: Json | undefined, count: number, input: EmbeddingCreate): Answered {
  const items = inOrder(listAt(json, 'data'), count);
  const isOwn = hasOwnForm(input);
  return {
    vectors: isOwn ? [] : items.map(({ embedding }) => vectorOf(embedding)),
    usage: usageOf({
      inputTokens: numberAt(json, 'usage', 'prompt_tokens') ?? numberAt(json, 'usage', 'total_tokens'),
    }),
    answer: { body: isJsonObject(json) ? json : {}, items: isOwn ? items : items.map(withoutVector) },
  };
}

function withoutVector({ embedding: _vector, ...item }: JsonObject): JsonObject {
  return item;
}

/** Whether the caller says what only the vendor understands: the vectors may be of another form then, and pass as they come. */
export function hasOwnForm({ shape, body, extra }: Pick<EmbeddingCreate, 'shape' | 'body' | 'extra'>): boolean {
  if (shape !== 'input') return false;
  const { encoding_format: encoding = null } = body;
  return Object.keys(extra).length > 0 || (encoding !== null && encoding !== 'float' && encoding !== 'base64');
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

export interface TextEmbeddings {
  /** Texts of one call at most, by the vendor's name of the model; an offer's quirk `max_inputs` says otherwise. */
  readonly mostInputs: (model: string) => number;
  /** Asks for the vectors of so many texts. */
  readonly ask: (texts: readonly string[], upstream: Upstream, dimensions: number | undefined) => Promise<Answered>;
}

/** Embeddings of a wire that knows texts and a dimension, and nothing else of OpenAI's form. */
export function textEmbeddings({ mostInputs, ask }: TextEmbeddings): EmbeddingAdapter {
  return {
    async embed(input, upstream) {
      refuseTokens(input);
      if (input.shape === 'contents') {
        throw new GatewayError('invalid_request', 'this model’s vendor takes embeddings in OpenAI’s form only', {
          param: 'model',
        });
      }
      refuseMedia(input);
      const { vectors, usage } = await inCalls(input, mostInputsOf(upstream, mostInputs(upstream.model)), (some) => {
        const texts = some.map(({ content }) => content as string);
        return ask(texts, upstream, input.dimensions);
      });
      return { vectors, usage, dropped: droppedOfTexts(input) };
    },
  };
}

/** What of OpenAI's form a wire of texts has no place for. */
export function droppedOfTexts({ user, extra }: EmbeddingCreate): readonly string[] {
  return [...(user !== undefined ? ['user'] : []), ...Object.keys(extra)];
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

/** Throws where there is something else than text, for a vendor that knows texts only. */
export function refuseMedia({ inputs }: Pick<EmbeddingCreate, 'inputs'>): void {
  const [part] = inputs.flatMap(({ media = [] }) => media);
  if (part === undefined) return;
  throw new GatewayError('invalid_request', `${part.param}: this model’s vendor turns only texts into vectors here`, {
    param: part.param,
  });
}

/** The length of all vectors. Throws where inputs say different ones: one answer of this vendor's has vectors of one length. */
export function oneDimension({
  inputs,
  dimensions,
}: Pick<EmbeddingCreate, 'inputs' | 'dimensions'>): number | undefined {
  const other = inputs.find((input) => input.dimensions !== inputs[0]?.dimensions);
  if (other === undefined) return dimensions;
  const param = other.param.replace(/content$/, 'outputDimensionality');
  throw new GatewayError(
    'invalid_request',
    `${param}: must be the same in all requests: one answer has vectors of one length`,
    { param },
  );
}

interface Answered extends EmbeddingReply {
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
  const whole = answers.flatMap(({ answer }) => answer ?? []);
  // What the first one says of all, but for its usage, which is of its own texts.
  const { usage: _usage, usageMetadata: _metadata, ...body } = whole[0]?.body ?? {};
  return {
    vectors: answers.flatMap(({ vectors }) => vectors),
    usage: usageOfAll(answers),
    ...(whole.length === answers.length && { answer: { body, items: whole.flatMap(({ items }) => items) } }),
  };
}

/** What several calls used: none where one of them did not say. */
function usageOfAll(answers: readonly Answered[]): Usage {
  return answers.some(({ usage }) => usage.inputTokens === undefined)
    ? {}
    : addUsage(answers.map(({ usage }) => usage));
}

/** The items of a list, which may say their places. */
function inOrder(items: readonly Json[], count: number): readonly JsonObject[] {
  if (items.length !== count) throw malformedReply(`it has ${items.length} vectors for ${count} texts`);
  const placed = new Array<JsonObject | undefined>(count).fill(undefined);
  items.forEach((item, place) => {
    if (!isJsonObject(item)) throw malformedReply('a vector of it is none');
    const { index = place } = item;
    if (typeof index === 'number') placed[index] = item;
  });
  if (placed.length !== count || placed.includes(undefined))
    throw malformedReply('its vectors are not in their places');
  return placed as readonly JsonObject[];
}

/** A vector as it was answered; what is none is told when vectors are checked. */
export function vectorOf(value: Json | undefined): Vector {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value as readonly number[];
  throw malformedReply('a vector of it is none');
}
