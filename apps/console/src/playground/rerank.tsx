/** Documents in the order in which they answer a query. */
import type { Schemas } from '../api/api.ts';
import { Tag } from '../ui/parts.tsx';
import type { Model } from './models.ts';
import { Whole, type WholeKind } from './whole.tsx';

type Reply = Schemas['RerankReply'];

const KIND: WholeKind<Reply> = {
  kind: 'rerank',
  path: '/v1/rerank',
  lines: 'Documents, one a line',
  hasQuery: true,
  body: (model, documents, query) => ({ model, query, documents: [...documents], return_documents: true }),
  Reply: Ranking,
};

export default function Rerank({ models }: { models: readonly Model[] }) {
  return <Whole models={models} of={KIND} />;
}

function Ranking({ lines, reply }: { lines: readonly string[]; reply: Reply }) {
  return (
    <ol className="results">
      {reply.results.map(({ index, relevance_score: score }) => (
        <li key={index}>
          <div className="row">
            <span className="grow">{lines[index]}</span>
            <Tag tone="plain">{score.toFixed(3)}</Tag>
          </div>
          <div className="meter" aria-hidden>
            <i style={{ width: `${100 * Math.max(0, Math.min(1, score))}%` }} />
          </div>
        </li>
      ))}
    </ol>
  );
}
