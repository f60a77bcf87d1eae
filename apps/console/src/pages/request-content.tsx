/** What was asked and answered, where it was kept; and how to have it kept where it was not. */
import { t } from '../text/text.ts';
import type { Schemas } from '../api/api.ts';
import { keep } from '../playground/drafts.ts';
import { newRunId } from '../playground/history.ts';
import type { ChatSettings } from '../playground/chat-settings.tsx';
import type { Turn } from '../playground/chat-turns.ts';
import { formatTime } from '../ui/format.ts';
import { Markdown } from '../ui/markdown.tsx';
import { Tag } from '../ui/parts.tsx';

type Content = Schemas['RequestContent'];

export function RequestContent({ content }: { content: Content | null }) {
  return (
    <section className="card">
      <h2>{t('Prompt and answer')}</h2>
      {content === null ? (
        <p className="quiet">
          {t(
            'They are not kept. To have them kept, an operator sets requests.log to bodies and security.encryption_key, and switches it on for the key.',
          )}
        </p>
      ) : (
        <Kept content={content} />
      )}
    </section>
  );
}

function Kept({ content }: { content: Content }) {
  if (content.fault !== null) return <p className="quiet">{content.fault}</p>;
  return (
    <div className="stack">
      <p className="row">
        {content.cut && <Tag tone="warn">{t('Cut')}</Tag>}
        <span className="quiet small">
          {t('Kept until {time}; secrets are masked, media left out.', { time: formatTime(content.kept_until) })}
        </span>
      </p>
      {content.messages.map(({ role, text }, at) => (
        <div key={at}>
          <Tag tone="plain">{role}</Tag>
          <Markdown text={text} />
        </div>
      ))}
      <Body title={t('Request as JSON')} value={content.request} isOpen={content.messages.length === 0} />
      <Body title={t('Answer as JSON')} value={content.answer} isOpen={content.messages.length === 0} />
    </div>
  );
}

function Body({ title, value, isOpen }: { title: string; value: unknown; isOpen: boolean }) {
  if (value === null || value === undefined) return null;
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <pre tabIndex={0}>
        <code>{JSON.stringify(value, undefined, 2)}</code>
      </pre>
    </details>
  );
}

const NO_STATS = { reasoning: '', calls: [], stats: {} };

/** Fills the playground's chat in with what was asked of a model: it is ready to be sent again. */
export function keepForPlayground(model: string, content: Content | null): void {
  keep('chat.models', [model]);
  const said = (content?.messages ?? []).filter(({ role }) => role !== 'note');
  const last = said.findLastIndex(({ role }) => role === 'user');
  if (last === -1) return;
  const system = said.filter(({ role }) => role === 'system' || role === 'developer');
  const turns = said.slice(0, last).flatMap(({ role, text }): Turn[] => {
    if (role === 'user') return [{ role: 'user', text, files: [] }];
    return role === 'assistant' || role === 'model' ? [{ role: 'assistant', text, ...NO_STATS }] : [];
  });
  const settings: ChatSettings = {
    system: system.map(({ text }) => text).join('\n\n'),
    ...{ temperature: '', most: '', effort: '', tools: '', schema: '', stream: true },
  };
  // A chat of its own in the history.
  keep('chat.run', newRunId());
  keep('chat.settings', settings);
  keep('chat.threads', turns.length === 0 ? {} : { 0: turns });
  keep('chat.text', said[last]?.text ?? '');
  keep('chat.files', []);
}
