/** Spend by day, in the colours of the groups that cost most. */
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatUsd } from '../ui/format.ts';
import { dayWords, type Period } from '../ui/period.tsx';

const DAY_MS = 86_400_000;
/** As many groups have a colour of their own. */
const COLOURS = 5;

/** By what spend is split. */
export type Split = Exclude<Schemas['UsageGroup'], 'day'>;

/** One row of the split, with what it was in the period before. */
export interface SplitRow {
  readonly id: string;
  readonly name: string;
  readonly sum: Schemas['UsageSum'];
  readonly before: number;
}

export interface UsageView {
  readonly rows: readonly SplitRow[];
  readonly total: Schemas['UsageSum'];
  readonly before: Schemas['UsageSum'];
  /** Of each day and, where there are few enough, each group. */
  readonly days: Schemas['UsageReport']['data'];
}

interface Series {
  readonly key: string;
  readonly name: string;
  readonly colour: string;
}

interface ChartProps {
  readonly view: UsageView;
  readonly split: Split;
  readonly period: Period;
}

export default function SpendByDay({ view, split, period }: ChartProps) {
  const series = seriesOf(view, split);
  const rows = rowsOf(view, split, period, series);
  const axis = { tick: { fill: 'var(--quiet)', fontSize: 12 }, axisLine: { stroke: 'var(--line)' }, tickLine: false };
  return (
    <section className="card chart" aria-label={t('Spend by day')}>
      <h2>
        {t('Spend by day')} <span className="small quiet">{t('US dollars per day, UTC')}</span>
      </h2>
      <ul className="legend">
        {series.map(({ key, name, colour }) => (
          <li key={key}>
            <i style={{ background: colour }} /> {name}
          </li>
        ))}
      </ul>
      <ResponsiveContainer width="100%" height={260}>
        <BarChart data={rows} margin={{ top: 6, right: 8, bottom: 0, left: 0 }}>
          <CartesianGrid stroke="var(--line)" vertical={false} />
          <XAxis dataKey="day" {...axis} minTickGap={32} tickFormatter={dayWords} />
          <YAxis {...axis} width={70} tickFormatter={(usd: number) => formatUsd(usd)} />
          <Tooltip
            cursor={{ fill: 'var(--bg-soft)' }}
            labelFormatter={(day) => (typeof day === 'string' ? dayWords(day) : '')}
            formatter={(value) => (typeof value === 'number' ? formatUsd(value) : '–')}
            contentStyle={{
              background: 'var(--bg)',
              border: '1px solid var(--line)',
              borderRadius: 8,
              color: 'var(--text)',
            }}
            itemStyle={{ color: 'var(--text)' }}
          />
          {series.map(({ key, name, colour }) => (
            <Bar
              key={key}
              dataKey={(row: DayRow) => row.spend[key] ?? 0}
              name={name}
              stackId="spend"
              fill={colour}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </section>
  );
}

interface DayRow {
  readonly day: string;
  /** US dollars by the key of their series. */
  readonly spend: Record<string, number>;
}

const OTHERS = 'others';

function seriesOf({ rows, days }: UsageView, split: ChartProps['split']): readonly Series[] {
  const isSplit = days[0] !== undefined && Object.hasOwn(days[0].group, split);
  if (!isSplit) return [{ key: OTHERS, name: t('Spend'), colour: 'var(--series-1)' }];
  const paid = rows.filter(({ sum }) => sum.charged > 0);
  const first = (paid.length > COLOURS + 1 ? paid.slice(0, COLOURS) : paid).map(({ id, name }, at) => ({
    key: `group ${id}`,
    name,
    colour: `var(--series-${at + 1})`,
  }));
  return paid.length > first.length
    ? [...first, { key: OTHERS, name: t('Others'), colour: `var(--series-${COLOURS + 1})` }]
    : first;
}

/** Every day of the period that has begun, those without spend too. */
function rowsOf(view: UsageView, split: ChartProps['split'], period: Period, series: readonly Series[]): DayRow[] {
  const known = new Set(series.map(({ key }) => key));
  const rows = new Map<string, DayRow>();
  for (let at = period.from.getTime(); at < Math.min(period.to.getTime(), Date.now()); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    rows.set(day, { day, spend: {} });
  }
  for (const { group, charged_usd: usd } of view.days) {
    const row = rows.get(String(group['day']));
    const own = `group ${String(group[split] ?? '')}`;
    const key = known.has(own) ? own : OTHERS;
    if (row !== undefined) row.spend[key] = (row.spend[key] ?? 0) + usd;
  }
  return [...rows.values()];
}
