/** Reranking: documents scored against a query, the best first. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import {
  malformedReply,
  type Generated,
  type RerankCreate,
  type RerankReply,
  type RerankScore,
} from '@model-gateway/provider-kit';
import type { Price } from '../../catalogue.ts';
import { mostTokensOf, tokensOfTexts } from '../../paid/token-estimates.ts';
import { newTrace, type Trace } from '../../paid/trace.ts';
import { answerWhole, type WholeCall, type WholeKind, type WholeParts } from '../../paid/whole-answer.ts';

export type RerankCall = WholeCall<RerankCreate>;
export interface Reranker {
  /** The best `topN` documents, the best first, and what was billed. Throws GatewayError; nothing is charged then. */
  rerank(call: RerankCall, trace?: Trace): Promise<Generated<RerankReply>>;
}

const RERANKING: WholeKind<RerankCreate, RerankReply> = {
  mostOf: mostOfRerank,
  factsOf: ({ query, documents }) => ({ text: [query, ...documents].join('\n'), inputs: new Set() }),
  async ask({ rerank }, upstream, input) {
    if (rerank === undefined) throw new GatewayError('internal', 'the offer’s vendor does not rerank');
    const reply = await rerank.rerank(input, upstream);
    return { ...reply, scores: bestFirst(reply.scores, input) };
  },
  used: (reported, input, { price }) => completed(reported, input, price),
};

/** Makes the reranking side of a gateway. */
export function createReranker(parts: WholeParts): Reranker {
  return { rerank: (call, trace = newTrace()) => answerWhole(parts, RERANKING, call, trace) };
}

/** Tokens of a piece that a long document is cut into, and documents or pieces of one search unit (docs/wire/rerank.md#cohere). */
const TOKENS_PER_PIECE = 500;
const PIECES_PER_UNIT = 100;
/** Where a document is cut when the request does not say. */
const USUAL_TOKENS_PER_DOCUMENT = 4096;

/** What a picture counts as at the most. */
const TOKENS_OF_MEDIA = 4096;

/** The most that it can use: vendors count the query once for each document. */
export function mostOfRerank({
  query,
  documents,
  maxTokensPerDocument = USUAL_TOKENS_PER_DOCUMENT,
}: RerankCreate): Usage {
  const inQuery = mostTokensOf(query, undefined);
  let tokens = inQuery * documents.length;
  let pieces = 0;
  for (const document of documents) {
    const inDocument = document === '' ? TOKENS_OF_MEDIA : mostTokensOf(document, undefined);
    tokens += inDocument;
    pieces += Math.ceil((Math.min(inDocument, maxTokensPerDocument) + inQuery) / TOKENS_PER_PIECE);
  }
  return { inputTokens: tokens, searchUnits: Math.ceil(pieces / PIECES_PER_UNIT) };
}

/** A report with estimates of what it lacks; called estimated when the price goes by one of them. */
function completed(reported: Usage, { query, documents }: RerankCreate, price: Price): Usage {
  const inputTokens = reported.inputTokens ?? tokensOfTexts([query]) * documents.length + tokensOfTexts(documents);
  const searchUnits = reported.searchUnits ?? Math.ceil(documents.length / PIECES_PER_UNIT);
  const isGuess =
    price.search_unit === undefined ? reported.inputTokens === undefined : reported.searchUnits === undefined;
  return { ...reported, inputTokens, searchUnits, ...(isGuess && { estimated: true }) };
}

/** Throws `upstream_malformed` where the scores are not those of documents that were sent, each once. */
function bestFirst(
  scores: readonly RerankScore[],
  { documents, topN = documents.length, extra }: RerankCreate,
): readonly RerankScore[] {
  const most = Math.min(topN, documents.length);
  const known = new Set<number>();
  for (const { index } of scores) {
    if (!Number.isInteger(index) || index < 0 || index >= documents.length || known.has(index))
      throw malformedReply('a result of it is of no document that was sent, or of one twice');
    known.add(index);
  }
  // What only the vendor knows may ask for fewer.
  if (scores.length < most && Object.keys(extra).length === 0)
    throw malformedReply(`it has ${scores.length} results where there should be ${most}`);
  return [...scores].sort((one, other) => other.score - one.score || one.index - other.index).slice(0, most);
}
