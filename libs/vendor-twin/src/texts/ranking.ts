/** Documents scored against a query by how alike their vectors are. */
import { tokensOf } from '../chat/tokens.ts';
import { withoutMarkers } from '../core/markers.ts';
import { similarity } from './vectors.ts';

export interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
}

/** The best first, as many as are wanted. */
export function ranked(query: string, documents: readonly string[], topN = documents.length): Ranked[] {
  const asked = withoutMarkers(query);
  return documents
    .map((document, index) => ({ index, relevance_score: Math.max(0, similarity(asked, document)) }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, topN);
}

/** What vendors count: the query once for each document. */
export function rankingTokens(query: string, documents: readonly string[]): number {
  const asked = tokensOf(withoutMarkers(query));
  return documents.reduce((sum, document) => sum + asked + tokensOf(document), 0);
}
