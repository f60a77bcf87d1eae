/** Spans as a real OTLP collector gets them, over real sockets: parents, attributes, failures. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openTestGateway,
  startOtlpReceiver,
  startScriptedVendor,
  type OtlpReceiver,
  type ReceivedSpan,
  type ScriptedVendor,
  type TestGateway,
} from '@model-gateway/testing';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

let collector: OtlpReceiver;
let gateway: TestGateway;
/** Hangs up once and then answers. */
let vendor: ScriptedVendor;
let traces = 0;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  vendor = await startScriptedVendor(() =>
    vendor.requests.length === 1
      ? 'hang-up'
      : {
          json: {
            id: 'c',
            object: 'chat.completion',
            created: 1,
            model: 'm',
            choices: [
              {
                index: 0,
                finish_reason: 'stop',
                logprobs: null,
                message: { role: 'assistant', content: 'Hi', refusal: null },
              },
            ],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
          },
        },
  );
  gateway = await openTestGateway({
    yaml: `
accounts:
  - { name: flaky, vendor: openai, base_url: "${vendor.url}/v1", credentials: { api_key: key-0123456789 } }
models:
  - { code: flaky-model, kind: chat, offers: [{ account: flaky, model: m, dialect: openai-chat }], price: { input: 1, output: 1 } }
`,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc%20def',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
  await collector.close();
});

interface Asked {
  readonly status: number;
  readonly text: string;
  /** The request's spans: its own first, then in the order of their beginnings. */
  readonly spans: readonly ReceivedSpan[];
}

/** Sends a request as a part of a caller's trace and waits for its span. */
async function ask(
  path: string,
  body: object | undefined,
  { parent, key = gateway.testKey }: { readonly parent?: string; readonly key?: string } = {},
): Promise<Asked> {
  const traceId = TRACE.slice(0, 28) + String(traces++).padStart(4, '0');
  const reply = await fetch(gateway.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      traceparent: parent ?? `00-${traceId}-${CALLER}-01`,
      tracestate: 'vendor=1',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const mine = (): readonly ReceivedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  if (parent === undefined) await collector.until(() => mine().some(({ kind }) => kind === 2));
  const spans = mine().toSorted((a, b) => a.kind - b.kind || Number(a.startNs - b.startNs));
  return { status: reply.status, text, spans };
}

const chat = (content: string, more: object = {}): Promise<Asked> =>
  ask('/v1/chat/completions', { model: 'gpt-5.2', messages: [{ role: 'user', content }], ...more });

it('a plain answer: the request within the caller’s trace, the attempt within the request', async () => {
  const { spans } = await chat('Hello');
  expect(spans).toHaveLength(2);
  const [server, attempt] = spans;
  expect(server).toMatchObject({
    name: 'POST /v1/chat/completions',
    kind: 2,
    parentSpanId: CALLER,
    status: 0,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'gateway.mode': 'test',
    },
  });
  expect(attempt).toMatchObject({
    name: 'chat gpt-5.2',
    kind: 3,
    parentSpanId: server?.spanId,
    status: 0,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5.2',
      'server.address': '127.0.0.1',
      'gateway.attempt': 1,
    },
  });
  expect(attempt?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
  expect((attempt?.startNs ?? 0n) >= (server?.startNs ?? 1n) && (attempt?.endNs ?? 1n) <= (server?.endNs ?? 0n)).toBe(
    true,
  );
  expect(collector.resource).toMatchObject({
    'service.name': 'model-gateway',
    'deployment.environment.name': 'test',
  });
  expect(collector.headers['x-collector-key']).toBe('abc def');
});

it('a stream: its usage and the time to its first chunk', async () => {
  const { spans } = await chat('Hello', { stream: true });
  expect(spans[1]?.attributes).toMatchObject({ 'gen_ai.request.stream': true });
  expect(spans[1]?.attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThanOrEqual(0);
  expect(spans[1]?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
});

it('a repeated attempt: both within the request, the first an error, the second with its reason', async () => {
  const { status, spans } = await ask(
    '/v1/chat/completions',
    { model: 'flaky-model', messages: [{ role: 'user', content: 'Hello' }] },
    { key: gateway.liveKey },
  );
  expect(status).toBe(200);
  const [server, first, second] = spans;
  expect(spans.map(({ parentSpanId }) => parentSpanId).slice(1)).toEqual([server?.spanId, server?.spanId]);
  expect(first).toMatchObject({
    status: 2,
    attributes: { 'error.type': 'upstream_unavailable', 'gateway.attempt': 1 },
  });
  expect(second).toMatchObject({
    status: 0,
    attributes: { 'gateway.attempt': 2, 'gateway.retry.reason': 'upstream_unavailable' },
  });
});

it('a refusal: the vendor’s fault is the attempt’s error, the status the request’s', async () => {
  const { status, spans } = await chat('[[twin:400]] Hello');
  expect(status).toBe(400);
  expect(spans[0]).toMatchObject({ status: 0, attributes: { 'http.response.status_code': 400 } });
  expect(spans[0]?.attributes['error.type']).toBe(spans[1]?.attributes['error.type']);
  expect(spans[1]).toMatchObject({ status: 2 });
});

it('what is refused before a vendor is asked has no attempt', async () => {
  const { spans } = await chat('Hello', { model: 'nobody' });
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({ attributes: { 'error.type': 'model_not_found' } });
});

it('nothing that was said is recorded', async () => {
  const { spans } = await chat('a secret sentence');
  expect(
    JSON.stringify(spans, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain('secret sentence');
});

it('a caller who says that the trace is not recorded is heard', async () => {
  const before = collector.spans.length;
  await ask(
    '/v1/chat/completions',
    { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] },
    { parent: `00-${'a'.repeat(32)}-${CALLER}-00` },
  );
  await chat('Hello');
  expect(collector.spans.slice(before).filter(({ traceId }) => traceId === 'a'.repeat(32))).toEqual([]);
});

it('a header that is no trace context begins a trace of its own', async () => {
  await ask('/v1/models', undefined, { parent: 'nonsense' });
  await collector.until(({ spans }) =>
    spans.some(({ name, parentSpanId }) => name === 'GET /v1/models' && parentSpanId === ''),
  );
});

it('probes are not traced', async () => {
  const before = collector.spans.length;
  await fetch(`${gateway.url}/healthz`);
  await fetch(`${gateway.url}/metrics`);
  await chat('Hello');
  expect(collector.spans.slice(before).filter(({ name }) => /healthz|metrics/.test(name))).toEqual([]);
});

it('a video: submission, polls and webhook are one trace', async () => {
  const { status, text, spans } = await ask('/v1/videos', { model: 'sora-2', prompt: 'a house', seconds: '4' });
  expect(status).toBe(200);
  const id = (JSON.parse(text) as { id: string }).id;
  expect(spans[1]).toMatchObject({ name: 'generate_content sora-2', kind: 3, parentSpanId: spans[0]?.spanId });
  await collector.until(() =>
    collector.spans.some(
      ({ name, traceId, attributes }) =>
        name === 'poll task' && traceId === spans[0]?.traceId && attributes['gateway.task.id'] === id,
    ),
  );
  const poll = collector.spans.find(({ attributes }) => attributes['gateway.task.id'] === id);
  expect(poll?.parentSpanId).toBe(spans[0]?.spanId);
});
