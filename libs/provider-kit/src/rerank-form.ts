/** What adapters of reranking share. */
import type { Json } from '@model-gateway/contracts';
import { listAt, numberAt } from './json-path.ts';
import type { RerankScore } from './rerank-adapter.ts';
import { malformedReply } from './vendor-task.ts';

/** The scores of a list of `{index, relevance_score}`. Throws `upstream_malformed` for anything else. */
export function scoresAt(json: Json | undefined, ...path: readonly string[]): readonly RerankScore[] {
  return listAt(json, ...path).map((item) => {
    const index = numberAt(item, 'index');
    const score = numberAt(item, 'relevance_score');
    if (index === undefined || score === undefined) throw malformedReply('a result of it has no index or no score');
    return { index, score };
  });
}
