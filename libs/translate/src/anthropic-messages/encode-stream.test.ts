import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { AssistantPart, ChatEvent, Opaque } from '../conversation.ts';
import { decodeText, eventsOf, fold } from '../laws.ts';
import { openAiChat } from '../openai-chat/index.ts';
import { unwrapOpaque } from '../shared/opaque-envelope.ts';
import { anthropicMessages } from './index.ts';
import { context, encode, sdkMessage } from './testing/streams.ts';

/** A chat-completions stream through to the Messages wire. */
function fromChat(...chunks: JsonObject[]): string {
  const sse = chunks
    .map((chunk) => `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [], ...chunk })}\n\n`)
    .join('');
  return encode(decodeText(openAiChat, `${sse}data: [DONE]\n\n`));
}
const choice = (change: JsonObject, finish_reason: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta: change, finish_reason }],
});
const toolDelta = (...calls: JsonObject[]): JsonObject => choice({ tool_calls: calls });

/** Parts whose every kind has a place on this wire. */
const anyPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.string({ minLength: 1, unit: 'grapheme' }) }),
  fc.record({
    type: fc.constant('reasoning' as const),
    text: fc.string({ minLength: 1, unit: 'grapheme' }),
    opaque: fc.record({
      provider: fc.constant('anthropic'),
      model: fc.constant('the-model'),
      kind: fc.constant('signature' as const),
      value: fc.string({ minLength: 1 }),
    }),
  }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: fc.stringMatching(/^[a-z:.]{1,12}$/),
    name: fc.stringMatching(/^[a-z_]{1,8}$/),
    kind: fc.constant('function' as const),
    arguments: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  }),
);

/** Events of several blocks mixed as parallel blocks may be, each block's own order kept. */
function interleave(lists: ChatEvent[][], picks: readonly number[]): ChatEvent[] {
  const mixed: ChatEvent[] = [];
  const rest = lists.map((list) => [...list]);
  let opened = 0;
  for (let turn = 0; rest.some((list) => list.length > 0); turn += 1) {
    // A block may start only after the ones before it have: blocks are numbered in order of appearance.
    const ready = rest.filter((list, index) => list.length > 0 && index <= opened);
    const list = ready[(picks[turn % picks.length] ?? 0) % ready.length] ?? [];
    if (list === rest[opened]) opened += 1;
    const [event] = list.splice(0, 1);
    if (event !== undefined) mixed.push(event);
  }
  return mixed;
}

describe('writing a stream', () => {
  it('a plain answer, byte for byte', () => {
    const sse = encode(
      eventsOf({
        id: 'chatcmpl-1',
        choices: [{ parts: [{ type: 'text', text: 'Hello' }], stop: 'stop' }],
        usage: { inputTokens: 3, outputTokens: 2 },
      }),
    );
    expect(sse).toBe(
      'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_f00dfeed","type":"message","role":"assistant","model":"the-model","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":0}}}\n\n' +
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n' +
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}\n\n' +
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}\n\n' +
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n' +
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":2}}\n\n' +
        'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    );
  });

  it('bug 1: fillers inside a tool call leave the block open and the JSON whole', async () => {
    const message = await sdkMessage(
      fromChat(
        toolDelta({ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }),
        choice({ content: '', tool_calls: [{ index: 0, id: '', function: { name: '', arguments: '{"a"' } }] }),
        choice({ content: '' }),
        toolDelta({ index: 0, id: '', type: 'function', function: { name: '', arguments: ':1}' } }),
        choice({}, 'tool_calls'),
      ),
    );
    expect(message.content).toEqual([
      expect.objectContaining({ type: 'tool_use', id: 'call_1', name: 'look', input: { a: 1 } }),
    ]);
    expect(message.stop_reason).toBe('tool_use');
  });

  it('bug 2: interleaved parallel calls land in their own blocks', async () => {
    const message = await sdkMessage(
      fromChat(
        toolDelta({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
        toolDelta({ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '' } }),
        toolDelta({ index: 1, function: { arguments: '{"b":' } }, { index: 0, function: { arguments: '{"a":' } }),
        toolDelta({ index: 0, function: { arguments: '1}' } }),
        toolDelta({ index: 1, function: { arguments: '2}' } }),
        choice({}, 'tool_calls'),
      ),
    );
    expect(message.content).toMatchObject([
      { id: 'a', name: 'one', input: { a: 1 } },
      { id: 'b', name: 'two', input: { b: 2 } },
    ]);
  });

  it('the first of several open blocks is written live, the others wait', () => {
    const encoder = anthropicMessages.streamEncoder(context);
    const push = (event: ChatEvent): string => encoder.push(event);
    push({ type: 'start' });
    push({ type: 'tool-call-start', block: 0, choice: 0, id: 'a', name: 'one', kind: 'function' });
    push({ type: 'tool-call-start', block: 1, choice: 0, id: 'b', name: 'two', kind: 'function' });
    expect(push({ type: 'delta', block: 0, text: '{' })).toContain('"partial_json":"{"');
    expect(push({ type: 'delta', block: 1, text: '{"x":' })).toBe('');
    expect(push({ type: 'delta', block: 1, text: '1}' })).toBe('');
    expect(push({ type: 'block-stop', block: 1 })).toBe('');
    expect(push({ type: 'delta', block: 0, text: '}' })).toContain('"partial_json":"}"');
    const rest = push({ type: 'block-stop', block: 0 });
    expect(rest.match(/event: [a-z_]+/g)).toEqual([
      'event: content_block_stop',
      'event: content_block_start',
      'event: content_block_delta',
      'event: content_block_delta',
      'event: content_block_stop',
    ]);
  });

  it('what waits is bounded', () => {
    const encoder = anthropicMessages.streamEncoder(context);
    encoder.push({ type: 'start' });
    encoder.push({ type: 'tool-call-start', block: 0, choice: 0, id: 'a', name: 'one', kind: 'function' });
    encoder.push({ type: 'tool-call-start', block: 1, choice: 0, id: 'b', name: 'two', kind: 'function' });
    const piece = 'x'.repeat(1024 * 1024);
    const said = Array.from({ length: 17 }, () => encoder.push({ type: 'delta', block: 1, text: piece })).join('');
    expect(said).toContain('event: error');
    expect(encoder.push({ type: 'end' })).toBe('');
  });

  it('bug 7: large arguments in many small pieces lose nothing, and cost no more than linear time', async () => {
    const value = 'ä"\\\n'.repeat(5_000);
    const whole = JSON.stringify({ value });
    const pieces = whole.match(/[\s\S]{1,7}/g) ?? [];
    const message = await sdkMessage(
      fromChat(
        toolDelta({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
        ...pieces.map((piece) => toolDelta({ index: 0, function: { arguments: piece } })),
        choice({}, 'tool_calls'),
      ),
    );
    expect(message.content[0]).toMatchObject({ input: { value } });
  });

  it('bug 9: arguments that parse early do not close the call', async () => {
    const message = await sdkMessage(
      fromChat(
        toolDelta({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } }),
        toolDelta({ index: 0, function: { arguments: ' ' } }),
        choice({}, 'tool_calls'),
      ),
    );
    expect(message.content).toHaveLength(1);
  });

  it('bug 19: cache counters of a chat vendor arrive in message_delta', async () => {
    const message = await sdkMessage(
      fromChat(choice({ content: 'x' }), choice({}, 'stop'), {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 15 },
        },
      }),
    );
    expect(message.usage).toMatchObject({
      input_tokens: 5,
      cache_read_input_tokens: 80,
      cache_creation_input_tokens: 15,
      output_tokens: 5,
    });
  });

  it('a finish chunk without usage still ends the message', async () => {
    const message = await sdkMessage(fromChat(choice({ role: 'assistant', content: 'x' }, 'stop')));
    expect([message.stop_reason, message.usage.output_tokens]).toEqual(['end_turn', 0]);
  });

  it.each([
    {
      name: 'bug 22: an error',
      events: [{ type: 'error', error: { code: 'upstream_unavailable', message: 'gone' } }, { type: 'end' }],
    },
    { name: 'an end without a finish', events: [{ type: 'end' }] },
  ] as { name: string; events: ChatEvent[] }[])(
    '$name is an error event, nothing after it, and the SDK throws',
    async ({ events }) => {
      const sse = encode([
        { type: 'start' },
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'delta', block: 0, text: 'x' },
        ...events,
      ]);
      expect(sse).toMatch(
        /event: error\ndata: \{"type":"error","error":\{"type":"[a-z_]+","message":".*"\},"request_id":"req_f00d"\}\n\n$/,
      );
      await expect(sdkMessage(sse)).rejects.toThrow();
    },
  );

  it('an unreadable call ends in a refusal that explains it', async () => {
    const sse = encode([{ type: 'start' }, { type: 'finish', choice: 0, stop: 'malformed-call' }, { type: 'end' }]);
    expect(await sdkMessage(sse)).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { explanation: expect.stringContaining('cannot be read') },
    });
  });

  it('bug 37: reasoning without a signature gets one, signature-only thinking is kept', async () => {
    const message = await sdkMessage(
      encode(
        eventsOf({
          choices: [
            {
              parts: [
                { type: 'reasoning', text: 'a', summaries: ['a', 'b'] },
                { type: 'reasoning', text: '', opaque: { provider: 'anthropic', kind: 'signature', value: 'S' } },
                { type: 'reasoning', text: '', opaque: { provider: 'openai', kind: 'encrypted', value: 'E' } },
                { type: 'reasoning', text: '' },
              ],
              stop: 'stop',
            },
          ],
        }),
      ),
    );
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'a\n\nb', signature: expect.stringMatching(/.+/) },
      { type: 'thinking', thinking: '', signature: 'S' },
      { type: 'redacted_thinking' },
    ]);
  });

  it('bug 39, bug 40: state of a call is in the stream too, ahead of it', async () => {
    const opaque: Opaque = { provider: 'gemini', model: 'g', kind: 'signature', value: 'G' };
    const parts: AssistantPart[] = [
      { type: 'tool-call', id: 'a', name: 'n', kind: 'function', arguments: '{}', opaque },
      { type: 'tool-call', id: 'b', name: 'n', kind: 'function', arguments: '{}' },
    ];
    const message = await sdkMessage(encode(eventsOf({ choices: [{ parts, stop: 'tool-calls' }] })));
    expect(message.content.map((block) => block.type)).toEqual(['redacted_thinking', 'tool_use', 'tool_use']);
    expect(unwrapOpaque((message.content[0] as Anthropic.RedactedThinkingBlock).data)).toEqual(opaque);
  });

  it('pings are events of the wire, before the start and inside', () => {
    const encoder = anthropicMessages.streamEncoder(context);
    expect(encoder.keepAlive()).toBe('event: ping\ndata: {"type":"ping"}\n\n');
    expect(encoder.push({ type: 'ping' })).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  });
});

describe('laws', () => {
  it('whatever runs side by side, one block is open at a time and every block is whole', () => {
    fc.assert(
      fc.property(
        fc.array(anyPart, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }),
        (parts, picks) => {
          const hasCalls = parts.some((part) => part.type === 'tool-call');
          const stopped = hasCalls ? 'tool-calls' : 'stop';
          const straight = eventsOf({ model: 'the-model', choices: [{ parts, stop: stopped }] });
          const inside = straight.filter((event) => 'block' in event);
          const lists = parts.map((_, block) => inside.filter((event) => event.block === block));
          const mixed: ChatEvent[] = [
            { type: 'start', model: 'the-model' },
            ...interleave(lists, picks),
            { type: 'finish', choice: 0, stop: stopped },
            { type: 'end' },
          ];
          const again = fold(decodeText(anthropicMessages, encode(mixed)));
          expect(again.choices[0]).toEqual({ parts, stop: stopped });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('the SDK puts together what was said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyPart, { minLength: 1, maxLength: 4 }), async (parts) => {
        const message = await sdkMessage(encode(eventsOf({ choices: [{ parts, stop: 'stop' }] })));
        const plain = message.content.map((block) =>
          block.type === 'text'
            ? block.text
            : block.type === 'thinking'
              ? block.thinking
              : block.type === 'tool_use'
                ? JSON.stringify(block.input)
                : '',
        );
        expect(plain).toEqual(
          parts.map((part) =>
            'text' in part ? part.text : part.type === 'tool-call' ? JSON.stringify(JSON.parse(part.arguments)) : '',
          ),
        );
      }),
      { numRuns: 50 },
    );
  });
});
