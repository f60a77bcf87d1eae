import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import OpenAI, { APIError } from 'openai';
import type { ResponseInput, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { WebSocket } from 'ws';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';

let twin: VendorTwin;
let client: OpenAI;
const MODEL = 'gpt-5.2';

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  client = new OpenAI({ apiKey: TWIN_CREDENTIALS.openai['api_key']!, baseURL: twin.baseUrl('openai'), maxRetries: 0 });
});
afterAll(async () => twin.close());

/** Output of one answer as input of the next: the SDK's types do not say that they fit. */
const replay = (...items: readonly unknown[]): ResponseInput => items as ResponseInput;

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
} as const;

describe('responses', () => {
  it('answers with the whole object', async () => {
    const response = await client.responses.create({
      model: MODEL,
      instructions: 'Be kind.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: 'https://a.b/c.png', detail: 'auto' },
          ],
        },
      ],
    });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: 'Be kind.',
      truncation: 'disabled',
      text: { format: { type: 'text' } },
      store: true,
    });
    expect(response.output_text).toBe('You said: Hi\nMy instructions: Be kind.\nImages seen: 1.');
    expect(response.usage!.total_tokens).toBe(response.usage!.input_tokens + response.usage!.output_tokens);
  });

  it('streams events the official accumulator accepts, numbered without a gap', async () => {
    const events: ResponseStreamEvent[] = [];
    const stream = client.responses.stream({
      model: MODEL,
      input: 'search the news',
      tools: [{ type: 'web_search' }],
      reasoning: { effort: 'low', summary: 'auto' },
    });
    for await (const event of stream) events.push(event);
    const final = await stream.finalResponse();
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(final.output.map((item) => item.type)).toEqual(['reasoning', 'web_search_call', 'message']);
    expect(final.output_text).toBe('You said: search the news');
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect(count('response.output_item.added')).toBe(3);
    expect(count('response.output_item.done')).toBe(3);
    expect(count('response.output_text.annotation.added')).toBe(1);
    expect(events.at(-1)!.type).toBe('response.completed');
  });

  it('keeps a tool conversation with reasoning together', async () => {
    const question: ResponseInput = [{ role: 'user', content: 'weather in Oslo?' }];
    const first = await client.responses.create({ model: 'o4-mini', input: question, tools: [WEATHER], store: false });
    const call = first.output.find((item) => item.type === 'function_call')!;
    expect(JSON.parse(call.arguments)).toEqual({ city: 'Oslo' });
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'cold' } as const;
    const second = await client.responses.create({
      model: 'o4-mini',
      store: false,
      tools: [WEATHER],
      input: replay(...question, ...first.output, result),
    });
    expect(second.output_text).toContain('get_weather answered: cold');
    const nameless = first.output.map(({ id: _id, ...item }) => item) as typeof first.output;
    const third = await client.responses.create({
      model: 'o4-mini',
      store: false,
      tools: [WEATHER],
      input: replay(...question, ...nameless, result),
    });
    expect(third.output_text).toContain('get_weather answered: cold');
    const without = first.output.filter((item) => item.type !== 'reasoning');
    await expect(
      client.responses.create({ model: 'o4-mini', tools: [WEATHER], input: replay(...question, ...without, result) }),
    ).rejects.toThrow("required 'reasoning' item");
    const torn = first.output.map((item) => (item.type === 'reasoning' ? { ...item, encrypted_content: 'x' } : item));
    await expect(
      client.responses.create({ model: 'o4-mini', tools: [WEATHER], input: replay(...question, ...torn, result) }),
    ).rejects.toMatchObject({ code: 'invalid_encrypted_content' });
    const bare = first.output.map((item) =>
      item.type === 'reasoning' ? { id: item.id, type: item.type, summary: [] } : item,
    );
    await expect(
      client.responses.create({ model: 'o4-mini', tools: [WEATHER], input: replay(...question, ...bare, result) }),
    ).rejects.toThrow('not persisted');
  });

  it('remembers what it stored', async () => {
    const first = await client.responses.create({ model: MODEL, input: 'weather?', tools: [WEATHER] });
    const call = first.output.find((item) => item.type === 'function_call')!;
    const second = await client.responses.create({
      model: MODEL,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'fine' }],
    });
    expect(second.output_text).toContain('get_weather answered: fine');
    expect((await client.responses.retrieve(first.id)).id).toBe(first.id);
    await client.responses.delete(first.id);
    await expect(
      client.responses.create({ model: MODEL, previous_response_id: first.id, input: 'and?' }),
    ).rejects.toMatchObject({ code: 'previous_response_not_found' });
  });

  it('streams tool arguments, refusals and incomplete answers in their own events', async () => {
    const tool = await client.responses
      .stream({ model: MODEL, input: '[[twin:tools]]', tools: [WEATHER] })
      .finalResponse();
    expect(tool.output.map((item) => item.type)).toEqual(['function_call', 'function_call']);
    const refused = await client.responses.stream({ model: MODEL, input: '[[twin:refuse]]' }).finalResponse();
    expect(refused.output[0]).toMatchObject({ content: [{ type: 'refusal', refusal: 'I cannot help with that.' }] });
    const cut = await client.responses.create({ model: MODEL, input: '[[twin:long=500]]', max_output_tokens: 16 });
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    const shaped = await client.responses.create({
      model: MODEL,
      input: 'who',
      text: {
        format: {
          type: 'json_schema',
          name: 'p',
          strict: true,
          schema: {
            type: 'object',
            properties: { ok: { type: 'boolean' } },
            required: ['ok'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(JSON.parse(shaped.output_text)).toEqual({ ok: true });
  });

  it('ends a failing stream with its error event', async () => {
    const read = async (): Promise<void> => {
      const stream = await client.responses.create({ model: MODEL, input: '[[twin:error-event=3]]', stream: true });
      for await (const event of stream) expect(event.type).not.toBe('response.completed');
    };
    await expect(read()).rejects.toThrow(APIError);
  });

  it.each([
    [
      'a nested function tool',
      { input: 'a', tools: [{ type: 'function', function: { name: 'f' } }] },
      "'tools[0].name'",
    ],
    [
      'a nested schema',
      { input: 'a', text: { format: { type: 'json_schema', json_schema: {} } } },
      "'text.format.name'",
    ],
    [
      'a nested image',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: { url: 'https://a.b' } }] }] },
      "'input[0].content[0].image_url'",
    ],
    ['chat parts', { input: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] }, "'input[0].content[0].type'"],
    [
      'user parts of an assistant',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }] },
      "'input[0].content[0].type'",
    ],
    ['stop', { input: 'a', stop: ['x'] }, "Unknown parameter: 'stop'"],
    ['messages', { messages: [] }, "Unknown parameter: 'messages'"],
    [
      'an orphan result',
      { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
      'No tool call found',
    ],
    [
      'an unanswered call',
      { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] },
      'No tool output found',
    ],
    [
      'a call id in place of an item id',
      { input: [{ type: 'function_call', id: 'call_1', call_id: 'c', name: 'f', arguments: '{}' }] },
      "begins with 'fc'",
    ],
    ['a cap below 16', { input: 'a', max_output_tokens: 15 }, "'max_output_tokens'"],
    ['nothing', {}, "Missing required parameter: 'input'"],
  ])('refuses %s', async (_, body, message) => {
    await expect(client.responses.create({ model: MODEL, ...body } as never)).rejects.toThrow(message);
  });

  it('counts', async () => {
    const counted = await client.responses.inputTokens.count({ model: MODEL, input: 'x'.repeat(400) });
    expect(counted.input_tokens).toBeGreaterThanOrEqual(100);
  });
});

describe('over a WebSocket', () => {
  async function connected(): Promise<{ ask: (event: object) => Promise<JsonObject[]>; close: () => void }> {
    const url = `${twin.baseUrl('openai').replace('http', 'ws')}/responses`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${TWIN_CREDENTIALS.openai['api_key']!}` } });
    const events: JsonObject[] = [];
    socket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as JsonObject));
    await once(socket, 'open');
    const isLast = ({ type }: JsonObject): boolean =>
      /^(?:error|response\.(?:completed|incomplete|failed))$/.test(String(type));
    return {
      async ask(event) {
        events.length = 0;
        socket.send(JSON.stringify(event));
        await expect.poll(() => events.some(isLast), { timeout: 3000, interval: 2 }).toBe(true);
        return [...events];
      },
      close: () => socket.terminate(),
    };
  }
  const create = (input: unknown, more: object = {}): object => ({
    type: 'response.create',
    model: MODEL,
    store: false,
    input,
    ...more,
  });

  it('sends the events of a stream, goes on from the last response alone, and forgets what a wrong request went on from', async () => {
    const { ask, close } = await connected();
    const first = await ask(create('My name is Ada.'));
    expect(first.map(({ type }) => type).slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(first.map(({ sequence_number: at }) => at)).toEqual(first.map((_event, at) => at));
    const { id } = first.at(-1)!['response'] as unknown as { id: string };
    const input = [{ role: 'user', content: 'Who?' }];
    const second = await ask(create(input, { previous_response_id: id }));
    expect(second.at(-1)).toMatchObject({ type: 'response.completed', response: { previous_response_id: id } });
    const lost = {
      type: 'error',
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    };
    expect(await ask(create('Who?', { previous_response_id: id }))).toEqual([
      expect.objectContaining({ ...lost, error: expect.objectContaining(lost.error) }),
    ]);
    const { id: next } = second.at(-1)!['response'] as unknown as { id: string };
    // What was wrong before emptied the memory.
    expect((await ask(create('Who?', { previous_response_id: next }))).at(-1)).toMatchObject({ type: 'error' });
    close();
    const other = await connected();
    expect((await other.ask(create('Who?', { previous_response_id: next }))).at(-1)).toMatchObject({
      type: 'error',
      status: 400,
    });
    other.close();
  });

  it('refuses what is of HTTP alone, and tells faults as events', async () => {
    const { ask, close } = await connected();
    for (const more of [{ stream: true }, { background: true }, { type: 'response.steer' }])
      expect((await ask(create('Hi', more))).at(-1)).toMatchObject({
        type: 'error',
        status: 400,
        error: { message: expect.any(String) },
      });
    expect((await ask(create('[[twin:429]]'))).at(-1)).toMatchObject({ type: 'error', status: 429 });
    expect(twin.requests.last('openai', 'responses')).toMatchObject({
      method: 'GET',
      path: '/v1/responses',
      json: { stream: true },
    });
    close();
  });
});
