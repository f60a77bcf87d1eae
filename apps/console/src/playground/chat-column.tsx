/** One model's conversation. */
import { ActionIcon, Button, Loader, Select, Textarea, TextInput } from '@mantine/core';
import { PageLink } from '../ui/page-link.tsx';
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { FaultError, type Fault } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatNumber, formatUsd } from '../ui/format.ts';
import { Markdown } from '../ui/markdown.tsx';
import { Copy, FaultBox } from '../ui/parts.tsx';
import { openCalls, type Answer, type Attachment, type ToolCall, type Turn } from './chat-turns.ts';
import type { Model } from './models.ts';
import { Simulated } from './workbench.tsx';

export interface ChatColumnProps {
  readonly models: readonly Model[];
  readonly code: string;
  readonly turns: readonly Turn[];
  readonly isRunning: boolean;
  readonly onCode: (code: string) => void;
  readonly onStop: () => void;
  /** Goes on from these turns. */
  readonly onAsk: (turns: readonly Turn[]) => void;
  readonly onRemove?: () => void;
}

export function ChatColumn(props: ChatColumnProps) {
  const { models, code, turns, isRunning, onCode, onStop, onAsk, onRemove } = props;
  const calls = isRunning ? [] : openCalls(turns);
  const log = useFollowedEnd(turns);
  const isSimulated = models.find(({ id }) => id === code)?.simulated === true;
  return (
    <section className="card column" aria-label={code}>
      <div className="row">
        <ModelSelect models={models} code={code} onCode={onCode} />
        {isRunning && (
          <Button size="xs" variant="default" onClick={onStop}>
            {t('Stop')}
          </Button>
        )}
        {onRemove !== undefined && (
          <ActionIcon variant="subtle" color="gray" aria-label={t('Remove {name}', { name: code })} onClick={onRemove}>
            ×
          </ActionIcon>
        )}
      </div>
      <div
        ref={log}
        className="turns"
        role="log"
        aria-label={t('Conversation with {name}', { name: code })}
        tabIndex={0}
      >
        {turns.length === 0 && (
          <p className="quiet">
            {t('Answers appear here.')} {isSimulated && <Simulated />}
          </p>
        )}
        {turns.map((turn, at) => (
          <TurnView
            key={at}
            turn={turn}
            isRunning={isRunning && at === turns.length - 1}
            {...(!isRunning && {
              // What came after it was said to something else.
              onEdit: (text) => onAsk([...turns.slice(0, at), { role: 'user', text, files: filesOf(turn) }]),
              onAgain: () => onAsk(turns.slice(0, at)),
            })}
          />
        ))}
      </div>
      {calls.length > 0 && <ToolResults calls={calls} onResults={(results) => onAsk([...turns, ...results])} />}
    </section>
  );
}

const filesOf = (turn: Turn): readonly Attachment[] => (turn.role === 'user' ? turn.files : []);

const NEAR_PIXELS = 80;

/** Keeps the end of a conversation in sight as it grows, unless somebody has scrolled up to read. */
function useFollowedEnd(turns: readonly Turn[]): RefObject<HTMLDivElement | null> {
  const log = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  useLayoutEffect(() => {
    const box = log.current;
    if (box === null) return;
    const isAtEnd = height.current - box.scrollTop - box.clientHeight < NEAR_PIXELS;
    if (isAtEnd || turns.at(-1)?.role === 'user') box.scrollTop = box.scrollHeight;
    height.current = box.scrollHeight;
  }, [turns]);
  return log;
}

export function ModelSelect({
  models,
  code,
  onCode,
}: {
  models: readonly Model[];
  code: string;
  onCode: (code: string) => void;
}) {
  return (
    <Select
      className="grow"
      aria-label={t('Model')}
      searchable
      allowDeselect={false}
      limit={200}
      nothingFoundMessage={t('No model is called that.')}
      data={models.map(({ id }) => id)}
      value={code}
      onChange={(chosen) => chosen !== null && onCode(chosen)}
    />
  );
}

interface TurnViewProps {
  readonly turn: Turn;
  readonly isRunning: boolean;
  /** Sends this question in other words; absent while something runs. */
  readonly onEdit?: (text: string) => void;
  /** Asks for this answer once more. */
  readonly onAgain?: () => void;
}

function TurnView({ turn, isRunning, onEdit, onAgain }: TurnViewProps) {
  if (turn.role === 'user') return <QuestionView turn={turn} {...(onEdit !== undefined && { onEdit })} />;
  if (turn.role === 'tool')
    return (
      <div className="turn tool">
        <span className="quiet small">{t('Tool result')}</span>
        <pre tabIndex={0}>{turn.text}</pre>
      </div>
    );
  return <AnswerView answer={turn} isRunning={isRunning} {...(onAgain !== undefined && { onAgain })} />;
}

interface QuestionViewProps {
  readonly turn: Extract<Turn, { role: 'user' }>;
  readonly onEdit?: (text: string) => void;
}

function QuestionView({ turn: { text, files }, onEdit }: QuestionViewProps) {
  const [edited, setEdited] = useState<string>();
  if (edited !== undefined && onEdit !== undefined)
    return (
      <form
        className="turn user editing"
        onSubmit={(event) => {
          event.preventDefault();
          setEdited(undefined);
          onEdit(edited);
        }}
      >
        <Textarea
          aria-label={t('Edit your message')}
          autosize
          autoFocus
          maxRows={10}
          value={edited}
          onChange={({ currentTarget }) => setEdited(currentTarget.value)}
        />
        <div className="row">
          <span className="grow small quiet">{t('Later messages are removed.')}</span>
          <Button size="compact-sm" variant="default" onClick={() => setEdited(undefined)}>
            {t('Cancel')}
          </Button>
          <Button size="compact-sm" type="submit" disabled={edited.trim() === ''}>
            {t('Send again')}
          </Button>
        </div>
      </form>
    );
  return (
    <div className="turn user">
      {files.map((file) =>
        file.type.startsWith('image/') ? (
          <img key={file.name} src={file.url} alt={file.name} />
        ) : (
          <code key={file.name}>{file.name}</code>
        ),
      )}
      <div className="said">{text}</div>
      <div className="turn-actions">
        <Copy text={text} label={t('Copy the message')} />
        {onEdit !== undefined && (
          <Button size="compact-xs" variant="default" onClick={() => setEdited(text)}>
            {t('Edit and send again')}
          </Button>
        )}
      </div>
    </div>
  );
}

interface AnswerViewProps {
  readonly answer: Answer;
  readonly isRunning: boolean;
  readonly onAgain?: () => void;
}

function AnswerView({ answer, isRunning, onAgain }: AnswerViewProps) {
  const { text, reasoning, calls, stats, error, isSimulated } = answer;
  return (
    <div className="turn assistant">
      {reasoning !== '' && (
        <details open={text === ''}>
          <summary className="quiet small">{t('Reasoning')}</summary>
          <div className="quiet">
            <Markdown text={reasoning} />
          </div>
        </details>
      )}
      {text !== '' && <Markdown text={text} />}
      {calls.map((call) => (
        <div key={call.id} className="call">
          <span className="small quiet">{t('Tool call')}</span> <code>{call.name}</code>
          <pre tabIndex={0}>{call.text}</pre>
        </div>
      ))}
      {isRunning && text === '' && reasoning === '' && <Loader size="xs" type="dots" aria-label={t('Loading')} />}
      {error !== undefined && <FaultBox error={new FaultError(error as Fault)} />}
      <div className="row turn-foot">
        {isSimulated === true && <Simulated />}
        <StatsLine stats={stats} />
        <div className="turn-actions">
          {text !== '' && !isRunning && <Copy text={text} label={t('Copy the answer')} />}
          {onAgain !== undefined && (
            <Button size="compact-xs" variant="default" onClick={onAgain}>
              {t('Ask again')}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

function StatsLine({ stats }: { stats: Answer['stats'] }) {
  const { firstMs, ms, inputTokens, outputTokens, usd, requestId, dropped } = stats;
  if (ms === undefined) return null;
  return (
    <p className="stats small quiet">
      {firstMs !== undefined && <span>{t('first token {time}', { time: formatDuration(firstMs) })}</span>}
      <span>{t('{time} total', { time: formatDuration(ms) })}</span>
      {outputTokens !== undefined && (
        <span>
          {t('{input} + {output} tokens', {
            input: formatNumber(inputTokens ?? 0),
            output: formatNumber(outputTokens),
          })}
        </span>
      )}
      {usd !== undefined && <span>≈ {formatUsd(usd)}</span>}
      {dropped !== undefined && <span>{t('dropped: {fields}', { fields: dropped })}</span>}
      {requestId !== undefined && <PageLink to={`/requests/${requestId}`}>{t('View the request')}</PageLink>}
    </p>
  );
}

/** A form for what the tools gave. */
function ToolResults({
  calls,
  onResults,
}: {
  calls: readonly ToolCall[];
  onResults: (results: readonly Turn[]) => void;
}) {
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  return (
    <form
      className="stack results"
      onSubmit={(event) => {
        event.preventDefault();
        onResults(calls.map(({ id }) => ({ role: 'tool', callId: id, text: results[id] ?? '' })));
      }}
    >
      {calls.map(({ id, name }) => (
        <TextInput
          key={id}
          label={t('Result of {name}', { name })}
          placeholder='{"temperature": 21}'
          required
          withAsterisk={false}
          value={results[id] ?? ''}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            setResults((before) => ({ ...before, [id]: value }));
          }}
        />
      ))}
      <div>
        <Button type="submit" size="xs">
          {t('Submit results')}
        </Button>
      </div>
    </form>
  );
}
