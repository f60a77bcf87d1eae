/** Model servers of the operator's own: Ollama on its own wire, asked in every format. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import { pino } from 'pino';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { askInFormat, chargesOf, FORMATS, postTo } from './ask-in-format.ts';

const said: { readonly msg: string; readonly account?: string; readonly read?: number }[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(JSON.parse(line) as (typeof said)[0]) });
let twin: VendorTwin;
let gateway: TestGateway;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  gateway = await openTestGateway({
    twin,
    env: { OLLAMA_BASE_URL: twin.baseUrl('ollama') },
    log,
    yaml: `security: { allow_private: ['127.0.0.1/32'] }
accounts:
  - { name: telling, vendor: openai-compatible, base_url: '${twin.baseUrl('ollama')}/v1' }
  - { name: refusing, vendor: openai-compatible, base_url: '${twin.baseUrl('ollama')}/v1', on_truncation: refuse }
  - { name: ignoring, vendor: openai-compatible, base_url: '${twin.baseUrl('ollama')}/v1', on_truncation: ignore }
models:
  - { code: told, kind: chat, price: free, offers: [{ account: telling, model: 'llama3.2:3b', dialect: openai-chat }] }
  - { code: refused, kind: chat, price: free, offers: [{ account: refusing, model: 'llama3.2:3b', dialect: openai-chat }] }
  - { code: ignored, kind: chat, price: free, offers: [{ account: ignoring, model: 'llama3.2:3b', dialect: openai-chat }] }
  - { code: handed-on, kind: chat, price: free, fallbacks: { on_context_too_long: [roomy] }, offers: [{ account: refusing, model: 'llama3.2:3b', dialect: openai-chat }] }
  - { code: roomy, kind: chat, price: free, body_fields: { num_ctx: 32768 }, offers: [{ account: ollama, model: 'llama3.2:3b', dialect: openai-chat }] }
  - { code: ollama/nomic-embed-text, kind: embedding, price: free, offers: [{ account: ollama, model: nomic-embed-text }] }
`,
  });
});
afterEach(() => twin.faults.clear());
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

/** A server of one picture. */
async function serving(bytes: Buffer): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'image/png').end(bytes));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const LONG = 'word '.repeat(12_000);
const asked = (): JsonObject => twin.requests.last('ollama')?.json as JsonObject;
const chat = (body: JsonObject) =>
  postTo(gateway, '/v1/chat/completions', {
    model: 'ollama/llama3.2:3b',
    messages: [{ role: 'user', content: 'Hello' }],
    ...body,
  });

describe.each(FORMATS)('in the format of %s', (format) => {
  const model = 'ollama/llama3.2:3b';
  it.each([false, true])('streamed %s, without a key and at no price', async (stream) => {
    const reply = await askInFormat(gateway, { format, model, stream, text: 'Hello there' });
    expect(reply).toMatchObject({ status: 200, account: '131' });
    expect(reply.text).toMatch(/You[^]*said/);
    const { path, headers } = twin.requests.last('ollama') ?? {};
    expect([path, headers?.['authorization']]).toEqual(['/api/chat', undefined]);
    expect((await chargesOf(gateway)).filter(({ amount }) => amount !== 0)).toEqual([]);
  });

  it('a prompt that does not fit is refused as too long, and never cut', async () => {
    const reply = await askInFormat(gateway, { format, model, text: LONG });
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/context/);
  });

  it('and is answered where its model is given room', async () => {
    const reply = await askInFormat(gateway, { format, model: 'roomy', text: LONG });
    expect(reply.status).toBe(200);
    expect(asked()).toMatchObject({ truncate: false, shift: false, options: { num_ctx: 32_768 } });
  });
});

it('a request says itself how much room it wants, and whatever else Ollama takes', async () => {
  const { status } = await chat({ num_ctx: 8192, keep_alive: '10m', options: { mirostat: 1 }, think: false });
  expect(status).toBe(200);
  expect(asked()).toMatchObject({ keep_alive: '10m', think: false, options: { num_ctx: 8192, mirostat: 1 } });
});

it('tools are called and answered', async () => {
  const tools = [
    {
      type: 'function',
      function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ];
  const question = { role: 'user', content: 'What is the weather?' };
  const first = JSON.parse((await chat({ tools, messages: [question] })).text) as {
    choices: [{ message: JsonObject }];
  };
  const { message } = first.choices[0];
  const [call] = message['tool_calls'] as [{ id: string }];
  const answer = { role: 'tool', tool_call_id: call.id, content: '21 degrees' };
  const second = await chat({ tools, messages: [question, message, answer] });
  expect(second.text).toContain('get_weather answered: 21 degrees');
});

it('pictures at an address are fetched, since Ollama fetches none', async () => {
  const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  await using server = await serving(picture);
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: server.url } },
  ];
  const { status, text } = await chat({ num_ctx: 5000, messages: [{ role: 'user', content }] });
  expect([status, text]).toEqual([200, expect.stringContaining('Images seen: 1.')]);
  expect(asked()).toMatchObject({
    options: { num_ctx: 5000 },
    messages: [{ content: 'What is it?', images: [picture.toString('base64')] }],
  });
});

it('vectors are made, and texts are never cut', async () => {
  const embed = (input: string) => postTo(gateway, '/v1/embeddings', { model: 'ollama/nomic-embed-text', input });
  expect(JSON.parse((await embed('a')).text)).toMatchObject({ data: [{ embedding: expect.any(Array) }] });
  expect((await embed(LONG)).status).toBe(400);
});

it('hanging up stops the model', async () => {
  const gone = new AbortController();
  const content = 'Speak [[twin:long=5000]] [[twin:stall=20]]';
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    signal: gone.signal,
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'ollama/llama3.2:3b', stream: true, messages: [{ role: 'user', content }] }),
  });
  await reply.body?.getReader().read();
  gone.abort();
  await until(() => twin.ledger.answers('ollama').some(({ aborted }) => aborted));
});

describe('a server that drops the beginning of a long prompt in silence', () => {
  const ask = (model: string, stream = false, content = LONG): Promise<Response> =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
    });
  const told = (reply: Response): string | null => reply.headers.get('x-gateway-prompt-truncated');

  it('is told of in a header and the log', async () => {
    said.length = 0;
    const reply = await ask('told');
    expect([reply.status, told(reply)]).toEqual([200, expect.stringMatching(/^read 4096 of about 1\d{4} tokens$/)]);
    await reply.text();
    expect(said).toMatchObject([
      { account: 'telling', read: 4096, msg: expect.stringContaining('far less of the prompt') },
    ]);
  });

  it('is told of in the log where the answer streams', async () => {
    said.length = 0;
    await (await ask('told', true)).text();
    await until(() => said.length > 0);
    expect(said).toMatchObject([{ account: 'telling', read: 4096 }]);
  });

  it.each([false, true])('is refused where the account says so, at no charge, streamed %s', async (stream) => {
    said.length = 0;
    const reply = await ask('refused', stream);
    expect(said).toMatchObject([{ account: 'refusing', read: 4096 }]);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: { code: 'context_length_exceeded', message: expect.stringContaining('read 4096 of about') },
    });
  });

  it('a short prompt streams there as anywhere, with its usage', async () => {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'refused', stream: true, stream_options: { include_usage: true } },
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    const text = await reply.text();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringContaining('event-stream')]);
    expect(text).toMatch(/"content":"You said: Hello"[^]*"finish_reason":"stop"[^]*"prompt_tokens":\d+[^]*\[DONE\]/);
    expect(asked()).toMatchObject({ stream: false });
    const translated = await askInFormat(gateway, { format: 'messages', model: 'refused', stream: true });
    expect(translated.text).toMatch(/message_start[^]*You said[^]*message_stop/);
  });

  it.each([false, true])('and goes to a model with more room where the row names one, streamed %s', async (stream) => {
    const reply = await ask('handed-on', stream);
    expect([reply.status, told(reply)]).toEqual([200, null]);
    expect(asked()).toMatchObject({ options: { num_ctx: 32_768 } });
    await reply.text();
  });

  it.each([
    ['told', 'Hello'],
    ['refused', 'Hello'],
    ['ignored', LONG],
  ])('%s answers what it has read, and what nobody asked about', async (model, content) => {
    said.length = 0;
    const reply = await ask(model, false, content);
    expect([reply.status, told(reply), said]).toEqual([200, null, []]);
    await reply.text();
  });

  it('its own settings reach it', async () => {
    const extra = { n_predict: 5, guided_json: { type: 'object' }, chat_template_kwargs: { enable_thinking: false } };
    expect(
      (
        await postTo(gateway, '/v1/chat/completions', {
          model: 'told',
          messages: [{ role: 'user', content: 'Hi' }],
          ...extra,
        })
      ).status,
    ).toBe(200);
    expect(asked()).toMatchObject(extra);
  });
});
