/** What adapters of embeddings share: OpenAI's wire, calls of a bounded size, what a vendor has no words for. */
import { isJsonObject, type DeclaredFields, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Upstream } from './adapter.ts';
import type {
  EmbeddingAdapter,
  EmbeddingCreate,
  EmbeddingInput,
  EmbeddingReply,
  Vector,
  VectorType,
} from './embedding-adapter.ts';
import { mostInputsOf, refuseMedia, refuseTokens, vectorOf } from './embedding-inputs.ts';
import { settingsIn, type EmbeddingWords } from './embedding-settings.ts';
import { listAt, numberAt } from './json-path.ts';
import { addUsage, usageOf } from './usage-counts.ts';
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
  /** How it calls the settings that it has. Absent: nobody knows, and a body in OpenAI's form goes out with all that it says. */
  readonly words?: (model: string) => EmbeddingWords;
  /** The member that asks for base64, where it is another than `encoding_format`. */
  readonly base64?: JsonObject;
  /** Absent: a caller’s `encoding_format: float` goes out; `false`: the server has no such word, or none that says it. */
  readonly namesFloats?: false;
  /** An input as the vendor takes it, where pictures may be among them; else objects go out as they came. */
  readonly inputOf?: (input: EmbeddingInput) => Json;
}

/** Embeddings on OpenAI's wire (docs/wire/embeddings.md#openai). A body in its own form goes out as it came, but for settings in other vendors' words. */
export function openAiEmbeddings(wire: OpenAiEmbeddings): EmbeddingAdapter {
  const { path, mostInputs, takes } = wire;
  return {
    async embed(input, upstream) {
      const { quirks } = upstream;
      const isOwn = input.shape === 'input';
      if (!takes.tokens || quirks['token_ids'] === false) refuseTokens(input);
      if (!isOwn && wire.inputOf === undefined) refuseMedia(input);
      const mayAskBase64 = takes.base64 && quirks['base64'] !== false;
      const isBase64 = mayAskBase64 && input.encoding === 'base64';
      const { settings, dropped } = settingsOf(wire, input, upstream.model, mayAskBase64);
      const isUnchecked = isAnsweredAsItIs(wire, input);
      const most = mostInputsOf(upstream, mostInputs(upstream.model));
      const { vectors, usage, answer } = await inCalls(input, most, async (some) => {
        const reply = await upstream.send({
          method: 'POST',
          path,
          json: { ...settings, model: upstream.model, input: inputIn(wire, input, some) },
          ...(isBase64 && { longTexts: 'embedding' }),
        });
        return answeredOf(reply.json, some.length, isUnchecked);
      });
      return {
        vectors,
        usage,
        dropped: [...dropped, ...droppedOnOpenAiWire(input, takes.user)],
        ...(isOwn && answer !== undefined && { answer }),
      };
    },
  };
}

/** How OpenAI calls what it has. */
const WORDS: EmbeddingWords = { dimensions: 'dimensions' };

/** All of the body but the inputs. */
function settingsOf(
  { takes, words, base64 = BASE64, namesFloats }: OpenAiEmbeddings,
  input: EmbeddingCreate,
  model: string,
  mayAskBase64: boolean,
): ReturnType<typeof settingsIn> {
  const { shape, body, encoding, extra, user } = input;
  if (shape === 'input' && words === undefined)
    return { settings: ownSettings(input, { base64: mayAskBase64, user: takes.user }), dropped: [] };
  const said = settingsIn(words?.(model) ?? WORDS, input);
  const asked = mayAskBase64 && encoding === 'base64' ? base64 : {};
  // A type that is said wins: base64 is of the gateway’s own making where the vendor has one word for both.
  if (shape !== 'input') return { ...said, settings: { ...asked, ...said.settings } };
  const isNumbers = namesFloats !== false && body['encoding_format'] === 'float';
  return {
    ...said,
    settings: {
      ...extra,
      ...(isNumbers ? { encoding_format: 'float' } : asked),
      ...said.settings,
      ...(takes.user && user !== undefined && { user }),
    },
  };
}

const BASE64: JsonObject = { encoding_format: 'base64' };

/** The caller's own body, but for what this vendor cannot be told. */
function ownSettings(
  { body, encoding }: EmbeddingCreate,
  takes: { readonly base64: boolean; readonly user: boolean },
): JsonObject {
  const settings: JsonObject = { ...body };
  if (encoding === 'base64' && !takes.base64) delete settings['encoding_format'];
  if (!takes.user) delete settings['user'];
  return settings;
}

/** As the caller wrote it, one alone or a list; as the vendor takes it where there is something else than texts. */
function inputIn(
  { inputOf: own }: OpenAiEmbeddings,
  { shape, body, inputs }: EmbeddingCreate,
  some: readonly EmbeddingInput[],
): Json {
  const hasMedia = some.some(({ body: item }) => item !== undefined);
  if (own !== undefined && (shape !== 'input' || hasMedia)) return some.map(own);
  if (shape === 'input' && some.length === inputs.length) return body['input'] ?? null;
  return some.map(({ content, body: item }): Json => (shape === 'input' ? item : undefined) ?? (content as Json));
}

function answeredOf(json: Json | undefined, count: number, isUnchecked: boolean): Answered {
  const items = inOrder(listAt(json, 'data'), count);
  return {
    vectors: isUnchecked ? [] : items.map(({ embedding }) => vectorOf(embedding)),
    usage: usageOf({
      inputTokens: numberAt(json, 'usage', 'prompt_tokens') ?? numberAt(json, 'usage', 'total_tokens'),
    }),
    answer: { body: isJsonObject(json) ? json : {}, items: isUnchecked ? items : items.map(withoutVector) },
  };
}

function withoutVector({ embedding: _vector, ...item }: JsonObject): JsonObject {
  return item;
}

/** Whether the caller says what only the vendor understands: the vectors may be of another form then, and pass as they come. */
export function hasOwnForm({
  shape,
  body,
  extra,
  types,
}: Pick<EmbeddingCreate, 'shape' | 'body' | 'extra' | 'types'>): boolean {
  if (shape !== 'input') return false;
  return (
    types !== undefined ||
    Object.keys({ ...extra, ...body }).some((name) => !PLAIN.has(name)) ||
    'encoding_format' in extra
  );
}

/** What OpenAI's own form has. */
const PLAIN: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user']);

function isAnsweredAsItIs({ words }: OpenAiEmbeddings, input: EmbeddingCreate): boolean {
  return words === undefined ? hasOwnForm(input) : input.shape === 'input' && Object.keys(input.extra).length > 0;
}

/** What has no place on OpenAI's wire. */
function droppedOnOpenAiWire(
  { inputs, user, shape, extra, purpose }: EmbeddingCreate,
  takesUser: boolean,
): readonly string[] {
  return [
    ...(user !== undefined && !takesUser ? ['user'] : []),
    ...(shape === 'input' ? [] : Object.keys(extra)),
    ...namesOfInputs(inputs, purpose !== undefined),
  ];
}

/** The settings that inputs have of their own; one purpose of all is a setting of the whole. */
function namesOfInputs(inputs: readonly EmbeddingInput[], isOnePurpose: boolean): readonly string[] {
  const names = new Set<string>();
  for (const { taskType, title, extra = {} } of inputs) {
    if (taskType !== undefined && !isOnePurpose) names.add('taskType');
    if (title !== undefined) names.add('title');
    for (const name of Object.keys(extra)) names.add(name);
  }
  return [...names];
}

interface OwnEmbeddings {
  /** Inputs of one call at most, by the vendor's name of the model; an offer's quirk `max_inputs` says otherwise. */
  readonly mostInputs: (model: string) => number;
  /** How the vendor calls the settings that it has, by its name of the model. */
  readonly words: (model: string) => EmbeddingWords;
  /** Whether it takes pictures; texts alone unless said. */
  readonly takesPictures?: (model: string) => boolean;
  /** Members that the form has no word for and that the vendor takes: they are among the settings. */
  readonly knows?: readonly string[];
  /** Asks for the vectors of so many inputs, with the settings in the vendor's words. */
  readonly ask: (inputs: readonly EmbeddingInput[], upstream: Upstream, settings: JsonObject) => Promise<Answered>;
}

/** Embeddings of a wire of the vendor's own. */
export function ownEmbeddings({ mostInputs, words, takesPictures, knows = [], ask }: OwnEmbeddings): EmbeddingAdapter {
  return {
    async embed(input, upstream) {
      const { model } = upstream;
      refuseTokens(input);
      if (takesPictures?.(model) !== true) refuseMedia(input);
      const said = settingsIn(words(model), input);
      const own = Object.entries(input.extra).filter(([name]) => knows.includes(name));
      const settings: JsonObject = { ...Object.fromEntries(own), ...said.settings };
      const answered = await inCalls(input, mostInputsOf(upstream, mostInputs(model)), (some) =>
        ask(some, upstream, settings),
      );
      const { answer, ...reply } = answered;
      return {
        ...reply,
        dropped: [...said.dropped, ...droppedOnOwnWire(input).filter((name) => !knows.includes(name))],
        ...(input.shape === 'input' && answer !== undefined && { answer }),
      };
    },
  };
}

/** What callers say that a wire of another form has no place for. */
export function droppedOnOwnWire({ inputs, user, extra, purpose }: EmbeddingCreate): readonly string[] {
  return [
    ...(user !== undefined ? ['user'] : []),
    ...Object.keys(extra),
    ...namesOfInputs(inputs, purpose !== undefined),
  ];
}

export interface Answered extends EmbeddingReply {
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
    ...furtherOf(answers),
    usage: usageOfAll(answers),
    ...(whole.length === answers.length && { answer: { body, items: whole.flatMap(({ items }) => items) } }),
  };
}

/** The vectors of several calls, type by type. */
function furtherOf(answers: readonly Answered[]): Pick<EmbeddingReply, 'further'> {
  const further: Partial<Record<VectorType, readonly Vector[]>> = {};
  for (const { further: some = {} } of answers)
    for (const [type, vectors] of Object.entries(some) as [VectorType, readonly Vector[]][])
      further[type] = [...(further[type] ?? []), ...vectors];
  return Object.keys(further).length === 0 ? {} : { further };
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
