/** Texts as vectors. */
import type { Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatNumber } from '../ui/format.ts';
import { Tag } from '../ui/parts.tsx';
import type { Model } from './models.ts';
import { Whole, type WholeKind } from './whole.tsx';

type Reply = Schemas['EmbeddingReply'];

const KIND: WholeKind<Reply> = {
  kind: 'embedding',
  path: '/v1/embeddings',
  lines: 'Text, one a line',
  body: (model, input) => ({ model, input: [...input] }),
  Reply: Vectors,
};

export default function Embedding({ models }: { models: readonly Model[] }) {
  return <Whole models={models} of={KIND} />;
}

/** Each text with its vector, and how near it is to the first one. */
function Vectors({ lines, reply }: { lines: readonly string[]; reply: Reply }) {
  const vectors = reply.data.map(({ embedding }) => (Array.isArray(embedding) ? embedding : []));
  return (
    <ul className="results">
      {vectors.map((vector, at) => (
        <li key={at}>
          <div className="row">
            <span className="grow">{lines[at]}</span>
            <span className="quiet small">{t('{count} dimensions', { count: formatNumber(vector.length) })}</span>
            {at > 0 && <Tag tone="plain">{cosine(vectors[0] ?? [], vector).toFixed(3)}</Tag>}
          </div>
          <code className="quiet">
            [
            {vector
              .slice(0, 6)
              .map((each) => each.toFixed(4))
              .join(', ')}
            , …]
          </code>
        </li>
      ))}
    </ul>
  );
}

function cosine(left: readonly number[], right: readonly number[]): number {
  const dot = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  const size = (vector: readonly number[]): number => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return dot / Math.max(Number.EPSILON, size(left) * size(right));
}
