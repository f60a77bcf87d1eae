/** The twin's Ollama against Ollama's own client. */
import { Ollama, type ChatResponse } from 'ollama';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask } from '../test-kit.ts';

let twin: VendorTwin;
let client: Ollama;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  client = new Ollama({ host: twin.baseUrl('ollama') });
});
afterEach(() => twin.faults.clear());
afterAll(async () => twin.close());

const messages = [{ role: 'user', content: 'Hello' }];
const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', required: ['city'], properties: { city: { type: 'string', description: 'a city' } } },
  },
};

it('says what is installed, what is loaded, and what a model can do', async () => {
  const { models } = await client.list();
  expect(models.map(({ name }) => name)).toContain('llama3.2:3b');
  const shown = await client.show({ model: 'qwen3:8b' });
  expect(shown.capabilities).toEqual(['completion', 'tools', 'thinking']);
  expect(shown.model_info).toMatchObject({ 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 });
  expect((await client.ps()).models[0]).toMatchObject({ name: 'llama3.2:3b', context_length: 4096 });
  expect((await client.version()).version).toMatch(/^\d/);
});

it('answers whole', async () => {
  const reply = await client.chat({ model: 'llama3.2:3b', messages });
  expect(reply).toMatchObject({
    model: 'llama3.2:3b',
    done: true,
    done_reason: 'stop',
    message: { content: 'You said: Hello' },
  });
  expect(reply.prompt_eval_count).toBeGreaterThan(0);
  expect(reply.eval_count).toBeGreaterThan(0);
});

it('answers line by line, thoughts first', async () => {
  const parts: ChatResponse[] = [];
  for await (const part of await client.chat({ model: 'qwen3:8b', messages, stream: true, think: true }))
    parts.push(part);
  expect(parts.map(({ message }) => message.content).join('')).toBe('You said: Hello');
  expect(parts[0]?.message.thinking).toBeTruthy();
  expect(parts.at(-1)).toMatchObject({ done: true, done_reason: 'stop' });
  expect(parts.slice(0, -1).every(({ done }) => !done)).toBe(true);
});

it('calls tools, and reads what they answer', async () => {
  const asked = { role: 'user', content: 'What is the weather?' };
  const { message } = await client.chat({ model: 'llama3.2:3b', messages: [asked], tools: [tool] });
  expect(message.tool_calls).toMatchObject([
    { function: { name: 'get_weather', arguments: { city: expect.any(String) } } },
  ]);
  const result = { role: 'tool', content: '21 degrees', tool_name: 'get_weather' };
  const { message: last } = await client.chat({
    model: 'llama3.2:3b',
    messages: [asked, message, result],
    tools: [tool],
  });
  expect(last.content).toContain('get_weather answered: 21 degrees');
});

it('keeps to a schema, a cap, and sees pictures', async () => {
  const format = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const { message } = await client.chat({ model: 'llama3.2:3b', messages, format });
  expect(Object.keys(JSON.parse(message.content) as object)).toEqual(['city']);
  const capped = await client.chat({ model: 'llama3.2:3b', messages, options: { num_predict: 2 } });
  expect(capped).toMatchObject({ done_reason: 'length', eval_count: 2 });
  const seen = await client.chat({
    model: 'gemma3:4b',
    messages: [{ ...messages[0]!, images: [Buffer.from('picture!!').toString('base64')] }],
  });
  expect(seen.message.content).toContain('Images seen: 1.');
});

const long = [...Array.from({ length: 40 }, () => ({ role: 'user', content: 'word '.repeat(200) })), ...messages];
it('forgets the beginning of a long conversation in silence, unless it is told not to or given room', async () => {
  const chat = async (more: object): Promise<number> =>
    (await client.chat({ model: 'llama3.2:3b', messages: long, ...more, stream: false })).prompt_eval_count;
  expect(await chat({})).toBeLessThanOrEqual(4096);
  expect(await chat({ options: { num_ctx: 32_768 } })).toBeGreaterThan(10_000);
  await expect(chat({ truncate: false })).rejects.toMatchObject({
    status_code: 400,
    message: 'the input length exceeds the context length',
  });
});

it('makes vectors', async () => {
  const { embeddings, prompt_eval_count: count } = await client.embed({ model: 'nomic-embed-text', input: ['a', 'b'] });
  expect(embeddings.map(({ length }) => length)).toEqual([768, 768]);
  expect(count).toBe(2);
  await expect(
    client.embed({ model: 'nomic-embed-text', input: 'word '.repeat(9000), truncate: false }),
  ).rejects.toThrow(/context length/);
});

it.each<[status: number, says: string, body: object]>([
  [404, "model 'missing-one' not found", { model: 'missing-one', messages }],
  [400, 'model is required', { messages }],
  [400, '"nomic-embed-text" does not support chat', { model: 'nomic-embed-text', messages }],
  [400, '"llama3.2:3b" does not support thinking', { model: 'llama3.2:3b', messages, think: true }],
  [400, 'invalid think value: "very"', { model: 'qwen3:8b', messages, think: 'very' }],
  [400, 'does not support tools', { model: 'gemma3:4b', messages, tools: [tool] }],
  [400, 'option "num_ctx" must be of type integer', { model: 'm', messages, options: { num_ctx: '1' } }],
  [400, 'time: invalid duration "soon"', { model: 'm', messages, keep_alive: 'soon' }],
  [400, 'expected "json" or a valid JSON Schema object', { model: 'm', messages, format: 'yaml' }],
  [
    400,
    'ChatRequest.messages.content',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] },
  ],
  [
    400,
    'illegal base64 data',
    { model: 'm', messages: [{ role: 'user', content: '', images: ['data:image/png;base64,AAAA'] }] },
  ],
  [
    400,
    'tool_calls.function.arguments',
    {
      model: 'm',
      messages: [{ role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }],
    },
  ],
])('refuses with %s: %s', async (status, says, body) => {
  const reply = await ask(`${twin.baseUrl('ollama')}/api/chat`, { body });
  expect(reply.status).toBe(status);
  expect(reply.json.error).toContain(says);
});

it('its OpenAI-compatible API reads no more of a prompt than usual, and tells nobody', async () => {
  const { json } = await ask(`${twin.baseUrl('ollama')}/v1/chat/completions`, {
    body: { model: 'llama3.2:3b', messages: long },
  });
  expect(json.usage.prompt_tokens).toBe(4096);
});
