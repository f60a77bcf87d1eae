/**
 * A tool conversation with a thinking model, over two turns, through every foreign dialect, plain and streamed
 * (docs/wire/chat-translation.md#reasoning-state).
 */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type ChatFormat, type JsonObject } from '@model-gateway/contracts';
import type { ChatEvent, ChatReply, ChatRequest } from './conversation.ts';
import { dialects } from './dialects.ts';
import type { Encoded, Target } from './dialect.ts';
import { contextOf, decodeText, encodeEvents, essenceOf, eventsOf, fold, objectsIn, OPENAI_QUIRKS } from './laws.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const CITIES = ['Ulm', 'Köln'];
const RESULTS = ['5 °C', '7 °C'];

/** What each vendor would be asked for, and what it would answer: state, words, two calls side by side. */
interface Vendor {
  readonly target: Target;
  readonly reply: JsonObject;
  /** The state in the second request to the vendor, as it must stand there. */
  readonly state: (body: JsonObject) => unknown;
  readonly expected: unknown;
}

function call(index: number): JsonObject {
  return { city: CITIES[index] ?? '' };
}

const messagesOf = (body: JsonObject): JsonObject[] => body['messages'] as JsonObject[];

const vendors: Readonly<Record<ChatFormat, Vendor>> = {
  'openai-chat': {
    target: { model: 'deepseek-reasoner', provider: 'deepseek', quirks: { reasoning_replay: 'required' } },
    reply: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'deepseek-reasoner',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Let me look.',
            reasoning_content: 'two cities',
            tool_calls: [0, 1].map((index) => ({
              id: `call_${'ab'[index] ?? ''}`,
              type: 'function',
              function: { name: 'weather', arguments: JSON.stringify(call(index)) },
            })),
          },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    },
    state: (body) => messagesOf(body).find(({ role }) => role === 'assistant')?.['reasoning_content'],
    expected: 'two cities',
  },
  'openai-responses': {
    target: { model: 'gpt-5.2', provider: 'openai', quirks: OPENAI_QUIRKS },
    reply: {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'gpt-5.2',
      status: 'completed',
      output: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'two cities' }],
          encrypted_content: 'ENC',
        },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
        },
        ...[0, 1].map((index) => ({
          type: 'function_call',
          id: `fc_${index}`,
          call_id: `call_${'ab'[index] ?? ''}`,
          name: 'weather',
          arguments: JSON.stringify(call(index)),
          status: 'completed',
        })),
      ],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    },
    state: (body) => (body['input'] as JsonObject[]).find(({ type }) => type === 'reasoning')?.['encrypted_content'],
    expected: 'ENC',
  },
  'anthropic-messages': {
    target: { model: 'claude-haiku-4-5', provider: 'anthropic', quirks: { thinking: 'budget' } },
    reply: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-haiku-4-5-20251001',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'two cities', signature: 'SIG' },
        { type: 'text', text: 'Let me look.' },
        ...[0, 1].map((index) => ({ type: 'tool_use', id: `toolu_${index}`, name: 'weather', input: call(index) })),
      ],
      usage: { input_tokens: 10, output_tokens: 5 },
    },
    state: (body) => [
      (messagesOf(body).find(({ role }) => role === 'assistant')?.['content'] as JsonObject[])[0],
      (body['thinking'] as JsonObject | undefined)?.['type'],
    ],
    expected: [{ type: 'thinking', thinking: 'two cities', signature: 'SIG' }, 'enabled'],
  },
  'gemini-generate': {
    target: { model: 'gemini-3-pro', provider: 'gemini' },
    reply: {
      responseId: 'r1',
      modelVersion: 'gemini-3-pro',
      candidates: [
        {
          index: 0,
          finishReason: 'STOP',
          content: {
            role: 'model',
            parts: [
              { text: 'two cities', thought: true },
              { text: 'Let me look.' },
              { functionCall: { name: 'weather', args: call(0) }, thoughtSignature: 'U0lH' },
              { functionCall: { name: 'weather', args: call(1) } },
            ],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    },
    state: (body) =>
      (body['contents'] as JsonObject[])
        .flatMap(({ parts }) => parts as JsonObject[])
        .filter((part) => 'functionCall' in part)
        .map((part) => part['thoughtSignature']),
    expected: ['U0lH', undefined],
  },
};

/** How a client of each dialect asks, and how it goes on after an answer: it sends back what it got. */
interface Client {
  readonly first: JsonObject;
  readonly second: (first: JsonObject, answer: JsonObject) => JsonObject;
}

const QUESTION = 'Where is it warmer, Ulm or Köln?';

const clients: Readonly<Record<ChatFormat, Client>> = {
  'openai-chat': {
    first: {
      model: 'm',
      reasoning_effort: 'high',
      messages: [{ role: 'user', content: QUESTION }],
      tools: [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }],
    },
    second: (first, answer) => {
      const message = (answer['choices'] as JsonObject[])[0]?.['message'] as JsonObject;
      const results = (message['tool_calls'] as JsonObject[]).map(({ id }, index) => ({
        role: 'tool',
        tool_call_id: id ?? '',
        content: RESULTS[index] ?? '',
      }));
      return { ...first, messages: [...messagesOf(first), message, ...results] };
    },
  },
  'openai-responses': {
    first: {
      model: 'm',
      reasoning: { effort: 'high', summary: 'auto' },
      input: [{ role: 'user', content: QUESTION }],
      tools: [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: false }],
    },
    second: (first, answer) => {
      const output = answer['output'] as JsonObject[];
      const results = output
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id }, index) => ({
          type: 'function_call_output',
          call_id: call_id ?? '',
          output: RESULTS[index] ?? '',
        }));
      return { ...first, input: [...(first['input'] as JsonObject[]), ...output, ...results] };
    },
  },
  'anthropic-messages': {
    first: {
      model: 'm',
      max_tokens: 8000,
      thinking: { type: 'enabled', budget_tokens: 4000 },
      messages: [{ role: 'user', content: QUESTION }],
      tools: [{ name: 'weather', input_schema: SCHEMA }],
    },
    second: (first, answer) => {
      const content = answer['content'] as JsonObject[];
      const results = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }, index) => ({ type: 'tool_result', tool_use_id: id ?? '', content: RESULTS[index] ?? '' }));
      return {
        ...first,
        messages: [...messagesOf(first), { role: 'assistant', content }, { role: 'user', content: results }],
      };
    },
  },
  'gemini-generate': {
    first: {
      contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
      tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: SCHEMA }] }],
      generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } },
    },
    second: (first, answer) => {
      const content = (answer['candidates'] as JsonObject[])[0]?.['content'] as JsonObject;
      const results = (content['parts'] as JsonObject[])
        .flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall as JsonObject]))
        .map(({ id, name }, index) => ({
          functionResponse: { id: id ?? '', name: name ?? '', response: { output: RESULTS[index] ?? '' } },
        }));
      return {
        ...first,
        contents: [...(first['contents'] as JsonObject[]), content, { role: 'user', parts: results }],
      };
    },
  },
};

const path = { model: 'm', stream: false };

interface Exchange {
  readonly request: ChatRequest;
  readonly sent: Encoded;
}

function send(client: ChatFormat, vendor: ChatFormat, body: JsonObject): Exchange {
  const request = dialects[client].decodeRequest(body, path);
  return { request, sent: dialects[vendor].encodeRequest(request, vendors[vendor].target) };
}

/** The vendor's answer in the client's wire; streamed, it goes over both wires and is put together again. */
function answer(client: ChatFormat, vendor: ChatFormat, exchange: Exchange, streamed: boolean): JsonObject {
  // Chat-completions tells usage on a stream to those only who ask.
  const context = contextOf({ ...exchange.request, streamUsage: true }, clients[client].first);
  const whole = dialects[vendor].decodeReply(vendors[vendor].reply, exchange.sent);
  if (!streamed) return dialects[client].encodeReply(whole, context);
  // The vendor's stream as its own dialect writes it, so that its own reader is on the road too.
  const vendorSse = encodeEvents(dialects[vendor], eventsOf(whole), {
    ...context,
    model: vendors[vendor].target.model,
  });
  const clientSse = encodeEvents(dialects[client], decodeText(dialects[vendor], vendorSse, exchange.sent), context);
  return dialects[client].encodeReply(fold(decodeText(dialects[client], clientSse)), context);
}

function callsIn(reply: ChatReply): unknown {
  return reply.choices[0]?.parts.flatMap((part) =>
    part.type === 'tool-call' ? [[part.name, JSON.parse(part.arguments) as unknown]] : [],
  );
}

const translations = DIALECT_NAMES.flatMap((client) =>
  DIALECT_NAMES.filter((vendor) => vendor !== client).flatMap((vendor) =>
    [false, true].map((streamed) => ({ client, vendor, streamed, how: streamed ? 'streamed' : 'plain' })),
  ),
);

describe.each(translations)('$client → $vendor, $how', ({ client, vendor, streamed }) => {
  const first = send(client, vendor, clients[client].first);
  const got = answer(client, vendor, first, streamed);

  it('the answer says the same', () => {
    const reply = dialects[client].decodeReply(got);
    expect(reply.choices[0]?.stop).toBe('tool-calls');
    expect(callsIn(reply)).toEqual(CITIES.map((city) => ['weather', { city }]));
    const texts = reply.choices[0]?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(texts?.join('')).toBe('Let me look.');
    expect(reply.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it('the vendor gets its state back, and every result with its call', () => {
    const second = send(client, vendor, clients[client].second(clients[client].first, got));
    expect(vendors[vendor].state(second.sent.body)).toEqual(vendors[vendor].expected);
    const read = dialects[vendor].decodeRequest(second.sent.body, path);
    const results = read.turns.flatMap((turn) =>
      turn.parts.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
    );
    const calls = read.turns.flatMap((turn) => turn.parts.flatMap((part) => (part.type === 'tool-call' ? [part] : [])));
    expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
    expect(
      results.map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join('')),
    ).toEqual(RESULTS);
  });
});

describe.each(translations.filter(({ streamed }) => streamed))(
  'bug 21: $client → $vendor, cut',
  ({ client, vendor }) => {
    const exchange = send(client, vendor, clients[client].first);
    const context = contextOf({ ...exchange.request, streamUsage: true }, clients[client].first);
    const whole = dialects[vendor].decodeReply(vendors[vendor].reply, exchange.sent);
    const vendorSse = encodeEvents(dialects[vendor], eventsOf(whole), {
      ...context,
      model: vendors[vendor].target.model,
    });
    const seen = (sse: string): readonly ChatEvent[] =>
      decodeText(
        dialects[client],
        encodeEvents(dialects[client], decodeText(dialects[vendor], sse, exchange.sent), context),
      );
    const complete = essenceOf(fold(seen(vendorSse)));

    it('after every event and in the middle of it: an error, never a clean end with less', () => {
      let cuts = 0;
      for (let at = vendorSse.indexOf('\n\n'); at >= 0; at = vendorSse.indexOf('\n\n', at + 2)) {
        for (const cut of [at - 5, at + 2].filter((end) => end < vendorSse.length)) {
          const events = seen(vendorSse.slice(0, cut));
          const last = events.at(-1)?.type;
          if (last === 'end') expect(essenceOf(fold(events))).toEqual(complete);
          else expect(last).toBe('error');
          if (last === 'error') cuts += 1;
        }
      }
      expect(cuts).toBeGreaterThan(4);
    });
  },
);

it('bug 5: tools, tool_choice and the finish reason survive chat → messages → chat', () => {
  const body: JsonObject = {
    ...clients['openai-chat'].first,
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
  };
  const { sent } = send('openai-chat', 'anthropic-messages', body);
  const back = send('anthropic-messages', 'openai-chat', sent.body).sent.body;
  expect(back['tools']).toMatchObject([{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }]);
  expect(back['tool_choice']).toEqual({ type: 'function', function: { name: 'weather' } });
  expect(back['parallel_tool_calls']).toBe(false);
});

it('bug 3: on a chat stream calls are counted among calls, whatever stands before them', () => {
  const exchange = send('openai-chat', 'anthropic-messages', clients['openai-chat'].first);
  const whole = dialects['anthropic-messages'].decodeReply(vendors['anthropic-messages'].reply, exchange.sent);
  const chunks = objectsIn(encodeEvents(dialects['openai-chat'], eventsOf(whole), contextOf(exchange.request)));
  const indexes = chunks.flatMap(({ choices }) =>
    (choices as JsonObject[]).flatMap(({ delta }) =>
      (((delta as JsonObject)['tool_calls'] ?? []) as JsonObject[]).map(({ index }) => index),
    ),
  );
  expect([...new Set(indexes)]).toEqual([0, 1]);
});
