import { describe, expect, it } from 'vitest';
import { mergePages, sumsOf, createMetrics } from './merge-metrics.ts';

const page = (requests: number, more = ''): string => `# HELP target_info Target metadata
# TYPE target_info gauge
target_info{service_name="gateway"} 1
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="/v1/a b",status="200"} ${requests}
${more}# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="0.5"} ${requests}
seconds_bucket{le="+Inf"} ${requests}
seconds_sum ${requests / 2}
seconds_count ${requests}
# HELP in_flight Running.
# TYPE in_flight gauge
in_flight{vendor="ark"} 2
# HELP lag Late.
# TYPE lag gauge
lag 0.25
`;

describe('pages of several workers', () => {
  it('are one: sums are added up, gauges told apart, what is said of all is said once', () => {
    const merged = mergePages([
      { worker: 1, page: page(2) },
      { worker: 2, page: page(3, 'requests_total{route="/v1/a b",status="429"} 1\n') },
    ]);
    expect(merged).toBe(`# HELP target_info Target metadata
# TYPE target_info gauge
target_info{service_name="gateway"} 1
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="/v1/a b",status="200"} 5
requests_total{route="/v1/a b",status="429"} 1
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="0.5"} 5
seconds_bucket{le="+Inf"} 5
seconds_sum 2.5
seconds_count 5
# HELP in_flight Running.
# TYPE in_flight gauge
in_flight{vendor="ark",worker="1"} 2
in_flight{vendor="ark",worker="2"} 2
# HELP lag Late.
# TYPE lag gauge
lag{worker="1"} 0.25
lag{worker="2"} 0.25
`);
  });

  it('of workers that are gone leave their sums, and no gauges', () => {
    const left = sumsOf([page(2), page(4)]);
    expect(left).toContain('requests_total{route="/v1/a b",status="200"} 6\n');
    expect(left).not.toMatch(/in_flight|lag|target_info/);
    expect(sumsOf([''])).toBe('');
  });
});

describe('the metrics of a gateway', () => {
  const requests = (text: string): string | undefined => /^requests_total\{.*\} (\d+)$/m.exec(text)?.[1];

  it('never show less than before: not when a worker dies, not when one is silent', () => {
    const metrics = createMetrics({ ready: () => 2, restarts: () => 1 });
    const both = [
      { worker: 1, answer: page(10) },
      { worker: 2, answer: page(5) },
    ];
    expect(requests(metrics.page(both))).toBe('15');
    expect(requests(metrics.page([{ worker: 2, answer: page(6) }]))).toBe('16');
    metrics.gone(1);
    expect(requests(metrics.page([{ worker: 2, answer: page(6) }]))).toBe('16');
    // Its successor begins at nothing.
    expect(
      requests(
        metrics.page([
          { worker: 1, answer: page(1) },
          { worker: 2, answer: page(6) },
        ]),
      ),
    ).toBe('17');
    metrics.gone(1);
    metrics.gone(2);
    const last = metrics.page([]);
    expect(requests(last)).toBe('17');
    expect(last).toContain('gateway_workers 2\n');
    expect(last).toContain('gateway_worker_restarts_total 1\n');
  });
});
