/** One model's conversation. */
import { ActionIcon, Button, Loader, Select, TextInput } from '@mantine/core';
import { PageLink } from '../ui/page-link.tsx';
import { useState } from 'react';
import { FaultError, type Fault } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatNumber, formatUsd } from '../ui/format.ts';
import { Markdown } from '../ui/markdown.tsx';
import { FaultBox } from '../ui/parts.tsx';
import { openCalls, type Answer, type ToolCall, type Turn } from './chat-turns.ts';
import type { Model } from './models.ts';

export interface ChatColumnProps {
  readonly models: readonly Model[];
  readonly code: string;
  readonly turns: readonly Turn[];
  readonly isRunning: boolean;
  readonly onCode: (code: string) => void;
  readonly onStop: () => void;
  readonly onResults: (results: readonly Turn[]) => void;
  readonly onRemove?: () => void;
}

export function ChatColumn(props: ChatColumnProps) {
  const { models, code, turns, isRunning, onCode, onStop, onResults, onRemove } = props;
  const calls = isRunning ? [] : openCalls(turns);
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
      <div className="turns" role="log" aria-label={t('Conversation with {name}', { name: code })} tabIndex={0}>
        {turns.length === 0 && <p className="quiet">{t('Answers appear here.')}</p>}
        {turns.map((turn, at) => (
          <TurnView key={at} turn={turn} isRunning={isRunning && at === turns.length - 1} />
        ))}
      </div>
      {calls.length > 0 && <ToolResults calls={calls} onResults={onResults} />}
    </section>
  );
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

function TurnView({ turn, isRunning }: { turn: Turn; isRunning: boolean }) {
  if (turn.role === 'user')
    return (
      <div className="turn user">
        {turn.files.map((file) =>
          file.type.startsWith('image/') ? (
            <img key={file.name} src={file.url} alt={file.name} />
          ) : (
            <code key={file.name}>{file.name}</code>
          ),
        )}
        <div className="said">{turn.text}</div>
      </div>
    );
  if (turn.role === 'tool')
    return (
      <div className="turn tool">
        <span className="quiet small">{t('Tool result')}</span>
        <pre tabIndex={0}>{turn.text}</pre>
      </div>
    );
  return <AnswerView answer={turn} isRunning={isRunning} />;
}

function AnswerView({ answer, isRunning }: { answer: Answer; isRunning: boolean }) {
  const { text, reasoning, calls, stats, error } = answer;
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
      <StatsLine stats={stats} />
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
