/** The metrics of all workers on one page, and never less than was shown before. */
import type { Answer } from './gathering.ts';
import { mergePages, sumsOf } from './merge-metrics.ts';

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
