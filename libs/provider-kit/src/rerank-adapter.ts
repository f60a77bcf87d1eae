/** What a vendor of reranking must answer. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Generated, Upstream } from './adapter.ts';

export interface RerankCreate {
  readonly query: string;
  /** At least one; none is empty. */
  readonly documents: readonly string[];
  /** How many of the best are wanted; all when absent. */
  readonly topN?: number;
  readonly maxTokensPerDocument?: number;
  /** Fields of the caller's that the form has no word for. */
  readonly extra: JsonObject;
}
export interface RerankScore {
  /** Of the document, in the request. */
  readonly index: number;
  readonly score: number;
}
export interface RerankReply {
  readonly id?: string;
  /** Core sorts them, and checks that they are of documents that were sent, each once. */
  readonly scores: readonly RerankScore[];
}
export interface RerankAdapter {
  /** `usage` has the tokens and search units that the vendor reports. */
  rerank(input: RerankCreate, upstream: Upstream): Promise<Generated<RerankReply>>;
}
