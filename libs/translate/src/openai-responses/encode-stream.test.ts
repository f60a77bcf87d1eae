import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import OpenAI from 'openai';
import type { ChatEvent } from '../conversation.ts';
import { encodeEvents, eventsOf, objectsIn } from '../laws.ts';
import { wrapOpaque } from '../shared/opaque-envelope.ts';
import { createSseParser } from '../shared/sse.ts';
import { openAiResponses } from './index.ts';
import { CONTEXT, REPLY } from './testing/streams.ts';

/** Checks the grammar of a whole stream; gives its events back. */
function grammatical(text: string): JsonObject[] {
  const parser = createSseParser();
  const named = [...parser.push(Buffer.from(text)), ...parser.end()];
  const events = objectsIn(text);
  expect(named.map((one) => one.event)).toEqual(events.map(({ type }) => type));
  expect(events.map((one) => one['sequence_number'])).toEqual(events.map((_, index) => index));
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
  const terminals = events.filter(({ type }) =>
    ['response.completed', 'response.incomplete', 'response.failed'].includes(type as string),
  );
  expect(terminals).toEqual([events.at(-1)]);
  const ids = events.flatMap((one) => ('response' in one ? [(one['response'] as JsonObject)['id']] : []));
  expect(new Set(ids).size).toBe(1);
  return events;
}

/** The official SDK as a judge: what it makes of our bytes. */
function sdkReading(text: string): ReturnType<OpenAI['responses']['stream']> {
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
  return client.responses.stream({ model: 'm', input: 'hi' });
}

describe('encoding', () => {
  it('bug 26: the full lifecycle of every item, stable ids, whole final output', () => {
    const events = grammatical(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT));
    const types = (index: number): unknown[] =>
      events.filter((one) => one['output_index'] === index).map(({ type }) => type);
    expect(types(0)).toEqual([
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
    ]);
    expect(types(1)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ]);
    expect(types(2)).toEqual(['response.output_item.added', 'response.output_item.done']);
    expect(types(3)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]);
    expect(types(4).slice(1, 3)).toEqual([
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.delta',
    ]);
    expect(types(5)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]);
    const finished = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    const response = events.at(-1)?.['response'] as JsonObject;
    expect(response['output']).toEqual(finished);
    expect(finished).toHaveLength(9);
    expect(response).toMatchObject({
      status: 'completed',
      usage: { input_tokens: 10, prompt_tokens: 10, output_tokens: 5, completion_tokens: 5 },
    });
    const perItem = new Map<Json | undefined, Set<Json | undefined>>();
    for (const one of events) {
      const id = one['item_id'] ?? (one['item'] as JsonObject | undefined)?.['id'];
      if (id !== undefined) perItem.set(one['output_index'], (perItem.get(one['output_index']) ?? new Set()).add(id));
    }
    expect([...perItem.values()].every((ids) => ids.size === 1)).toBe(true);
  });

  it('whole and streamed answers are the same object', () => {
    const streamed = grammatical(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT)).at(-1)?.['response'];
    expect(streamed).toEqual(openAiResponses.encodeReply(REPLY, CONTEXT));
  });

  it.each<{ name: string; events: ChatEvent[]; status: string; more: object }>([
    {
      name: 'bug 22: the cap',
      events: [{ type: 'start' }, { type: 'finish', choice: 0, stop: 'length' }, { type: 'end' }],
      status: 'incomplete',
      more: { incomplete_details: { reason: 'max_output_tokens' } },
    },
    {
      name: 'bug 21: an error after half an answer',
      events: [
        { type: 'start' },
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'delta', block: 0, text: 'a' },
        { type: 'error', error: { code: 'upstream_rate_limited', message: 'slow' } },
        { type: 'end' },
      ],
      status: 'failed',
      more: { error: { code: 'rate_limit_exceeded', message: 'slow' } },
    },
    {
      name: 'an error before anything',
      events: [{ type: 'error', error: { code: 'content_refused', message: 'no' } }],
      status: 'failed',
      more: { error: { code: 'invalid_prompt', message: 'no' } },
    },
    {
      name: 'an end nobody finished',
      events: [{ type: 'start' }, { type: 'end' }],
      status: 'failed',
      more: { error: expect.objectContaining({ code: 'server_error' }) },
    },
    {
      name: 'a call nobody can read',
      events: [{ type: 'start' }, { type: 'finish', choice: 0, stop: 'malformed-call' }, { type: 'end' }],
      status: 'completed',
      more: {
        output: [
          expect.objectContaining({
            content: [{ type: 'refusal', refusal: expect.stringContaining('cannot be read') }],
          }),
        ],
      },
    },
    {
      name: 'a block its decoder left open',
      events: [
        { type: 'start' },
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'delta', block: 0, text: 'a' },
        { type: 'finish', choice: 0, stop: 'stop' },
        { type: 'end' },
      ],
      status: 'completed',
      more: { output: [expect.objectContaining({ status: 'completed' })] },
    },
    {
      name: 'the explanation of a refusal',
      events: [{ type: 'start' }, { type: 'finish', choice: 0, stop: 'refusal', refusal: 'because' }, { type: 'end' }],
      status: 'incomplete',
      more: { output: [expect.objectContaining({ content: [{ type: 'refusal', refusal: 'because' }] })] },
    },
  ])('$name', ({ events, status, more }) => {
    const last = grammatical(encodeEvents(openAiResponses, events, CONTEXT)).at(-1);
    expect(last).toMatchObject({ type: `response.${status}`, response: { status, ...more } });
  });

  it('answers beside the first have no place', () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'text-start', block: 0, choice: 1 },
      { type: 'delta', block: 0, text: 'a' },
      { type: 'block-stop', block: 0 },
      { type: 'finish', choice: 0, stop: 'stop' },
      { type: 'finish', choice: 1, stop: 'length' },
      { type: 'end' },
    ];
    expect(grammatical(encodeEvents(openAiResponses, events, CONTEXT)).at(-1)).toMatchObject({
      response: { status: 'completed', output: [] },
    });
  });
});

describe('the official accumulator', () => {
  it('makes the whole answer of our stream', async () => {
    const response = await sdkReading(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT)).finalResponse();
    expect(response.output_text).toBe('Hello ü😀');
    const expected = openAiResponses.encodeReply(REPLY, CONTEXT);
    expect(response.usage).toEqual(expected['usage']);
    expect(response.output.map(({ type }) => type)).toEqual(
      (expected['output'] as JsonObject[]).map(({ type }) => type),
    );
  });

  it('takes interleaved items', async () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'tool-call-start', block: 0, choice: 0, id: 'a', name: 'f', kind: 'function' },
      { type: 'delta', block: 0, text: '{"x"' },
      { type: 'tool-call-start', block: 1, choice: 0, id: 'b', name: 'f', kind: 'function' },
      { type: 'delta', block: 1, text: '{}' },
      { type: 'delta', block: 0, text: ':1}' },
      { type: 'block-stop', block: 1 },
      { type: 'block-stop', block: 0 },
      { type: 'finish', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ];
    const { output } = await sdkReading(encodeEvents(openAiResponses, events, CONTEXT)).finalResponse();
    expect(output).toMatchObject([
      { call_id: 'a', arguments: '{"x":1}' },
      { call_id: 'b', arguments: '{}' },
    ]);
  });

  it('bug 40: sends the output back as input, and the models’ own state comes out again', async () => {
    const response = await sdkReading(encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT)).finalResponse();
    const input = JSON.parse(JSON.stringify(response.output)) as Json[];
    const request = openAiResponses.decodeRequest({ model: 'm', input });
    const parts = request.turns[0]?.parts ?? [];
    expect(parts.filter(({ opaque }) => opaque !== undefined)).toMatchObject([
      {
        type: 'reasoning',
        summaries: ['one', 'two'],
        opaque: { provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' },
      },
      { type: 'tool-call', id: 'a', opaque: { provider: 'gemini', model: 'g', kind: 'signature', value: 'v' } },
    ]);
  });

  it('sees a failure', async () => {
    const events: ChatEvent[] = [
      { type: 'start' },
      { type: 'error', error: { code: 'upstream_unavailable', message: 'gone' } },
    ];
    const response = await sdkReading(encodeEvents(openAiResponses, events, CONTEXT)).finalResponse();
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'gone' } });
  });

  it('the envelope is what carries foreign state', () => {
    const text = encodeEvents(openAiResponses, eventsOf(REPLY), CONTEXT);
    expect(text).toContain(
      `"encrypted_content":"${wrapOpaque({ provider: 'anthropic', model: 'claude', kind: 'signature', value: 'sig' })}"`,
    );
  });
});
