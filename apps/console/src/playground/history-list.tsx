/** The last runs, beside the page: one opens again as it was. */
import { ActionIcon, Button } from '@mantine/core';
import { useState } from 'react';
import { identity } from '../api/session.ts';
import { useSignal } from '../api/signal.ts';
import { t, useLanguage } from '../text/text.ts';
import { formatTime } from '../ui/format.ts';
import { Icon } from '../app/brand.tsx';
import { Side } from '../ui/list.tsx';
import { Empty } from '../ui/parts.tsx';
import { keep, keptOf, restore } from './drafts.ts';
import { addRun, clearRuns, historyChanges, newRunId, readRuns, removeRun, storageOf, type Run } from './history.ts';
import { choiceOf, PLAYGROUND_KINDS, type PlaygroundKind } from './playground-kind.ts';

/** What the drafts of a kind begin with: `chat.` */
const prefixOf = ({ draft }: PlaygroundKind): string => `${draft.split('.')[0] ?? ''}.`;

/** Remembers what the forms of a kind hold now, as a run of its own or as the one that has this id. */
export function remember(kindName: string, { model, title }: Pick<Run, 'model' | 'title'>, id?: string): void {
  const kind = PLAYGROUND_KINDS.find(({ name }) => name === kindName);
  if (kind === undefined) return;
  const values = keptOf(prefixOf(kind));
  addRun(storageOf(identity.get()), { id: id ?? newRunId(), kind: kindName, model, title, values });
}

interface HistoryProps {
  /** Called with the kind whose page is to be drawn anew. */
  readonly onOpen: (kind: PlaygroundKind) => void;
}

export function History({ onOpen }: HistoryProps) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Button className="history-word" variant="default" onClick={() => setShown(true)}>
        {t('History')}
      </Button>
      <ActionIcon
        className="history-icon"
        variant="default"
        size={36}
        aria-label={t('History')}
        onClick={() => setShown(true)}
      >
        <Icon path="M10 3a7 7 0 1 1-6.700 5M3 3.500V8h4.500M10 6.500V10l2.500 2" />
      </ActionIcon>
      <Side title={t('Recent runs')} isOpen={isShown} onClose={() => setShown(false)}>
        <Runs
          onOpen={(kind) => {
            setShown(false);
            onOpen(kind);
          }}
        />
      </Side>
    </>
  );
}

function Runs({ onOpen }: HistoryProps) {
  const language = useLanguage();
  const storage = storageOf(useSignal(identity));
  useSignal(historyChanges);
  const runs = readRuns(storage);
  if (runs.length === 0)
    return <Empty title={t('No runs yet')}>{t('What you run appears here, in this browser only.')}</Empty>;
  const open = (run: Run, kind: PlaygroundKind): void => {
    restore(prefixOf(kind), run.values);
    if (!(kind.draft in run.values)) keep(kind.draft, choiceOf(kind, run.model));
    onOpen(kind);
  };
  return (
    <>
      <p className="quiet small">
        {t('Your last runs, kept in this browser only, without files and media. Open one to see it again as it was.')}
      </p>
      <ul className="runs">
        {runs.map((run) => {
          const kind = PLAYGROUND_KINDS.find(({ name }) => name === run.kind);
          if (kind === undefined) return null;
          return (
            <li key={run.id}>
              <button type="button" className="run" onClick={() => open(run, kind)}>
                <b>{run.title === '' ? kind.label[language] : run.title}</b>
                <span className="quiet small">
                  {kind.label[language]} · {run.model} · {formatTime(new Date(run.at).toISOString())}
                </span>
              </button>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Remove {name}', { name: run.title })}
                onClick={() => removeRun(storage, run.id)}
              >
                ×
              </ActionIcon>
            </li>
          );
        })}
      </ul>
      <div>
        <Button variant="default" size="xs" onClick={() => clearRuns(storage)}>
          {t('Clear the history')}
        </Button>
      </div>
    </>
  );
}
