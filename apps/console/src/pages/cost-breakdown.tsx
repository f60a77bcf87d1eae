/** Where the money of a period went: by model, key, owner or account, by their names. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { t, type Text } from '../text/text.ts';
import { formatNumber, formatShort, formatUsd } from '../ui/format.ts';
import { PageLink, useFilters } from '../ui/page-link.tsx';

const SHOWN = 12;

interface Group {
  readonly name: 'model' | 'key' | 'owner' | 'account';
  readonly title: Text;
  /** What the log of requests is filtered by for one of them; absent: it cannot be. */
  readonly filter?: string;
  /** Owners know nothing of accounts, and of owners only themselves. */
  readonly isOfOperators?: boolean;
}
const GROUPS: readonly [Group, ...Group[]] = [
  { name: 'model', title: 'Model', filter: 'model' },
  { name: 'key', title: 'Key', filter: 'key_id' },
  { name: 'owner', title: 'Owner', filter: 'owner_id', isOfOperators: true },
  { name: 'account', title: 'Account', isOfOperators: true },
];

interface BreakdownProps {
  /** Of the keys whose requests are shown; only operators choose. */
  readonly mode: 'live' | 'test';
  /** How far back, in milliseconds. */
  readonly ms: number;
  readonly refresh: number;
}

export function CostBreakdown({ mode, ms, refresh }: BreakdownProps) {
  const { admin } = useRights();
  const [{ by }, change] = useFilters();
  const groups = GROUPS.filter(({ isOfOperators }) => admin || isOfOperators !== true);
  const group = groups.find(({ name }) => name === by) ?? GROUPS[0];
  const usage = useQuery({
    queryKey: ['cost-breakdown', admin, mode, ms, group.name],
    queryFn: () => readCosts(admin, group.name, mode, ms),
    refetchInterval: refresh,
    placeholderData: (before) => before,
  });
  const { data: all = [], total, from, to } = usage.data ?? {};
  const rows = [...all].sort((a, b) => b.charged - a.charged || b.requests - a.requests).slice(0, SHOWN);
  const most = Math.max(1, ...rows.map(({ charged }) => charged));
  if (rows.length === 0 || total === undefined || usage.data?.group_by[0] !== group.name) return null;
  const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(admin && { mode }) };
  return (
    <section className="card" aria-label={t('Cost breakdown')}>
      <div className="row above">
        <h2 className="grow breakdown-title">
          {t('Cost breakdown')} <span className="small quiet">{t('US dollars, of requests that were charged')}</span>
        </h2>
        <SegmentedControl
          size="xs"
          aria-label={t('Broken down by')}
          value={group.name}
          onChange={(next) => change({ by: next === GROUPS[0].name ? undefined : next })}
          data={groups.map(({ name, title }) => ({ value: name, label: t(title) }))}
        />
      </div>
      <div className="bars">
        {rows.map((row) => (
          <CostBar key={String(row.group[group.name])} row={row} group={group} most={most} period={period} />
        ))}
      </div>
      <p className="quiet small">
        {t('{usd} in all, for {count} requests.', {
          usd: formatUsd(total.charged_usd),
          count: formatNumber(total.requests),
        })}
        {all.length > SHOWN && ` ${t('Only the {count} largest are shown.', { count: SHOWN })}`}
      </p>
    </section>
  );
}

function readCosts(admin: boolean, by: Group['name'], mode: 'live' | 'test', ms: number) {
  const times = { from: new Date(Date.now() - ms).toISOString(), to: new Date().toISOString() };
  if (admin) return ask(api.GET('/admin/usage', { params: { query: { ...times, group_by: [by], mode } } }));
  const own = by === 'key' ? by : 'model';
  return ask(api.GET('/v1/usage', { params: { query: { ...times, group_by: [own] } } }));
}

interface CostBarProps {
  readonly row: Schemas['UsageRow'];
  readonly group: Group;
  readonly most: number;
  /** Filters of the log that lead to the requests behind it. */
  readonly period: Readonly<Record<string, string>>;
}

function CostBar({ row, group, most, period }: CostBarProps) {
  const value = row.group[group.name] ?? '';
  // An owner of test keys has a number below zero in reports, and its own in the log.
  const id = typeof value === 'number' ? Math.abs(value) : value;
  const isKnown = id !== '' && id !== 0;
  const name = row.names[group.name] ?? (isKnown ? String(id) : t('none'));
  const words = t('{count} requests', { count: formatNumber(row.requests) });
  const tokens = t('{count} tokens', { count: formatShort(row.input_tokens + row.output_tokens) });
  return (
    <div className="bar">
      {group.filter !== undefined && isKnown ? (
        <PageLink to="/requests" search={{ ...period, [group.filter]: String(id) }}>
          {name}
        </PageLink>
      ) : (
        <span>{name}</span>
      )}
      <div className="track" role="img" aria-label={`${words}, ${tokens}`} title={`${words}, ${tokens}`}>
        <i style={{ left: 0, width: `${(100 * row.charged) / most}%` }} />
      </div>
      <span className="right">{formatUsd(row.charged_usd)}</span>
    </div>
  );
}
