/** A collector that is not there, refuses or never answers costs callers nothing, and memory a bounded queue. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openTestGateway, startOtlpReceiver } from '@model-gateway/testing';
import { pino } from 'pino';
import { openTelemetry } from '../src/telemetry/open.ts';
import { telemetrySettings } from '../src/telemetry/settings.ts';

const REQUESTS = 120;

/** What callers, the log and the metrics see while every signal goes to `endpoint`. */
async function served(endpoint: string, until: (log: readonly string[]) => Promise<void>) {
  const log: string[] = [];
  const gateway = await openTestGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      OTEL_BSP_SCHEDULE_DELAY: '5',
      OTEL_BSP_MAX_QUEUE_SIZE: '16',
    },
    log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
  });
  const statuses = await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      await reply.arrayBuffer();
      return reply.status;
    }),
  );
  await until(log);
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  const began = performance.now();
  await gateway.close();
  return { statuses, log, page, closedMs: performance.now() - began };
}

it.each([
  { name: 'is not there', status: undefined },
  { name: 'refuses', status: 500 },
  { name: 'never answers', status: 'hang' as const },
])('one that $name: every caller is answered, the operator is told once', async ({ status }) => {
  const collector = await startOtlpReceiver(status ?? 200);
  if (status === undefined) await collector.close();
  const said = (log: readonly string[]): readonly string[] =>
    log.filter((line) => line.includes('telemetry cannot be exported') && line.includes('"traces"'));
  const { statuses, log, page, closedMs } = await served(collector.url, async (lines) => {
    while (said(lines).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(said(log)).toHaveLength(1);
  expect(page).toMatch(/gateway_telemetry_exports_total\{signal="traces",outcome="failed"\} [1-9]/);
  expect(closedMs).toBeLessThan(8_000);
  if (status !== undefined) await collector.close();
});

it('what waits for one that never answers is bounded', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const collector = await startOtlpReceiver('hang');
  const settings = telemetrySettings(
    { endpoint: collector.url, signals: ['traces'] },
    // Less than what a file that has closed everything may take to be gone: an export is given up by a timer.
    { OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_EXPORTER_OTLP_TIMEOUT: '8000' },
  );
  const telemetry = await openTelemetry(settings, '0.0.0');
  const trace = (): void => {
    const span = telemetry?.tracing?.request({
      method: 'POST',
      route: '/x',
      path: '/x',
      requestId: 'r'.repeat(1000),
      traceParent: undefined,
      traceState: undefined,
    });
    span?.ended({
      status: 200,
      aborted: false,
      errorCode: undefined,
      keyId: 1,
      mode: 'live',
      firstByteMs: undefined,
      content: undefined,
    });
  };
  for (let span = 0; span < 5_000; span++) trace();
  await collector.until(({ requests }) => requests > 0);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let span = 0; span < 50_000; span++) trace();
  collect();
  // Kept, they would be a hundred megabytes.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20e6);
  expect(collector.requests).toBeLessThanOrEqual(2);
  await telemetry?.close();
  await collector.close();
});
