/** The overview's charts. */
import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  Tooltip,
  XAxis,
  YAxis,
  ResponsiveContainer,
} from 'recharts';
import type { ReactElement } from 'react';
import type { Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatShort, formatTime, formatUsd, locale } from '../ui/format.ts';

type Bucket = Schemas['OverviewBucket'];
interface Shown {
  readonly at: string;
  readonly [name: string]: string | number | null;
}

export default function Charts({ overview, onOpen }: { overview: Schemas['Overview']; onOpen: (at: string) => void }) {
  const rows = overview.data.map(toRow);
  const open = (state: { activeLabel?: string | number | undefined }): void => {
    if (typeof state.activeLabel === 'string') onOpen(state.activeLabel);
  };
  const axis = { tick: { fill: 'var(--quiet)', fontSize: 12 }, axisLine: { stroke: 'var(--line)' }, tickLine: false };
  const frame = (format: (value: number) => string, hasFractions = true) => [
    <CartesianGrid key="grid" stroke="var(--line)" vertical={false} />,
    <XAxis key="x" dataKey="at" {...axis} minTickGap={48} tickFormatter={(at: string) => tick(at, overview.step)} />,
    <YAxis key="y" {...axis} width={70} tickFormatter={format} allowDecimals={hasFractions} />,
    <Tooltip
      key="tip"
      cursor={{ fill: 'var(--bg-soft)', stroke: 'var(--line)' }}
      labelFormatter={(at) => formatTime(typeof at === 'string' ? at : undefined)}
      formatter={(value) => (typeof value === 'number' ? format(value) : '–')}
      contentStyle={{ background: 'var(--bg)', border: '1px solid var(--line)', borderRadius: 8, color: 'var(--text)' }}
      itemStyle={{ color: 'var(--text)' }}
    />,
  ];
  const still = { isAnimationActive: false } as const;
  const common = { data: rows, onClick: open, margin: { top: 6, right: 8, bottom: 0, left: 0 } };
  const latency = frame(formatDuration);
  const step = stepWords(overview.step);
  return (
    <div className="cards wide charts">
      <Chart
        title={t('Requests and errors')}
        unit={t('requests per {step}', { step })}
        legend={[
          [t('Answered'), 'var(--accent)'],
          [t('Errors'), 'var(--bad)'],
        ]}
      >
        <BarChart {...common}>
          {frame(formatShort, false)}
          <Bar dataKey="fine" name={t('Answered')} stackId="a" fill="var(--accent)" {...still} />
          <Bar dataKey="errors" name={t('Errors')} stackId="a" fill="var(--bad)" {...still} />
        </BarChart>
      </Chart>
      <Chart
        title={t('Tokens')}
        unit={t('tokens per {step}', { step })}
        legend={[
          [t('Input'), 'var(--h-function)'],
          [t('Output'), 'var(--accent)'],
        ]}
      >
        <AreaChart {...common}>
          {frame(formatShort, false)}
          <Area
            dataKey="input"
            name={t('Input')}
            stackId="a"
            stroke="var(--h-function)"
            fill="var(--h-function)"
            {...still}
          />
          <Area
            dataKey="output"
            name={t('Output')}
            stackId="a"
            stroke="var(--accent)"
            fill="var(--accent)"
            {...still}
          />
        </AreaChart>
      </Chart>
      <Chart title={t('Cost')} unit={t('US dollars per {step}', { step })} legend={[[t('Cost'), 'var(--h-constant)']]}>
        <BarChart {...common}>
          {frame(formatUsd)}
          <Bar dataKey="usd" name={t('Cost')} fill="var(--h-constant)" {...still} />
        </BarChart>
      </Chart>
      <Chart title={t('Latency')} unit={t('time of a request to its end')} legend={percentiles()}>
        <LineChart {...common}>
          {latency}
          <Line dataKey="p50" name={t('p50')} stroke="var(--accent)" dot={{ r: 2 }} strokeWidth={2} {...still} />
          <Line dataKey="p90" name={t('p90')} stroke="var(--h-function)" dot={{ r: 2 }} strokeWidth={2} {...still} />
          <Line dataKey="p99" name={t('p99')} stroke="var(--bad)" dot={{ r: 2 }} strokeWidth={2} {...still} />
        </LineChart>
      </Chart>
      <Chart
        title={t('Time to first byte')}
        unit={t('time to the first byte of streamed answers')}
        legend={percentiles().slice(0, 2)}
      >
        <LineChart {...common}>
          {latency}
          <Line dataKey="first50" name={t('p50')} stroke="var(--accent)" dot={{ r: 2 }} strokeWidth={2} {...still} />
          <Line
            dataKey="first90"
            name={t('p90')}
            stroke="var(--h-function)"
            dot={{ r: 2 }}
            strokeWidth={2}
            {...still}
          />
        </LineChart>
      </Chart>
    </div>
  );
}

type Legend = readonly (readonly [name: string, colour: string])[];

const percentiles = (): Legend => [
  [t('p50'), 'var(--accent)'],
  [t('p90'), 'var(--h-function)'],
  [t('p99'), 'var(--bad)'],
];

interface ChartProps {
  readonly title: string;
  /** What is counted, in which unit. */
  readonly unit: string;
  readonly legend: Legend;
  readonly children: ReactElement;
}

function Chart({ title, unit, legend, children }: ChartProps) {
  return (
    <section className="card chart" aria-label={title}>
      <h2>
        {title} <span className="small quiet">{unit}</span>
      </h2>
      <ul className="legend">
        {legend.map(([name, colour]) => (
          <li key={name}>
            <i style={{ background: colour }} /> {name}
          </li>
        ))}
      </ul>
      <ResponsiveContainer width="100%" height={200}>
        {children}
      </ResponsiveContainer>
    </section>
  );
}

function toRow(bucket: Bucket): Shown {
  return {
    at: bucket.at,
    fine: bucket.requests - bucket.errors,
    errors: bucket.errors,
    input: bucket.input_tokens,
    output: bucket.output_tokens,
    usd: bucket.charged_usd,
    p50: bucket.ms?.p50 ?? null,
    p90: bucket.ms?.p90 ?? null,
    p99: bucket.ms?.p99 ?? null,
    first50: bucket.first_byte_ms?.p50 ?? null,
    first90: bucket.first_byte_ms?.p90 ?? null,
  };
}

/** `5 minutes`, in the language of the page. */
function stepWords(seconds: number): string {
  const [unit, count] =
    seconds % DAY_SECONDS === 0
      ? (['day', seconds / DAY_SECONDS] as const)
      : seconds % HOUR_SECONDS === 0
        ? (['hour', seconds / HOUR_SECONDS] as const)
        : (['minute', seconds / 60] as const);
  const words = new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  // Per minute, not per 1 minute.
  return words.replace(/^1 /, '');
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
function tick(at: string, step: number): string {
  const format =
    step >= DAY_SECONDS / 4
      ? ({ month: 'short', day: 'numeric' } as const)
      : ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const);
  return new Intl.DateTimeFormat(locale(), format).format(new Date(at));
}
