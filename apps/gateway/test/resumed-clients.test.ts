/** What clients make of streams that can be resumed: the official SDKs read them as any other, and ours goes on by itself wherever its connection is cut. */
import { connect, createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { createClient } from '@model-gateway/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';

const TEXT = 'Tell me [[twin:long=30]] of the sea — élan';
const headers = { 'x-gateway-resumable': 'true' };
let gateway: TestGateway;
let proxy: Server;
let proxyUrl: string;
/** Bytes of an answer's body that come before the connection is cut; Infinity: it is not. */
let cutAfter = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  gateway = await openTestGateway();
  const port = Number(new URL(gateway.url).port);
  proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const close = (): void => {
      client.destroy();
      upstream.destroy();
    };
    let head = '';
    let left = cutAfter;
    client
      .on('data', (chunk) => upstream.write(chunk))
      .on('error', close)
      .on('close', close);
    upstream
      .on('error', close)
      .on('close', close)
      .on('data', (chunk: Buffer) => {
        let body = chunk;
        if (head !== 'over') {
          head += chunk.toString('latin1');
          const end = head.indexOf('\r\n\r\n');
          if (end === -1) return;
          // Each answer has a connection of its own: on one that is used again it would be cut by what an earlier answer left, or not at all.
          const closing =
            head.slice(0, end).replace(/\r\nconnection: keep-alive/i, '') + '\r\nconnection: close\r\n\r\n';
          client.write(Buffer.from(closing, 'latin1'));
          body = Buffer.from(head.slice(end + 4), 'latin1');
          head = 'over';
        }
        if (body.length < left) {
          client.write(body);
          left -= body.length;
          return;
        }
        upstream.destroy();
        client.write(body.subarray(0, left), () => client.destroy());
      });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  proxy.close();
  await gateway.close();
});

describe('official SDKs', () => {
  const words = (text: string): number => text.length;

  it('openai: chat completions and responses', async () => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, defaultHeaders: headers });
    const read = async (model: string): Promise<number> => {
      let text = '';
      const stream = await openai.chat.completions.create({
        model,
        stream: true,
        messages: [{ role: 'user', content: TEXT }],
      });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      return words(text);
    };
    const respond = async (model: string): Promise<number> => {
      let text = '';
      for await (const event of await openai.responses.create({ model, stream: true, input: TEXT }))
        if (event.type === 'response.output_text.delta') text += event.delta;
      return words(text);
    };
    for (const model of ['gpt-5.2', 'claude-sonnet-5', 'gemini-3.1-pro']) {
      expect(await read(model)).toBeGreaterThan(80);
      expect(await respond(model)).toBeGreaterThan(80);
    }
  });

  it('anthropic', async () => {
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.testKey, defaultHeaders: headers });
    for (const model of ['gpt-5.2', 'claude-sonnet-5', 'gemini-3.1-pro']) {
      const stream = anthropic.messages.stream({ model, max_tokens: 500, messages: [{ role: 'user', content: TEXT }] });
      let text = '';
      stream.on('text', (piece) => (text += piece));
      expect((await stream.finalMessage()).stop_reason).toBe('end_turn');
      expect(words(text)).toBeGreaterThan(80);
    }
  });

  it('google: its SDKs read no numbers, so they are sent none; who counts events can resume all the same', async () => {
    const genai = new GoogleGenAI({ apiKey: gateway.testKey, httpOptions: { baseUrl: gateway.url, headers } });
    for (const model of ['gpt-5.2', 'claude-sonnet-5', 'gemini-3.1-pro']) {
      const pieces: string[] = [];
      let id = '';
      for await (const piece of await genai.models.generateContentStream({ model, contents: TEXT })) {
        pieces.push(piece.text ?? '');
        id = piece.sdkHttpResponse?.headers?.['x-gateway-stream-id'] ?? id;
      }
      expect(words(pieces.join(''))).toBeGreaterThan(80);
      expect(id).toMatch(/^stream_/);
      const client = createClient({ baseUrl: gateway.url, apiKey: gateway.testKey });
      let rest = '';
      for await (const text of client.contents.resume(id, 2).text()) rest += text;
      expect(rest).toBe(pieces.slice(2).join(''));
    }
  });
});

describe('our client, its connection cut again and again', () => {
  const client = () => createClient({ baseUrl: proxyUrl, apiKey: gateway.testKey, maxRetries: 0 });
  const options = { resumable: true };
  const ask = { messages: [{ role: 'user' as const, content: TEXT }] };
  const OPENED: Record<string, (resumable: boolean) => { text(): AsyncGenerator<string>; final(): Promise<unknown> }> =
    {
      chat: (resumable) => client().chat.stream({ model: 'gpt-5.2', ...ask }, { ...options, resumable }),
      responses: (resumable) =>
        client().responses.stream({ model: 'gpt-5.2-pro', input: TEXT }, { ...options, resumable }),
      messages: (resumable) =>
        client().messages.stream({ model: 'claude-sonnet-5', max_tokens: 500, ...ask }, { ...options, resumable }),
      contents: (resumable) =>
        client().contents.stream(
          'gemini-3.1-pro',
          { contents: [{ role: 'user', parts: [{ text: TEXT }] }] },
          { ...options, resumable },
        ),
      translated: (resumable) => client().chat.stream({ model: 'claude-sonnet-5', ...ask }, { ...options, resumable }),
    };
  const read = async (open: (resumable: boolean) => { text(): AsyncGenerator<string> }, resumable = true) => {
    let text = '';
    for await (const piece of open(resumable).text()) text += piece;
    return text;
  };

  it.each(Object.keys(OPENED))('%s: every word once, wherever it is cut', async (name) => {
    const open = OPENED[name]!;
    cutAfter = Number.POSITIVE_INFINITY;
    const whole = await read(open);
    expect(whole.length).toBeGreaterThan(80);
    // One large event must fit; odd numbers of bytes end in the middle of events, of lines and of letters.
    for (const bytes of [2503, 2777, 3001]) {
      cutAfter = bytes;
      expect(await read(open)).toBe(whole);
    }
    cutAfter = 2503;
    expect(JSON.stringify(await open(true).final())).toContain(whole.slice(0, 20));
    await expect(read(open, false)).rejects.toThrow();
    cutAfter = Number.POSITIVE_INFINITY;
  });
});
