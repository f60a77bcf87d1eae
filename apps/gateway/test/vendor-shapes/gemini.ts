/** Parts, ends and counts of Google's wire that its examples do not show. */
import type { JsonObject } from '@model-gateway/contracts';
import { PIXEL } from '@model-gateway/testing';
import { sse } from '../scripted-formats.ts';
import { type Shape } from './shape.ts';

const COUNTS = { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 };

function answer(candidate: JsonObject | undefined, more: JsonObject = {}): JsonObject {
  const about = { usageMetadata: COUNTS, modelVersion: 'm', responseId: 'r', ...more };
  return candidate === undefined ? about : { candidates: [{ index: 0, ...candidate }], ...about };
}

type Rest = Omit<Shape, 'name' | 'wire' | 'whole' | 'stream' | 'billed'> & Partial<Pick<Shape, 'billed'>>;
function shape(name: string, body: JsonObject, rest: Rest): Shape {
  const stream = [sse(body)];
  return { name, wire: 'gemini-generate', whole: body, stream, billed: [5, 7], isReadable: true, ...rest };
}
const said = (...parts: JsonObject[]): JsonObject => ({ content: { role: 'model', parts }, finishReason: 'STOP' });

/** A piece of a call, and what stands beside it in its fragment. */
function piece(functionCall: JsonObject, more: JsonObject = {}): string {
  const content = { role: 'model', parts: [{ functionCall }] };
  return sse({ candidates: [{ index: 0, content, ...more }], modelVersion: 'm', responseId: 'r' });
}
const place = (jsonPath: string, value: JsonObject): JsonObject => ({
  partialArgs: [{ jsonPath, ...value }],
  willContinue: true,
});

const PICTURE = { inlineData: { mimeType: 'image/png', data: PIXEL } };
const FILTERED = {
  ...{ 'openai-chat': 'content_filter', 'openai-responses': 'content_filter' },
  'anthropic-messages': 'refusal',
};
const THOUGHT = { promptTokenCount: 5, thoughtsTokenCount: 50, totalTokenCount: 55 };

export const GEMINI_SHAPES: readonly Shape[] = [
  shape(
    'signatures on every kind of part',
    answer(
      said(
        { text: 'Hm.', thought: true, thoughtSignature: 'QUFB' },
        { text: 'Hello', thoughtSignature: 'QkJC' },
        { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'Q0ND' },
        { functionCall: { name: 'g' } },
        { ...PICTURE, thoughtSignature: 'RERE' },
      ),
    ),
    {
      said: {
        ...{ text: 'Hello', reasoning: 'Hm.', pictures: 1 },
        calls: [
          ['f', { a: 1 }],
          ['g', {}],
        ],
      },
      ends: { 'openai-chat': 'tool_calls', 'anthropic-messages': 'tool_use' },
    },
  ),
  {
    name: 'calls in pieces, the last without an end',
    wire: 'gemini-generate',
    stream: [
      piece({ name: 'f', willContinue: true }),
      piece(place('$.places[0].city', { stringValue: 'Bos', willContinue: true })),
      piece(place('$.places[0].city', { stringValue: 'ton' })),
      piece(place('$.places[0].days', { numberValue: 2 })),
      piece({}),
      piece({ name: 'g' }),
      piece({ name: 'f', willContinue: true }),
      piece(place('$.all', { boolValue: true })),
      sse(answer(said({ text: '' }))),
    ],
    said: {
      calls: [
        ['f', { places: [{ city: 'Boston', days: 2 }] }],
        ['g', {}],
        ['f', { all: true }],
      ],
    },
    ends: { 'openai-chat': 'tool_calls', 'anthropic-messages': 'tool_use' },
    billed: [5, 7],
  },
  shape(
    'code that was run, and its picture',
    answer(
      said(
        { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'QUFB' },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        PICTURE,
        { text: 'Hello' },
      ),
    ),
    { said: { text: 'Hello', pictures: 1 } },
  ),
  shape(
    'calls and results of tools of the vendor’s own',
    answer(
      said(
        { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['q'] }, id: 't' }, thoughtSignature: 'QUFB' },
        { toolResponse: { toolType: 'GOOGLE_SEARCH_WEB', response: {}, id: 't' }, thoughtSignature: 'QkJC' },
        { text: 'Hello' },
      ),
    ),
    { said: { text: 'Hello' } },
  ),
  shape(
    'pages that were read, whose tokens are counted beside the prompt',
    answer(
      {
        ...said({ text: 'Hello' }),
        urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://sea.example' }] },
        groundingMetadata: {},
      },
      {
        usageMetadata: {
          ...{ ...COUNTS, toolUsePromptTokenCount: 100, thoughtsTokenCount: 3, totalTokenCount: 115 },
          toolUsePromptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
        },
      },
    ),
    { said: { text: 'Hello' }, billed: [105, 10] },
  ),
  shape(
    'a call that cannot be read, and no content',
    answer({ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'f(' }),
    {
      said: {},
      ends: { 'anthropic-messages': 'refusal', 'gemini-generate': 'MALFORMED_FUNCTION_CALL' },
    },
  ),
  shape('a picture that is not shown', answer({ finishReason: 'IMAGE_SAFETY', finishMessage: 'No.' }), {
    said: {},
    ends: { ...FILTERED, 'gemini-generate': 'IMAGE_SAFETY' },
  }),
  shape(
    'a prompt that was blocked',
    answer(undefined, {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
    }),
    { said: {}, billed: [5, 0], ends: { ...FILTERED, 'gemini-generate': 'PROHIBITED_CONTENT' } },
  ),
  shape(
    'thoughts up to the cap, and no parts',
    answer({ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }, { usageMetadata: THOUGHT }),
    {
      said: {},
      billed: [5, 50],
      ends: {
        ...{ 'openai-chat': 'length', 'openai-responses': 'max_output_tokens' },
        ...{ 'anthropic-messages': 'max_tokens', 'gemini-generate': 'MAX_TOKENS' },
      },
    },
  ),
  shape('several pictures among texts', answer(said({ text: 'Hel' }, PICTURE, { text: 'lo' }, PICTURE)), {
    said: { text: 'Hello', pictures: 2 },
  }),
  shape(
    'grounding in pages, places and pictures',
    answer({
      ...said({ text: 'Hello' }),
      groundingMetadata: {
        webSearchQueries: ['tides', 'moon'],
        groundingChunks: [
          { web: { uri: 'https://sea.example', title: 'Sea' } },
          { maps: { uri: 'https://maps.example', title: 'Harbour', placeId: 'p' } },
          { image: { sourceUri: 'https://moon.example', imageUri: 'https://moon.example/m.png', title: 'Moon' } },
        ],
        groundingSupports: [{ segment: { endIndex: 5, text: 'Hello' }, groundingChunkIndices: [0, 1, 2] }],
      },
    }),
    { said: { text: 'Hello' }, billed: [5, 7, 2] },
  ),
];
