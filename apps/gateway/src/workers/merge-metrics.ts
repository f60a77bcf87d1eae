/** Pages of Prometheus' text form, of several workers, as one: counters and histograms added up, gauges told apart by a label. */
import type { Answer } from './gathering.ts';

const SUMMED = new Set(['counter', 'histogram', 'summary']);
/** What OpenTelemetry says of the process as a whole. */
const SAME_EVERYWHERE = new Set(['target_info']);
const SAMPLE = /^([A-Za-z_:][A-Za-z0-9_:]*)(\{.*\})?\s+(\S+)/;

export interface WorkerPage {
  /** The number of the worker. */
  readonly worker: number;
  readonly page: string;
}

interface Family {
  /** Its `# HELP` and `# TYPE` lines. */
  readonly head: string[];
  summed: boolean;
  /** By name and labels; in the order they came. */
  readonly samples: Map<string, number>;
}

/** Prints the pages as one. */
export function mergePages(pages: readonly WorkerPage[]): string {
  return print([...familiesOf(pages).values()]);
}

/** What can be added up of some pages, as a page: what is left of workers that are gone. */
export function sumsOf(pages: readonly string[]): string {
  const families = familiesOf(pages.map((page) => ({ worker: 0, page })));
  return print([...families.values()].filter(({ summed }) => summed));
}

function print(families: readonly Family[]): string {
  const lines = families
    .filter(({ samples }) => samples.size > 0)
    .flatMap(({ head, samples }) => [
      ...head,
      ...[...samples].map(([sample, value]) => `${sample} ${numberText(value)}`),
    ]);
  return lines.map((line) => `${line}\n`).join('');
}

function familiesOf(pages: readonly WorkerPage[]): Map<string, Family> {
  const families = new Map<string, Family>();
  for (const { worker, page } of pages) {
    let family: Family | undefined;
    let name = '';
    for (const line of page.split('\n')) {
      const [, word, of = '', text = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
      if (word !== undefined) {
        if (of !== name || family === undefined) {
          name = of;
          family = families.get(of);
          if (family === undefined) families.set(of, (family = { head: [], summed: false, samples: new Map() }));
        }
        if (!family.head.some((known) => known.startsWith(`# ${word} `))) family.head.push(line);
        if (word === 'TYPE') family.summed = SUMMED.has(text);
        continue;
      }
      const [, sample, labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      if (sample === undefined || family === undefined) continue;
      const key =
        family.summed || SAME_EVERYWHERE.has(sample) ? `${sample}${labels}` : `${sample}${labelled(labels, worker)}`;
      const before = family.summed ? (family.samples.get(key) ?? 0) : 0;
      family.samples.set(key, before + readNumber(value));
    }
  }
  return families;
}

function labelled(labels: string, worker: number): string {
  const inside = labels.slice(1, -1).replace(/,$/, '');
  return `{${inside}${inside === '' ? '' : ','}worker="${worker}"}`;
}

function readNumber(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '-Inf' ? -Infinity : Number(text);
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

export interface Metrics {
  /** The page, of what the workers answered. */
  page(answers: readonly Answer[]): string;
  /** The worker has died: what it had counted stays. */
  gone(worker: number): void;
}

/** Makes the metrics of the primary; it has two of its own. */
export function createMetrics(own: { readonly ready: () => number; readonly restarts: () => number }): Metrics {
  /** As they were last shown: what a worker counted after that is lost with it, so that no sum falls. */
  const shown = new Map<number, string>();
  /** Of workers that have died: added to every later page, because a sum that fell would be read as a restart. */
  let left = '';
  return {
    page(answers) {
      for (const { worker, answer } of answers) if (typeof answer === 'string') shown.set(worker, answer);
      const pages = [...shown].map(([worker, page]) => ({ worker, page }));
      const primary = [
        '# HELP gateway_workers Workers that take requests.',
        '# TYPE gateway_workers gauge',
        `gateway_workers ${own.ready()}`,
        '# HELP gateway_worker_restarts_total Workers that took the place of one that had died.',
        '# TYPE gateway_worker_restarts_total counter',
        `gateway_worker_restarts_total ${own.restarts()}`,
        '',
      ].join('\n');
      return mergePages([...pages, { worker: 0, page: left }]) + primary;
    },
    gone(worker) {
      const page = shown.get(worker);
      shown.delete(worker);
      if (page !== undefined) left = sumsOf([left, page]);
    },
  };
}
