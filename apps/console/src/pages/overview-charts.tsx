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
  const plot = plotOf(overview, onOpen);
  return (
    <div className="cards wide charts">
      <Requests {...plot} />
      <Tokens {...plot} />
      <Cost {...plot} />
      <Latency {...plot} />
      <FirstByte {...plot} />
    </div>
  );
}

/** What the charts have in common: the same rows, opened by a click on the moment. */
interface Plot {
  readonly common: ReturnType<typeof commonOf>;
  /** Grid, axes and the box at the pointer; with `hasFractions` false the axis has whole numbers alone. */
  readonly frame: (format: (value: number) => string, hasFractions?: boolean) => ReactElement[];
  /** Of how long a row is, in words. */
  readonly step: string;
}

function plotOf(overview: Schemas['Overview'], onOpen: (at: string) => void): Plot {
  const axis = { tick: { fill: 'var(--quiet)', fontSize: 12 }, axisLine: { stroke: 'var(--line)' }, tickLine: false };
  const frame: Plot['frame'] = (format, hasFractions = true) => [
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
  return { common: commonOf(overview, onOpen), frame, step: stepWords(overview.step) };
}

function commonOf({ data }: Schemas['Overview'], onOpen: (at: string) => void) {
  const onClick = (state: { activeLabel?: string | number | undefined }): void => {
    if (typeof state.activeLabel === 'string') onOpen(state.activeLabel);
  };
  return { data: data.map(toRow), onClick, margin: { top: 6, right: 8, bottom: 0, left: 0 } };
}

const STILL = { isAnimationActive: false } as const;

function Requests({ common, frame, step }: Plot) {
  return (
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
        <Bar dataKey="fine" name={t('Answered')} stackId="a" fill="var(--accent)" {...STILL} />
        <Bar dataKey="errors" name={t('Errors')} stackId="a" fill="var(--bad)" {...STILL} />
      </BarChart>
    </Chart>
  );
}

function Tokens({ common, frame, step }: Plot) {
  const stacked = { stackId: 'a', ...STILL } as const;
  return (
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
        <Area dataKey="input" name={t('Input')} stroke="var(--h-function)" fill="var(--h-function)" {...stacked} />
        <Area dataKey="output" name={t('Output')} stroke="var(--accent)" fill="var(--accent)" {...stacked} />
      </AreaChart>
    </Chart>
  );
}

function Cost({ common, frame, step }: Plot) {
  return (
    <Chart title={t('Cost')} unit={t('US dollars per {step}', { step })} legend={[[t('Cost'), 'var(--h-constant)']]}>
      <BarChart {...common}>
        {frame(formatUsd)}
        <Bar dataKey="usd" name={t('Cost')} fill="var(--h-constant)" {...STILL} />
      </BarChart>
    </Chart>
  );
}

const LINE = { dot: { r: 2 }, strokeWidth: 2, ...STILL } as const;

function Latency({ common, frame }: Plot) {
  return (
    <Chart title={t('Latency')} unit={t('time of a request to its end')} legend={percentiles()}>
      <LineChart {...common}>
        {frame(formatDuration)}
        <Line dataKey="p50" name={t('p50')} stroke="var(--accent)" {...LINE} />
        <Line dataKey="p90" name={t('p90')} stroke="var(--h-function)" {...LINE} />
        <Line dataKey="p99" name={t('p99')} stroke="var(--bad)" {...LINE} />
      </LineChart>
    </Chart>
  );
}

function FirstByte({ common, frame }: Plot) {
  return (
    <Chart
      title={t('Time to first byte')}
      unit={t('time to the first byte of streamed answers')}
      legend={percentiles().slice(0, 2)}
    >
      <LineChart {...common}>
        {frame(formatDuration)}
        <Line dataKey="first50" name={t('p50')} stroke="var(--accent)" {...LINE} />
        <Line dataKey="first90" name={t('p90')} stroke="var(--h-function)" {...LINE} />
      </LineChart>
    </Chart>
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
