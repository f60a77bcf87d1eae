/** What was spent, by day and by whom; all of it comes from the ledger. */
import { Button, SegmentedControl, Select, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t, type Text } from '../text/text.ts';
import { saveFile, toCsv } from '../ui/csv.ts';
import { formatNumber, formatShort, formatUsd } from '../ui/format.ts';
import { NameFilter } from '../ui/names.tsx';
import { Empty, FaultBox, PageHead } from '../ui/parts.tsx';
import { PageLink, useFilters, type Filters } from '../ui/page-link.tsx';
import { daysOf, periodBefore, periodOf, PeriodPicker, periodWords, timesOf, type Period } from '../ui/period.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Budgets } from './usage-budgets.tsx';
import type { Split, SplitRow, UsageView } from './usage-chart.tsx';

const SpendByDay = lazy(() => import('./usage-chart.tsx'));

type Report = Schemas['UsageReport'];
type Sum = Schemas['UsageSum'];
const DAY_MS = 86_400_000;
/** Of more groups than these only the sum of each day is drawn. */
const MOST_DRAWN = 200;
const SHOWN = 100;
const USUAL_TAG = 'team';

const GROUP_NAMES: Readonly<Record<Split, Text>> = {
  model: 'Model',
  owner: 'Owner',
  organization: 'Organization',
  project: 'Project',
  user: 'User',
  session: 'Session',
  run: 'Run',
  key: 'Key',
  vendor: 'Vendor',
  account: 'Account',
  endpoint: 'Endpoint',
  tag: 'Tag',
  default_price: 'Default price',
};
/** What owners are told of: neither who else there is, nor the operator's accounts. */
const OWN_GROUPS: readonly Split[] = ['model', 'key', 'project', 'user', 'session', 'run', 'endpoint', 'tag'];
/** What callers name, and requests are listed by: there may be very many, so those that cost most are shown. */
const MOST_SHOWN = 1_000;
const LISTED: ReadonlySet<Split> = new Set<Split>(['user', 'session', 'run']);

interface Asked {
  readonly admin: boolean;
  readonly split: Split;
  readonly tag: string;
  readonly owner: number | undefined;
  readonly mode: 'live' | 'test';
}

export default function Usage() {
  const { admin } = useRights();
  const [filters, change] = useFilters();
  const period = periodOf(filters);
  const asked = askedOf(filters, admin);
  const query = useQuery({
    queryKey: ['usage', asked, period.from, period.to],
    queryFn: () => readUsage(asked, period),
    placeholderData: (known) => known,
  });
  const { data } = query;
  return (
    <>
      <PageHead
        title={t('Usage')}
        about={
          admin
            ? t('What was spent, by day and by whom. Days and months are UTC.')
            : t('What all keys of your owner spent. Days and months are UTC.')
        }
      >
        {admin && (
          <SegmentedControl
            aria-label={t('Kind of keys')}
            value={asked.mode}
            onChange={(next) => change({ mode: next === 'live' ? undefined : next })}
            data={[
              { value: 'live', label: t('Live keys') },
              { value: 'test', label: t('Test keys') },
            ]}
          />
        )}
        <PeriodPicker filters={filters} change={change} />
        <Button
          variant="default"
          disabled={data === undefined || data.rows.length === 0}
          onClick={() => data !== undefined && saveRows(data, asked, period)}
        >
          {t('Download CSV')}
        </Button>
      </PageHead>
      <Choices asked={asked} filters={filters} change={change} />
      {query.isError && <FaultBox error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <div className="charts-space" role="status" aria-label={t('Loading')} />}
      {data !== undefined && <Spent view={data} asked={asked} period={period} />}
    </>
  );
}

interface ChoicesProps {
  readonly asked: Asked;
  readonly filters: Filters;
  readonly change: (changed: Filters) => void;
}

/** By what it is split, and of which owner. */
function Choices({ asked: { admin, split, tag }, filters, change }: ChoicesProps) {
  return (
    <div className="filters open usage-choices">
      <Select
        label={t('Split by')}
        allowDeselect={false}
        data={(admin ? (Object.keys(GROUP_NAMES) as Split[]) : OWN_GROUPS).map((value) => ({
          value,
          label: t(GROUP_NAMES[value]),
        }))}
        value={split}
        onChange={(chosen) => change({ by: chosen ?? undefined })}
      />
      {split === 'tag' && (
        <SearchField label={t('Name of the tag')} value={tag} onValue={(typed) => change({ tag: typed })} />
      )}
      {admin && <NameFilter of="owner" value={filters['owner_id']} onValue={(owner_id) => change({ owner_id })} />}
    </div>
  );
}

/** Figures, days, the table of the split, and budgets. */
function Spent({ view, asked, period }: { view: UsageView; asked: Asked; period: Period }) {
  const { key } = useRights();
  const { admin, split, owner, mode } = asked;
  return (
    <div className="stack">
      {mode === 'test' && (
        <p className="quiet">{t('Test keys pay nothing: this is what live keys would have paid.')}</p>
      )}
      <UsageFigures view={view} period={period} />
      {view.total.requests === 0 ? (
        <Empty
          title={t('Nothing was used in this period')}
          action={key === null ? undefined : <PageLink to="/playground">{t('Try a model in the playground')}</PageLink>}
        >
          {t('Spend appears here as soon as a model is called.')}
        </Empty>
      ) : (
        <>
          <Suspense fallback={<div className="chart-space" />}>
            <SpendByDay view={view} split={split} period={period} />
          </Suspense>
          <SplitTable view={view} split={split} />
        </>
      )}
      {mode === 'live' && <Budgets admin={admin} owner={owner} />}
    </div>
  );
}

function askedOf(filters: Filters, admin: boolean): Asked {
  const by = filters['by'] ?? 'model';
  const isKnown = Object.hasOwn(GROUP_NAMES, by) && (admin || OWN_GROUPS.includes(by as Split));
  const owner = filters['owner_id'];
  return {
    admin,
    split: isKnown ? (by as Split) : 'model',
    tag: filters['tag'] ?? USUAL_TAG,
    owner: admin && owner !== undefined && /^[1-9]\d{0,14}$/.test(owner) ? Number(owner) : undefined,
    mode: admin && filters['mode'] === 'test' ? 'test' : 'live',
  };
}

/** A period that runs is compared with the same days of the one before. */
function comparedWith(period: Period): Period {
  const before = periodBefore(period);
  const end = before.from.getTime() + Math.ceil(daysOf(period).gone) * DAY_MS;
  const isOver = period.to.getTime() <= Date.now();
  return isOver ? before : { ...before, to: new Date(Math.min(before.to.getTime(), end)), month: undefined };
}

async function readUsage(asked: Asked, period: Period): Promise<UsageView> {
  const { admin, split, tag, owner, mode } = asked;
  const read = (within: Period, groups: Schemas['UsageGroup'][], top?: number): Promise<Report> => {
    const query = {
      ...timesOf(within),
      group_by: groups,
      ...(groups.includes('tag') && { tag }),
      ...(top !== undefined && { top }),
    };
    if (!admin) return ask(api.GET('/v1/usage', { params: { query: query as never } }));
    const ofOwner = owner === undefined ? {} : { owner_id: owner };
    return ask(api.GET('/admin/usage', { params: { query: { ...query, ...ofOwner, mode } } }));
  };
  const top = LISTED.has(split) ? MOST_SHOWN : undefined;
  const [now, before] = await Promise.all([period, comparedWith(period)].map((within) => read(within, [split], top)));
  if (now === undefined || before === undefined) throw new Error('two periods have two reports');
  const { data: days } = await read(period, now.data.length > MOST_DRAWN ? ['day'] : ['day', split]);
  return { rows: rowsOf(now, before, split), total: now.total, before: before.total, days };
}

function rowsOf(now: Report, before: Report, split: Split): readonly SplitRow[] {
  const rows = new Map<string, SplitRow>();
  const none: Sum = { requests: 0, input_tokens: 0, output_tokens: 0, charged: 0, charged_usd: 0 };
  for (const { group, names, ...sum } of now.data) {
    const id = String(group[split] ?? '');
    rows.set(id, { id, name: nameOf(id, names[split], split), sum, before: 0 });
  }
  for (const { group, names, charged } of before.data) {
    const id = String(group[split] ?? '');
    const known = rows.get(id) ?? { id, name: nameOf(id, names[split], split), sum: none };
    rows.set(id, { ...known, before: charged });
  }
  return [...rows.values()].sort((a, b) => b.sum.charged - a.sum.charged || b.before - a.before);
}

/** What a group is called; money of requests that have no such value is part of every split. */
function nameOf(id: string, name: string | undefined, split: Split): string {
  if (name !== undefined) return name;
  if (id !== '' && id !== '0') return split === 'owner' || split === 'key' ? t('Number {id}', { id }) : id;
  return split === 'tag' ? t('Without this tag') : t('Not known');
}

const changeOf = (now: number, before: number): number | undefined =>
  before === 0 ? undefined : (100 * (now - before)) / before;

function UsageFigures({ view: { total, before }, period }: { view: UsageView; period: Period }) {
  const compared = comparedWith(period);
  const { gone, all } = daysOf(period);
  // The last day of a period that ends today is hardly worth a forecast.
  const forecast = gone > 0 && all - gone > 1 ? (total.charged_usd / gone) * all : undefined;
  return (
    <div className="cards figures">
      <UsageFigure
        name={t('Spend')}
        value={formatUsd(total.charged_usd)}
        change={changeOf(total.charged, before.charged)}
        about={t('{before} in {period}', { before: formatUsd(before.charged_usd), period: periodWords(compared) })}
      />
      {forecast !== undefined && (
        <UsageFigure
          name={t('Forecast')}
          value={formatUsd(forecast)}
          note={t('if each day costs as much as those so far')}
        />
      )}
      <UsageFigure
        name={t('Requests')}
        value={formatShort(total.requests)}
        change={changeOf(total.requests, before.requests)}
        about={t('{before} in {period}', { before: formatNumber(before.requests), period: periodWords(compared) })}
      />
      <UsageFigure
        name={t('Input tokens')}
        value={formatShort(total.input_tokens)}
        change={changeOf(total.input_tokens, before.input_tokens)}
        about={t('{before} in {period}', { before: formatNumber(before.input_tokens), period: periodWords(compared) })}
      />
      <UsageFigure
        name={t('Output tokens')}
        value={formatShort(total.output_tokens)}
        change={changeOf(total.output_tokens, before.output_tokens)}
        about={t('{before} in {period}', { before: formatNumber(before.output_tokens), period: periodWords(compared) })}
      />
    </div>
  );
}

interface UsageFigureProps {
  readonly name: string;
  readonly value: string;
  readonly change?: number | undefined;
  /** Of the period before. */
  readonly about?: string;
  readonly note?: string;
}

function UsageFigure({ name, value, change, about, note }: UsageFigureProps) {
  return (
    <div className="card figure">
      <span>{name}</span>
      <b>{value}</b>
      {note !== undefined && <span>{note}</span>}
      {change !== undefined && (
        <Tooltip label={about}>
          <span>
            {change > 0 ? '+' : ''}
            {change.toFixed(0)} % <span className="quiet">{t('vs. the period before')}</span>
          </span>
        </Tooltip>
      )}
    </div>
  );
}

function SplitTable({ view: { rows, total, before }, split }: { view: UsageView; split: Split }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, SHOWN);
  const share = (charged: number): string =>
    total.charged === 0 ? '–' : `${((100 * charged) / total.charged).toFixed(1)} %`;
  return (
    <section className="card">
      <h2>{t('Spend by {group}', { group: t(GROUP_NAMES[split]).toLowerCase() })}</h2>
      <table className="plain-table usage-split">
        <thead>
          <tr>
            <th>{t(GROUP_NAMES[split])}</th>
            <th className="right">{t('Spend')}</th>
            <th className="right">{t('Share')}</th>
            <th className="right extra">{t('Before')}</th>
            <th className="right extra">{t('Requests')}</th>
            <th className="right extra">{t('Input tokens')}</th>
            <th className="right extra">{t('Output tokens')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.id}>
              <td>{LISTED.has(split) && row.id !== '' ? <RequestsOf split={split} row={row} /> : row.name}</td>
              <td className="right">{formatUsd(row.sum.charged_usd)}</td>
              <td className="right">{share(row.sum.charged)}</td>
              <td className="right extra">{formatUsd(row.before / 500_000)}</td>
              <td className="right extra">{formatNumber(row.sum.requests)}</td>
              <td className="right extra">{formatNumber(row.sum.input_tokens)}</td>
              <td className="right extra">{formatNumber(row.sum.output_tokens)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td>{t('Total')}</td>
            <td className="right">{formatUsd(total.charged_usd)}</td>
            <td className="right" />
            <td className="right extra">{formatUsd(before.charged_usd)}</td>
            <td className="right extra">{formatNumber(total.requests)}</td>
            <td className="right extra">{formatNumber(total.input_tokens)}</td>
            <td className="right extra">{formatNumber(total.output_tokens)}</td>
          </tr>
        </tfoot>
      </table>
      {shown.length < rows.length && (
        <Button mt="sm" variant="default" onClick={() => setAll(true)}>
          {t('Show all {count} lines', { count: formatNumber(rows.length) })}
        </Button>
      )}
    </section>
  );
}

function RequestsOf({ split, row }: { split: Split; row: SplitRow }) {
  return (
    <PageLink to="/requests" search={{ [split]: row.id }}>
      {row.name}
    </PageLink>
  );
}

/** All rows of the table, not only those that are drawn. */
function saveRows({ rows }: UsageView, { split, tag }: Asked, period: Period): void {
  const { from, to } = timesOf(period);
  const name = period.month ?? `${from.slice(0, 10)}-to-${new Date(Date.parse(to) - 1).toISOString().slice(0, 10)}`;
  saveFile(`usage-by-${split}-${name}.csv`, [
    toCsv(
      rows.map((row) => ({
        [split === 'tag' ? `tag ${tag}` : split]: row.id,
        name: row.name,
        requests: row.sum.requests,
        input_tokens: row.sum.input_tokens,
        output_tokens: row.sum.output_tokens,
        charged: row.sum.charged,
        charged_usd: row.sum.charged_usd,
        charged_before: row.before,
        charged_before_usd: row.before / 500_000,
      })),
    ),
  ]);
}
