/** Guardrails where answers are kept: in the background, in chains of responses, in resumable streams, for an Idempotency-Key. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { BadRequestError } from 'openai';

const MAIL = 'ann.lee@example.com';
let gateway: TestGateway;
let openai: OpenAI;

beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }
guardrails:
  - { name: personal, mode: mask, on: [request, answer], models: [claude-sonnet-5], detect: [email] }
  - { name: secret, mode: refuse, on: [request], models: [claude-sonnet-5], words: [falcon] }
  - { name: unsaid, mode: refuse, on: [answer], models: [claude-sonnet-5], words: [kestrel] }
`,
    pollTasks: false,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
afterAll(() => gateway.close());
const model = 'claude-sonnet-5';

it('an answer in the background is asked for and kept without what is masked', async () => {
  const queued = await openai.responses.create({ model, input: `I am ${MAIL}`, background: true });
  await gateway.server.responses?.workAll();
  const done = await openai.responses.retrieve(queued.id);
  expect(done).toMatchObject({ status: 'completed', output_text: expect.stringContaining('I am [email]') });
  expect(gateway.twin.requests.last('anthropic')?.body).not.toContain(MAIL);
});

it('one that is refused is refused at once; one whose answer is refused fails', async () => {
  await expect(openai.responses.create({ model, input: 'the falcon', background: true })).rejects.toThrow(
    BadRequestError,
  );
  const queued = await openai.responses.create({ model, input: 'the kestrel', background: true });
  await gateway.server.responses?.workAll();
  const failed = await openai.responses.retrieve(queued.id);
  expect(failed.status).toBe('failed');
  expect(JSON.stringify([failed.output, failed.error])).not.toContain('kestrel flies');
});

it('a chain sends earlier turns without what is masked', async () => {
  const first = await openai.responses.create({ model, input: `I am ${MAIL}`, store: true });
  await openai.responses.create({ model, input: 'Who am I?', previous_response_id: first.id });
  const { body } = gateway.twin.requests.last('anthropic') ?? { body: '' };
  expect(body).toContain('I am [email]');
  expect(body).not.toContain(MAIL);
});

it('a stream that is kept is kept as it was sent', async () => {
  const reply = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.liveKey}`,
      'content-type': 'application/json',
      'x-gateway-resumable': 'true',
    },
    body: JSON.stringify({
      model,
      stream: true,
      max_tokens: 300,
      messages: [{ role: 'user', content: `I am ${MAIL}` }],
    }),
  });
  const sent = await reply.text();
  const again = await fetch(`${gateway.url}/v1/streams/${reply.headers.get('x-gateway-stream-id') ?? ''}`, {
    headers: { authorization: `Bearer ${gateway.liveKey}` },
  });
  const kept = await again.text();
  for (const text of [sent, kept]) {
    expect(text).not.toContain('ann.lee');
    expect(text).toContain('message_stop');
  }
});

it('a repetition gets the masked answer, and its header', async () => {
  const ask = () =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.liveKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'guarded-answer',
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: `I am ${MAIL}` }] }),
    });
  const first = await (await ask()).text();
  const again = await ask();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('x-gateway-guardrails')).toBe('personal: masked in request (email)');
  expect(await again.text()).toBe(first);
});
