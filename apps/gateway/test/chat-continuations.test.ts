/** Answers that take several requests, and requests that need something fetched or left out first: through the running gateway. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import sharp from 'sharp';

let gateway: TestGateway;
let openai: OpenAI;
let pictures: Server;
let pictureUrl: string;

beforeAll(async () => {
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  pictures = createServer((request, response) => {
    if (request.url === '/red.png') response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
  const { port } = pictures.address() as AddressInfo;
  pictureUrl = `http://127.0.0.1:${port}`;
  gateway = await openTestGateway({
    yaml: `security: { allow_private: ['127.0.0.1:${port}'] }
extends: none
accounts:
  - { id: 1, name: openai, vendor: openai, credentials: { api_key: '\${NO_KEY}' } }
  - { id: 2, name: anthropic, vendor: anthropic, credentials: { api_key: '\${NO_KEY}' } }
  - { id: 3, name: gemini, vendor: gemini, credentials: { api_key: '\${NO_KEY}' } }
models:
  - { code: gpt, kind: chat, price: free, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }] }
  - { code: claude, kind: chat, limits: { max_output_tokens: 64000 }, price: free, offers: [{ account: anthropic, model: claude-sonnet-4-5-20250929, dialect: anthropic-messages, quirks: { thinking: budget } }] }
  - { code: gemini, kind: chat, price: free, offers: [{ account: gemini, model: gemini-3.1-pro-preview, dialect: gemini-generate }] }
  - { code: gemini-bytes, kind: chat, price: free, offers: [{ account: gemini, model: gemini-3.1-pro-preview, dialect: gemini-generate, quirks: { media_urls: false } }] }
`,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
});
beforeEach(() => {
  gateway.twin.ledger.clear();
  gateway.twin.requests.clear();
});
afterAll(async () => {
  await gateway.close();
  await new Promise((resolve) => pictures.close(resolve));
});

const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content });
/** An answer, whole or streamed: text, finish and usage. */
async function ask(body: Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>, stream: boolean) {
  if (!stream) {
    const answer = await openai.chat.completions.create(body);
    const [choice] = answer.choices;
    return { text: choice?.message.content, finish: choice?.finish_reason, usage: answer.usage };
  }
  const pieces = openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
  const answer = await pieces.finalChatCompletion();
  const [choice] = answer.choices;
  return { text: choice?.message.content, finish: choice?.finish_reason, usage: answer.usage };
}

describe.each([{ stream: false }, { stream: true }])('stream: $stream', ({ stream }) => {
  it('bug 52: Gemini’s continuation is resumed once per token, usage summed over the continuations', async () => {
    const plain = await ask({ model: 'gemini', messages: [user('one two three four five six')] }, stream);
    gateway.twin.ledger.clear();
    const heard = await ask(
      { model: 'gemini', messages: [user('[[twin:continue]] one two three four five six')] },
      stream,
    );
    expect(heard).toMatchObject({ text: plain.text, finish: 'stop' });
    const billed = gateway.twin.ledger.answers('gemini').map(({ billed: each }) => each);
    expect(billed).toHaveLength(2);
    expect(heard.usage?.prompt_tokens).toBe(billed.reduce((sum, { inputTokens }) => sum + (inputTokens ?? 0), 0));
    expect(heard.usage?.completion_tokens).toBe(billed.reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0));
  });

  it('a paused turn of Anthropic is gone on with for a caller that has no word for it', async () => {
    const heard = await ask(
      { model: 'claude', messages: [user('[[twin:pause]] search the news')], web_search_options: {} },
      stream,
    );
    expect(heard.text).toContain('You said: search the news');
    expect(heard.finish).toBe('stop');
    const requests = gateway.twin.requests.list({ vendor: 'anthropic' });
    expect(requests).toHaveLength(2);
    expect(requests[1]?.json).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: [{ type: 'server_tool_use' }] }],
    });
    const billed = gateway.twin.ledger.answers('anthropic');
    expect(heard.usage?.prompt_tokens).toBe(billed.reduce((sum, each) => sum + (each.billed.inputTokens ?? 0), 0));
  });

  it('media by address is fetched for a model that takes bytes only', async () => {
    const messages: ChatCompletionMessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Describe this' },
          { type: 'image_url', image_url: { url: `${pictureUrl}/red.png` } },
        ],
      },
    ];
    const heard = await ask({ model: 'gemini-bytes', messages }, stream);
    expect(heard.text).toContain('Images seen: 1');
    const sent = gateway.twin.requests.last('gemini')?.body ?? '';
    expect(sent).toContain('"inlineData"');
    expect(sent).not.toContain(pictureUrl);
  });

  it('media that cannot be had is a 400 that names the place; nothing is asked of the vendor', async () => {
    const messages: ChatCompletionMessageParam[] = [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `${pictureUrl}/none.png` } }] },
    ];
    const error = await ask({ model: 'gemini-bytes', messages }, stream).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, param: expect.stringContaining('messages[0].content[0]') });
    expect(gateway.twin.requests.list({ vendor: 'gemini' })).toHaveLength(0);
  });

  it('bug 38: state the vendor refuses is left out and the request sent once more', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object' } } }];
    const question = user('What is the weather in Ulm?');
    const first = await openai.chat.completions.create({
      model: 'claude',
      messages: [question],
      tools,
      reasoning_effort: 'high',
    });
    const message = first.choices[0]?.message as unknown as {
      thinking_blocks: { signature: string }[];
      tool_calls: { id: string }[];
    };
    const [block] = message.thinking_blocks;
    const inside = Buffer.from(block?.signature ?? '', 'base64').toString();
    const torn = Buffer.from(inside.replace(/("v":")..../, '$1AAAA')).toString('base64');
    expect(torn).not.toBe(block?.signature);
    gateway.twin.requests.clear();
    const heard = await ask(
      {
        model: 'claude',
        tools,
        reasoning_effort: 'high',
        messages: [
          question,
          { ...message, thinking_blocks: [{ ...block, signature: torn }] } as unknown as ChatCompletionMessageParam,
          { role: 'tool', tool_call_id: message.tool_calls[0]?.id ?? '', content: '5 degrees' },
        ],
      },
      stream,
    );
    expect(heard.text).toContain('5 degrees');
    const statuses = gateway.twin.requests.list({ vendor: 'anthropic' }).map(({ status }) => status);
    expect(statuses).toEqual([400, 200]);
  });

  it('bug 38: state of another vendor is left out of a body that is forwarded as it came', async () => {
    const question = user('[[twin:think]] Why is the sky blue?');
    const first = await openai.chat.completions.create({
      model: 'claude',
      messages: [question],
      reasoning_effort: 'high',
    });
    const answer = first.choices[0]?.message as unknown as ChatCompletionMessageParam;
    expect(JSON.stringify(answer)).toContain('thinking_blocks');
    await ask({ model: 'gpt', messages: [question, answer, user('And at night?')] }, stream);
    const sent = gateway.twin.requests.last('openai')?.body ?? '';
    expect(sent).toContain('And at night?');
    expect(sent).not.toContain('signature');
  });
});
