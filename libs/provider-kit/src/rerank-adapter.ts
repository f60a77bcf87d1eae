/** What a vendor of reranking must answer. */
import type { JsonObject, Json } from '@model-gateway/contracts';
import type { Generated, Upstream } from './adapter.ts';
import { listAt, numberAt } from './json-path.ts';
import { malformedReply } from './vendor-task.ts';

export interface RerankCreate {
  /** Its text; '' where it is something else. */
  readonly query: string;
  /** At least one: their texts, '' of what is something else. */
  readonly documents: readonly string[];
  /** Where the caller's body has something that is no text; only a vendor who takes the caller's own form is sent that. */
  readonly media?: readonly string[];
  /**
   * The caller's body with the documents as they are asked about, objects with a text as it alone: sent as it is where the vendor's wire has
   * this very form.
   */
  readonly body: JsonObject;
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
  /** As the vendor gave it, where its wire has the caller's form. */
  readonly item?: JsonObject;
}
export interface RerankReply {
  readonly id?: string;
  /** The vendor's answer as it came, where its wire has the caller's form. */
  readonly body?: JsonObject;
  /** Core sorts them, and checks that they are of documents that were sent, each once. */
  readonly scores: readonly RerankScore[];
}
export interface RerankAdapter {
  /** `usage` has the tokens and search units that the vendor reports. */
  rerank(input: RerankCreate, upstream: Upstream): Promise<Generated<RerankReply>>;
}

/** The scores of a list of `{index, relevance_score}`. Throws `upstream_malformed` for anything else. */
export function scoresAt(json: Json | undefined, ...path: readonly string[]): readonly RerankScore[] {
  return listAt(json, ...path).map((item) => {
    const index = numberAt(item, 'index');
    const score = numberAt(item, 'relevance_score');
    if (index === undefined || score === undefined) throw malformedReply('a result of it has no index or no score');
    return { index, score };
  });
}
