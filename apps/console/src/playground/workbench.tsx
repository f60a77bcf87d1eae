/** The two halves of what is made in the playground: a form that asks for it, and what has come of it. Both stay in sight. */
import { Button, Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { api, ask } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatUsd } from '../ui/format.ts';
import { FaultBox, Tag } from '../ui/parts.tsx';
import { ShowCode } from './show-code.tsx';
import type { CodeRequest } from './code.ts';

/** Something that is asked of a model, which can be stopped. */
export interface Work {
  readonly start: () => void;
  readonly stop: () => void;
  readonly isRunning: boolean;
  /** Of the last time; null where there is none. */
  readonly error: unknown;
}

/** `run` is stopped by its signal; `onDone` has what it gave, also when the page has been left. */
export function useWork<T>(run: (signal: AbortSignal) => Promise<T>, onDone: (made: T) => void): Work {
  const running = useRef<AbortController>(undefined);
  const work = useMutation({
    mutationFn: async (): Promise<{ readonly made: T } | undefined> => {
      const stop = new AbortController();
      running.current = stop;
      try {
        return { made: await run(stop.signal) };
      } catch (error) {
        if (stop.signal.aborted) return undefined;
        throw error;
      }
    },
    onSuccess: (ended) => {
      if (ended !== undefined) onDone(ended.made);
    },
  });
  return {
    start: () => work.mutate(),
    stop: () => running.current?.abort(),
    isRunning: work.isPending,
    error: work.error,
  };
}

interface WorkbenchProps {
  /** Asks when the form is sent; its fault is shown where its result would be. */
  readonly work: Work;
  readonly form: ReactNode;
  /** The row beneath the form, with the button that sends it. */
  readonly actions: ReactNode;
  /** Names the results for those who do not see them. */
  readonly label: string;
  /** The built-in vendor twin answers. */
  readonly isSimulated: boolean;
  /** Whether what runs shows its progress itself. */
  readonly hasProgress?: boolean;
  /** What has come of it, the newest; undefined before there is any. */
  readonly result: ReactNode;
  /** Said while there is no result. */
  readonly empty: ReactNode;
  readonly earlier?: ReactNode;
}

export function Workbench({ work, form, actions, label, isSimulated, ...shown }: WorkbenchProps) {
  const { hasProgress = false, result, empty, earlier } = shown;
  const now = useRef<HTMLDivElement>(null);
  const isWaiting = work.isRunning && !hasProgress;
  const hasFault = work.error !== null;
  // Whoever has scrolled down among the fields sees what comes of them all the same.
  useEffect(() => {
    if (work.isRunning || hasFault) now.current?.scrollIntoView({ block: 'nearest' });
  }, [work.isRunning, hasFault]);
  const isEmpty = result === undefined && !isWaiting && !hasFault;
  return (
    <div className="two work">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (!work.isRunning) work.start();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.requestSubmit();
        }}
      >
        <div className="stack work-fields">{form}</div>
        {actions}
      </form>
      <section className="work-results" aria-label={label}>
        <div ref={now} className={`stack work-now${isEmpty ? ' nothing' : ''}`}>
          {isWaiting && (
            <div className="card row" role="status">
              <Loader size="xs" type="dots" /> {t('Working …')} <Elapsed />
            </div>
          )}
          {hasFault && <FaultBox error={work.error} />}
          {isEmpty && empty}
          {result !== undefined && isSimulated && (
            <div>
              <Simulated />
            </div>
          )}
          {result}
        </div>
        {earlier}
      </section>
    </div>
  );
}

/** Says that no vendor was asked. */
export function Simulated() {
  return (
    <span title={t('The built-in vendor twin answers: no vendor is asked, and nothing is charged.')}>
      <Tag tone="warn">{t('simulated')}</Tag>
    </span>
  );
}

/** Seconds since it was first drawn. */
function Elapsed() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="quiet" aria-hidden>
      {seconds} s
    </span>
  );
}

interface ActionBarProps {
  readonly work: Work;
  /** On the button that sends. */
  readonly name: string;
  /** On the one that stops it, where that is more than not waiting for it. */
  readonly stopName?: string;
  /** Whether there is enough of a request to send it. */
  readonly isReady: boolean;
  readonly request: CodeRequest;
  /** Shown in words before it is sent. */
  readonly hasEstimate?: boolean;
}

/** Always in sight, whatever the length of the form. */
export function ActionBar({ work, name, stopName, isReady, request, hasEstimate = false }: ActionBarProps) {
  return (
    <div className="row action-bar">
      <span className="grow quiet small">
        {hasEstimate && !work.isRunning && <EstimateLine path={request.path} body={request.body} isReady={isReady} />}
      </span>
      <ShowCode size="xs" request={request} />
      {work.isRunning && (
        <Button variant="default" onClick={work.stop}>
          {stopName ?? t('Stop')}
        </Button>
      )}
      <Button type="submit" disabled={!isReady || work.isRunning} title={t('Ctrl+Enter')}>
        {name}
      </Button>
    </div>
  );
}

const TYPING_MS = 500;
/** Less than this has no digit that is shown. */
const LEAST_USD = 0.000_001;

interface EstimateProps {
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** Whether there is enough of a request to price it. */
  readonly isReady: boolean;
}

function EstimateLine({ path, body, isReady }: EstimateProps) {
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const estimate = useQuery({
    queryKey: ['estimate', path, settled],
    enabled: isReady && settled.length < 2_000_000,
    retry: false,
    queryFn: () =>
      ask(api.POST('/v1/estimate', { body: { endpoint: path, body: JSON.parse(settled) as Record<string, unknown> } })),
  });
  if (!isReady || estimate.data === undefined) return null;
  const { usd } = estimate.data;
  const words =
    usd > 0 && usd < LEAST_USD
      ? t('Less than {price}', { price: formatUsd(LEAST_USD) })
      : t('At most {price}', { price: formatUsd(usd) });
  return <span role="status">{words}</span>;
}
