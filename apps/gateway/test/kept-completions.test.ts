/** Chat completions that the gateway keeps, by OpenAI's own SDK: asked for, listed, found, read, changed and deleted. */
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const KEY = Buffer.alloc(32, 7).toString('base64');
let gateway: TestGateway;
let openai: OpenAI;
let stranger: OpenAI;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: `security: { encryption_key: '${KEY}' }` });
  const sdk = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  openai = sdk(gateway.liveKey);
  stranger = sdk(gateway.otherKey);
});
beforeEach(() => gateway.twin.requests.clear());
afterAll(() => gateway.close());

const sent = (): string => gateway.twin.requests.last()?.body ?? '';
const asking = (content: string, metadata?: Record<string, string>) => ({
  model: 'claude-sonnet-5',
  messages: [{ role: 'user' as const, content }],
  store: true,
  ...(metadata !== undefined && { metadata }),
});
const create = async (content: string, metadata?: Record<string, string>, model = 'claude-sonnet-5') =>
  openai.chat.completions.create({ ...asking(content, metadata), model });
const idsOf = async (query: OpenAI.ChatCompletionListParams = {}): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of openai.chat.completions.list(query)) ids.push(id);
  return ids;
};

describe.each(['gpt-5.2', 'claude-sonnet-5'])('%s', (model) => {
  it.each([false, true])('is kept as it answered, streamed: %s', async (streamed) => {
    const body = { ...asking('High tide.', { topic: 'tides' }), model };
    const answer = streamed
      ? await openai.chat.completions.stream(body).finalChatCompletion()
      : await openai.chat.completions.create(body);
    expect(answer.id).toMatch(/^chatcmpl-gw-\w{20,}$/);
    expect(sent()).not.toMatch(/"(?:store|metadata)"/);
    const kept = await openai.chat.completions.retrieve(answer.id);
    expect(kept).toMatchObject({
      id: answer.id,
      object: 'chat.completion',
      model: answer.model,
      metadata: { topic: 'tides' },
    });
    expect(kept.choices[0]?.message.content).toBe(answer.choices[0]?.message.content);
    expect(kept.choices[0]?.finish_reason).toBe('stop');
    expect(kept.created).toBe(answer.created);
    if (!streamed) expect(kept).toEqual(answer);
  });
});

it('nothing is kept that was not to be, and nobody is told an id of the gateway’s', async () => {
  const before = await idsOf();
  const { store: _, ...plain } = asking('Low tide.');
  for (const body of [plain, { ...plain, store: false }, { ...plain, store: null }]) {
    const { id } = await openai.chat.completions.create(body);
    expect(id).not.toContain('-gw-');
    await expect(openai.chat.completions.retrieve(id)).rejects.toThrow(NotFoundError);
  }
  expect(await idsOf()).toEqual(before);
});

it('calls of tools are kept, streamed too', async () => {
  const tools = [
    { type: 'function' as const, function: { name: 'tide', parameters: { type: 'object', properties: {} } } },
  ];
  const stream = openai.chat.completions.stream({ ...asking('When?'), tools, tool_choice: 'required' });
  const { id, choices } = await stream.finalChatCompletion();
  const kept = await openai.chat.completions.retrieve(id);
  expect(kept.choices[0]?.finish_reason).toBe('tool_calls');
  const named = (all: typeof kept.choices) =>
    all[0]?.message.tool_calls?.map((call) => call.type === 'function' && call.function.name);
  expect(named(kept.choices)).toEqual(named(choices as typeof kept.choices));
});

it('are listed page by page, in both orders, by model and by all of their pairs', async () => {
  const mark = 'listed';
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await create(`Question ${n}`, { mark, n: String(n % 2) })).id);
  ids.push((await create('Another model', { mark, n: '0' }, 'gpt-5.2')).id);
  expect(await idsOf({ metadata: { mark } })).toEqual(ids);
  expect(await idsOf({ metadata: { mark }, limit: 2 })).toEqual(ids);
  expect(await idsOf({ metadata: { mark }, limit: 2, order: 'desc' })).toEqual(ids.toReversed());
  expect(await idsOf({ metadata: { mark, n: '1' } })).toEqual([ids[1], ids[3]]);
  expect(await idsOf({ metadata: { mark }, model: 'gpt-5.2' })).toEqual([ids[5]]);
  expect(await idsOf({ metadata: { mark: 'none' } })).toEqual([]);
  const page = await openai.chat.completions.list({ metadata: { mark }, limit: 2, after: ids[1] ?? '' });
  expect([page.data.map(({ id }) => id), page.has_more]).toEqual([[ids[2], ids[3]], true]);
  await expect(openai.chat.completions.list({ after: 'chatcmpl-gw-nobody' })).rejects.toThrow(BadRequestError);
});

it('their messages are listed, each with an id, texts and parts apart', async () => {
  const parts = [{ type: 'text' as const, text: 'And now?' }];
  const { id } = await openai.chat.completions.create({
    ...asking(''),
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'When?', name: 'Ada' },
      { role: 'assistant', content: 'At noon.' },
      { role: 'user', content: parts },
    ],
  });
  const { data } = await openai.chat.completions.messages.list(id);
  expect(data.map((each) => [each.id, each.role as string, each.content, each.content_parts])).toEqual([
    [`${id}-0`, 'system', 'Be brief.', null],
    [`${id}-1`, 'user', 'When?', null],
    [`${id}-2`, 'assistant', 'At noon.', null],
    [`${id}-3`, 'user', null, parts],
  ]);
  const seen: string[] = [];
  for await (const each of openai.chat.completions.messages.list(id, { limit: 1, order: 'desc' })) seen.push(each.id);
  expect(seen).toEqual([3, 2, 1, 0].map((at) => `${id}-${at}`));
});

it('their metadata can be changed, and they are found by the new', async () => {
  const { id } = await create('Change me', { mark: 'before' });
  const changed = await openai.chat.completions.update(id, { metadata: { mark: 'after' } });
  expect(changed.metadata).toEqual({ mark: 'after' });
  expect(await openai.chat.completions.retrieve(id)).toEqual(changed);
  expect(await idsOf({ metadata: { mark: 'before' } })).toEqual([]);
  expect(await idsOf({ metadata: { mark: 'after' } })).toEqual([id]);
  const long = { metadata: { mark: 'x'.repeat(513) } };
  await expect(openai.chat.completions.update(id, long)).rejects.toThrow(BadRequestError);
  await expect(create('Too long', long.metadata)).rejects.toThrow(/^400 metadata/);
});

it('are gone when they are deleted', async () => {
  const { id } = await create('Delete me', { mark: 'deleted' });
  expect(await openai.chat.completions.delete(id)).toEqual({ id, object: 'chat.completion.deleted', deleted: true });
  await expect(openai.chat.completions.retrieve(id)).rejects.toThrow(NotFoundError);
  await expect(openai.chat.completions.delete(id)).rejects.toThrow(NotFoundError);
  expect(await idsOf({ metadata: { mark: 'deleted' } })).toEqual([]);
});

it('are their owner’s alone, and no responses', async () => {
  const { id } = await create('Mine', { mark: 'mine' });
  for (const call of [
    () => stranger.chat.completions.retrieve(id),
    () => stranger.chat.completions.update(id, { metadata: {} }),
    () => stranger.chat.completions.delete(id),
    () => stranger.chat.completions.messages.list(id),
    () => openai.responses.retrieve(id),
    () => openai.responses.delete(id),
  ])
    await expect(call()).rejects.toThrow(NotFoundError);
  const strangers: string[] = [];
  for await (const each of stranger.chat.completions.list({ metadata: { mark: 'mine' } })) strangers.push(each.id);
  expect(strangers).toEqual([]);
  await expect(stranger.chat.completions.list({ after: id })).rejects.toThrow(BadRequestError);
  const response = await openai.responses.create({ model: 'claude-sonnet-5', input: 'Hi' });
  await expect(openai.chat.completions.retrieve(response.id)).rejects.toThrow(NotFoundError);
  expect(await idsOf()).not.toContain(response.id);
});

it('an answer that broke off is not kept', async () => {
  const before = await idsOf();
  const stream = await openai.chat.completions.create({ ...asking('[[twin:cut]] A long story'), stream: true });
  await expect(async () => {
    for await (const chunk of stream) expect(chunk.id).toMatch(/^chatcmpl-gw-/);
  }).rejects.toThrow();
  expect(await idsOf()).toEqual(before);
});

it('where nothing is kept the wish goes on to the vendor, and the lists say why there are none', async () => {
  const bare = await openTestGateway({ twin: gateway.twin });
  try {
    const plain = new OpenAI({ baseURL: `${bare.url}/v1`, apiKey: bare.liveKey, maxRetries: 0 });
    const { id } = await plain.chat.completions.create({ ...asking('Hi', { a: 'b' }), model: 'gpt-5.2' });
    expect(id).not.toContain('-gw-');
    expect(sent()).toContain('"store":true');
    await expect(plain.chat.completions.list()).rejects.toThrow('security.encryption_key');
  } finally {
    await bare.close();
  }
});
