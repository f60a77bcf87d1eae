/** The chat road over a socket, with the official openai package. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, RateLimitError } from 'openai';
import supertest from 'supertest';

let gateway: TestGateway;
let openai: OpenAI;

beforeAll(async () => {
  gateway = await openTestGateway();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

const hello = { model: 'gpt-5.2', messages: [{ role: 'user' as const, content: 'Hello' }] };

describe('with the openai package', () => {
  it('answers', async () => {
    const answer = await openai.chat.completions.create(hello);
    expect(answer.object).toBe('chat.completion');
    expect(answer.choices[0]?.message.content).toContain('Hello');
    expect(answer.usage?.total_tokens).toBe(
      (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
    );
  });

  it('streams, without the usage chunk that was not asked for', async () => {
    const stream = await openai.chat.completions.create({ ...hello, stream: true });
    let text = '';
    let withoutChoices = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.choices.length === 0) withoutChoices++;
    }
    expect(text).toContain('Hello');
    expect(withoutChoices).toBe(0);
  });

  it('streams usage when it was asked for', async () => {
    const stream = await openai.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    const usages = [];
    for await (const chunk of stream) if (chunk.usage) usages.push(chunk.usage);
    expect(usages).toHaveLength(1);
  });

  it('an abort by the caller stops the vendor, whose bill stops there, and pays for what had come', async () => {
    const whole = 5_001;
    const abort = new AbortController();
    const { data: stream, response } = await openai.chat.completions
      .create(
        { ...hello, messages: [{ role: 'user', content: `[[twin:long=${whole}]]` }], stream: true },
        { signal: abort.signal },
      )
      .withResponse();
    let heard = '';
    const read = async (): Promise<void> => {
      for await (const { choices } of stream) {
        heard += choices[0]?.delta.content ?? '';
        if (heard.length > 400) abort.abort();
      }
    };
    await read().catch((error: unknown) => expect(error).toBeInstanceOf(APIUserAbortError));
    const cut = () => gateway.twin.ledger.answers('openai').filter(({ aborted }) => aborted);
    await until(() => cut().length > 0);
    expect(cut()).toHaveLength(1);
    expect(cut()[0]?.billed.outputTokens).toBeLessThan(whole);
    const { ledger } = gateway.server.parts.store;
    const requestId = response.headers.get('x-request-id') ?? '';
    await until(async () => {
      await gateway.server.own.flush();
      return (await ledger.entries({ requestId, kind: 'capture', limit: 1 })).length > 0;
    });
    const [entry] = await ledger.entries({ requestId, kind: 'capture', limit: 1 });
    const usage = entry?.detail['usage'] as { outputTokens: number; estimated?: boolean };
    expect(usage.estimated).toBe(true);
    expect(usage.outputTokens).toBeGreaterThanOrEqual(Math.floor(heard.length / 4));
    expect(usage.outputTokens).toBeLessThan(whole);
  });

  it('a wrong key is an AuthenticationError', async () => {
    const stranger = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'sk-nobody-0123456789', maxRetries: 0 });
    await expect(stranger.chat.completions.create(hello)).rejects.toBeInstanceOf(AuthenticationError);
  });

  it('an unknown model is a BadRequestError that names the place', async () => {
    const error = await openai.chat.completions.create({ ...hello, model: 'gpt-0' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: 'model', status: 400 });
  });

  it('429 from the vendor stays a RateLimitError and keeps its retry-after', async () => {
    const error = await openai.chat.completions
      .create({ ...hello, model: 'gpt-5-mini', messages: [{ role: 'user', content: '[[twin:429]]' }] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(Number((error as RateLimitError).headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('bad input', () => {
  const post = (path = '/v1/chat/completions') =>
    supertest(gateway.url).post(path).set('authorization', `Bearer ${gateway.testKey}`);

  it.each([
    { name: 'malformed JSON', body: '{"model":', status: 400, code: null },
    { name: 'wrong type', body: '{"model":"gpt-5.2","messages":"hi"}', status: 400, param: 'messages' },
    { name: 'missing model', body: '{"messages":[]}', status: 400, param: 'model' },
    { name: 'no object', body: '[1]', status: 400 },
    {
      name: '__proto__ is a field like others',
      body: '{"__proto__":{"model":"gpt-5.2"},"messages":[{"role":"user","content":"x"}]}',
      status: 400,
      param: 'model',
    },
    { name: 'nested deeper than anybody writes', body: '['.repeat(100_000), status: 400 },
  ])('$name → $status', async ({ body, status, param }) => {
    const reply = await post().set('content-type', 'application/json').send(body);
    expect(reply.status).toBe(status);
    expect(reply.body.error.type).toBe('invalid_request_error');
    if (param !== undefined) expect(reply.body.error.param).toBe(param);
    expect(reply.headers['x-request-id']).toBeDefined();
  });

  it('another content type is a 415', async () => {
    const reply = await post().set('content-type', 'text/plain').send('hello');
    expect(reply.status).toBe(415);
  });

  it('no key is a 401 before the body is read', async () => {
    const reply = await supertest(gateway.url)
      .post('/v1/chat/completions')
      .set('content-type', 'application/json')
      .send('{"broken');
    expect(reply.status).toBe(401);
  });

  it('an unknown route is a 404, a wrong method a 405 with Allow', async () => {
    expect((await post('/v1/nothing').send({})).status).toBe(404);
    const reply = await supertest(gateway.url).get('/v1/completions').set('authorization', `Bearer ${gateway.testKey}`);
    expect(reply.status).toBe(405);
    expect(reply.headers['allow']).toContain('POST');
  });

  it('a body over 64 MB is a 413 and the process lives', async () => {
    const reply = await post()
      .set('content-type', 'application/json')
      .send(`{"model":"gpt-5.2","messages":[{"role":"user","content":"${'x'.repeat(65 * 1024 * 1024)}"}]}`)
      .catch((error: unknown) => error);
    // The server may hang up while the body is still coming; a client that listens gets the 413.
    if (typeof reply === 'object' && reply !== null && 'status' in reply) expect(reply.status).toBe(413);
    expect((await supertest(gateway.url).get('/healthz')).status).toBe(200);
  });

  it('a trailing slash leads to the path without, for clients that follow with the body', async () => {
    const reply = await fetch(`${gateway.url}/v1/chat/completions/?a=b`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello),
    });
    expect(reply.status).toBe(200);
    expect(new URL(reply.url).pathname + new URL(reply.url).search).toBe('/v1/chat/completions?a=b');
    await reply.arrayBuffer();
  });
});
