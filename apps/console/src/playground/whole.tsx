/** What kinds have in common whose answer comes whole: lines of text go in, a result for each comes back. */
import { Textarea } from '@mantine/core';
import { useContext, type ReactNode } from 'react';
import { postJson } from '../api/connection.ts';
import { t, type Text } from '../text/text.ts';
import { formatDuration } from '../ui/format.ts';
import { Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { remember } from './history-list.tsx';
import { ofKind, type Model } from './models.ts';
import { KindInUse } from './show-code.tsx';
import { ActionBar, useWork, Workbench } from './workbench.tsx';

/** How one of them is asked and shown. */
export interface WholeKind<Reply> {
  readonly kind: string;
  readonly path: string;
  readonly lines: Text;
  readonly hasQuery?: boolean;
  readonly body: (model: string, lines: readonly string[], query: string) => Record<string, unknown>;
  readonly Reply: (props: { lines: readonly string[]; reply: Reply }) => ReactNode;
}

export function Whole<Reply>({ models, of }: { models: readonly Model[]; of: WholeKind<Reply> }) {
  const { kind, path, lines: linesName, hasQuery = false, body: bodyOf, Reply } = of;
  const { name } = useContext(KindInUse);
  const able = ofKind(models, kind);
  const [code, setCode] = useKept(`${kind}.model`, able[0]?.id ?? '');
  const [text, setText] = useKept(`${kind}.text`, '');
  const [query, setQuery] = useKept(`${kind}.query`, '');
  const [result, setResult] = useKept<Result<Reply> | undefined>(`${kind}.result`, undefined);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const body = bodyOf(code, lines, query);
  const isReady = lines.length > 0 && (!hasQuery || query.trim() !== '');
  const work = useWork(
    async (signal): Promise<Result<Reply>> => {
      const began = performance.now();
      const reply = (await (await postJson(path, body, signal)).json()) as Reply;
      return { lines, reply, ms: performance.now() - began };
    },
    (made) => {
      setResult(made);
      remember(kind, { model: code, title: hasQuery ? query : (lines[0] ?? '') });
    },
  );
  return (
    <Workbench
      work={work}
      label={name}
      isSimulated={able.find(({ id }) => id === code)?.simulated === true}
      form={
        <>
          <ModelSelect models={able} code={code} onCode={setCode} />
          {hasQuery && (
            <Textarea
              label={t('Query')}
              autosize
              value={query}
              onChange={({ currentTarget }) => setQuery(currentTarget.value)}
            />
          )}
          <Textarea
            label={t(linesName)}
            autosize
            minRows={4}
            maxRows={16}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </>
      }
      actions={<ActionBar work={work} name={t('Send')} isReady={isReady} request={{ path, body }} hasEstimate />}
      empty={<Empty title={t('No result yet')}>{t('Press {action} to see the result.', { action: t('Send') })}</Empty>}
      result={
        result && (
          <section className="card stack">
            <div className="row">
              <h2 className="grow">{t('Result')}</h2>
              <span className="quiet small">{formatDuration(result.ms)}</span>
            </div>
            <Reply lines={result.lines} reply={result.reply} />
          </section>
        )
      }
    />
  );
}

interface Result<Reply> {
  readonly lines: readonly string[];
  readonly reply: Reply;
  readonly ms: number;
}
