/** Embeddings: texts to vectors, in one answer. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { EmbeddingCreate, EmbeddingReply, Generated } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { mostTokensOf, tokensOfTexts } from '../../paid/token-estimates.ts';
import { newTrace, type Trace } from '../../paid/trace.ts';
import { answerWhole, type WholeCall, type WholeKind, type WholeParts } from '../../paid/whole-answer.ts';
import { longestOf } from './embedding-body.ts';
import { checkVectors } from './vectors.ts';

export type EmbeddingCall = WholeCall<EmbeddingCreate>;
export interface Embeddings {
  /** One vector for each input, and what was billed. Throws GatewayError; nothing is charged then. */
  embed(call: EmbeddingCall, trace?: Trace): Promise<Generated<EmbeddingReply>>;
}

const EMBEDDINGS: WholeKind<EmbeddingCreate, EmbeddingReply> = {
  mostOf: mostOfEmbeddings,
  factsOf: ({ inputs }) => ({ text: textsOf(inputs).join('\n'), inputs: new Set() }),
  async ask({ embeddings }, upstream, input) {
    if (embeddings === undefined) throw new GatewayError('internal', 'the offer’s vendor makes no vectors');
    const reply = await embeddings.embed(input, upstream);
    checkVectors(reply.vectors, input);
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
  let inputTokens = 0;
  for (const { content } of inputs)
    inputTokens += typeof content === 'string' ? mostTokensOf(content, longest) : content.length;
  return { inputTokens };
}

function estimated({ inputs }: EmbeddingCreate): Usage {
  const ids = inputs.reduce((sum, { content }) => sum + (typeof content === 'string' ? 0 : content.length), 0);
  return { inputTokens: ids + tokensOfTexts(textsOf(inputs)), estimated: true };
}

function textsOf(inputs: EmbeddingCreate['inputs']): readonly string[] {
  return inputs.flatMap(({ content }) => (typeof content === 'string' ? content : []));
}
