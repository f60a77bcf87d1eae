/** `hedge`: a second vendor is asked beside one that takes unusually long; over real sockets, in all four formats, plain and streamed. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { askInFormat, chargesOf, FORMATS, type Format } from './ask-in-format.ts';

/** By the first part of the path: how it answers. */
type Way = 'at once' | 'when another is asked' | 'never' | 'fails';
const ways: Record<string, Way> = {};
/** Requests that nobody answers, and whether their caller has hung up. */
let held: { readonly response: ServerResponse; readonly hungUp: Promise<void> }[] = [];
/** Answers as soon as the next request comes. */
let begin: (() => void) | undefined;
let vendor: Server;
let gateway: TestGateway;

beforeAll(async () => {
  vendor = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const name = (request.url ?? '').split('/')[1] ?? '';
      const { stream } = JSON.parse(Buffer.concat(chunks).toString()) as { stream?: boolean };
      const way = ways[name] ?? 'at once';
      begin?.();
      begin = undefined;
      if (way === 'never') {
        held.push({ response, hungUp: new Promise((resolve) => response.once('close', resolve)) });
        return;
      }
      if (way === 'when another is asked' && held.length === 0) {
        begin = () => answer(response, stream === true);
        return;
      }
      if (way === 'fails') response.writeHead(503).end();
      else answer(response, stream === true);
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const account = (id: number, name: string): string =>
    `  - { id: ${id}, name: ${name}, vendor: openai-compatible, base_url: '${url}/${name}', credentials: { api_key: x }, on_disconnect: drain }`;
  gateway = await openTestGateway({
    // Time stands still: what is usual is nothing, and any wait is unusual.
    clock: () => Date.UTC(2026, 10, 22, 10),
    yaml: `extends: none
accounts:
${account(1, 'first')}
${account(2, 'second')}
models:
  - { code: hedged, kind: chat, hedge: { budget: 1 }, offers: [{ account: first, model: m, dialect: openai-chat }, { account: second, model: m, dialect: openai-chat, priority: 2 }], price: { input: 1000000, output: 1000000 }, limits: { max_input_tokens: 1000, max_output_tokens: 100 } }
  - { code: plain, kind: chat, offers: [{ account: first, model: m, dialect: openai-chat }, { account: second, model: m, dialect: openai-chat, priority: 2 }], price: { input: 1, output: 1 } }
`,
  });
  for (const stream of [false, true])
    for (let each = 0; each < 20; each++)
      expect((await askInFormat(gateway, { format: 'chat', model: 'hedged', stream })).status).toBe(200);
});
afterEach(() => {
  for (const { response } of held) response.destroy();
  held = [];
  for (const name of Object.keys(ways)) ways[name] = 'at once';
});
afterAll(async () => {
  await gateway.close();
  vendor.close();
  vendor.closeAllConnections();
});

function answer(response: ServerResponse, stream: boolean): void {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const head = { id: 'x', created: 1, model: 'm' };
  if (!stream) {
    const message = { role: 'assistant', content: 'hello' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      }),
    );
    return;
  }
  const chunk = (delta: JsonObject, finish: string | null, more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: 'hel' }, null));
  response.end(`${chunk({ content: 'lo' }, null)}${chunk({}, 'stop', { usage })}data: [DONE]\n\n`);
}

async function lastCharge(): Promise<JsonObject> {
  return (await chargesOf(gateway))[0] ?? {};
}
const accountOf = async (format: Format, stream: boolean) => {
  const reply = await askInFormat(gateway, { format, model: 'hedged', stream });
  return { status: reply.status, attempts: reply.attempts, account: reply.account, text: reply.text };
};

describe.each(FORMATS)('%s', (format) => {
  it.each([false, true])(
    'the second answers, the first is hung up on, and both are in the bill (stream: %s)',
    async (stream) => {
      ways['first'] = 'never';
      const reply = await accountOf(format, stream);
      expect(reply).toMatchObject({ status: 200, attempts: '2', account: '2' });
      expect(reply.text).toContain('lo');
      await held[0]?.hungUp;
      const { charged, detail } = (await lastCharge()) as { charged: number; detail: JsonObject };
      const [beside] = detail['beside'] as { why: string; model: string; account_id: number; usage: JsonObject }[];
      expect(beside).toMatchObject({
        why: 'hedge',
        model: 'hedged',
        account_id: 1,
        usage: { inputTokens: expect.any(Number) as unknown },
      });
      // A dollar for each token: 15 of the answer, and what the other one had read.
      expect(charged).toBe(500_000 * (15 + Number(beside?.usage['inputTokens'])));
    },
  );
});

it('a first that begins after all is taken, and the second is in its bill', async () => {
  ways['first'] = 'when another is asked';
  ways['second'] = 'never';
  expect(await accountOf('chat', false)).toMatchObject({ status: 200, account: '1' });
  await held[0]?.hungUp;
  expect((await lastCharge())['detail']).toMatchObject({ beside: [{ why: 'hedge', account_id: 2 }] });
});

it('a model that does not hedge asks one', async () => {
  expect(await askInFormat(gateway, { format: 'chat', model: 'plain' })).toMatchObject({ status: 200, attempts: '1' });
});

it('when both fail each is asked once, and nothing is charged', async () => {
  const before = await lastCharge();
  ways['first'] = 'fails';
  ways['second'] = 'fails';
  const reply = await accountOf('chat', false);
  expect(reply.status).toBe(500);
  expect(Number(reply.attempts)).toBeLessThanOrEqual(2);
  expect(await lastCharge()).toEqual(before);
});

it('the books are right', async () => {
  const headers = { authorization: `Bearer ${gateway.adminKey}` };
  const reply = await fetch(`${gateway.server.adminUrl}/admin/ledger/verify`, { method: 'POST', headers });
  expect(await reply.json()).toMatchObject({ differences: [] });
});
