/** What vendors refuse with reaches callers with its cause, alike for chat, pictures, speech and tasks: over real sockets, one account each. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, PIXEL, type TestGateway } from '@model-gateway/testing';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let gateway: TestGateway;
let answer: Answer;
let asked: string[] = [];
let later = 0;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (status: number, error: JsonObject, headers: Record<string, string> = {}): Answer =>
  json(status, { error: { message: 'no', type: 'x', param: null, code: null, ...error } }, headers);

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    request.resume().once('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const account = (id: number, name: string): string =>
    `{ id: ${id}, name: ${name}, vendor: openai, base_url: '${url}', credentials: { api_key: vendor-key-0123456789 } }`;
  gateway = await openTestGateway({
    clock: () => Date.now() + later,
    yaml: `extends: none\naccounts:
  - ${account(1, 'one')}
  - ${account(2, 'two')}
models:
  - { code: chat, kind: chat, price: free, offers: [{ account: one, model: m-chat, dialect: openai-chat }] }
  - { code: image, kind: image-edit, price: { image: 0.01 }, offers: [{ account: one, model: gpt-image-2 }] }
  - { code: speech, kind: speech, price: { character: 15 }, offers: [{ account: one, model: m-speech }] }
  - { code: embedding, kind: embedding, price: { input: 1 }, offers: [{ account: one, model: m-vectors }] }
  - { code: moderation, kind: moderation, price: free, offers: [{ account: one, model: m-verdicts }] }
  - { code: video, kind: video, body: seconds, price: { second: 0.1 }, offers: [{ account: one, model: sora-2 }] }
  - { code: pair, kind: image-edit, price: free, offers: [{ account: one, model: old, priority: 1 }, { account: two, model: gpt-image-2, priority: 2 }] }
`,
  });
});
afterEach(() => {
  // Cool-downs of one test must not reach the next.
  later += 3_600_000;
  asked = [];
});
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});

const REQUESTS: readonly { readonly kind: string; readonly path: string; readonly body: JsonObject }[] = [
  { kind: 'chat', path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'hi' }] } },
  { kind: 'image', path: '/v1/images/generations', body: { prompt: 'a kite' } },
  { kind: 'speech', path: '/v1/audio/speech', body: { input: 'hello', voice: 'alloy' } },
  { kind: 'embedding', path: '/v1/embeddings', body: { input: 'hello' } },
  { kind: 'moderation', path: '/v1/moderations', body: { input: 'hello' } },
  { kind: 'video', path: '/v1/videos', body: { prompt: 'a kite', seconds: '4' } },
];

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly error: JsonObject;
}
async function ask(path: string, body: JsonObject): Promise<Reply> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    error: (JSON.parse(text) as { error: JsonObject }).error,
  };
}

describe.each(REQUESTS)('$kind', ({ kind, path, body }) => {
  const request = (): Promise<Reply> => ask(path, { model: kind, ...body });

  it('a vendor that is at its limit: the caller is told when to come back, though the vendor did not say', async () => {
    answer = refusal(429, {});
    const reply = await request();
    expect(reply.headers.get('retry-after')).toBe('2');
    expect([429, 503]).toContain(reply.status);
    expect(asked).toHaveLength(1);
  });

  it('a rejected key is told as that, by the second caller too, and names no secret', async () => {
    answer = refusal(401, { code: 'invalid_api_key', message: 'Incorrect API key provided: vendor-key-0123456789' });
    const reply = await request();
    expect(reply.error).toMatchObject({
      code: 'upstream_rejected_key',
      message: 'the gateway’s own credentials for this vendor were refused',
    });
    expect([500, 503]).toContain(reply.status);
    expect(reply.text).not.toContain('vendor-key');
    expect(asked).toHaveLength(1);
  });

  it('a quota that the gateway has used up keeps its words', async () => {
    answer = refusal(429, { code: 'insufficient_quota', message: 'You exceeded your current quota.' });
    const reply = await request();
    expect(reply.error['code']).toBe('upstream_rejected_key');
    expect(reply.error['message']).toMatch(/^the gateway’s own quota .* used up \(You exceeded your current quota/);
    expect(asked).toHaveLength(1);
  });

  it('a model that the vendor does not know: the vendor’s words, one question, and the account stays well', async () => {
    answer = refusal(404, { code: 'model_not_found', message: 'The model `m` does not exist.' });
    for (let round = 0; round < 6; round++) {
      const reply = await request();
      expect(reply.error).toMatchObject({ code: 'upstream_rejected_model', message: 'The model `m` does not exist.' });
      expect([500, 503]).toContain(reply.status);
      expect(reply.headers.get('retry-after')).toBeNull();
      expect(reply.headers.get('x-should-retry')).toBe('false');
    }
    expect(asked).toHaveLength(6);
  });
});

describe('an answer that is no answer', () => {
  it('is not asked for again and does not close the offer to others', async () => {
    answer = json(200, { created: 1, data: [{ b64_json: 'AAAA' }] });
    for (let round = 0; round < 7; round++) {
      const reply = await ask('/v1/images/generations', { model: 'image', prompt: 'a kite' });
      expect(reply.error['code']).toBe('upstream_malformed');
      expect(reply.headers.get('retry-after')).toBeNull();
    }
    expect(asked).toHaveLength(7);
  });
});

describe('another offer', () => {
  it('is asked when the first one’s vendor does not know the model any more', async () => {
    let questions = 0;
    answer = (request, response) =>
      (questions++ === 0
        ? refusal(404, { code: 'model_not_found' })
        : json(200, { created: 1, data: [{ b64_json: PIXEL }], usage: { input_tokens: 1, output_tokens: 1 } }))(
        request,
        response,
      );
    const reply = await ask('/v1/images/generations', { model: 'pair', prompt: 'a kite' });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-gateway-account')).toBe('2');
    expect(reply.headers.get('x-gateway-attempts')).toBe('2');
  });
});
