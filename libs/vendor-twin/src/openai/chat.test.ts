import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import OpenAI, { APIError, BadRequestError, RateLimitError } from 'openai';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';

let twin: VendorTwin;
let client: OpenAI;
const MODEL = 'gpt-4.1';

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  client = new OpenAI({
    apiKey: TWIN_CREDENTIALS.openai['api_key']!,
    baseURL: twin.baseUrl('openai'),
    maxRetries: 0,
  });
});
afterAll(async () => twin.close());
beforeEach(() => {
  twin.faults.clear();
  twin.ledger.clear();
  twin.requests.clear();
});

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { type: 'string', enum: ['c', 'f'] },
        days: { type: 'integer', minimum: 2 },
      },
      required: ['city', 'unit', 'days'],
      additionalProperties: false,
    },
    strict: true,
  },
} as const;

const refusal = async (body: object): Promise<APIError> => {
  const error: unknown = await client.chat.completions.create(body as never).catch((caught: unknown) => caught);
  if (!(error instanceof APIError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return error;
};
const user = (content: string): { role: 'user'; content: string } => ({ role: 'user', content });

describe('chat-completions', () => {
  it('answers with what it was told, seen and given, and bills it', async () => {
    const reply = await client.chat.completions.create({
      model: MODEL,
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
      ],
    });
    expect(reply.choices[0]).toMatchObject({ index: 0, finish_reason: 'stop', logprobs: null });
    expect(reply.choices[0]!.message.content).toBe(
      'You said: What is this?\nMy instructions: Be brief.\nImages seen: 2.',
    );
    expect(reply.usage!.total_tokens).toBe(reply.usage!.prompt_tokens + reply.usage!.completion_tokens);
    expect(twin.ledger.answers('openai')).toMatchObject([
      { model: MODEL, stream: false, aborted: false, billed: { inputTokens: reply.usage!.prompt_tokens } },
    ]);
    expect(twin.requests.last('openai')).toMatchObject({
      path: '/v1/chat/completions',
      status: 200,
      json: { model: MODEL },
    });
  });

  it('streams the same answer in small pieces, usage last', async () => {
    const stream = client.chat.completions.stream({
      model: MODEL,
      messages: [user('[[twin:long=120]]')],
      stream_options: { include_usage: true },
    });
    let chunks = 0;
    for await (const chunk of stream) chunks += chunk.choices.length;
    const final = await stream.finalChatCompletion();
    expect(chunks).toBeGreaterThan(120);
    expect(final.choices[0]!.message.content!.split(' ')).toHaveLength(120);
    expect(final.usage).toMatchObject({ completion_tokens: twin.ledger.totals('openai').outputTokens });
  });

  it('calls the tool that is meant, with arguments of its schema, and reports what the tool said', async () => {
    const first = await client.chat.completions.create({
      model: MODEL,
      messages: [user('What is the weather in Oslo?')],
      tools: [WEATHER],
    });
    const call = first.choices[0]!.message.tool_calls![0]!;
    expect(first.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(call.type === 'function' && JSON.parse(call.function.arguments)).toEqual({
      city: 'Oslo',
      unit: 'c',
      days: 2,
    });
    const second = await client.chat.completions.create({
      model: MODEL,
      tools: [WEATHER],
      messages: [
        user('What is the weather in Oslo?'),
        first.choices[0]!.message,
        { role: 'tool', tool_call_id: call.id, content: 'minus three' },
      ],
    });
    expect(second.choices[0]!.finish_reason).toBe('stop');
    expect(second.choices[0]!.message.content).toContain('get_weather answered: minus three');
  });

  it('streams parallel calls the way the official accumulator wants them', async () => {
    const clock = {
      type: 'function',
      function: { name: 'clock', parameters: { type: 'object', properties: {} } },
    } as const;
    const stream = client.chat.completions.stream({
      model: MODEL,
      messages: [user('[[twin:tools]]')],
      tools: [WEATHER, clock],
    });
    const { tool_calls } = (await stream.finalChatCompletion()).choices[0]!.message;
    expect(tool_calls!.map((call) => call.type === 'function' && call.function.name)).toEqual(['get_weather', 'clock']);
    expect(new Set(tool_calls!.map((call) => call.id)).size).toBe(2);
    const single = await client.chat.completions.create({
      model: MODEL,
      messages: [user('[[twin:tools]]')],
      tools: [WEATHER, clock],
      parallel_tool_calls: false,
    });
    expect(single.choices[0]!.message.tool_calls).toHaveLength(1);
  });

  it('fills a json_schema, stops at a stop text and at the cap', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 30 },
        age: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/age' }] },
      },
      required: ['name', 'age'],
      additionalProperties: false,
      $defs: { age: { type: 'integer', minimum: 7 } },
    };
    const shaped = await client.chat.completions.create({
      model: MODEL,
      messages: [user('who?')],
      response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } },
    });
    const person = JSON.parse(shaped.choices[0]!.message.content!) as { name: string; age: number };
    expect(person.name.length).toBeGreaterThanOrEqual(30);
    expect(person.age).toBe(7);
    const stopped = await client.chat.completions.create({
      model: MODEL,
      messages: [user('one STOP two')],
      stop: ['STOP'],
    });
    expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'You said: one ' } });
    const capped = await client.chat.completions.create({
      model: MODEL,
      messages: [user('[[twin:long=50]]')],
      max_completion_tokens: 5,
    });
    expect(capped.choices[0]!.finish_reason).toBe('length');
    expect(capped.usage!.completion_tokens).toBe(5);
  });

  it('cites what it found, plain and streamed', async () => {
    const request = { model: MODEL, messages: [user('latest news')], web_search_options: {} };
    const reply = await client.chat.completions.create(request);
    expect(reply.choices[0]!.message.annotations).toMatchObject([
      { type: 'url_citation', url_citation: { start_index: 0 } },
    ]);
    const stream = await client.chat.completions.create({ ...request, stream: true });
    const deltas: object[] = [];
    for await (const chunk of stream) deltas.push(chunk.choices[0]?.delta ?? {});
    expect(deltas.filter((delta) => 'annotations' in delta)).toHaveLength(1);
  });

  it('speaks', async () => {
    const real = await startVendorTwin();
    try {
      const speaker = new OpenAI({ apiKey: TWIN_CREDENTIALS.openai['api_key']!, baseURL: real.baseUrl('openai') });
      const request = {
        model: 'gpt-audio-mini',
        modalities: ['text', 'audio'] as const,
        messages: [user('Say hello')],
      };
      const reply = await speaker.chat.completions.create({
        ...request,
        modalities: [...request.modalities],
        audio: { voice: 'alloy', format: 'wav' },
      });
      const { audio, content } = reply.choices[0]!.message;
      expect(content).toBeNull();
      expect(audio!.transcript).toContain('Say hello');
      expect(Buffer.from(audio!.data, 'base64').subarray(8, 12).toString()).toBe('WAVE');
      const stream = await speaker.chat.completions.create({
        ...request,
        modalities: [...request.modalities],
        audio: { voice: 'alloy', format: 'pcm16' },
        stream: true,
      });
      let bytes = 0;
      for await (const chunk of stream) {
        const delta: { audio?: { data?: string } } | undefined = chunk.choices[0]?.delta;
        bytes += Buffer.from(delta?.audio?.data ?? '', 'base64').length;
      }
      expect(bytes).toBe(Buffer.from(audio!.data, 'base64').length - 44);
    } finally {
      await real.close();
    }
  });

  it.each([
    ['no messages', { model: MODEL }, "Missing required parameter: 'messages'.", 'messages'],
    ['an unknown field', { model: MODEL, messages: [user('a')], colour: 1 }, "Unknown parameter: 'colour'.", 'colour'],
    [
      'a wrong role',
      { model: MODEL, messages: [{ role: 'boss', content: 'a' }] },
      'messages[0].role',
      'messages[0].role',
    ],
    [
      'null content without calls',
      { model: MODEL, messages: [{ role: 'assistant', content: null }] },
      'no tool calls',
      'messages[0].content',
    ],
    [
      'a call without its result',
      {
        model: MODEL,
        messages: [
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          user('and?'),
        ],
      },
      'did not have response messages: c1',
      'messages[1].role',
    ],
    [
      'a result without its call',
      { model: MODEL, messages: [user('a'), { role: 'tool', tool_call_id: 'x', content: 'b' }] },
      "role 'tool'",
      'messages[1].tool_call_id',
    ],
    [
      'an image in a tool result',
      {
        model: MODEL,
        messages: [
          user('a'),
          { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
          { role: 'tool', tool_call_id: 'c1', content: [{ type: 'image_url', image_url: { url: 'https://a.b/c' } }] },
        ],
      },
      'one of text',
      'messages[2].content[0].type',
    ],
    [
      'an image that is none',
      {
        model: MODEL,
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,???' } }] }],
      },
      'Invalid image data',
      'messages[0].content[0].image_url.url',
    ],
    [
      'max_tokens for a reasoning model',
      { model: 'o4-mini', messages: [user('a')], max_tokens: 5 },
      'max_completion_tokens',
      'max_tokens',
    ],
    [
      'temperature for a reasoning model',
      { model: 'gpt-5.2', messages: [user('a')], reasoning_effort: 'low', temperature: 0.2 },
      "'temperature' is not supported",
      'temperature',
    ],
    [
      'effort for a model that cannot reason',
      { model: MODEL, messages: [user('a')], reasoning_effort: 'low' },
      "'reasoning_effort' is not supported",
      'reasoning_effort',
    ],
    [
      'tool_choice without tools',
      { model: MODEL, messages: [user('a')], tool_choice: 'auto' },
      "only allowed when 'tools'",
      'tool_choice',
    ],
    [
      'a strict schema that is not',
      {
        model: MODEL,
        messages: [user('a')],
        tools: [
          { type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object', properties: {} } } },
        ],
      },
      'additionalProperties',
      'tools[0].function.parameters',
    ],
    [
      'json mode that nobody mentions',
      { model: MODEL, messages: [user('a')], response_format: { type: 'json_object' } },
      "word 'json'",
      'messages',
    ],
    [
      'stream options without a stream',
      { model: MODEL, messages: [user('a')], stream_options: { include_usage: true } },
      'stream_options',
      'stream_options',
    ],
    ['five stop texts', { model: MODEL, messages: [user('a')], stop: ['1', '2', '3', '4', '5'] }, 'at most 4', 'stop'],
  ])('refuses %s', async (_, body, message, param) => {
    const error = await refusal(body);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toContain(message);
    expect(error.param).toBe(param);
  });

  it('knows its key and its models', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: twin.baseUrl('openai'), maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect((await client.models.list()).data.map((model) => model.id)).toContain('gpt-5.2');
    await expect(client.models.retrieve('no-such-model')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });
});

describe('faults', () => {
  it('follows the script once, in its own words', async () => {
    twin.faults.next('openai', 'chat', { kind: 'status', status: 429, headers: { 'retry-after': '2' } });
    const error = await refusal({ model: MODEL, messages: [user('a')] });
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(error.headers!.get('retry-after')).toBe('2');
    await expect(client.chat.completions.create({ model: MODEL, messages: [user('a')] })).resolves.toBeDefined();
    expect(twin.faults.pending()).toBe(0);
  });

  it.each([
    ['[[twin:500]]', 500],
    ['[[twin:429=7]]', 429],
    ['[[twin:503]]', 503],
  ])('obeys %s in a prompt', async (mark, status) => {
    await expect(client.chat.completions.create({ model: MODEL, messages: [user(mark)] })).rejects.toMatchObject({
      status,
    });
  });

  it('fails as often as a limited mark says', async () => {
    const ask = async (): Promise<number> =>
      client.chat.completions.create({ model: MODEL, messages: [user('[[twin:503*2]]')] }).then(
        () => 200,
        (error: unknown) => (error as APIError).status as number,
      );
    expect([await ask(), await ask(), await ask()]).toEqual([503, 503, 200]);
  });

  const rawChat = async (prompt: string, stream: boolean): Promise<Response> =>
    fetch(`${twin.baseUrl('openai')}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TWIN_CREDENTIALS.openai['api_key']!}` },
      body: JSON.stringify({ model: MODEL, messages: [user(prompt)], stream }),
    });

  it('cuts a stream in the middle, so that it ends in an error and not in silence', async () => {
    const reply = await rawChat('[[twin:cut=4]] [[twin:long=50]]', true);
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const chunk of reply.body!) seen.push(decoder.decode(chunk as Uint8Array, { stream: true }));
    };
    await expect(read()).rejects.toThrow();
    const events = seen
      .join('')
      .split('\n\n')
      .filter((event) => event.startsWith('data: '));
    expect(events).toHaveLength(4);
  });

  it('cuts a plain reply inside its promised length', async () => {
    const reply = await rawChat('[[twin:cut]]', false);
    await expect(reply.text()).rejects.toThrow();
  });

  it('tears JSON inside a reply that is otherwise whole', async () => {
    const reply = await rawChat('[[twin:torn]]', false);
    const text = await reply.text();
    expect(text).toHaveLength(Number(reply.headers.get('content-length')));
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it('is late when asked, and then as usual', async () => {
    const start = performance.now();
    expect((await rawChat('[[twin:slow=40]] hi', false)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(35);
  });

  it('puts the vendor error into a stream', async () => {
    const text = await (await rawChat('[[twin:error-event=2]]', true)).text();
    expect(text.trimEnd().split('\n\n')).toHaveLength(3);
    expect(text.trimEnd().split('\n\n')[2]).toContain('"error":{"message"');
    expect(text).not.toContain('[DONE]');
  });

  it('dribbles without changing a byte', async () => {
    const text = await (await rawChat('[[twin:dribble=3]] hi', true)).text();
    expect(text).toContain('data: [DONE]');
  });

  it('resets before answering, and answers nothing after carrying out', async () => {
    twin.faults.next('openai', 'chat', { kind: 'reset' });
    await expect(rawChat('a', false)).rejects.toThrow();
    expect(twin.ledger.answers()).toHaveLength(0);
    twin.faults.next('openai', 'chat', { kind: 'no-answer' });
    await expect(rawChat('a', false)).rejects.toThrow();
    expect(twin.ledger.answers()).toHaveLength(1);
  });

  it('notices a client that hangs up and bills what was produced', async () => {
    const slow = await startVendorTwin({ chunkDelayMs: 5 });
    try {
      const hurried = new OpenAI({ apiKey: TWIN_CREDENTIALS.openai['api_key']!, baseURL: slow.baseUrl('openai') });
      const stream = await hurried.chat.completions.create({
        model: MODEL,
        messages: [user('[[twin:long=2000]]')],
        stream: true,
      });
      let seen = 0;
      for await (const chunk of stream) {
        seen += chunk.choices.length;
        if (seen === 5) break;
      }
      while (slow.ledger.totals().abortedStreams === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const [answer] = slow.ledger.answers('openai');
      expect(answer).toMatchObject({ aborted: true, stream: true });
      expect(answer!.billed.outputTokens).toBeLessThan(1000);
    } finally {
      await slow.close();
    }
  });

  it('stands still in mid-stream, and bills nothing that it has not sent', async () => {
    const reply = await rawChat('[[twin:stall=4]] hi', true);
    let text = '';
    for await (const chunk of reply.body!) {
      text += Buffer.from(chunk).toString();
      if (text.split('data: ').length > 4) break;
    }
    while (twin.ledger.totals().abortedStreams === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(text.split('data: ')).toHaveLength(5);
    expect(twin.ledger.answers('openai')[0]).toMatchObject({ aborted: true });
    expect(twin.ledger.answers('openai')[0]!.billed.outputTokens).toBeLessThanOrEqual(4);
  });

  it('closes although somebody hangs', async () => {
    const other = await startVendorTwin();
    const reply = fetch(`${other.baseUrl('openai')}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TWIN_CREDENTIALS.openai['api_key']!}` },
      body: JSON.stringify({ model: MODEL, messages: [user('[[twin:hang]]')] }),
    }).catch(() => 'cut');
    while (other.requests.list().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.close();
    expect(await reply).toBe('cut');
  });
});
