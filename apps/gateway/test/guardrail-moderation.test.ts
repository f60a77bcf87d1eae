/** Guardrails that ask a moderation model, and guardrails of requests that are no chats. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import { startHookServer, type HookServer } from './hook-server.ts';

let gateway: TestGateway;
let hook: HookServer;
let openai: OpenAI;
let anthropic: Anthropic;
let genai: GoogleGenAI;

beforeAll(async () => {
  hook = await startHookServer();
  gateway = await openTestGateway({
    yaml: `models:
  - { code: dear-moderation, kind: moderation, price: { input: 1000 }, offers: [{ account: openai, model: omni-moderation-latest }] }
guardrails:
  - { name: harm, mode: refuse, on: [request], models: [gpt-5.2], moderation: { model: omni-moderation-latest } }
  - { name: harm-out, mode: refuse, on: [answer], models: [claude-haiku-4-5], moderation: { model: omni-moderation-latest, window: 100 } }
  - { name: soft, mode: mask, models: [gpt-5-mini], moderation: { model: dear-moderation, window: 100 } }
  - { name: only, mode: refuse, on: [request], models: [claude-sonnet-5], moderation: { model: omni-moderation-latest, categories: [violence, hate], thresholds: { violence: 0.99 } } }
  - { name: low, mode: refuse, on: [request], models: [gemini-2.5-flash], moderation: { model: omni-moderation-latest, thresholds: { sexual: 0.0001 } } }
  - { name: private, mode: mask, models: ['gpt-image-*', 'text-embedding-*', 'gpt-4o-mini-tts', 'qwen3-rerank'], detect: [email] }
  - { name: falcons, mode: refuse, models: ['gpt-image-*', 'text-embedding-*', 'gpt-4o-mini-tts', 'qwen3-rerank'], hook: { url: '${hook.url}/refuse' } }
`,
  });
  const apiKey = gateway.testKey;
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
  genai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
});
afterAll(async () => {
  await gateway.close();
  await hook.close();
});
beforeEach(() => {
  gateway.twin.faults.clear();
  hook.questions.length = 0;
});

const SAID = 'The tide turns at noon, I will stab you at night.';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const vendorAsked = (operation: 'chat' | 'moderation'): number => gateway.twin.requests.list({ operation }).length;
async function textIn<T>(stream: AsyncIterable<T>, textOf: (chunk: T) => string | null | undefined): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += textOf(chunk) ?? '';
  return text;
}
const STREAMED: Readonly<Record<string, (model: string, text: string) => Promise<string>>> = {
  'openai-chat': async (model, content) =>
    textIn(
      await openai.chat.completions.create({ model, stream: true, messages: [{ role: 'user', content }] }),
      ({ choices }) => choices[0]?.delta.content,
    ),
  'openai-responses': async (model, input) =>
    (await openai.responses.stream({ model, input }).finalResponse()).output_text,
  'anthropic-messages': async (model, content) =>
    JSON.stringify(
      await anthropic.messages.stream({ model, max_tokens: 500, messages: [{ role: 'user', content }] }).finalMessage(),
    ),
  'gemini-generate': async (model, contents) =>
    textIn(await genai.models.generateContentStream({ model, contents }), ({ text }) => text),
};
const chat = (model: string, content: string) =>
  openai.chat.completions.create({ model, messages: [{ role: 'user', content }] });

describe('a moderation model', () => {
  it('refuses requests and names the categories', async () => {
    const before = vendorAsked('chat');
    await expect(chat('gpt-5.2', 'Why would I stab you?')).rejects.toThrow(
      "the request was refused by the guardrail 'harm': violence",
    );
    expect(vendorAsked('chat')).toBe(before);
    expect((await chat('gpt-5.2', 'The tide turns.')).choices[0]?.message.content).toContain('The tide turns.');
  });

  it.each(Object.entries(STREAMED))('%s: refuses and masks what is streamed', async (_format, run) => {
    await expect(run('claude-haiku-4-5', SAID)).rejects.toThrow(/refused by the guardrail 'harm-out': violence/);
    expect(await run('claude-haiku-4-5', 'The tide turns.')).toContain('The tide turns.');
    const masked = await run('gpt-5-mini', SAID);
    expect(masked).toContain('[soft: violence]');
    expect(masked).not.toContain('stab');
  });

  it('masks the text that is flagged and leaves the others; callers are not charged for it', async () => {
    const before = vendorAsked('moderation');
    const reply = await openai.chat.completions
      .create({
        model: 'gpt-5-mini',
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'You idiot' },
        ],
      })
      .withResponse();
    const asked = gateway.twin.requests.last('openai', 'chat');
    expect(asked?.body).toContain('Be kind.');
    expect(asked?.body).toContain('[soft: harassment]');
    expect(asked?.body).not.toContain('idiot');
    expect(reply.response.headers.get('x-gateway-guardrails')).toBe('soft: masked in request (harassment)');
    expect(vendorAsked('moderation') - before).toBe(2);
    await gateway.server.own.flush();
    const requestId = reply.response.headers.get('x-request-id') ?? '';
    const entries = await gateway.server.parts.store.ledger.entries({ requestId, kind: 'capture', limit: 5 });
    expect(entries.map(({ model }) => model)).toEqual(['gpt-5-mini']);
  });

  it('counts the categories that it is told to, from the scores that it is told', async () => {
    await expect(chat('claude-sonnet-5', 'I hate them')).rejects.toThrow(/'only': hate$/);
    // Flagged at 0.97, which is not enough; and a category that does not count.
    expect((await chat('claude-sonnet-5', 'I stab you, idiot')).choices).toHaveLength(1);
    await expect(chat('gemini-2.5-flash', 'The tide turns.')).rejects.toThrow(/'low': sexual$/);
  });

  it('that cannot be asked lets nothing pass', async () => {
    gateway.twin.faults.next('openai', 'moderation', { kind: 'status', status: 500 });
    gateway.twin.faults.next('openai', 'moderation', { kind: 'status', status: 500 });
    await expect(chat('gpt-5.2', 'The tide turns.')).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining("could not be checked by the guardrail 'harm'"),
    });
  });
});

describe('requests that are no chats', () => {
  const MAIL = 'ann@example.com';
  const cases: readonly (readonly [string, string, (text: string) => Promise<unknown>])[] = [
    ['an image', 'image', (prompt) => openai.images.generate({ model: 'gpt-image-2', prompt })],
    [
      'an edit by form',
      'image',
      async (prompt) =>
        openai.images.edit({ model: 'gpt-image-2', prompt, image: new File([PNG], 'a.png', { type: 'image/png' }) }),
    ],
    ['speech', 'speech', (input) => openai.audio.speech.create({ model: 'gpt-4o-mini-tts', input, voice: 'alloy' })],
    [
      'embeddings',
      'embedding',
      (text) => openai.embeddings.create({ model: 'text-embedding-3-small', input: ['a', text] }),
    ],
    [
      'Google’s embeddings',
      'embedding',
      (contents) => genai.models.embedContent({ model: 'text-embedding-3-small', contents }),
    ],
    [
      'rerank',
      'rerank',
      async (query) => {
        const reply = await fetch(`${gateway.url}/v1/rerank`, {
          method: 'POST',
          headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'qwen3-rerank', query, documents: ['a tide', query] }),
        });
        if (!reply.ok) throw new Error(await reply.text());
      },
    ],
  ];

  it.each(cases)('%s: masked before the vendor has it, and judged as what it is', async (_name, kind, ask) => {
    const before = gateway.twin.requests.list().length;
    await ask(`a letter to ${MAIL}`);
    const bodies = gateway.twin.requests.list().slice(before);
    expect(bodies.filter(({ body }) => body.includes('a letter to [email]'))).toHaveLength(1);
    expect(bodies.filter(({ body }) => body.includes(MAIL))).toEqual([]);
    expect(hook.questions[0]?.body).toMatchObject({ stage: 'request', kind });
    expect(hook.questions[0]?.body.texts).toContain('a letter to [email]');
  });

  it.each(cases)('%s: refused, and nobody is asked', async (_name, _kind, ask) => {
    const before = gateway.twin.requests.list().length;
    await expect(ask('a falcon')).rejects.toThrow(/refused by the guardrail 'falcons': no birds of prey/);
    expect(gateway.twin.requests.list()).toHaveLength(before);
  });

  it('the answer names what was found', async () => {
    const { response } = await openai.embeddings
      .create({ model: 'text-embedding-3-small', input: MAIL })
      .withResponse();
    expect(response.headers.get('x-gateway-guardrails')).toBe('private: masked in request (email)');
  });
});
