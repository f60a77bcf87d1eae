/** What else goes out by OTLP, and what goes with it: metrics, logs, recorded messages, trace context for vendors and webhooks. */
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, startOtlpReceiver, type OtlpReceiver, type TestGateway } from '@model-gateway/testing';
import { openTelemetry } from '../src/telemetry/open.ts';
import { telemetrySettings } from '../src/telemetry/settings.ts';
import { createLog, flushed } from '../src/server/log.ts';

const TRACE = '1af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

let collector: OtlpReceiver;
let gateway: TestGateway;
let other: Server;
let seen: IncomingMessage['headers'][] = [];
let otherUrl = '';

beforeAll(async () => {
  collector = await startOtlpReceiver();
  other = createServer((request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message: { role: 'assistant', content: 'There you are' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
        }),
      );
    });
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const account = (id: number, name: string, more: string): string =>
    `  - { id: ${id}, name: ${name}, vendor: openai-compatible, base_url: '${otherUrl}/v1', credentials: { api_key: k }${more} }`;
  const model = (code: string, offer: string): string =>
    `  - { code: ${code}, kind: chat, offers: [{ account: ${offer}, model: m, dialect: openai-chat }], price: { input: 1, output: 1 }, limits: { max_input_tokens: 1000, max_output_tokens: 1000 } }`;
  gateway = await openTestGateway({
    yaml: `security: { allow_private: ['127.0.0.1'] }
telemetry: { endpoint: '${collector.url}', metrics_seconds: 0.1, capture_content: true, content_limit: 40b }
extends: none
accounts:
${account(1, 'told', ', propagate_trace: true')}
${account(2, 'untold', '')}
models:
${model('traced', 'told')}
${model('untraced', 'untold')}
  - { code: sora, kind: video, body: seconds, offers: [{ account: untold, model: sora-2 }], price: { second: 0.1 } }`,
    env: { OTEL_BSP_SCHEDULE_DELAY: '20' },
  });
});
afterAll(async () => {
  await gateway.close();
  await collector.close();
  await new Promise((resolve) => other.close(resolve));
});

const ask = async (model: string, content: string, key = gateway.liveKey): Promise<void> => {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', traceparent: PARENT },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content },
      ],
    }),
  });
  expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
};

it('an account that says so is told the trace, as a part of its own attempt; others are not', async () => {
  seen = [];
  await ask('untraced', 'Hello');
  await ask('traced', 'Hello');
  expect(seen.map(({ traceparent }) => traceparent !== undefined)).toEqual([false, true]);
  const [, traceId, spanId] = String(seen[1]?.['traceparent']).split('-');
  expect(traceId).toBe(TRACE);
  await collector.until(({ spans }) => spans.some((span) => span.spanId === spanId));
  expect(collector.spans.find((span) => span.spanId === spanId)).toMatchObject({ name: 'chat traced', kind: 3 });
});

it('messages are recorded where that is asked for, within the limit, the newest first', async () => {
  await ask('untraced', `${'old '.repeat(20)}END`);
  const recorded = (): string | undefined =>
    collector.spans
      .map(({ attributes }) => attributes['gen_ai.input.messages'])
      .find((text): text is string => typeof text === 'string' && text.includes('old'));
  await collector.until(() => recorded() !== undefined);
  const [message] = JSON.parse(recorded() ?? '') as [{ role: string; parts: { content: string }[] }];
  expect(message.role).toBe('user');
  expect(message.parts[0]?.content.length).toBeLessThanOrEqual(40);
  const { attributes } = collector.spans.find((span) => span.attributes['gen_ai.input.messages'] === recorded()) ?? {};
  expect(attributes?.['gen_ai.output.messages']).toBe(
    JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'There you are' }], finish_reason: 'stop' }]),
  );
  expect(attributes?.['gen_ai.system_instructions']).toBe(JSON.stringify([{ type: 'text', content: 'Be brief' }]));
});

it('the numbers of /metrics arrive, with their units', async () => {
  await collector.until(({ metrics }) => metrics.some(({ name, points }) => name === 'gateway_requests' && points > 0));
  const found = new Map(collector.metrics.map((metric) => [metric.name, metric]));
  expect(found.get('gen_ai.server.request.duration')).toMatchObject({ kind: 'histogram', unit: 's' });
  expect(found.get('gateway_charged_dollars_total')).toMatchObject({ kind: 'sum', unit: 'USD' });
  expect(found.get('process_resident_memory_bytes')).toMatchObject({ kind: 'gauge', unit: 'By' });
});

it('lines of the log arrive with the trace they belong to', async () => {
  const settings = telemetrySettings(
    { endpoint: collector.url, signals: ['logs', 'traces'] },
    { OTEL_BSP_SCHEDULE_DELAY: '20' },
  );
  const telemetry = await openTelemetry(settings, '0.0.0');
  const log = createLog('info', openSync('/dev/null', 'w'), { telemetry });
  const span = telemetry?.tracing?.request({
    method: 'GET',
    route: '/x',
    path: '/x',
    requestId: 'req_1',
    traceParent: PARENT,
    traceState: undefined,
  });
  span?.run(() => log.warn({ task: 'task_1' }, 'within'));
  log.error('without');
  await flushed(log);
  await collector.until(({ logs }) => logs.length >= 2);
  const [within, without] = collector.logs.slice(-2);
  expect(within).toMatchObject({
    severity: 'WARN',
    body: 'within',
    attributes: { task: 'task_1' },
    traceId: TRACE,
    spanId: span?.spanId,
  });
  expect(without).toMatchObject({ severity: 'ERROR', body: 'without', traceId: '' });
  await telemetry?.close();
});

it('a webhook carries the trace of the request that made its task', async () => {
  const headers = new Promise<IncomingMessage['headers']>((resolve) => {
    const receiver = createServer((request, response) => {
      resolve(request.headers);
      response.end();
      receiver.close();
    });
    receiver.listen(0, '127.0.0.1', () => {
      const { port } = receiver.address() as AddressInfo;
      void fetch(`${gateway.url}/v1/videos`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.testKey}`,
          'content-type': 'application/json',
          traceparent: PARENT,
        },
        body: JSON.stringify({
          model: 'sora',
          prompt: 'a house',
          seconds: '4',
          callback_url: `http://127.0.0.1:${port}/hook`,
        }),
      }).then((reply) => reply.arrayBuffer());
    });
  });
  const [, traceId, spanId] = String((await headers)['traceparent']).split('-');
  expect(traceId).toBe(TRACE);
  await collector.until(({ spans }) => spans.some((span) => span.spanId === spanId && span.name === 'webhook task'));
});
