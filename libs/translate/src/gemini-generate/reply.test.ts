import { describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { AssistantPart, ChatReply, StopReason } from '../conversation.ts';
import { contextOf, NO_REQUEST, replyTwice } from '../laws.ts';
import { isEnvelope } from '../shared/opaque-envelope.ts';
import { geminiGenerate } from './index.ts';
import { PNG } from '../samples.ts';

const context = contextOf(NO_REQUEST);

function answer(parts: JsonObject[], rest: JsonObject = {}, whole: JsonObject = {}): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...rest }],
    responseId: 'r1',
    modelVersion: 'gemini-3-pro',
    ...whole,
  };
}
function read(body: JsonObject): ChatReply {
  return geminiGenerate.decodeReply(body);
}
function encode(parts: AssistantPart[], rest: Partial<ChatReply['choices'][number]> = {}): JsonObject {
  return geminiGenerate.encodeReply({ choices: [{ parts, stop: 'stop', ...rest }] }, context);
}
function partsOf(body: JsonObject): JsonObject[] {
  return ((body['candidates'] as JsonObject[])[0]?.['content'] as JsonObject)['parts'] as JsonObject[];
}

describe('reading an answer', () => {
  it('reads parts in order, state bound to the model, ids unique over the conversation', () => {
    expect(
      read(
        answer([
          { text: 'hm', thought: true },
          { text: 'hello' },
          { functionCall: { name: 'look', args: { a: 1 } }, thoughtSignature: 'S' },
          { functionCall: { id: 'own', name: 'look' } },
        ]),
      ),
    ).toMatchObject({
      id: 'r1',
      model: 'gemini-3-pro',
      choices: [
        {
          stop: 'tool-calls',
          parts: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'hello' },
            {
              type: 'tool-call',
              id: 'call_r1_0',
              arguments: '{"a":1}',
              opaque: { provider: 'gemini', model: 'gemini-3-pro', kind: 'signature', value: 'S' },
            },
            { type: 'tool-call', id: 'own', arguments: '' },
          ],
        },
      ],
    });
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['BLOCKLIST', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['SPII', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['OTHER', 'content-filter'],
    ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
    ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
    ['TOO_MANY_TOOL_CALLS', 'malformed-call'],
    ['MALFORMED_RESPONSE', 'malformed-call'],
    ['MODEL_ARMOR', 'content-filter'],
    ['A_WORD_OF_NEXT_YEAR', 'content-filter'],
    ['UNEXPECTED_FUNCTION_WORD', 'malformed-call'],
  ])('finishReason %s is %s', (finishReason, stop) => {
    expect(read(answer([{ text: 'x' }], { finishReason })).choices[0]?.stop).toBe(stop);
  });

  it('calls that can be read are calls, whatever word stands beside them; one without a name is none', () => {
    const call = { functionCall: { name: 'f', args: {} } };
    for (const finishReason of ['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'STOP']) {
      expect(read(answer([call], { finishReason })).choices[0]).toMatchObject({
        stop: 'tool-calls',
        parts: [{ name: 'f' }],
      });
    }
    expect(read(answer([{ functionCall: {} }, { text: 'x' }], { finishReason: 'STOP' })).choices[0]).toMatchObject({
      stop: 'malformed-call',
      parts: [{ text: 'x' }],
    });
  });

  it('a blocked prompt has no candidate: the answer is a refusal with its reason', () => {
    const reply = read({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    });
    expect(reply.choices).toEqual([
      { parts: [], stop: 'content-filter', refusal: 'The prompt was blocked: PROHIBITED_CONTENT.' },
    ]);
    expect(reply.usage).toEqual({ inputTokens: 4, outputTokens: 0 });
  });

  it.each([
    {
      name: 'thoughts and tool prompts are added',
      usage: {
        promptTokenCount: 10,
        toolUsePromptTokenCount: 5,
        cachedContentTokenCount: 4,
        candidatesTokenCount: 7,
        thoughtsTokenCount: 3,
        totalTokenCount: 25,
      },
      reads: { inputTokens: 15, toolPromptTokens: 5, cachedInputTokens: 4, outputTokens: 10, reasoningTokens: 3 },
    },
    {
      name: 'zero is zero',
      usage: { promptTokenCount: 0, candidatesTokenCount: 0 },
      reads: { inputTokens: 0, outputTokens: 0 },
    },
    {
      name: 'thoughts alone',
      usage: { promptTokenCount: 1, thoughtsTokenCount: 2, totalTokenCount: 3 },
      reads: { inputTokens: 1, outputTokens: 2, reasoningTokens: 2 },
    },
    {
      name: 'by modality',
      usage: {
        promptTokenCount: 9,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 1 },
          { modality: 'IMAGE', tokenCount: 8 },
        ],
        candidatesTokenCount: 5,
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 5 }],
      },
      reads: { inputTokens: 9, inputImageTokens: 8, outputTokens: 5, outputAudioTokens: 5 },
    },
  ])('usage: $name', ({ usage, reads }) => {
    expect(geminiGenerate.readUsage({ usageMetadata: usage })).toEqual(reads);
  });

  it('bug 41: a signature on a trailing empty text signs what stands before', () => {
    const [first, ...rest] = read(answer([{ text: 'a' }, { text: '', thoughtSignature: 'S' }])).choices[0]?.parts ?? [];
    expect(first).toMatchObject({ text: 'a', opaque: { value: 'S' } });
    expect(rest).toEqual([]);
  });

  it('images and audio', () => {
    const parts = read(
      answer([
        { inlineData: { mimeType: 'image/png', data: PNG } },
        { inlineData: { mimeType: 'audio/L16;rate=24000', data: 'AAAA' } },
      ]),
    ).choices[0]?.parts;
    expect(parts).toMatchObject([
      { type: 'image', source: { mime: 'image/png' } },
      { type: 'audio', source: { mime: 'audio/l16' } },
    ]);
  });

  it('citations by bytes become citations by characters', () => {
    const text = 'Grüße aus Köln.';
    const groundingMetadata = {
      webSearchQueries: ['köln', 'wetter'],
      groundingChunks: [
        { web: { uri: 'https://a', title: 'A' } },
        { web: { uri: 'https://b' } },
        { retrievedContext: { title: 'no page' } },
        { image: { sourceUri: 'https://c', imageUri: 'https://c/c.png', title: 'C' } },
      ],
      groundingSupports: [{ segment: { startIndex: 8, endIndex: 18, text: 'aus Köln.' }, groundingChunkIndices: [0] }],
    };
    const reply = read(answer([{ text }], { groundingMetadata }));
    const cited = reply.choices[0]?.parts.find((part) => part.type === 'text');
    expect(cited?.citations).toEqual([
      { url: 'https://a', title: 'A', text: 'aus Köln.', start: 6, end: 15 },
      { url: 'https://b' },
      { title: 'no page' },
      { url: 'https://c', title: 'C' },
    ]);
    expect(reply.choices[0]?.parts[0]).toMatchObject({ type: 'server-tool', name: 'web_search', query: 'köln' });
    expect(reply.usage?.webSearches).toBe(2);
  });

  it('log probabilities in the shape of both OpenAI wires', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'ä', logProbability: -0.5 }],
      topCandidates: [
        {
          candidates: [
            { token: 'ä', logProbability: -0.5 },
            { token: 'a', logProbability: -2 },
          ],
        },
      ],
    };
    const [text] = read(answer([{ text: 'ä' }], { logprobsResult })).choices[0]?.parts ?? [];
    expect(text).toMatchObject({
      logprobs: [
        { token: 'ä', logprob: -0.5, bytes: [195, 164], top_logprobs: [{ token: 'ä' }, { token: 'a', logprob: -2 }] },
      ],
    });
  });

  it('several candidates are several answers', () => {
    const two = {
      candidates: [
        { content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' },
        { content: { parts: [{ text: 'b' }] }, finishReason: 'STOP', index: 1 },
      ],
    };
    expect(read(two).choices.map(({ parts }) => parts[0])).toMatchObject([{ text: 'a' }, { text: 'b' }]);
  });

  it.each([
    {
      name: 'an error inside a 200',
      body: { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } },
      code: 'upstream_unavailable',
    },
    {
      name: 'an array-wrapped error',
      body: [{ error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } }],
      code: 'upstream_rate_limited',
    },
    { name: 'neither candidate nor reason', body: {}, code: 'upstream_malformed' },
    { name: 'text', body: 'x', code: 'upstream_malformed' },
  ])('throws for $name', ({ body, code }) => {
    let caught: unknown;
    try {
      geminiGenerate.decodeReply(body);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(GatewayError);
    expect(caught).toMatchObject({ code });
  });

  it('bug 52: a continuation is asked for once per token, and continuations add up', () => {
    const first = read(
      answer(
        [{ text: 'one ' }],
        { finishReason: 'CONTINUATION', continuationToken: 'T1' },
        { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } },
      ),
    );
    expect(first.continuation).toBe('T1');
    const second = read(
      answer([{ text: 'two' }], {}, { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 } }),
    );
    expect(second.continuation).toBeUndefined();
    const joined = geminiGenerate.joinReplies(first, second);
    expect(joined).toMatchObject({
      choices: [{ parts: [{ type: 'text', text: 'one two' }], stop: 'stop' }],
      usage: { inputTokens: 12, outputTokens: 5 },
    });
    expect(joined).not.toHaveProperty('continuation');
    expect(read(answer([{ text: 'x' }], { continuationToken: 'T' })).continuation).toBeUndefined();
  });
});

describe('writing an answer', () => {
  it('has every field docs/service.md names', () => {
    expect(
      geminiGenerate.encodeReply(
        {
          id: 'r',
          choices: [{ parts: [{ type: 'text', text: 'hi' }], stop: 'stop' }],
          usage: { inputTokens: 3, outputTokens: 5, reasoningTokens: 2 },
        },
        context,
      ),
    ).toEqual({
      candidates: [
        { content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP', index: 0, safetyRatings: [] },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 3, totalTokenCount: 8, thoughtsTokenCount: 2 },
      modelVersion: 'the-model',
      responseId: 'r',
    });
  });

  it.each([
    ['stop', 'STOP'],
    ['stop-sequence', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['context-full', 'MAX_TOKENS'],
    ['tool-calls', 'STOP'],
    ['refusal', 'SAFETY'],
    ['content-filter', 'SAFETY'],
    ['malformed-call', 'MALFORMED_FUNCTION_CALL'],
  ] as [StopReason, string][])('%s is %s', (stop, finishReason) => {
    const body = encode([{ type: 'text', text: 'x' }], { stop });
    expect((body['candidates'] as JsonObject[])[0]?.['finishReason']).toBe(finishReason);
  });

  it('nothing said because of a filter is prompt feedback', () => {
    const body = encode([], { stop: 'content-filter', refusal: 'no' });
    expect(body).not.toHaveProperty('candidates');
    expect(body['promptFeedback']).toEqual({ blockReason: 'OTHER', blockReasonMessage: 'no' });
  });

  it('an answer without words still has a part: the SDK forgets it otherwise', () => {
    expect(partsOf(encode([]))).toEqual([{ text: '' }]);
  });

  it('parts of every kind', () => {
    const body = encode([
      { type: 'reasoning', text: 'hm', opaque: { provider: 'anthropic', kind: 'signature', value: 'A' } },
      { type: 'reasoning', text: '', opaque: { provider: 'gemini', kind: 'signature', value: 'G' } },
      { type: 'text', text: 'a' },
      { type: 'refusal', text: 'no' },
      { type: 'tool-call', id: 'c', name: 'n', kind: 'function', arguments: '' },
      { type: 'tool-call', id: 'd', name: 'n', kind: 'custom', arguments: 'free' },
      { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
      { type: 'server-tool', provider: 'anthropic', name: 'web_search', phase: 'call', raw: {} },
    ]);
    const [thought, ...rest] = partsOf(body);
    expect(thought).toMatchObject({ text: 'hm', thought: true });
    expect(isEnvelope(String(thought?.['thoughtSignature']))).toBe(true);
    expect(rest).toEqual([
      { text: '', thought: true, thoughtSignature: 'G' },
      { text: 'a' },
      { text: 'no' },
      { functionCall: { id: 'c', name: 'n', args: {} } },
      { functionCall: { id: 'd', name: 'n', args: { input: 'free' } } },
      { inlineData: { mimeType: 'image/png', data: PNG } },
    ]);
  });

  it('citations become grounding, counted in bytes', () => {
    const body = encode([
      {
        type: 'text',
        text: 'Grüße aus Köln.',
        citations: [
          { url: 'https://a', title: 'A', start: 6, end: 15 },
          { url: 'https://b' },
          { title: 'no page' },
          {},
        ],
      },
    ]);
    expect((body['candidates'] as JsonObject[])[0]?.['groundingMetadata']).toEqual({
      groundingChunks: [
        { web: { uri: 'https://a', title: 'A' } },
        { web: { uri: 'https://b' } },
        { retrievedContext: { title: 'no page' } },
      ],
      groundingSupports: [{ segment: { startIndex: 8, endIndex: 18, text: 'aus Köln.' }, groundingChunkIndices: [0] }],
    });
  });
});

it('an answer read, written and read again is the same', () => {
  const { once, twice } = replyTwice(
    geminiGenerate,
    answer(
      [
        { text: 'hm', thought: true, thoughtSignature: 'T' },
        { executableCode: { code: '1', language: 'PYTHON' } },
        { text: 'Grüße', thoughtSignature: 'S' },
        { functionCall: { id: 'c', name: 'n', args: { a: [null, 1] } }, thoughtSignature: 'F' },
        { inlineData: { mimeType: 'image/png', data: PNG } },
      ],
      {
        groundingMetadata: { webSearchQueries: ['q'], groundingChunks: [{ web: { uri: 'https://a' } }] },
        logprobsResult: { chosenCandidates: [{ token: 'G', logProbability: -1 }], topCandidates: [{ candidates: [] }] },
      },
      {
        usageMetadata: {
          promptTokenCount: 5,
          toolUsePromptTokenCount: 1,
          candidatesTokenCount: 2,
          thoughtsTokenCount: 3,
          cachedContentTokenCount: 0,
          totalTokenCount: 11,
          serviceTier: 'standard',
        },
      },
    ),
  );
  expect(twice).toEqual(once);
});
