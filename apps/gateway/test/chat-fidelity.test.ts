/** What a translation could not carry is said: in a header, with its reason in the debug log, or as a 400 where it changes the meaning. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { pino } from 'pino';
import supertest from 'supertest';

let gateway: TestGateway;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  gateway = await openTestGateway({
    log,
    yaml: `extends: none\naccounts:
  - { id: 1, name: openai, vendor: openai, credentials: { api_key: '\${NO_KEY}' } }
  - { id: 2, name: anthropic, vendor: anthropic, credentials: { api_key: '\${NO_KEY}' } }
models:
  - { code: gpt, kind: chat, price: free, offers: [{ account: openai, model: gpt-4.1, dialect: openai-chat }] }
  - { code: claude, kind: chat, limits: { max_output_tokens: 64000 }, price: free, offers: [{ account: anthropic, model: claude-sonnet-4-5-20250929, dialect: anthropic-messages, quirks: { thinking: budget } }] }
`,
  });
});
beforeEach(() => {
  lines.splice(0);
});
afterAll(() => gateway.close());

const ask = (body: object) =>
  supertest(gateway.url)
    .post('/v1/chat/completions')
    .set('authorization', `Bearer ${gateway.testKey}`)
    .send({ messages: [{ role: 'user', content: 'Hello' }], ...body });
const said = () => lines.filter(({ msg }) => msg === 'a translation left something out');

describe.each([{ stream: false }, { stream: true }])('stream: $stream', ({ stream }) => {
  it('a lost setting and an approximated one are in the header, their reasons in the debug log', async () => {
    const reply = await ask({ model: 'claude', stream, seed: 7, temperature: 1.5, verbosity: 'low' });
    expect(reply.status).toBe(200);
    const fields = String(reply.headers['x-gateway-dropped']).split(', ');
    expect([...fields].sort()).toEqual(['seed', 'temperature', 'verbosity']);
    expect(said()).toHaveLength(1);
    expect(said()[0]).toMatchObject({ level: 20, request_id: reply.headers['x-request-id'], model: 'claude' });
    const dropped = said()[0]?.['dropped'] as { field: string; reason: string }[];
    expect(dropped.map(({ field }) => field).sort()).toEqual([...fields].sort());
    expect(dropped.every(({ reason }) => reason.length > 5)).toBe(true);
  });

  it('nothing lost, nothing said', async () => {
    const reply = await ask({ model: 'claude', stream, max_completion_tokens: 100, stop: ['END'] });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty('x-gateway-dropped');
    expect(said()).toEqual([]);
  });

  it('the same dialect loses nothing, not even what nobody knows', async () => {
    const reply = await ask({ model: 'gpt', stream, seed: 7, temperature: 1.5 });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty('x-gateway-dropped');
    expect(gateway.twin.requests.last('openai')?.json).toMatchObject({ seed: 7, temperature: 1.5 });
  });

  it.each([
    { name: 'several answers', body: { n: 3 }, param: 'n' },
    { name: 'log probabilities', body: { logprobs: true }, param: 'logprobs' },
  ])('$name: a 400 that names the field, and no vendor is asked', async ({ body, param }) => {
    gateway.twin.requests.clear();
    const reply = await ask({ model: 'claude', stream, ...body });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatchObject({ type: 'invalid_request_error', param });
    expect(gateway.twin.requests.list()).toEqual([]);
  });
});
