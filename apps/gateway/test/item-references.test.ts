/** Items by reference: a program that sends the ids of what was said is answered as if it had sent the items, whatever the model; nobody finds another's. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';

const KEY = Buffer.alloc(32, 7).toString('base64');
let gateway: TestGateway;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: `security: { encryption_key: '${KEY}' }` });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(() => gateway.close());

type Input = OpenAI.Responses.ResponseInputItem[];
const sent = (): string => gateway.twin.requests.last()?.body ?? '';
const QUESTION = { role: 'user', content: 'Where do I sail from?' } as const;

/** An answer, and the ids of what was asked and said. */
async function first(text: string, options: { readonly conversation?: string } = {}) {
  const answer = await openai.responses.create({ model: 'claude-sonnet-5', input: text, ...options });
  const asked = (await openai.responses.inputItems.list(answer.id)).data.map(({ id }) => id);
  return { answer, asked, said: answer.output.map(({ id }) => id ?? '') };
}

it.each(['claude-sonnet-5', 'gemini-3.1-pro', 'gpt-5.2-pro', 'deepseek-chat'])(
  '%s reads what it names',
  async (model) => {
    const { answer, asked, said } = await first('I sail from Brest.');
    const input: Input = [...asked, ...said].map((id) => ({ type: 'item_reference', id }));
    const second = await openai.responses.create({ model, input: [...input, QUESTION] });
    expect(second.status).toBe('completed');
    expect(sent()).toContain('I sail from Brest.');
    expect(sent()).toContain(answer.output_text);
    expect(sent()).not.toContain('item_reference');
    // What was named is part of this thread now.
    await openai.responses.create({ model, input: 'And when?', previous_response_id: second.id });
    expect(sent()).toContain('I sail from Brest.');
  },
);

it('without a type, streamed, in the background, and out of a conversation', async () => {
  const { asked } = await first('I sail from Brest.');
  const named = (id = '') => [{ id } as Input[number], QUESTION];
  await openai.responses.stream({ model: 'gemini-3.1-pro', input: named(asked[0]) }).finalResponse();
  expect(sent()).toContain('I sail from Brest.');
  gateway.twin.requests.clear();
  const { id } = await openai.responses.create({ model: 'gemini-3.1-pro', input: named(asked[0]), background: true });
  await gateway.server.responses?.workAll();
  expect((await openai.responses.retrieve(id)).status).toBe('completed');
  expect(sent()).toContain('I sail from Brest.');
  const conversation = await openai.conversations.create({
    items: [{ type: 'message', role: 'user', content: 'I sail from Roscoff.' }],
  });
  const [item] = (await openai.conversations.items.list(conversation.id)).data;
  await openai.responses.create({
    model: 'gemini-3.1-pro',
    input: named(item?.id),
    conversation: conversation.id,
  });
  expect(sent().split('I sail from Roscoff.').length - 1).toBe(2);
});

it('another owner’s, another mode’s and deleted ones are none', async () => {
  const { answer, asked } = await first('I sail from Brest.');
  const input: Input = [{ type: 'item_reference', id: asked[0] ?? '' }, QUESTION];
  const live = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
  const refusal = { status: 404, message: expect.stringContaining(asked[0] ?? '?') };
  gateway.twin.requests.clear();
  await expect(live.responses.create({ model: 'claude-sonnet-5', input })).rejects.toMatchObject(refusal);
  await openai.responses.delete(answer.id);
  await expect(openai.responses.create({ model: 'claude-sonnet-5', input })).rejects.toMatchObject(refusal);
  expect(gateway.twin.requests.list()).toEqual([]);
});
