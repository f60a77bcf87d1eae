import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient, StreamError, type Client } from './index.ts';
import { readSse, type SseEvent } from './sse.ts';
import { eventStream, startScriptedServer, type ScriptedServer } from './testing/scripted-server.ts';

let server: ScriptedServer;
let client: Client;
beforeEach(async () => {
  server = await startScriptedServer();
  client = createClient({ baseUrl: server.url, apiKey: 'sk-test-1', maxRetries: 0 });
});
afterEach(() => server.close());

const ASK = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
const data = (...events: unknown[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const named = (...events: { type: string; [field: string]: unknown }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

describe('server-sent events', () => {
  const text =
    ': a comment\r\n\r\nevent: one\rdata: first\rdata:second\r\rid: 7\ndata:  two spaces\n\ndata\n\nretry: 5\nevent: empty\n\ndata: ünï😀\r\n\r\ndata: never closed';
  const events: SseEvent[] = [
    { event: 'one', data: 'first\nsecond', id: '' },
    { event: 'message', data: ' two spaces', id: '7' },
    { event: 'message', data: '', id: '7' },
    { event: 'message', data: 'ünï😀', id: '7' },
  ];
  const bytes = new TextEncoder().encode(text);
  async function* pieces(...cuts: number[]): AsyncGenerator<Uint8Array> {
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      yield bytes.slice(from, cut);
      from = cut;
    }
  }
  it('are the same wherever the bytes are cut', async () => {
    expect(await all(readSse(pieces()))).toEqual(events);
    for (let cut = 1; cut < bytes.length; cut++) expect(await all(readSse(pieces(cut)))).toEqual(events);
    expect(await all(readSse(pieces(...Array.from(bytes.keys()))))).toEqual(events);
  });

  it('are not closed by the end of the stream alone', async () => {
    async function* half(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('data: x\n');
    }
    expect(await all(readSse(half()))).toEqual([]);
  });

  it('closes an event whose last byte is the carriage return of its blank line', async () => {
    async function* whole(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('data: x\r\r');
    }
    expect(await all(readSse(whole()))).toEqual([{ event: 'message', data: 'x', id: '' }]);
  });

  it('reads a line of megabytes in reasonable time', async () => {
    async function* long(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('data: ');
      for (let i = 0; i < 400; i++) yield new Uint8Array(64 * 1024).fill(65);
      yield new TextEncoder().encode('\n\n');
    }
    // Of this process alone: what else runs on the machine takes time too.
    const began = process.cpuUsage();
    const [event] = await all(readSse(long()));
    expect(event?.data.length).toBe(400 * 64 * 1024);
    expect(process.cpuUsage(began).user).toBeLessThan(3_000_000);
  });
});

const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  ...more,
});

describe('chat-completions', () => {
  it('adds up to what the call gives at once', async () => {
    server.say(
      eventStream([
        data(
          chunk({ role: 'assistant', content: '', refusal: null }),
          chunk({ reasoning_content: 'hm' }),
          chunk({ reasoning_content: 'm' }),
          chunk({ content: 'Red' }),
          chunk({ content: '.' }),
          chunk({}, 'stop'),
          { ...chunk({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
        ),
        'data: [DONE]\n\n',
      ]),
    );
    expect(await client.chat.stream(ASK).final()).toEqual({
      id: 'c1',
      object: 'chat.completion',
      created: 5,
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Red.', refusal: null, reasoning_content: 'hmm' },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    });
    expect(JSON.parse(server.asked[0]?.body.toString() ?? '')).toEqual({ ...ASK, stream: true });
    expect(server.asked[0]?.headers.accept).toBe('text/event-stream');
  });

  it('puts tool calls together by their index', async () => {
    const call = (index: number, more: object, text: string): object =>
      chunk({
        tool_calls: [{ index, ...more, function: { ...('id' in more && { name: `f${index}` }), arguments: text } }],
      });
    server.say(
      eventStream([
        data(
          call(0, { id: 'a', type: 'function' }, ''),
          call(0, {}, '{"x"'),
          call(1, { id: 'b', type: 'function' }, '{'),
          call(0, {}, ':1}'),
          call(1, {}, '}'),
          chunk({}, 'tool_calls'),
        ),
        'data: [DONE]\n\n',
      ]),
    );
    const { choices } = await client.chat.stream(ASK).final();
    expect(choices[0]?.message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f0', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'f1', arguments: '{}' } },
      ],
    });
  });

  it('joins sound as bytes, each piece with its own padding', async () => {
    const piece = (text: string, more: object = {}): object =>
      chunk({ audio: { ...more, data: Buffer.from(text).toString('base64') } });
    server.say(
      eventStream([
        data(piece('a', { id: 'audio_1' }), piece('bc'), piece('d'), chunk({}, 'stop')),
        'data: [DONE]\n\n',
      ]),
    );
    const { choices } = await client.chat.stream(ASK).final();
    expect(choices[0]?.message.audio).toEqual({ id: 'audio_1', data: Buffer.from('abcd').toString('base64') });
  });

  it('keeps several choices apart', async () => {
    const both = (index: number, content: string, finish: string | null = null): object => ({
      ...chunk({}),
      choices: [{ index, delta: { content }, finish_reason: finish }],
    });
    server.say(eventStream([data(both(1, 'B'), both(0, 'A'), both(0, 'a', 'stop'), both(1, 'b', 'length'))]));
    const { choices } = await client.chat.stream(ASK).final();
    expect(choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason])).toEqual([
      [0, 'Aa', 'stop'],
      [1, 'Bb', 'length'],
    ]);
  });

  it('gives its text piece by piece, then the whole', async () => {
    server.say(
      eventStream([data(chunk({ content: 'a' }), chunk({}), chunk({ content: 'b' }, 'stop')), 'data: [DONE]\n\n']),
    );
    const stream = client.chat.stream(ASK);
    expect(await all(stream.text())).toEqual(['a', 'b']);
    expect((await stream.final()).choices[0]?.message.content).toBe('ab');
    expect((await stream.opened()).headers.get('x-request-id')).toBe('req_stream');
  });
});

describe('messages', () => {
  const start = {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [],
      model: 'm',
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  };
  const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
  const grow = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
  const close = (index: number) => ({ type: 'content_block_stop', index });

  it('adds up blocks of every kind', async () => {
    server.say(
      eventStream([
        named(
          start,
          { type: 'ping' },
          open(0, { type: 'thinking', thinking: '', signature: '' }),
          grow(0, { type: 'thinking_delta', thinking: 'let ' }),
          grow(0, { type: 'thinking_delta', thinking: 'me' }),
          grow(0, { type: 'signature_delta', signature: 'sig' }),
          close(0),
          open(1, { type: 'text', text: '' }),
          grow(1, { type: 'text_delta', text: 'Hi' }),
          grow(1, { type: 'citations_delta', citation: { cited_text: 'x' } }),
          grow(1, { type: 'text_delta', text: '!' }),
          close(1),
          open(2, { type: 'tool_use', id: 't', name: 'f', input: {} }),
          grow(2, { type: 'input_json_delta', partial_json: '' }),
          grow(2, { type: 'input_json_delta', partial_json: '{"a":' }),
          grow(2, { type: 'input_json_delta', partial_json: '[1]}' }),
          close(2),
          open(3, { type: 'tool_use', id: 'u', name: 'g', input: {} }),
          close(3),
          {
            type: 'message_delta',
            delta: { stop_reason: 'tool_use', stop_sequence: null },
            usage: { output_tokens: 20, input_tokens: null },
          },
          { type: 'message_stop' },
        ),
      ]),
    );
    const stream = client.messages.stream({ ...ASK, max_tokens: 9 });
    expect(await all(stream.text())).toEqual(['Hi', '!']);
    expect(await stream.final()).toEqual({
      ...start.message,
      content: [
        { type: 'thinking', thinking: 'let me', signature: 'sig' },
        { type: 'text', text: 'Hi!', citations: [{ cited_text: 'x' }] },
        { type: 'tool_use', id: 't', name: 'f', input: { a: [1] } },
        { type: 'tool_use', id: 'u', name: 'g', input: {} },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 9, output_tokens: 20 },
    });
  });

  it('throws an error event with its code', async () => {
    server.say(
      eventStream([named(start, { type: 'error', error: { type: 'overloaded_error', message: 'too busy' } })]),
    );
    const error = await client.messages
      .stream({ ...ASK })
      .final()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StreamError);
    expect(error).toMatchObject({ message: 'too busy', code: 'unavailable', requestId: 'req_stream' });
  });

  it('sends betas and version as headers', async () => {
    server.say({ json: {} });
    await client.messages.create(ASK, { betas: ['a', 'b'], version: '2023-06-01' });
    expect(server.asked[0]?.headers).toMatchObject({ 'anthropic-beta': 'a,b', 'anthropic-version': '2023-06-01' });
  });
});

describe('responses', () => {
  it('ends with the response of its last event', async () => {
    const response = { id: 'r', object: 'response', output: [], status: 'completed' };
    server.say(
      eventStream([
        named(
          { type: 'response.created', response: { ...response, status: 'in_progress' } },
          { type: 'response.output_text.delta', delta: 'Hi' },
          { type: 'response.completed', response },
        ),
      ]),
    );
    const stream = client.responses.stream({ model: 'm', input: 'Hello' });
    expect(await all(stream.text())).toEqual(['Hi']);
    expect(await stream.final()).toEqual(response);
  });

  it('throws an error event', async () => {
    server.say(eventStream([named({ type: 'error', message: 'broken', code: 'upstream_timeout' })]));
    const call = client.responses.stream({ model: 'm', input: 'Hello' }).final();
    await expect(call).rejects.toMatchObject({ name: 'StreamError', code: 'upstream_timeout', message: 'broken' });
  });
});

describe('generateContent', () => {
  it('appends parts, joins text, keeps thoughts apart', async () => {
    const piece = (parts: object[], more: object = {}): object => ({
      candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    });
    server.say(
      eventStream([
        data(
          piece([{ text: 'hm', thought: true }]),
          piece([{ text: 'm', thought: true }]),
          piece([{ text: 'High' }]),
          piece([{ text: ' tide' }, { functionCall: { name: 'f' } }]),
          {
            ...piece([{ text: '.' }], { finishReason: 'STOP' }),
            usageMetadata: { totalTokenCount: 5 },
            responseId: 'g',
          },
        ),
      ]),
    );
    const stream = client.contents.stream('gemini-3.1-pro', { contents: [] });
    expect(await all(stream.text())).toEqual(['High', ' tide', '.']);
    expect(await stream.final()).toEqual({
      candidates: [
        {
          index: 0,
          content: {
            role: 'model',
            parts: [
              { text: 'hmm', thought: true },
              { text: 'High tide' },
              { functionCall: { name: 'f' } },
              { text: '.' },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { totalTokenCount: 5 },
      responseId: 'g',
    });
    expect(server.asked[0]?.url).toBe('/v1beta/models/gemini-3.1-pro:streamGenerateContent?alt=sse');
  });

  it('throws an error that comes as an event', async () => {
    server.say(eventStream([data({ error: { code: 503, message: 'gone', status: 'UNAVAILABLE', details: [] } })]));
    await expect(client.contents.stream('g', { contents: [] }).final()).rejects.toMatchObject({ message: 'gone' });
  });
});

describe('pictures and sound', () => {
  it('collects finished pictures and leaves the partial ones to the reader', async () => {
    server.say(
      eventStream([
        named(
          { type: 'image_generation.partial_image', b64_json: 'AA==', partial_image_index: 0 },
          { type: 'image_generation.completed', b64_json: 'BB==', usage: { total_tokens: 4 } },
        ),
      ]),
    );
    const stream = client.images.stream({ model: 'm', prompt: 'p' });
    expect(await all(stream)).toHaveLength(2);
    expect(await stream.final()).toEqual({ data: [{ b64_json: 'BB==' }], usage: { total_tokens: 4 } });
  });

  it('collects a group with the one that failed in its place', async () => {
    const refused = { code: 'content_refused', message: 'no' };
    server.say(
      eventStream([
        named(
          { type: 'image_generation.partial_succeeded', image_index: 1, url: 'u1', size: '2x2' },
          { type: 'image_generation.partial_failed', image_index: 0, error: refused },
          { type: 'image_generation.completed', usage: { generated_images: 1 } },
        ),
        'data: [DONE]\n\n',
      ]),
    );
    expect(await client.images.stream({ model: 'm', prompt: 'p' }).final()).toEqual({
      data: [{ error: refused }, { url: 'u1', size: '2x2' }],
      usage: { generated_images: 1 },
    });
  });

  it('joins the pieces of a speech', async () => {
    const piece = (text: string) => ({ type: 'speech.audio.delta', audio: Buffer.from(text).toString('base64') });
    server.say(eventStream([named(piece('a'), piece('bc'), { type: 'speech.audio.done', usage: {} })]));
    const sound = await client.speech.stream({ model: 'm', input: 'x', voice: 'v' }).final();
    expect(Buffer.from(sound).toString()).toBe('abc');
  });
});

describe('a stream that goes wrong', () => {
  it('throws a refusal where it is read, and is no crash when nobody reads', async () => {
    server.say({ status: 401, json: { error: { message: 'no key', code: 'invalid_api_key' } } });
    const unread = client.chat.stream(ASK);
    await expect(client.chat.stream(ASK).final()).rejects.toMatchObject({ status: 401 });
    await expect(unread.opened()).rejects.toMatchObject({ status: 401 });
  });

  it.each([
    { name: 'ends early', cut: false, is: 'StreamError' },
    { name: 'is cut', cut: true, is: 'ConnectionError' },
  ])('$name: the pieces come, then a $is', async ({ cut, is }) => {
    server.say(eventStream([data(chunk({ content: 'Re' }))], cut));
    const stream = client.chat.stream(ASK);
    const seen: string[] = [];
    const error = await (async () => {
      for await (const piece of stream.text()) seen.push(piece);
    })().catch((thrown: unknown) => thrown);
    expect(seen).toEqual(['Re']);
    expect(error).toMatchObject({ name: is });
  });

  it('throws an OpenAI error in the middle, with its code', async () => {
    server.say(
      eventStream([
        data(chunk({ content: 'Re' }), {
          error: { message: 'lost', type: 'server_error', param: null, code: 'upstream_unavailable' },
        }),
      ]),
    );
    await expect(client.chat.stream(ASK).final()).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: 'lost',
    });
  });

  it('hangs up when the loop is left, when it is aborted, and when the signal says so', async () => {
    let hungUp = 0;
    server.say((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(data(chunk({ content: 'a' })));
      response.on('close', () => hungUp++);
    });
    for await (const event of client.chat.stream(ASK)) if (event.id === 'c1') break;

    const aborted = client.chat.stream(ASK);
    for await (const event of aborted) if (event.id === 'c1') aborted.abort();
    await expect(aborted.final()).rejects.toBeInstanceOf(StreamError);

    const controller = new AbortController();
    const reason = new Error('enough');
    const read = async (): Promise<void> => {
      for await (const event of client.chat.stream(ASK, { signal: controller.signal }))
        if (event.id === 'c1') controller.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    while (hungUp < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(hungUp).toBe(3);
  });
});
