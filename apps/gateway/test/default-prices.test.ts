/** Models that no row has, at the declared price of their account: served, set aside, billed and told; refused where there is none. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import OpenAI from 'openai';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const POOR_KEY = 'sk-live-poor-0123456789abcdef';
const NARROW_KEY = 'sk-live-narrow-0123456789abcdef';

let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;
let openai: OpenAI;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const at = (name: 'openai' | 'anthropic' | 'cohere'): string =>
    `base_url: '${twin.baseUrl(name)}', credentials: ${JSON.stringify(twin.credentials(name))}`;
  gateway = await openTestGateway({
    twin,
    keys: `  - { name: poor, key: ${POOR_KEY}, limits: { spend_total: 0.00002 } }
  - { name: narrow, key: ${NARROW_KEY}, models: ['house/good-*', known] }`,
    yaml: `extends: none
money: { overdraft: 0 }
accounts:
  - { id: 1, name: house, vendor: openai, ${at('openai')}, default_price: { input: 5, output: 15 } }
  - { id: 2, name: secret-plans, vendor: anthropic, ${at('anthropic')} }
  - { id: 3, name: first, vendor: cohere, ${at('cohere')}, default_price: { input: 1 } }
  - { id: 4, name: second, vendor: cohere, ${at('cohere')}, default_price: { input: 2 } }
models:
  - { code: known, aliases: [known-2026-01-01], kind: chat, price: { input: 1, output: 1 }, limits: { max_input_tokens: 1000, max_output_tokens: 1000 }, offers: [{ account: house, model: gpt-5.2, dialect: openai-chat }] }
`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
beforeEach(() => twin.requests.clear());
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

const call = (path: string, body: object, key = gateway.liveKey): Promise<Response> =>
  fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const chat = (model: string, key?: string): Promise<Response> =>
  call('/v1/chat/completions', { model, max_completion_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }, key);
/** The model that the vendor was asked for last. */
const lastAsked = (): unknown => (twin.requests.last()?.json as { model: unknown }).model;
const refusal = async (reply: Response): Promise<{ status: number; code: string; message: string }> => {
  const { error } = (await reply.json()) as { error: { code: string; message: string } };
  return { status: reply.status, ...error };
};

describe('a chat model without a row', () => {
  it('is asked for at its account, and billed at the account’s default price', async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: 'house/gpt-9-preview', messages: [{ role: 'user', content: 'Hi' }] })
      .withResponse();
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = data.usage ?? {};
    expect(lastAsked()).toBe('gpt-9-preview');
    // Whole quota units of 2 millionths of a dollar.
    const units = Math.round((input * 5 + output * 15) / 2);
    expect(Number(response.headers.get('x-gateway-cost'))).toBeCloseTo(units / 500_000, 9);
    const bill = await admin.ledger.replay(response.headers.get('x-request-id') ?? '');
    expect(bill).toMatchObject({ model: 'house/gpt-9-preview', default_price: 'house', charged: units, matches: true });
    expect(bill.entries.at(-1)?.detail).toMatchObject({ default_price: 'house' });
  });

  it('is told by usage, apart from what has a price of its own', async () => {
    await chat('house/gpt-9-preview');
    await chat('known');
    const { data } = await admin.usage({ group_by: ['default_price', 'model'] });
    const groups = data.map(({ group }) => `${group['default_price']} ${group['model']}`);
    expect(groups).toContain('house house/gpt-9-preview');
    expect(groups).toContain(' known');
  });

  it('has money set aside for it at that price: a key that cannot pay is refused before anybody is asked', async () => {
    const body = { model: 'house/gpt-9', max_completion_tokens: 1000, messages: [{ role: 'user', content: 'Hi' }] };
    const estimate = await call('/v1/estimate', { endpoint: '/v1/chat/completions', body });
    const { items } = (await estimate.json()) as {
      items: readonly { item: string; price: number; quantity: number }[];
    };
    expect(items.find(({ item }) => item === 'output')).toMatchObject({ price: 15, quantity: 1000 });
    // The same request of a model that costs less.
    expect((await call('/v1/chat/completions', { ...body, model: 'known' }, POOR_KEY)).status).toBe(200);
    twin.requests.clear();
    const refused = await call('/v1/chat/completions', body, POOR_KEY);
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('spend_total')]);
    expect(twin.requests.list()).toEqual([]);
  });

  it('answers in the other formats, and streams', async () => {
    const message = await call('/v1/messages', {
      ...{ model: 'house/gpt-9', max_tokens: 50 },
      messages: [{ role: 'user', content: 'ahoy' }],
    });
    expect([message.status, await message.text()]).toEqual([200, expect.stringContaining('ahoy')]);
    const stream = await openai.chat.completions.create({
      ...{ model: 'house/gpt-9', stream: true, stream_options: { include_usage: true } },
      messages: [{ role: 'user', content: 'ahoy' }],
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    expect(text).toContain('ahoy');
  });

  it('is billed so where its process dies', async () => {
    const hangUp = new AbortController();
    const body = { model: 'house/gpt-crashed', messages: [{ role: 'user', content: '[[twin:hang]]' }] };
    const reply = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: hangUp.signal,
    });
    const isOver = expect(reply).rejects.toThrow('abort');
    await until(() => twin.requests.last() !== undefined);
    await gateway.server.own.flush();
    // As another process does when this one has died.
    const { interrupted } = await gateway.server.parts.store.ledger.closeExpiredLeases(Date.now(), { process: 'b' });
    expect(interrupted).toMatchObject([{ model: 'house/gpt-crashed', basis: 'estimate' }]);
    const bill = await admin.ledger.replay(interrupted[0]?.id ?? '');
    expect(bill).toMatchObject({ model: 'house/gpt-crashed', default_price: 'house' });
    hangUp.abort();
    await isOver;
  });
});

describe('other kinds and names', () => {
  it('embeddings are billed at the price of input', async () => {
    const { data, response } = await openai.embeddings
      .create({ model: 'house/text-embedding-3-small', input: 'high tide' })
      .withResponse();
    expect(lastAsked()).toBe('text-embedding-3-small');
    const bill = await admin.ledger.replay(response.headers.get('x-request-id') ?? '');
    expect(bill).toMatchObject({
      default_price: 'house',
      lines: [{ item: 'input', price: 5, quantity: data.usage.prompt_tokens }],
    });
  });

  it('the vendor’s name stands for its accounts at one price; at several it stands for none', async () => {
    expect((await chat('openai/gpt-9')).status).toBe(200);
    const embed = (model: string): Promise<Response> => call('/v1/embeddings', { model, input: ['a'] });
    expect((await embed('second/embed-v4.0')).status).toBe(200);
    expect(await refusal(await embed('cohere/embed-v4.0'))).toMatchObject({ status: 400, code: 'model_not_found' });
  });

  it('a model that a row has keeps the row’s price, whatever name it is asked for by', async () => {
    for (const name of ['house/gpt-5.2', 'house/known', 'house/known-2026-01-01', 'openai/gpt-5.2']) {
      const reply = await chat(name);
      expect(reply.status).toBe(200);
      const bill = await admin.ledger.replay(reply.headers.get('x-request-id') ?? '');
      expect(bill).toMatchObject({ model: 'known', default_price: null });
      expect(bill.lines.map(({ price }) => price)).toEqual([1, 1]);
    }
  });

  it('keys name such models, as they name those of wildcards', async () => {
    expect((await chat('house/good-1', NARROW_KEY)).status).toBe(200);
    expect((await chat('house/bad-1', NARROW_KEY)).status).toBe(403);
    // Another name of a model is no other model.
    expect((await chat('house/gpt-5.2', NARROW_KEY)).status).toBe(200);
  });

  it('no list has them, and metrics have one label for all', async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(['known']);
    for (const name of ['house/one', 'house/two']) expect((await chat(name)).status).toBe(200);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('house/*');
    expect(metrics).not.toMatch(/house\/(?:one|two)/);
  });
});

describe('what is refused', () => {
  it('a vendor without a default price: the refusal names the line', async () => {
    const { status, code, message } = await refusal(await chat('anthropic/claude-next'));
    expect([status, code]).toEqual([400, 'model_not_found']);
    expect(message).toContain('the operator can add default_price: { input: …, output: … } to the account anthropic');
  });

  it('names of accounts are not told', async () => {
    const { code, message } = await refusal(await chat('secret-plans/claude-next'));
    expect(code).toBe('model_not_found');
    expect(message).not.toContain('default_price');
  });

  it.each(['house/', 'house/../x', 'house/a//b', 'house/a?b', 'house/$&', 'house/a b', `house/${'a'.repeat(121)}`])(
    '%s is no name of a model',
    async (name) => {
      const { code, message } = await refusal(await chat(name));
      expect(code).toBe('model_not_found');
      expect(message).toContain('by names of up to 120 letters, digits and . _ : @ / -');
      expect(twin.requests.list()).toEqual([]);
    },
  );

  it('kinds that have no default price', async () => {
    const reply = await call('/v1/rerank', { model: 'first/rerank-9', query: 'a', documents: ['b'] });
    expect(await refusal(reply)).toMatchObject({
      status: 400,
      message: expect.stringContaining('the default_price of first serves models of kind embedding'),
    });
  });
});
