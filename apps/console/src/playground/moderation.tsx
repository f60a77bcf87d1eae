/** What is to be refused in texts. */
import type { Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { Tag } from '../ui/parts.tsx';
import type { Model } from './models.ts';
import { Whole, type WholeKind } from './whole.tsx';

type Reply = Schemas['ModerationReply'];

const KIND: WholeKind<Reply> = {
  kind: 'moderation',
  path: '/v1/moderations',
  lines: 'Text, one a line',
  body: (model, input) => ({ model, input: [...input] }),
  Reply: Verdicts,
};

export default function Moderation({ models }: { models: readonly Model[] }) {
  return <Whole models={models} of={KIND} />;
}

function Verdicts({ lines, reply }: { lines: readonly string[]; reply: Reply }) {
  return (
    <ul className="results">
      {reply.results.map((verdict, at) => (
        <li key={at}>
          <div className="row">
            <span className="grow">{lines[at]}</span>
            <Tag tone={verdict.flagged ? 'bad' : 'ok'}>{verdict.flagged ? t('Flagged') : t('Not flagged')}</Tag>
          </div>
          {verdict.flagged && <span className="quiet small">{namesOf(verdict['categories']).join(', ')}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The names whose value is true. */
function namesOf(categories: unknown): readonly string[] {
  if (typeof categories !== 'object' || categories === null) return [];
  return Object.entries(categories).flatMap(([name, value]) => (value === true ? [name] : []));
}
