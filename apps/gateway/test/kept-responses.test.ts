/** Responses that the gateway keeps, by OpenAI's own SDK: threads over vendors, with tools and reasoning, branches, what is read and deleted. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';

const KEY = Buffer.alloc(32, 7).toString('base64');
const MODELS = ['claude-sonnet-5', 'gemini-3.1-pro', 'gpt-5.2-pro', 'gpt-5.2', 'deepseek-chat'] as const;

let gateway: TestGateway;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: `security: { encryption_key: '${KEY}' }` });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(() => gateway.close());

/** What the vendor was sent last. */
function sent(): string {
  return gateway.twin.requests.last()?.body ?? '';
}

describe.each(MODELS)('%s', (model) => {
  it.each([false, true])('goes on from an answer, streamed: %s', async (streamed) => {
    const ask = async (input: string, previous?: string): Promise<OpenAI.Responses.Response> => {
      const body = { model, input, previous_response_id: previous ?? null };
      return streamed ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);
    };
    const first = await ask('I sail from Brest.');
    expect(first).toMatchObject({ store: true, previous_response_id: null, status: 'completed' });
    expect(first.id).toMatch(/^resp_gw_\w{20,}$/);
    const second = await ask('Where do I sail from?', first.id);
    expect(second.previous_response_id).toBe(first.id);
    const asked = sent();
    expect(asked).toContain('I sail from Brest.');
    expect(asked).toContain('Where do I sail from?');
    expect(asked).toContain(first.output_text);
    expect(asked).not.toContain('resp_gw_');
    const { id, usage, status, output_text, created_at, model: named } = first;
    expect(await openai.responses.retrieve(id)).toMatchObject({
      id,
      usage,
      status,
      output_text,
      created_at,
      model: named,
    });
  });
});

it('a thread goes from one vendor to another, with tools and reasoning', async () => {
  const tools: OpenAI.Responses.Tool[] = [
    {
      type: 'function',
      name: 'tide',
      description: 'High tide',
      parameters: { type: 'object', properties: {} },
      strict: false,
    },
  ];
  let previous: string | null = null;
  for (const model of [...MODELS, ...MODELS]) {
    const called: OpenAI.Responses.Response = await openai.responses.create({
      model,
      tools,
      tool_choice: 'required',
      reasoning: model === 'deepseek-chat' ? null : { effort: 'high', summary: 'auto' },
      input: 'When is high tide?',
      previous_response_id: previous,
    });
    const call = called.output.find((item) => item.type === 'function_call');
    expect({ model, call: call?.name }).toEqual({ model, call: 'tide' });
    const answered: OpenAI.Responses.Response = await openai.responses.create({
      model,
      tools,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: '14:32' }],
      previous_response_id: called.id,
    });
    expect({ model, status: answered.status }).toEqual({ model, status: 'completed' });
    previous = answered.id;
  }
  const items = sent().match(/14:32/g) ?? [];
  expect(items.length).toBeGreaterThanOrEqual(2 * MODELS.length);
});

it('two answers go on from the same one, each its own way', async () => {
  const root = await openai.responses.create({ model: 'claude-sonnet-5', input: 'The root.' });
  const [left, right] = await Promise.all(
    ['The left branch.', 'The right branch.'].map((input) =>
      openai.responses.create({ model: 'gemini-3.1-pro', input, previous_response_id: root.id }),
    ),
  );
  await openai.responses.create({ model: 'gpt-5.2-pro', input: 'And?', previous_response_id: left?.id ?? null });
  expect(sent()).toContain('The left branch.');
  expect(sent()).toContain('The root.');
  expect(sent()).not.toContain('The right branch.');
  expect(right?.previous_response_id).toBe(root.id);
});

it('nothing is taken over but what was said: instructions and tools are of one request', async () => {
  const first = await openai.responses.create({ model: 'gpt-5.2-pro', instructions: 'Speak Breton.', input: 'Hello' });
  expect(first.instructions).toBe('Speak Breton.');
  await openai.responses.create({ model: 'gpt-5.2-pro', input: 'Again', previous_response_id: first.id });
  expect(sent()).not.toContain('"instructions"');
  expect(sent()).toContain('"store":false');
});

it('what it was asked is listed in pages', async () => {
  const response = await openai.responses.create({
    model: 'claude-sonnet-5',
    input: ['one', 'two', 'three', 'four', 'five'].map((content) => ({ role: 'user' as const, content })),
  });
  const texts: unknown[] = [];
  for await (const item of openai.responses.inputItems.list(response.id, { limit: 2, order: 'asc' }))
    texts.push((item as { content?: { text: string }[] }).content?.[0]?.text);
  expect(texts).toEqual(['one', 'two', 'three', 'four', 'five']);
  const newest = await openai.responses.inputItems.list(response.id, { limit: 1 });
  expect(newest.data).toEqual([
    expect.objectContaining({ content: [{ type: 'input_text', text: 'five' }], type: 'message', role: 'user' }),
  ]);
  await expect(openai.responses.inputItems.list(response.id, { after: 'msg_0' })).rejects.toThrow(
    /after: there is no item 'msg_0'/,
  );
});

it('a response that is deleted is gone, for those that go on from it too', async () => {
  const first = await openai.responses.create({ model: 'claude-sonnet-5', input: 'A secret.' });
  const second = await openai.responses.create({
    model: 'claude-sonnet-5',
    input: 'More.',
    previous_response_id: first.id,
  });
  await openai.responses.delete(first.id);
  await expect(openai.responses.retrieve(first.id)).rejects.toThrow(NotFoundError);
  expect((await openai.responses.retrieve(second.id)).id).toBe(second.id);
  await expect(
    openai.responses.create({ model: 'claude-sonnet-5', input: 'Go on.', previous_response_id: second.id }),
  ).rejects.toThrow(`previous_response_id: there is no response '${first.id}'`);
  await expect(openai.responses.delete(first.id)).rejects.toThrow(NotFoundError);
});

it('what is not to be stored is stored nowhere, and may go on from what is', async () => {
  const first = await openai.responses.create({ model: 'claude-sonnet-5', input: 'Kept.' });
  const second = await openai.responses.create({
    model: 'gpt-5.2-pro',
    input: 'Not kept.',
    store: false,
    previous_response_id: first.id,
  });
  expect(second).toMatchObject({ store: false });
  expect(sent()).toContain('Kept.');
  await expect(openai.responses.retrieve(second.id)).rejects.toThrow(NotFoundError);
  const plain = await openai.responses.create({ model: 'gpt-5.2-pro', input: 'Plain.', store: false });
  expect(plain.id).not.toMatch(/^resp_gw_/);
});

it('a conversation collects what is said in it', async () => {
  const conversation = await openai.conversations.create({
    items: [{ type: 'message', role: 'user', content: 'I sail from Brest.' }],
    metadata: { topic: 'tides' },
  });
  expect(conversation).toMatchObject({ object: 'conversation', metadata: { topic: 'tides' } });
  for (const model of MODELS) {
    const response = await openai.responses.create({ model, input: `Says ${model}.`, conversation: conversation.id });
    expect(response.conversation).toEqual({ id: conversation.id });
  }
  expect(sent()).toContain('I sail from Brest.');
  expect(sent()).toContain('Says claude-sonnet-5.');
  const items: unknown[] = [];
  for await (const item of openai.conversations.items.list(conversation.id, { order: 'asc', limit: 3 }))
    items.push(item);
  expect(items.length).toBeGreaterThanOrEqual(1 + 2 * MODELS.length);
  await openai.conversations.items.create(conversation.id, {
    items: [{ type: 'message', role: 'user', content: 'One more.' }],
  });
  const [last] = (await openai.conversations.items.list(conversation.id, { limit: 1 })).data;
  expect(last).toMatchObject({ role: 'user', status: 'completed', content: [{ text: 'One more.' }] });
  expect(await openai.conversations.items.retrieve(last?.id ?? '', { conversation_id: conversation.id })).toEqual(last);
  await openai.conversations.items.delete(last?.id ?? '', { conversation_id: conversation.id });
  const updated = await openai.conversations.update(conversation.id, { metadata: { topic: 'harbours' } });
  expect(updated.metadata).toEqual({ topic: 'harbours' });
  expect((await openai.conversations.delete(conversation.id)).deleted).toBe(true);
  await expect(
    openai.responses.create({ model: 'gpt-5.2', input: 'Hello?', conversation: conversation.id }),
  ).rejects.toThrow(NotFoundError);
});

it.each([
  [
    'both at once',
    { previous_response_id: 'resp_gw_0', conversation: 'conv_gw_0' },
    BadRequestError,
    /conversation cannot be given beside/,
  ],
  ['an unknown one', { previous_response_id: 'resp_gw_0' }, NotFoundError, /there is no response 'resp_gw_0'/],
  ['a conversation for a response', { previous_response_id: 'conv_gw_0' }, NotFoundError, /there is no response/],
  ['an unknown conversation', { conversation: { id: 'conv_gw_0' } }, NotFoundError, /there is no conversation/],
  [
    'background that is not stored',
    { background: true, store: false },
    BadRequestError,
    /background needs a response that is kept/,
  ],
  [
    'an id that is too long',
    { previous_response_id: `resp_gw_${'0'.repeat(200)}` },
    BadRequestError,
    /1 to 200 characters/,
  ],
])('refuses %s, and asks nobody', async (_name, body, error, message) => {
  const asked = openai.responses.create({ model: 'claude-sonnet-5', input: 'Hi', ...body });
  await expect(asked).rejects.toThrow(error);
  await expect(asked).rejects.toThrow(message);
  expect(gateway.twin.requests.list()).toEqual([]);
});
