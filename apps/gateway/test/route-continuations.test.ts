/** `on_break: continue`: a stream that breaks in the middle is continued by another model; over real sockets, in all four formats. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import { askInFormat, chargesOf, FORMATS } from './ask-in-format.ts';

let vendor: Server;
let gateway: TestGateway;
let asked: { readonly name: string; readonly messages: readonly JsonObject[] }[] = [];
let goesOn = true;
let withTool = false;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  vendor = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const name = (request.url ?? '').split('/')[1] ?? '';
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: JsonObject[] };
      asked.push({ name, messages });
      if (name === 'breaks') breakOff(response);
      else if (goesOn) finish(response);
      else response.writeHead(503).end();
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const account = (id: number, name: string): string =>
    `  - { id: ${id}, name: ${name}, vendor: openai-compatible, base_url: '${url}/${name}', credentials: { api_key: x } }`;
  const model = (code: string, offers: string, more: string): string =>
    `  - { code: ${code}, kind: chat, ${more}offers: [${offers}], price: { input: 1000000, output: 1000000 }, limits: { max_input_tokens: 1000, max_output_tokens: 100 } }`;
  const breaks = '{ account: breaks, model: m, dialect: openai-chat }';
  gateway = await openTestGateway({
    clock: () => now,
    yaml: `extends: none
accounts:
${account(1, 'breaks')}
${account(2, 'well')}
models:
${model('story', breaks, 'on_break: continue, fallbacks: { on_error: [other] }, ')}
${model('other', '{ account: well, model: m, dialect: openai-chat }', '')}
${model('plain', breaks, 'fallbacks: { on_error: [other] }, ')}
`,
  });
});
afterEach(() => {
  asked = [];
  goesOn = true;
  withTool = false;
  // What cooled is due again, and one answer makes it well.
  now += 3_600_000;
});
afterAll(async () => {
  await gateway.close();
  vendor.close();
  vendor.closeAllConnections();
});

function chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`;
}
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: 'Once upon ' }));
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{' } };
  response.write(withTool ? chunk({ tool_calls: [call] }) : chunk({ content: 'a ' }), () =>
    setImmediate(() => response.destroy()),
  );
}
function finish(response: ServerResponse): void {
  const usage = { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: 'time' }));
  response.end(`${chunk({ content: '.' })}${chunk({}, 'stop', { usage })}data: [DONE]\n\n`);
}

/** The text of a stream, in any of the formats. */
function textOf(stream: string): string {
  const events = stream
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Record<string, never>] : []));
  return events
    .map((event: Record<string, unknown>) => {
      const { choices, candidates, delta, type } = event as {
        choices?: { delta: { content?: string } }[];
        candidates?: { content?: { parts?: { text?: string }[] } }[];
        delta?: string | { text?: string };
        type?: string;
      };
      if (choices !== undefined) return choices[0]?.delta.content ?? '';
      if (candidates !== undefined) return candidates[0]?.content?.parts?.map(({ text = '' }) => text).join('') ?? '';
      if (type === 'response.output_text.delta') return String(delta);
      return typeof delta === 'object' ? (delta.text ?? '') : '';
    })
    .join('');
}

describe.each(FORMATS)('%s', (format) => {
  it('the text goes on, the seam is marked, and both are in the bill', async () => {
    const reply = await askInFormat(gateway, { format, model: 'story', stream: true, text: 'Tell me a story' });
    expect(reply.status).toBe(200);
    expect(textOf(reply.text)).toBe('Once upon a time.');
    expect(reply.text).not.toMatch(/"error":\s*\{/);
    expect(reply.text.match(/"gateway":\{"continued_by":"other"\}/g)).toHaveLength(1);
    expect(asked.map(({ name }) => name)).toEqual(['breaks', 'well']);
    const [, second] = asked;
    expect(second?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'Once upon a ' },
      { role: 'user' },
    ]);
    const [entry] = (await chargesOf(gateway)) as { model: string; charged: number; detail: JsonObject }[];
    expect(entry).toMatchObject({
      model: 'story',
      detail: {
        beside: [{ why: 'continuation', model: 'other', account_id: 2, usage: { inputTokens: 30, outputTokens: 4 } }],
      },
    });
    expect(entry?.charged).toBeGreaterThan(34 * 500_000);
  });

  it('a model that does not say so ends with the error, and so does one when nobody can go on', async () => {
    const plain = await askInFormat(gateway, { format, model: 'plain', stream: true });
    expect(textOf(plain.text)).toBe('Once upon a ');
    expect(plain.text).toMatch(/error/);
    goesOn = false;
    const alone = await askInFormat(gateway, { format, model: 'story', stream: true });
    expect(textOf(alone.text)).toBe('Once upon a ');
    expect(alone.text).toMatch(/error/);
  });
});

it('OpenAI’s SDK reads it as one answer', async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
  const stream = openai.chat.completions.stream({
    model: 'story',
    messages: [{ role: 'user', content: 'hi' }],
    stream_options: { include_usage: true },
  });
  const { choices, usage } = await stream.finalChatCompletion();
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Once upon a time.' } });
  expect(usage?.completion_tokens).toBeGreaterThanOrEqual(4);
});

it('a call of a tool that was begun is nothing that another model can go on with', async () => {
  withTool = true;
  const reply = await askInFormat(gateway, { format: 'chat', model: 'story', stream: true });
  expect(reply.text).toMatch(/"error":/);
  expect(asked.map(({ name }) => name)).toEqual(['breaks']);
});

it('the books are right', async () => {
  const headers = { authorization: `Bearer ${gateway.adminKey}` };
  const reply = await fetch(`${gateway.server.adminUrl}/admin/ledger/verify`, { method: 'POST', headers });
  expect(await reply.json()).toMatchObject({ differences: [] });
});
