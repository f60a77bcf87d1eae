import { GoogleGenAI, type GenerateContentResponse } from '@google/genai';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { AssistantPart, ChatEvent, Opaque } from '../conversation.ts';
import type { Encoded } from '../dialect.ts';
import { contextOf, decodeBytes, decodeText, encodeEvents, eventsOf, fold, NO_REQUEST, objectsIn } from '../laws.ts';
import { openAiChat } from '../openai-chat/index.ts';
import { geminiGenerate } from './index.ts';
import { PNG } from '../samples.ts';

const context = contextOf(NO_REQUEST);

function wire(...fragments: JsonObject[]): string {
  return fragments.map((fragment) => `data: ${JSON.stringify(fragment)}\r\n\r\n`).join('');
}
function fragment(parts: JsonObject[], rest: JsonObject = {}, whole: JsonObject = {}): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
    modelVersion: 'gemini-3-pro',
    responseId: 'r1',
    ...whole,
  };
}
const counted = (prompt: number, candidates: number): JsonObject => ({
  usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: candidates, totalTokenCount: prompt + candidates },
});
const finished = { finishReason: 'STOP' };

/** What the official SDK makes of a stream of ours; throws as it throws. */
async function sdkFragments(sse: string): Promise<GenerateContentResponse[]> {
  const client = new GoogleGenAI({
    apiKey: 'k',
    httpOptions: { fetch: async () => new Response(sse, { headers: { 'content-type': 'text/event-stream' } }) },
  });
  const fragments: GenerateContentResponse[] = [];
  for await (const each of await client.models.generateContentStream({ model: 'm', contents: 'q' }))
    fragments.push(each);
  return fragments;
}

/** The grammar of docs/wire/gemini-generate.md#stream-grammar, to the letter: data only, one line of whole JSON each, a finish reason in the last. */
function encode(events: readonly ChatEvent[]): string {
  const sse = encodeEvents(geminiGenerate, events, context);
  for (const block of sse.split('\n\n').slice(0, -1)) {
    expect(block).toMatch(/^(?:data: \{.*\}|: .*)$/);
    if (block.startsWith('data: ')) JSON.parse(block.slice(6));
  }
  // Behind the event of an error stands the same as a bare line (stream-readers.test.ts).
  expect(sse).toMatch(/\n\n(?:\{"error":.*\n)?$/);
  return sse;
}

const everything = wire(
  fragment([{ text: 'Hm, ', thought: true }], {}, counted(10, 0)),
  fragment([{ text: 'größer 🤔', thought: true }]),
  fragment([{ text: 'Hel' }], {}, counted(10, 1)),
  fragment([{ text: 'lo 👋' }]),
  fragment([{ text: '', thoughtSignature: 'TEXTSIG' }]),
  fragment([
    { functionCall: { name: 'look', args: { a: 'ä' } }, thoughtSignature: 'SIG' },
    { functionCall: { id: 'own', name: 'none' } },
  ]),
  fragment([{ inlineData: { mimeType: 'image/png', data: PNG } }]),
  fragment([{ text: '' }], finished, {
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 8, thoughtsTokenCount: 4, totalTokenCount: 22 },
  }),
);

describe('reading a stream', () => {
  it('everything, in middle events', () => {
    const signature: Opaque = { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'SIG' };
    expect(decodeText(geminiGenerate, everything)).toEqual([
      { type: 'start', id: 'r1', model: 'gemini-3-pro' },
      { type: 'reasoning-start', block: 0, choice: 0 },
      { type: 'delta', block: 0, text: 'Hm, ' },
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 0 } },
      { type: 'delta', block: 0, text: 'größer 🤔' },
      { type: 'block-stop', block: 0 },
      { type: 'text-start', block: 1, choice: 0 },
      { type: 'delta', block: 1, text: 'Hel' },
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 1 } },
      { type: 'delta', block: 1, text: 'lo 👋' },
      { type: 'opaque', block: 1, opaque: { ...signature, value: 'TEXTSIG' } },
      { type: 'block-stop', block: 1 },
      { type: 'tool-call-start', block: 2, choice: 0, id: 'call_r1_0', name: 'look', kind: 'function' },
      { type: 'opaque', block: 2, opaque: signature },
      { type: 'delta', block: 2, text: '{"a":"ä"}' },
      { type: 'block-stop', block: 2 },
      { type: 'tool-call-start', block: 3, choice: 0, id: 'own', name: 'none', kind: 'function' },
      { type: 'block-stop', block: 3 },
      expect.objectContaining({ type: 'image', block: 4, choice: 0 }),
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 12, reasoningTokens: 4 } },
      { type: 'finish', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ]);
  });

  it('cut at every byte, the events are the same', () => {
    const bytes = Buffer.from(everything);
    const whole = decodeBytes(geminiGenerate, [bytes]);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(decodeBytes(geminiGenerate, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
  });

  it.each([
    { name: 'bug 21, bug 24: closed without a finish reason', sse: wire(fragment([{ text: 'x' }])), last: 'error' },
    { name: 'nothing at all', sse: '', last: 'error' },
    {
      name: 'bug 23: cut behind the finish',
      sse: `${wire(fragment([{ text: 'x' }], finished))}data: {"usage`,
      last: 'end',
    },
    { name: 'bug 23: finished and closed', sse: wire(fragment([{ text: 'x' }], finished)), last: 'end' },
    {
      name: 'bug 25: an error in a fragment',
      sse: wire(
        fragment([{ text: 'x' }]),
        { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } },
        fragment([], finished),
      ),
      last: 'error',
    },
    { name: 'a fragment that is no JSON', sse: 'data: {"candidates\n\n', last: 'error' },
    {
      name: 'a part that cannot be read',
      sse: wire(fragment([{ functionCall: 1 }]), fragment([], finished)),
      last: 'error',
    },
    {
      name: 'a call without a name',
      sse: wire(fragment([{ functionCall: {} }]), fragment([], finished)),
      last: 'end',
    },
    { name: 'a blocked prompt', sse: wire({ promptFeedback: { blockReason: 'SAFETY' } }), last: 'end' },
    {
      name: 'one candidate of two unfinished',
      sse: wire(fragment([{ text: 'x' }], finished), {
        candidates: [{ content: { parts: [{ text: 'y' }] }, index: 1 }],
      }),
      last: 'error',
    },
  ])('$name ends in $last', ({ sse, last }) => {
    const events = decodeText(geminiGenerate, sse);
    expect(events.at(-1)?.type).toBe(last);
    expect(events.filter(({ type }) => type === 'error' || type === 'end')).toHaveLength(1);
  });

  it('a blocked prompt is a refusal with its reason', () => {
    const reply = fold(
      decodeText(geminiGenerate, wire({ promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'no' } })),
    );
    expect(reply.choices).toEqual([{ parts: [], stop: 'content-filter', refusal: 'no' }]);
  });

  it('bug 41: grounding before the finish reason, counted in bytes over all fragments', () => {
    const groundingMetadata = {
      webSearchQueries: ['q'],
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 8, endIndex: 18, text: 'aus Köln.' }, groundingChunkIndices: [0] }],
    };
    const events = decodeText(
      geminiGenerate,
      wire(
        fragment([{ text: 'Grüße aus ' }]),
        fragment([{ text: 'Köln.' }], { groundingMetadata }),
        fragment([], finished),
      ),
    );
    const reply = fold(events);
    expect(reply.choices[0]?.parts).toMatchObject([
      { type: 'text', citations: [{ url: 'https://a', start: 6, end: 15 }] },
      { type: 'server-tool', name: 'web_search' },
    ]);
    expect(reply.usage).toEqual({ webSearches: 1 });
  });

  it('a signature ends its part: another thought behind it is another part', () => {
    const sse = wire(
      fragment([
        { text: 'a', thought: true },
        { text: '', thought: true, thoughtSignature: 'S1' },
      ]),
      fragment(
        [
          { text: '', thought: true, thoughtSignature: 'S2' },
          { text: 'b' },
          { text: '', thoughtSignature: 'S3' },
          { text: 'c' },
        ],
        finished,
      ),
    );
    expect(fold(decodeText(geminiGenerate, sse)).choices[0]?.parts).toMatchObject([
      { type: 'reasoning', text: 'a', opaque: { value: 'S1' } },
      { type: 'reasoning', text: '', opaque: { value: 'S2' } },
      { type: 'text', text: 'b', opaque: { value: 'S3' } },
      { type: 'text', text: 'c' },
    ]);
  });

  it('an answer given as one array instead of events', () => {
    const events = decodeText(
      geminiGenerate,
      `data: ${JSON.stringify([fragment([{ text: 'a' }]), fragment([{ text: 'b' }], finished)])}\n\n`,
    );
    expect(fold(events).choices[0]?.parts).toMatchObject([{ text: 'ab' }]);
  });

  it('undoes renamed and custom tools', () => {
    const sent: Encoded = {
      body: {},
      dropped: [],
      toolNames: new Map([['wire', 'mine']]),
      customTools: new Set(['sql']),
    };
    const sse = wire(
      fragment(
        [{ functionCall: { name: 'wire' } }, { functionCall: { name: 'sql', args: { input: 'select' } } }],
        finished,
      ),
    );
    expect(fold(decodeText(geminiGenerate, sse, sent)).choices[0]?.parts).toMatchObject([
      { name: 'mine', arguments: '' },
      { name: 'sql', kind: 'custom', arguments: 'select' },
    ]);
  });

  describe('bug 52: continuation', () => {
    const first = [
      fragment([{ text: 'one ' }], {}, counted(5, 1)),
      fragment([{ text: 'and ' }], { finishReason: 'CONTINUATION', continuationToken: 'T1' }, counted(5, 2)),
    ];
    const second = [fragment([{ text: 'two' }], {}, counted(6, 1)), fragment([], finished, counted(6, 3))];
    const feed = (decoder: ReturnType<typeof geminiGenerate.streamDecoder>, fragments: JsonObject[]): ChatEvent[] =>
      fragments.flatMap((each) => decoder.push({ event: '', data: JSON.stringify(each) }));

    const resuming: Encoded = { body: {}, dropped: [], resumes: true };

    it('is resumed once per token, into the same block, with usage over both requests', () => {
      const decoder = geminiGenerate.streamDecoder(resuming);
      const events = feed(decoder, first);
      expect(decoder.end()).toEqual([{ type: 'continuation', token: 'T1' }]);
      const reply = fold([...events, ...feed(decoder, second), ...decoder.end()]);
      expect(reply.choices).toEqual([{ parts: [{ type: 'text', text: 'one and two' }], stop: 'stop' }]);
      expect(reply.usage).toEqual({ inputTokens: 11, outputTokens: 5 });
    });

    it('a stream that drops after a checkpoint can be resumed, one without cannot', () => {
      const decoder = geminiGenerate.streamDecoder(resuming);
      feed(decoder, [fragment([{ text: 'x' }], { continuationToken: 'T' })]);
      expect(decoder.end()).toEqual([{ type: 'continuation', token: 'T' }]);
    });

    it('not resumed, it ends: as cut off by length where the vendor said so, as an error where it did not', () => {
      const told = geminiGenerate.streamDecoder(resuming);
      feed(told, first);
      told.end();
      expect(told.end()).toContainEqual({ type: 'finish', choice: 0, stop: 'length' });
      const dropped = geminiGenerate.streamDecoder(resuming);
      feed(dropped, [fragment([{ text: 'x' }], { continuationToken: 'T' })]);
      dropped.end();
      expect(dropped.end().at(-1)?.type).toBe('error');
    });

    it('to a gateway that does not resume it is an answer cut off by length', () => {
      const decoder = geminiGenerate.streamDecoder();
      const reply = fold([...feed(decoder, first), ...decoder.end()]);
      expect(reply.choices).toEqual([{ parts: [{ type: 'text', text: 'one and ' }], stop: 'length' }]);
    });

    it('the same token again is not asked for twice, a new one is', () => {
      const decoder = geminiGenerate.streamDecoder(resuming);
      feed(decoder, first);
      decoder.end();
      feed(decoder, [fragment([{ text: 'x' }], { finishReason: 'CONTINUATION', continuationToken: 'T1' })]);
      expect(decoder.end().at(-1)?.type).toBe('end');
      const other = geminiGenerate.streamDecoder(resuming);
      feed(other, first);
      other.end();
      feed(other, [fragment([{ text: 'x' }], { finishReason: 'CONTINUATION', continuationToken: 'T2' })]);
      expect(other.end()).toEqual([{ type: 'continuation', token: 'T2' }]);
    });
  });
});

describe('writing a stream', () => {
  it('a plain answer, byte for byte', () => {
    const sse = encode(
      eventsOf({
        id: 'r',
        choices: [{ parts: [{ type: 'text', text: 'Hello' }], stop: 'stop' }],
        usage: { inputTokens: 3, outputTokens: 2 },
      }),
    );
    expect(sse).toBe(
      'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hel"}]},"index":0}],"modelVersion":"the-model","responseId":"r"}\n\n' +
        'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"lo"}]},"index":0}],"modelVersion":"the-model","responseId":"r"}\n\n' +
        'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5},"modelVersion":"the-model","responseId":"r"}\n\n',
    );
  });

  it('text that some line readers would cut is escaped', () => {
    const text = 'a\u2028b\u2029c\u0085d';
    const sse = encode(eventsOf({ choices: [{ parts: [{ type: 'text', text }], stop: 'stop' }] }));
    expect(sse).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(fold(decodeText(geminiGenerate, sse)).choices[0]?.parts).toEqual([{ type: 'text', text }]);
  });

  it('calls come whole and in order, however their pieces were mixed', async () => {
    const chunk = (change: JsonObject, finish_reason: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta: change, finish_reason }] })}\n\n`;
    const sse = encode(
      decodeText(
        openAiChat,
        chunk({ content: 'ok' }) +
          chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }] }) +
          chunk({
            tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '{"b":' } }],
          }) +
          chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }) +
          chunk({ tool_calls: [{ index: 1, function: { arguments: '2}' } }] }) +
          chunk({}, 'tool_calls') +
          'data: [DONE]\n\n',
      ),
    );
    const fragments = await sdkFragments(sse);
    expect(fragments.flatMap((each) => each.functionCalls ?? [])).toEqual([
      { id: 'a', name: 'one', args: { a: 1 } },
      { id: 'b', name: 'two', args: { b: 2 } },
    ]);
    expect(fragments.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
    expect(fragments.at(-1)?.usageMetadata?.totalTokenCount).toBe(0);
  });

  it('a chat session of the SDK remembers the answer', async () => {
    const sse = encode(
      eventsOf({
        choices: [
          {
            parts: [
              { type: 'reasoning', text: 'hm' },
              { type: 'text', text: 'Hello' },
            ],
            stop: 'stop',
          },
        ],
      }),
    );
    const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { fetch: async () => new Response(sse) } });
    const chat = client.chats.create({ model: 'm' });
    for await (const _ of await chat.sendMessageStream({ message: 'q' }));
    const history = chat.getHistory(true);
    expect(history.length).toBeGreaterThan(1);
    const request = geminiGenerate.decodeRequest(
      { contents: JSON.parse(JSON.stringify(history)) as JsonObject[] },
      { model: 'm', stream: true },
    );
    expect(request.turns[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Hello' },
    ]);
  });

  it.each([
    {
      name: 'bug 22: an error',
      events: [{ type: 'error', error: { code: 'upstream_unavailable', message: 'gone' } }, { type: 'end' }],
    },
    { name: 'an end without a finish', events: [{ type: 'end' }] },
  ] as { name: string; events: ChatEvent[] }[])(
    '$name is an error fragment, nothing after it, and the SDK throws',
    async ({ events }) => {
      const sse = encode([
        { type: 'start' },
        { type: 'text-start', block: 0, choice: 0 },
        { type: 'delta', block: 0, text: 'x' },
        ...events,
      ]);
      expect(objectsIn(sse).at(-1)?.['error']).toMatchObject({ code: 503, status: 'UNAVAILABLE' });
      await expect(sdkFragments(sse)).rejects.toThrow();
    },
  );

  it('a filter that let nothing through is prompt feedback', async () => {
    const [only] = await sdkFragments(
      encode([
        { type: 'start' },
        { type: 'finish', choice: 0, stop: 'content-filter', refusal: 'no' },
        { type: 'end' },
      ]),
    );
    expect(only?.promptFeedback).toMatchObject({ blockReasonMessage: 'no' });
  });

  it('state, citations, pictures and several answers', () => {
    const sse = encode([
      { type: 'start' },
      { type: 'reasoning-start', block: 0, choice: 0 },
      { type: 'delta', block: 0, text: 'a' },
      { type: 'reasoning-break', block: 0 },
      { type: 'opaque', block: 0, opaque: { provider: 'gemini', kind: 'signature', value: 'S' } },
      { type: 'block-stop', block: 0 },
      { type: 'text-start', block: 1, choice: 1 },
      { type: 'delta', block: 1, text: 'über' },
      { type: 'citation', block: 1, citation: { url: 'https://a', start: 0, end: 4 } },
      { type: 'block-stop', block: 1 },
      {
        type: 'image',
        block: 2,
        choice: 0,
        part: { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
      },
      { type: 'finish', choice: 1, stop: 'length' },
      { type: 'finish', choice: 0, stop: 'stop' },
      { type: 'end' },
    ]);
    const parts = objectsIn(sse)
      .slice(0, -1)
      .map((each) => (each['candidates'] as JsonObject[])[0]);
    expect(parts).toMatchObject([
      { index: 0, content: { parts: [{ text: 'a', thought: true }] } },
      { index: 0, content: { parts: [{ text: '\n\n', thought: true }] } },
      { index: 0, content: { parts: [{ text: '', thought: true, thoughtSignature: 'S' }] } },
      { index: 1, content: { parts: [{ text: 'über' }] } },
      { index: 0, content: { parts: [{ inlineData: { data: PNG } }] } },
    ]);
    expect(objectsIn(sse).at(-1)?.['candidates']).toMatchObject([
      { index: 0, finishReason: 'STOP' },
      {
        index: 1,
        finishReason: 'MAX_TOKENS',
        groundingMetadata: { groundingSupports: [{ segment: { startIndex: 0, endIndex: 5, text: 'über' } }] },
      },
    ]);
  });

  it('what is held for a call is bounded', () => {
    const encoder = geminiGenerate.streamEncoder(context);
    encoder.push({ type: 'tool-call-start', block: 0, choice: 0, id: 'a', name: 'one', kind: 'function' });
    const piece = 'x'.repeat(1024 * 1024);
    const said = Array.from({ length: 17 }, () => encoder.push({ type: 'delta', block: 0, text: piece })).join('');
    expect(objectsIn(said)).toHaveLength(1);
    expect(objectsIn(said)[0]).toHaveProperty('error');
  });
});

const anyPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.string({ minLength: 1, unit: 'grapheme' }) }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: fc.stringMatching(/^[a-z]{1,12}$/),
    name: fc.stringMatching(/^[a-z_]{1,8}$/),
    kind: fc.constant('function' as const),
    arguments: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
    opaque: fc.record({
      provider: fc.constant('gemini'),
      model: fc.constant('the-model'),
      kind: fc.constant('signature' as const),
      value: fc.stringMatching(/^[A-Za-z0-9+/]{1,20}$/),
    }),
  }),
);

describe('laws', () => {
  it('what is written is read back', () => {
    fc.assert(
      fc.property(fc.array(anyPart, { minLength: 1, maxLength: 5 }), (parts) => {
        const stop = parts.some((part) => part.type === 'tool-call') ? 'tool-calls' : 'stop';
        const again = fold(decodeText(geminiGenerate, encode(eventsOf({ choices: [{ parts, stop }] }))));
        // The wire has no borders between texts: neighbours become one.
        const joined = parts.reduce<AssistantPart[]>((list, part) => {
          const last = list.at(-1);
          if (part.type === 'text' && last?.type === 'text')
            return [...list.slice(0, -1), { ...last, text: last.text + part.text }];
          return [...list, part];
        }, []);
        expect(again.choices[0]).toEqual({ parts: joined, stop });
      }),
      { numRuns: 200 },
    );
  });
});
