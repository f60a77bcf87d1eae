/** Guardrails that ask an address of the operator's: all four formats with the official SDKs, whole and streamed, and a hook that fails. */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import OpenAI from 'openai';
import { pino } from 'pino';
import { SECRET, startHookServer, type HookServer } from './hook-server.ts';

const TOKEN = 'hook-token-0123456789';
const VENDORS = { openai: 'openai-chat', anthropic: 'anthropic-messages' } as const;
const MODELS = { openai: 'gpt-5.2', anthropic: 'claude-sonnet-5' } as const;
type Vendor = keyof typeof VENDORS;
const BROKEN = ['hang', 'rubbish', 'shape', 'word', '500', 'redirect', 'large', 'cut'] as const;

let twin: VendorTwin;
let hook: HookServer;
let gateway: TestGateway;
let said = '';

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  hook = await startHookServer();
  const accounts = Object.keys(VENDORS).map((name, index) => {
    const vendor = name as Vendor;
    return `  - { id: ${index + 1}, name: ${vendor}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor)['api_key'] ?? ''}' } }`;
  });
  const uses = ['masked', 'sent', 'refused', 'stopped', 'seen', 'milder', 'few', 'free'];
  const codes = [...uses, ...BROKEN.flatMap((how) => [`strict-${how}`, `lenient-${how}`])];
  const models = codes.flatMap((use) =>
    Object.entries(VENDORS).map(
      ([vendor, dialect]) =>
        `  - { code: ${use}-${vendor}, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: ${vendor}, model: ${MODELS[vendor as Vendor]}, dialect: ${dialect} }], price: { input: 1, output: 10 } }`,
    ),
  );
  const rail = (row: string, path: string, more = ''): string =>
    `  - { ${row}, hook: { url: '${hook.url}/${path}', headers: { authorization: 'Bearer ${TOKEN}' }${more} } }`;
  const broken = BROKEN.flatMap((how) => [
    rail(`name: strict-${how}, mode: mask, models: ['strict-${how}-*']`, how, ', timeout_ms: 300'),
    rail(`name: lenient-${how}, mode: refuse, models: ['lenient-${how}-*']`, how, ', timeout_ms: 300, on_error: allow'),
  ]);
  const log = pino(
    new Writable({
      write(chunk, _encoding, done) {
        said += String(chunk);
        done();
      },
    }),
  );
  gateway = await openTestGateway({
    twin,
    log,
    yaml: `extends: none
accounts:
${accounts.join('\n')}
models:
${models.join('\n')}
guardrails:
${rail("name: out, mode: mask, on: [answer], models: ['masked-*']", 'mask', ', window: 100')}
${rail("name: in, mode: mask, on: [request], models: ['sent-*']", 'mask')}
  - { name: mails, mode: mask, on: [request], models: ['sent-*'], detect: [email] }
${rail("name: birds, mode: refuse, on: [request], models: ['refused-*']", 'refuse')}
${rail("name: birds-out, mode: refuse, on: [answer], models: ['stopped-*']", 'refuse', ', window: 100')}
${rail("name: looking, mode: observe, models: ['seen-*']", 'refuse')}
${rail("name: mild, mode: mask, on: [answer], models: ['milder-*']", 'refuse')}
${rail("name: few, mode: observe, on: [request], models: ['few-*']", 'allow', ', max_concurrency: 2')}
${broken.join('\n')}
`,
  });
});
afterAll(async () => {
  await gateway.close();
  await hook.close();
  await twin.close();
});
beforeEach(() => {
  hook.questions.length = 0;
});

interface Answered {
  readonly text: string;
}
type Ask = (model: string, text: string, stream: boolean) => Promise<Answered>;

function sdks(): Readonly<Record<string, Ask>> {
  const apiKey = gateway.liveKey;
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
  const genai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
  return {
    async 'openai-chat'(model, content, stream) {
      const body = { model, messages: [{ role: 'user' as const, content }] };
      if (!stream) return { text: (await openai.chat.completions.create(body)).choices[0]?.message.content ?? '' };
      let text = '';
      for await (const chunk of await openai.chat.completions.create({ ...body, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
      return { text };
    },
    async 'openai-responses'(model, input, stream) {
      if (!stream) return { text: (await openai.responses.create({ model, input })).output_text };
      let text = '';
      const events = openai.responses.stream({ model, input });
      for await (const event of events) if (event.type === 'response.output_text.delta') text += event.delta;
      // What is repeated at the end is what was said.
      expect((await events.finalResponse()).output_text).toBe(text);
      return { text };
    },
    async 'anthropic-messages'(model, content, stream) {
      const body = { model, max_tokens: 500, messages: [{ role: 'user' as const, content }] };
      const message = stream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body);
      return { text: message.content.map((part) => (part.type === 'text' ? part.text : '')).join('') };
    },
    async 'gemini-generate'(model, contents, stream) {
      if (!stream) return { text: (await genai.models.generateContent({ model, contents })).text ?? '' };
      let text = '';
      for await (const chunk of await genai.models.generateContentStream({ model, contents })) text += chunk.text ?? '';
      return { text };
    },
  };
}
const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
const crossings = FORMATS.flatMap((format) =>
  (Object.keys(VENDORS) as Vendor[]).flatMap((vendor) => [true, false].map((stream) => ({ format, vendor, stream }))),
);
const ask = (format: string, model: string, text: string, stream = false): Promise<Answered> => {
  const each = sdks()[format];
  if (each === undefined) throw new Error(`no SDK for ${format}`);
  return each(model, text, stream);
};

describe.each(crossings)('$format from $vendor, streamed: $stream', ({ format, vendor, stream }) => {
  it('an answer is masked in every window, where a secret lies across two as well', async () => {
    const secrets = Array.from({ length: 40 }, (_none, index) => `and SECRET-${1000 + index}-2222`).join(' ');
    const { text } = await ask(format, `masked-${vendor}`, `So ${secrets} end.`, stream);
    expect(text).not.toMatch(/SECRET|[0-9]{4}-[0-9]/);
    expect(text.match(/\[gone\]/g)).toHaveLength(40);
    expect(text).toMatch(/So (?:and \[gone\] ){40}end\./);
    const windows = hook.questions.map(({ body }) => body.window);
    expect(windows).toEqual(stream ? windows.map((_none, index) => index + 1) : [undefined]);
    if (stream) expect(windows.length).toBeGreaterThan(2);
  });

  it('a request is masked before its vendor has it, and built-in masks before the hook', async () => {
    await ask(format, `sent-${vendor}`, 'ann@example.com has SECRET-1234-5678', stream);
    expect(twin.requests.last(vendor)?.body).toContain('[email] has [gone]');
    expect(hook.questions[0]?.body.texts).toEqual(['[email] has SECRET-1234-5678']);
  });

  it('a request is refused with the hook’s reason, and nobody is asked', async () => {
    const before = twin.requests.list().length;
    const refused = ask(format, `refused-${vendor}`, 'a falcon', stream);
    await expect(refused).rejects.toThrow("the request was refused by the guardrail 'birds': no birds of prey");
    await expect(refused).rejects.toMatchObject({ status: 400 });
    expect(twin.requests.list()).toHaveLength(before);
  });

  it('an answer is refused before anything of its window is said', async () => {
    let told = '';
    const asked = ask(format, `stopped-${vendor}`, `${'word '.repeat(60)} a falcon flies`, stream);
    await asked.catch((error: unknown) => (told = String(error)));
    expect(told).toContain("the answer was refused by the guardrail 'birds-out'");
    expect(told).not.toContain('flies');
  });
});

it('asks with a documented question and the operator’s headers', async () => {
  await ask('openai-chat', 'seen-openai', 'a falcon');
  expect(hook.questions).toHaveLength(2);
  const [first, second] = hook.questions;
  expect(first?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' });
  expect(first?.body).toEqual({
    stage: 'request',
    guardrail: 'looking',
    request_id: expect.stringMatching(/\S{8,}/),
    model: 'seen-openai',
    kind: 'chat',
    texts: ['a falcon'],
  });
  expect(second?.body).toMatchObject({ stage: 'answer', request_id: first?.body.request_id });
});

it('what is only observed is told, and passes', async () => {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'seen-openai', messages: [{ role: 'user', content: 'a falcon' }] }),
  });
  expect(await reply.text()).toContain('a falcon');
  expect(reply.headers.get('x-gateway-guardrails')).toBe(
    'looking: seen in request (hook), looking: seen in answer (hook)',
  );
  expect((await ask('openai-chat', 'seen-openai', 'a falcon', true)).text).toContain('a falcon');
});

it.each([true, false])('in the mode mask a refusal masks everything (streamed: %s)', async (stream) => {
  expect((await ask('openai-chat', 'milder-openai', 'a falcon', stream)).text).toBe('[mild]');
});

describe.each(BROKEN)('a hook that fails: %s', (how) => {
  it('on_error refuse: nothing passes, and it is said to be worth trying again', async () => {
    const before = twin.requests.list().length;
    const asked = ask('anthropic-messages', `strict-${how}-openai`, 'hello');
    await expect(asked).rejects.toThrow(/could not be checked by the guardrail 'strict-/);
    await expect(asked).rejects.toMatchObject({ status: 503 });
    expect(twin.requests.list()).toHaveLength(before);
  });

  it('on_error allow: it passes, is named and logged, without addresses and secrets', async () => {
    said = '';
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `lenient-${how}-openai`, messages: [{ role: 'user', content: 'hello' }] }),
    });
    const name = `lenient-${how}`;
    expect(reply.headers.get('x-gateway-guardrails')).toBe(`${name}: request not checked, ${name}: answer not checked`);
    expect(await reply.text()).toContain('hello');
    expect(said).toContain(`"guardrail":"${name}","stage":"request","reason":"it`);
    expect(said).not.toContain(TOKEN);
    expect(said).not.toContain(hook.url);
    const metrics = await gateway.server.own.metricsPage();
    expect(metrics).toMatch(new RegExp(`gateway_guardrail_checks_total\\{[^}]*guardrail="${name}"[^}]*result="fault"`));
  });
});

it.each(FORMATS)('%s: a hook that fails in a stream ends it', async (format) => {
  const before = twin.requests.list().length;
  await expect(ask(format, 'strict-500-anthropic', 'hello', true)).rejects.toThrow(/could not be checked/);
  expect(twin.requests.list()).toHaveLength(before);
});

it('asks no more at once than it may', async () => {
  hook.atOnce.most = 0;
  await Promise.all(Array.from({ length: 12 }, () => ask('openai-chat', 'few-openai', 'hello')));
  expect(hook.questions).toHaveLength(12);
  expect(hook.atOnce.most).toBeLessThanOrEqual(2);
});

it('without a guardrail nobody is asked', async () => {
  const { text } = await ask('openai-chat', 'free-openai', 'SECRET-1234-5678 falcon', true);
  expect(text).toMatch(SECRET);
  expect(hook.questions).toEqual([]);
});

it('operators are shown neither its headers nor their secrets', async () => {
  const reply = await fetch(`${gateway.server.adminUrl}/admin/config`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  const text = await reply.text();
  expect(text).toContain('"name":"birds"');
  expect(text).not.toContain(TOKEN);
});
