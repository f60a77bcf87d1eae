/** What happened, by time. Each point opens the requests behind it. */
import { SegmentedControl, Select, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink, useOpenPage, useFilters } from '../ui/page-link.tsx';
import { lazy, Suspense, useCallback, useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t, type Text } from '../text/text.ts';
import { formatDuration, formatNumber, formatShort, formatTime, formatUsd } from '../ui/format.ts';
import { Empty, FaultBox, PageHead } from '../ui/parts.tsx';
import { CostBreakdown } from './cost-breakdown.tsx';
import { OwnMoney } from './own-money.tsx';

const Charts = lazy(() => import('./overview-charts.tsx'));
const FirstRun = lazy(() => import('./first-run.tsx'));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RANGES: Readonly<Record<string, { readonly name: Text; readonly ms: number; readonly refresh: number }>> = {
  '15m': { name: '15 minutes', ms: 15 * MINUTE, refresh: 5000 },
  '1h': { name: '1 hour', ms: HOUR, refresh: 5000 },
  '24h': { name: '24 hours', ms: DAY, refresh: 30_000 },
  '7d': { name: '7 days', ms: 7 * DAY, refresh: MINUTE },
  '30d': { name: '30 days', ms: 30 * DAY, refresh: MINUTE },
  '1y': { name: '1 year', ms: 365 * DAY, refresh: MINUTE },
};
const USUAL = '1h';

export default function Overview() {
  const { admin, key } = useRights();
  const [filters, change] = useFilters();
  const range = RANGES[filters['range'] ?? USUAL] ?? RANGES[USUAL];
  const chosen = filters['mode'] === 'test' || filters['mode'] === 'live' ? filters['mode'] : undefined;
  const ms = range?.ms ?? HOUR;
  const query = useQuery({
    queryKey: ['overview', admin, ms, chosen],
    refetchInterval: range?.refresh ?? false,
    queryFn: () => readOverviews(admin, ms, chosen),
  });
  const mode = query.data?.mode ?? chosen ?? 'live';
  const [isDecided, setDecided] = useState(!admin);
  const decided = useCallback(() => setDecided(true), []);
  return (
    <>
      <PageHead
        title={t('Overview')}
        about={
          admin
            ? t('All traffic, a few seconds behind.')
            : t('Traffic of all keys of your owner, a few seconds behind.')
        }
      >
        {admin && (
          <SegmentedControl
            aria-label={t('Kind of keys')}
            value={mode}
            onChange={(next) => change({ mode: next })}
            data={[
              { value: 'live', label: t('Live keys') },
              { value: 'test', label: t('Test keys') },
            ]}
          />
        )}
        <Select
          aria-label={t('Time')}
          w={140}
          allowDeselect={false}
          data={Object.entries(RANGES).map(([value, { name }]) => ({ value, label: t(name) }))}
          value={filters['range'] ?? USUAL}
          onChange={(next) => change({ range: next === USUAL || next === null ? undefined : next })}
        />
      </PageHead>
      {admin && (
        <Suspense fallback={null}>
          <FirstRun onDecided={decided} />
        </Suspense>
      )}
      {!admin && <OwnMoney />}
      {query.isError && query.data === undefined && (
        <FaultBox error={query.error} onRetry={() => void query.refetch()} />
      )}
      {(query.isPending || (query.data !== undefined && !isDecided)) && (
        <div className="charts-space" role="status" aria-label={t('Loading')} />
      )}
      {query.data !== undefined && isDecided && (
        <div className="stack">
          {admin && <OtherMode mode={mode} isChosen={chosen !== undefined} requests={query.data.others} />}
          <Figures overview={query.data.overview} />
          {query.data.overview.total.requests === 0 ? (
            <Empty
              title={t('No requests in this period')}
              action={
                key === null ? undefined : <PageLink to="/playground">{t('Try a model in the playground')}</PageLink>
              }
            >
              {t('Requests appear here as soon as a model is called.')}
            </Empty>
          ) : (
            <ChartArea overview={query.data.overview} mode={admin ? mode : undefined} />
          )}
          <CostBreakdown mode={mode} ms={ms} refresh={range?.refresh ?? MINUTE} />
        </div>
      )}
    </>
  );
}

type OverviewData = Schemas['Overview'];
type Mode = 'live' | 'test';

interface Overviews {
  readonly overview: OverviewData;
  readonly mode: Mode;
  /** Requests of the other mode in the same period; 0 where there is none to choose. */
  readonly others: number;
}

/** The overview of the mode that was chosen; without a choice that of live keys, or of test keys where only those were used. */
async function readOverviews(admin: boolean, ms: number, chosen: Mode | undefined): Promise<Overviews> {
  const to = new Date();
  const times = { from: new Date(to.getTime() - ms).toISOString(), to: to.toISOString() };
  const compared = { ...times, compare: true };
  if (!admin)
    return { overview: await ask(api.GET('/v1/overview', { params: { query: compared } })), mode: 'live', others: 0 };
  const read = (mode: Mode) => ask(api.GET('/admin/overview', { params: { query: { ...compared, mode } } }));
  // Of the other mode the requests are told, and nothing else: it is not compared with the period before.
  const requestsOf = (mode: Mode) =>
    ask(api.GET('/admin/overview', { params: { query: { ...times, mode } } })).then(({ total }) => total.requests);
  const mode = chosen ?? 'live';
  const other = mode === 'live' ? 'test' : 'live';
  const [overview, others] = await Promise.all([read(mode), requestsOf(other)]);
  if (chosen !== undefined || overview.total.requests > 0 || others === 0) return { overview, mode, others };
  return { overview: await read(other), mode: other, others: 0 };
}

/** Says what of the period is not in the figures, or why those of test keys are shown. */
function OtherMode({ mode, isChosen, requests }: { mode: Mode; isChosen: boolean; requests: number }) {
  if (mode === 'test' && requests === 0 && !isChosen)
    return (
      <p className="quiet">
        {t('Only test keys were used in this period: these are their requests. Test keys pay nothing.')}
      </p>
    );
  if (requests === 0) return null;
  const count = { count: formatNumber(requests) };
  return (
    <p className="quiet">
      {mode === 'live'
        ? t('Live keys. {count} requests of test keys are not included.', count)
        : t('Test keys, which pay nothing. {count} requests of live keys are not included.', count)}
    </p>
  );
}

function ChartArea({ overview, mode }: { overview: OverviewData; mode: string | undefined }) {
  const openPage = useOpenPage();
  const search = (at: string): Record<string, string> => ({
    from: at,
    to: new Date(new Date(at).getTime() + overview.step * 1000).toISOString(),
    ...(mode !== undefined && { mode }),
  });
  return (
    <>
      <Suspense fallback={<div className="charts-space" />}>
        <Charts overview={overview} onOpen={(at) => openPage({ to: '/requests', search: search(at) })} />
      </Suspense>
      <details className="card">
        <summary>{t('Show as a table')}</summary>
        <div className="scroll-x" tabIndex={0} role="region" aria-label={t('Show as a table')}>
          <table className="plain-table">
            <thead>
              <tr>
                <th>{t('Time')}</th>
                <th className="right">{t('Requests')}</th>
                <th className="right">{t('Errors')}</th>
                <th className="right">{t('Tokens')}</th>
                <th className="right">{t('Cost')}</th>
                <th className="right">{t('Median latency')}</th>
              </tr>
            </thead>
            <tbody>
              {overview.data
                .filter(({ requests }) => requests > 0)
                .map((bucket) => (
                  <tr key={bucket.at}>
                    <td>
                      <PageLink to="/requests" search={search(bucket.at)}>
                        {formatTime(bucket.at)}
                      </PageLink>
                    </td>
                    <td className="right">{formatNumber(bucket.requests)}</td>
                    <td className="right">{formatNumber(bucket.errors)}</td>
                    <td className="right">{formatNumber(bucket.input_tokens + bucket.output_tokens)}</td>
                    <td className="right">{formatUsd(bucket.charged_usd)}</td>
                    <td className="right">{formatDuration(bucket.ms?.p50)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function Figures({ overview: { total, previous } }: { overview: OverviewData }) {
  const rate = (sum: typeof total): number => (sum.requests === 0 ? 0 : (100 * sum.errors) / sum.requests);
  const tokens = (sum: typeof total): number => sum.input_tokens + sum.output_tokens;
  return (
    <div className="cards figures">
      <Figure name={t('Requests')} now={total.requests} before={previous?.requests} show={formatShort} />
      <Figure
        name={t('Errors')}
        of={t('{count} of {all} requests', {
          count: formatNumber(total.errors),
          all: formatNumber(total.requests),
        })}
        now={rate(total)}
        before={previous === null ? undefined : rate(previous)}
        show={(percent) => `${percent.toFixed(1)} %`}
        isLessBetter
      />
      <Figure
        name={t('Tokens')}
        now={tokens(total)}
        before={previous === null ? undefined : tokens(previous)}
        show={formatShort}
      />
      <Figure name={t('Cost')} now={total.charged_usd} before={previous?.charged_usd} show={formatUsd} />
      <Figure
        name={t('Median latency')}
        of={total.ms === null ? undefined : ofRequests(total.ms.count)}
        now={total.ms?.p50}
        before={previous?.ms?.p50}
        show={formatDuration}
        isLessBetter
      />
      <Figure
        name={t('First byte, median')}
        of={total.first_byte_ms === null ? t('no streamed answers') : ofStreamed(total.first_byte_ms.count)}
        now={total.first_byte_ms?.p50}
        before={previous?.first_byte_ms?.p50}
        show={formatDuration}
        isLessBetter
      />
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  /** Which requests it is measured of, where those are not all that are counted. */
  readonly of?: string | undefined;
  readonly now: number | undefined;
  readonly before: number | undefined;
  readonly show: (value: number) => string;
  readonly isLessBetter?: boolean;
}

function Figure({ name, of, now, before, show, isLessBetter = false }: FigureProps) {
  const change =
    now === undefined || before === undefined || before === 0 ? undefined : (100 * (now - before)) / before;
  const isBetter = change !== undefined && change !== 0 && change < 0 === isLessBetter;
  return (
    <div className="card figure">
      <span>{name}</span>
      <b>{now === undefined ? '–' : show(now)}</b>
      {of !== undefined && <span>{of}</span>}
      {change !== undefined && (
        <Tooltip label={t('{before} in the previous period', { before: show(before ?? 0) })}>
          <span className={change === 0 ? '' : isBetter ? 'better' : 'worse'}>
            {change > 0 ? '+' : ''}
            {change.toFixed(0)} % <span className="quiet">{t('vs. previous period')}</span>
          </span>
        </Tooltip>
      )}
    </div>
  );
}

function ofRequests(count: number): string {
  return count === 1 ? t('of one request') : t('of {count} requests', { count: formatNumber(count) });
}

function ofStreamed(count: number): string {
  return count === 1 ? t('of one streamed answer') : t('of {count} streamed answers', { count: formatNumber(count) });
}
