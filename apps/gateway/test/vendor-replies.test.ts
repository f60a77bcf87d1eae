/** Replies that real vendors give and no document shows, over real sockets, read by the official SDKs. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type ChatFormat } from '@model-gateway/contracts';
import type { TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';
import supertest from 'supertest';
import { openScriptedFormats, sse, type ScriptedFormats } from './scripted-formats.ts';

let formats: ScriptedFormats;
let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;

beforeAll(async () => {
  formats = await openScriptedFormats();
  ({ gateway } = formats);
  const apiKey = gateway.liveKey;
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
});
beforeEach(async () => {
  // Cool-downs of the test before must not reach this one: a good probe ends them.
  formats.passAnHour();
  for (const wire of DIALECT_NAMES) {
    formats.script = { type: 'application/json', pieces: [JSON.stringify(WHOLE[wire])] };
    expect((await ask(wire)).status).toBe(200);
  }
  formats.asked = 0;
});
afterAll(() => formats.close());

const chunk = (delta: object, finish: string | null = null): string =>
  sse({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

/** A stream that has said `Hel` on each wire, and the text a cut leaves of its next event. */
const BEGUN: Readonly<Record<ChatFormat, { begun: string; half: string }>> = {
  'openai-chat': {
    begun: chunk({ role: 'assistant', content: 'Hel' }),
    half: 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"lo',
  },
  'openai-responses': {
    begun:
      sse(
        { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', object: 'response', output: [] } },
        'response.created',
      ) +
      sse(
        {
          type: 'response.output_text.delta',
          sequence_number: 1,
          item_id: 'msg_1',
          output_index: 0,
          content_index: 0,
          delta: 'Hel',
        },
        'response.output_text.delta',
      ),
    half: 'event: response.output_text.delta\ndata: {"type":"response.output_text.del',
  },
  'anthropic-messages': {
    begun:
      sse(
        {
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            content: [],
            model: 'm',
            stop_reason: null,
            usage: { input_tokens: 5, output_tokens: 1 },
          },
        },
        'message_start',
      ) +
      sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start') +
      sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }, 'content_block_delta'),
    half: 'event: content_block_delta\ndata: {"type":"content_block_del',
  },
  'gemini-generate': {
    begun: sse({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] }, index: 0 }] }),
    half: 'data: {"candidates":[{"content":{"parts":[{"text":"lo',
  },
};

/** A whole answer that says `Hello`. */
const WHOLE: Readonly<Record<ChatFormat, object>> = {
  'openai-chat': {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  },
  'openai-responses': {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
      },
    ],
    usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
  },
  'anthropic-messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 7 },
  },
  'gemini-generate': {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
  },
};

/** The text of a streamed answer by the SDK of the caller's wire; throws as the SDK does. */
async function streamed(wire: ChatFormat, model: string): Promise<string> {
  let text = '';
  if (wire === 'openai-chat') {
    const stream = await openai.chat.completions.create({
      model,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    });
    for await (const each of stream) text += each.choices[0]?.delta.content ?? '';
  } else if (wire === 'openai-responses') {
    for await (const event of await openai.responses.create({ model, stream: true, input: 'hi' })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.failed') throw new Error(event.response.error?.message);
    }
  } else if (wire === 'anthropic-messages') {
    const stream = anthropic.messages.stream({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] });
    for await (const event of stream)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
  } else {
    for await (const each of await google.models.generateContentStream({ model, contents: 'hi' }))
      text += each.text ?? '';
  }
  return text;
}

/** The same as bytes. */
const bytes = (wire: ChatFormat, model: string) => {
  const path = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    'gemini-generate': `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  }[wire];
  const messages = [{ role: 'user', content: 'hi' }];
  const body = {
    'openai-chat': { model, stream: true, messages },
    'openai-responses': { model, stream: true, input: 'hi' },
    'anthropic-messages': { model, stream: true, max_tokens: 50, messages },
    'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  }[wire];
  return supertest(gateway.url)
    .post(path)
    .set('authorization', `Bearer ${gateway.liveKey}`)
    .send(body)
    .buffer(true)
    .parse((response, done) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .on('end', () => done(null, text));
    });
};
const ask = (model: string) =>
  supertest(gateway.url)
    .post('/v1/chat/completions')
    .set('authorization', `Bearer ${gateway.liveKey}`)
    .send({ model, messages: [{ role: 'user', content: 'hi' }] });
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('data: '));
const metric = async (name: string, ...labels: readonly string[]): Promise<number> =>
  (await supertest(gateway.url).get('/metrics')).text
    .split('\n')
    .filter((line) => line.startsWith(name) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf('} ') + 2).split(' ')[0]), 0);
const outputTokens = (): Promise<number> => metric('gen_ai_client_token_usage_sum', 'gen_ai_token_type="output"');

describe.each(DIALECT_NAMES)('%s, forwarded', (wire) => {
  it.each([{ cut: false }, { cut: true }])(
    'a stream that ends in the middle of an event ends in one whole error event (reset: $cut)',
    async ({ cut }) => {
      const { begun, half } = BEGUN[wire];
      formats.script = { type: 'text/event-stream', pieces: [begun, half], cut };
      const text = String((await bytes(wire, wire)).body);
      const events = linesOf(text).map(
        (line): { error?: unknown; type?: unknown; request_id?: unknown } => JSON.parse(line.slice(6)) as never,
      );
      expect(text).toContain('Hel');
      const last = events.at(-1);
      expect(last?.type === 'error' || typeof last?.error === 'object').toBe(true);
      expect(events.filter((event) => event.type === 'error' || event.error !== undefined)).toHaveLength(1);
      if (wire === 'anthropic-messages') expect(last?.request_id).toMatch(/./);
      await expect(streamed(wire, wire)).rejects.not.toBeInstanceOf(SyntaxError);
    },
  );

  it('a last event without its blank line is delivered', async () => {
    formats.script = { type: 'text/event-stream', pieces: [BEGUN[wire].begun.trimEnd()] };
    expect(String((await bytes(wire, wire)).body)).toContain('Hel');
  });
});

describe.each(DIALECT_NAMES)('a vendor of %s that answers JSON where a stream was asked for', (vendorWire) => {
  it.each(DIALECT_NAMES)('is a stream to a caller of %s', async (wire) => {
    formats.script = { type: 'application/json', pieces: [JSON.stringify(WHOLE[vendorWire], null, 1)] };
    const before = await outputTokens();
    expect(await streamed(wire, vendorWire)).toBe('Hello');
    expect(formats.asked).toBe(1);
    expect((await outputTokens()) - before).toBe(7);
  });

  it('is a refusal where the JSON is one', async () => {
    const error = { message: 'no such luck', type: 'invalid_request_error', status: 'INVALID_ARGUMENT', code: 400 };
    formats.script = { type: 'application/json', pieces: [JSON.stringify({ type: 'error', error })] };
    await expect(streamed('openai-chat', vendorWire)).rejects.toMatchObject({ status: 400 });
  });
});

describe('an answered request is one request', () => {
  it.each([
    'UNEXPECTED_TOOL_CALL',
    'MALFORMED_FUNCTION_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MALFORMED_RESPONSE',
    'MODEL_ARMOR',
    'NEXT_YEARS_WORD',
  ])('%s is answered, billed and not repeated', async (finishReason) => {
    const candidate = { content: { role: 'model', parts: [{ text: 'Half' }] }, finishReason, finishMessage: 'because' };
    formats.script = {
      type: 'application/json',
      pieces: [JSON.stringify({ ...WHOLE['gemini-generate'], candidates: [candidate] })],
    };
    const before = await outputTokens();
    for (let round = 0; round < 6; round++) {
      const { status, body } = await ask('gemini-generate');
      expect(status).toBe(200);
      expect(body.choices[0].message).toMatchObject({ content: 'Half', refusal: 'because' });
      expect(['stop', 'content_filter']).toContain(body.choices[0].finish_reason);
    }
    expect(formats.asked).toBe(6);
    expect((await outputTokens()) - before).toBe(42);
  });

  it('a 200 that cannot be read is told once, billed by what it reports, and leaves the offer open', async () => {
    formats.script = {
      type: 'application/json',
      pieces: [JSON.stringify({ type: 'message', usage: { input_tokens: 5, output_tokens: 7 } })],
    };
    const before = await outputTokens();
    for (let round = 0; round < 6; round++) {
      const { status, headers, body } = await ask('anthropic-messages');
      expect(status).toBe(500);
      expect(body.error.code).toBe('upstream_malformed');
      expect(headers['x-should-retry']).toBe('false');
    }
    expect(formats.asked).toBe(6);
    expect((await outputTokens()) - before).toBe(42);
    formats.script = { type: 'application/json', pieces: [JSON.stringify(WHOLE['anthropic-messages'])] };
    expect((await ask('anthropic-messages')).status).toBe(200);
  });
});

describe('an error object in the middle of a stream is its end', () => {
  const failed = {
    message: 'Failed to call a function.',
    type: 'invalid_request_error',
    code: 'tool_use_failed',
    failed_generation: '<f>',
  };

  it.each([
    { name: 'an event named error', event: sse({ error: failed }, 'error') },
    { name: 'a plain chunk', event: sse({ error: failed }) },
  ])('$name: passed once to a caller of the same wire', async ({ event }) => {
    formats.script = { type: 'text/event-stream', pieces: [BEGUN['openai-chat'].begun, event] };
    const text = String((await bytes('openai-chat', 'openai-chat')).body);
    expect(text.endsWith(event)).toBe(true);
    expect(text.split('"error"')).toHaveLength(2);
  });

  it.each(DIALECT_NAMES.filter((wire) => wire !== 'openai-chat'))('typed, once, to a caller of %s', async (wire) => {
    formats.script = {
      type: 'text/event-stream',
      pieces: [BEGUN['openai-chat'].begun, sse({ error: failed }, 'error')],
    };
    const text = String((await bytes(wire, 'openai-chat')).body);
    // Google's wire has it as an event and as a bare line.
    const times = wire === 'gemini-generate' ? 2 : 1;
    expect(text.split('Failed to call a function.').length - 1).toBe(times);
    expect(text).toMatch(/invalid_request_error|INVALID_ARGUMENT|response\.failed/);
    await expect(streamed(wire, 'openai-chat')).rejects.toThrow('Failed to call a function.');
  });

  it('is the request’s own fault: the offer stays open', async () => {
    formats.script = {
      type: 'text/event-stream',
      pieces: [BEGUN['openai-chat'].begun, sse({ error: failed }, 'error')],
    };
    for (let round = 0; round < 6; round++) await streamed('openai-chat', 'openai-chat').catch(() => undefined);
    formats.script = {
      type: 'text/event-stream',
      pieces: [BEGUN['openai-chat'].begun, chunk({}, 'stop'), sse('[DONE]')],
    };
    expect(await streamed('openai-chat', 'openai-chat')).toBe('Hel');
  });

  it('a stream of words about errors is no error', async () => {
    const words = 'data says "error":{"x":1} and event: error';
    formats.script = {
      type: 'text/event-stream',
      pieces: [chunk({ content: words }), chunk({}, 'stop'), sse('[DONE]')],
    };
    expect(await streamed('openai-chat', 'openai-chat')).toBe(words);
    expect(await streamed('anthropic-messages', 'openai-chat')).toBe(words);
  });
});

it('[DONE] without a finish reason ends well, forwarded and translated', async () => {
  formats.script = {
    type: 'text/event-stream',
    pieces: [chunk({ role: 'assistant', content: 'Hello' }), sse('[DONE]')],
  };
  for (const wire of DIALECT_NAMES) expect(await streamed(wire, 'openai-chat')).toBe('Hello');
});

describe('a refusal in the first event of a stream', () => {
  const told = {
    code: 400,
    message: 'Provider returned error',
    type: 'invalid_request_error',
    metadata: { provider_name: 'Up', raw: 'too hot', secret: 'vendor-key-0123456789' },
  };

  it('keeps what its vendor adds on the same wire, without the gateway’s key', async () => {
    formats.script = { type: 'text/event-stream', pieces: [sse({ error: told })] };
    const { body, status } = await bytes('openai-chat', 'openai-chat');
    expect(status).toBe(400);
    const text = String(body);
    expect(JSON.parse(text)).toMatchObject({ error: { metadata: { provider_name: 'Up', raw: 'too hot' } } });
    expect(text).not.toContain('vendor-key');
  });

  it('is told in the words of another wire without it', async () => {
    formats.script = { type: 'text/event-stream', pieces: [sse({ error: told })] };
    expect(String((await bytes('anthropic-messages', 'openai-chat')).body)).not.toContain('provider_name');
  });
});
