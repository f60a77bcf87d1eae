/** Embeddings: texts to vectors, in one answer. */
import { GatewayError, isJsonObject, OPERATIONS, type Usage } from '@model-gateway/contracts';
import {
  hasOwnForm,
  inSlices,
  type EmbeddingCreate,
  type EmbeddingInput,
  type EmbeddingReply,
  type Generated,
} from '@model-gateway/provider-kit';
import { dialects } from '@model-gateway/translate';
import type { ModelRow } from '../../catalogue.ts';
import { keptIn as keptInBody, type Kept } from '../../paid/kept-by-vendors.ts';
import { mostOfTokens, mostTokensOf, tokensOfTexts } from '../../paid/token-estimates.ts';
import { newTrace, type Trace } from '../../paid/trace.ts';
import { answerWhole, type WholeCall, type WholeKind, type WholeParts } from '../../paid/whole-answer.ts';
import { longestOf } from './embedding-body.ts';
import { checkingVectors, checkVectors, hasManyNumbers } from './vectors.ts';

export type EmbeddingCall = WholeCall<EmbeddingCreate>;
export interface Embeddings {
  /** One vector for each input, and what was billed. Throws GatewayError; nothing is charged then. */
  embed(call: EmbeddingCall, trace?: Trace): Promise<Generated<EmbeddingReply>>;
}

const EMBEDDINGS: WholeKind<EmbeddingCreate, EmbeddingReply> = {
  mostOf: mostOfEmbeddings,
  factsOf: ({ inputs }) => ({ text: textsOf(inputs).join('\n'), inputs: new Set(inputs.flatMap(sortsOf)) }),
  keptIn,
  async ask({ embeddings }, upstream, input) {
    if (embeddings === undefined) throw new GatewayError('internal', 'the offer’s vendor makes no vectors');
    const reply = await embeddings.embed(input, upstream);
    if (reply.answer !== undefined && reply.vectors.length === 0 && hasOwnForm(input)) return reply;
    if (hasManyNumbers(reply.vectors, reply.further)) await inSlices(checkingVectors(reply, input));
    else checkVectors(reply, input);
    return reply;
  },
  used: (reported, input) => (reported.inputTokens === undefined ? estimated(input) : reported),
};

/** Makes the embedding side of a gateway. */
export function createEmbeddings(parts: WholeParts): Embeddings {
  return { embed: (call, trace = newTrace()) => answerWhole(parts, EMBEDDINGS, call, trace) };
}

/** The most tokens that the inputs can have. */
export function mostOfEmbeddings({ inputs }: Pick<EmbeddingCreate, 'inputs'>, row: ModelRow): Usage {
  const longest = longestOf(row);
  const { max_image_tokens: ofPicture } = row.limits;
  const mostOfPicture = typeof ofPicture === 'number' ? ofPicture : undefined;
  let inputTokens = 0;
  let inputImageTokens = 0;
  let inputAudioTokens = 0;
  for (const { content, media = [] } of inputs) {
    inputTokens += typeof content === 'string' ? mostTokensOf(content, longest) : mostOfTokens(content.length, longest);
    for (const { mime } of media) {
      const isPicture = mime.startsWith('image/');
      const tokens = (isPicture ? mostOfPicture : undefined) ?? longest ?? MOST_TOKENS_OF_MEDIA;
      inputTokens += tokens;
      if (isPicture) inputImageTokens += tokens;
      // What is no picture may have sound.
      else inputAudioTokens += tokens;
    }
  }
  return {
    inputTokens,
    ...(inputImageTokens > 0 && { inputImageTokens }),
    ...(inputAudioTokens > 0 && { inputAudioTokens }),
  };
}

/** Contents are those of Google's chat. */
const GOOGLE = dialects[OPERATIONS.generateContent.dialect];

/** Files of Google's, and what members beside the form name. */
function* keptIn({ inputs, extra }: EmbeddingCreate): Generator<Kept> {
  yield* keptInBody(extra);
  for (const { media = [], body = {} } of inputs) {
    if (media.length === 0) continue;
    yield* keptInBody(body);
    yield* GOOGLE.vendorIds.inRequest({ contents: [body['content'] ?? null] });
  }
}

/** Of a picture, a sound or a film, where the row does not say what its model reads at most. */
const MOST_TOKENS_OF_MEDIA = 8192;

const SORTS = ['image', 'audio', 'video'] as const;

/** For conditions: what it brings beside text. */
function sortsOf({ media = [] }: EmbeddingInput): (typeof SORTS)[number][] {
  return media.flatMap(({ mime }) => SORTS.filter((sort) => mime.startsWith(`${sort}/`)));
}

/** Of a vector whose model does not say how long it is. */
const USUAL_DIMENSIONS = 3072;
/** While the vendor's text is read it is more, behind that less. */
const BYTES_OF_NUMBER = 12;

/** What the vectors of a request take of memory, as far as that is known before they are there. */
export function bytesOfVectors(
  { inputs, dimensions, types = ['float'] }: EmbeddingCreate,
  { limits }: Pick<ModelRow, 'limits'>,
): number {
  const { values, max } = isJsonObject(limits['dimensions']) ? limits['dimensions'] : {};
  const said = [max, ...(Array.isArray(values) ? values : [])].filter((each) => typeof each === 'number');
  const length = dimensions ?? (said.length === 0 ? USUAL_DIMENSIONS : Math.max(...said));
  return inputs.length * length * BYTES_OF_NUMBER * types.length;
}

function estimated({ inputs }: EmbeddingCreate): Usage {
  const ids = inputs.reduce((sum, { content }) => sum + (typeof content === 'string' ? 0 : content.length), 0);
  return { inputTokens: ids + tokensOfTexts(textsOf(inputs)), estimated: true };
}

function textsOf(inputs: EmbeddingCreate['inputs']): readonly string[] {
  return inputs.flatMap(({ content }) => (typeof content === 'string' ? content : []));
}
