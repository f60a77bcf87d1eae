import { expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { Target } from '../dialect.ts';
import { requestTwice } from '../laws.ts';
import { geminiGenerate } from './index.ts';
import { PNG } from '../samples.ts';

const target: Target = { model: 'm', provider: 'gemini' };

const words = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const signature = fc.stringMatching(/^[A-Za-z0-9+/]{4,20}$/);
const media = fc.constantFrom<JsonObject>(
  { inlineData: { mimeType: 'image/png', data: PNG } },
  { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0xLjQK' } },
  { fileData: { mimeType: 'video/mp4', fileUri: 'https://a.example/b.mp4' } },
  { fileData: { mimeType: 'image/png', fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x' } },
);
const userPart = fc.oneof(
  words.map((text): JsonObject => ({ text })),
  media,
);
const args = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,5}$/),
  fc.jsonValue({ maxDepth: 2 }),
) as fc.Arbitrary<JsonObject>;
const modelPart = fc.oneof(
  fc.tuple(words, signature).map(([text, thoughtSignature]): JsonObject => ({ text, thoughtSignature })),
  fc.tuple(words, signature).map(([text, thoughtSignature]): JsonObject => ({ text, thought: true, thoughtSignature })),
  signature.map((thoughtSignature): JsonObject => ({ text: '', thoughtSignature })),
  fc.constant<JsonObject>({ executableCode: { language: 'PYTHON', code: '1' } }),
  fc.constant<JsonObject>({ inlineData: { mimeType: 'image/png', data: PNG } }),
);
const calls = fc.array(fc.tuple(args, args, fc.boolean(), fc.option(signature, { nil: undefined })), { maxLength: 3 });

const history = fc
  .array(
    fc.record({
      asks: fc.array(userPart, { minLength: 1, maxLength: 3 }),
      says: fc.array(modelPart, { minLength: 1, maxLength: 3 }),
      calls,
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rounds) => {
    const contents: { role: string; parts: JsonObject[] }[] = [];
    let pending: JsonObject[] = [];
    rounds.forEach((round, number) => {
      contents.push({ role: 'user', parts: [...pending, ...round.asks] });
      const uses = round.calls.map(([given, , named, thoughtSignature], index): JsonObject => ({
        functionCall: { ...(named && { id: `c${number}_${index}` }), name: 'look', args: given },
        ...(thoughtSignature !== undefined && { thoughtSignature }),
      }));
      contents.push({ role: 'model', parts: [...round.says, ...uses] });
      pending = round.calls.map(([, response, named], index): JsonObject => ({
        functionResponse: { ...(named && { id: `c${number}_${index}` }), name: 'look', response },
      }));
    });
    return [...contents, { role: 'user', parts: [...pending, { text: 'go on' }] }];
  })
  // Among calls without an id, order decides; a mixture with ids in one turn has no order of its own.
  .filter((contents) =>
    contents.every(({ parts }) => {
      const ids = parts.flatMap((part) =>
        'functionCall' in part ? ['id' in (part['functionCall'] as JsonObject)] : [],
      );
      return ids.every((has) => has === ids[0]);
    }),
  );

const generationConfig = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 2),
    topP: fc.constantFrom(0.1, 1),
    topK: fc.nat(50),
    candidateCount: fc.constantFrom(1, 2),
    maxOutputTokens: fc.integer({ min: 1, max: 1000 }),
    stopSequences: fc.array(words, { minLength: 1, maxLength: 2 }),
    seed: fc.nat(),
    presencePenalty: fc.constantFrom(0, 1),
    responseLogprobs: fc.boolean(),
    logprobs: fc.nat(5),
    responseModalities: fc.constantFrom<string[]>(['TEXT'], ['TEXT', 'IMAGE'], ['AUDIO']),
    imageConfig: fc.constant({ aspectRatio: '1:1', imageSize: '2K' }),
    speechConfig: fc.constant({ voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } }),
    thinkingConfig: fc.constantFrom<JsonObject>(
      { thinkingLevel: 'HIGH' },
      { includeThoughts: false },
      { thinkingLevel: 'LOW', includeThoughts: true },
    ),
    responseMimeType: fc.constant('application/json'),
    responseJsonSchema: fc.constant({ type: 'object', properties: { a: { type: 'string' } } }),
  },
  { requiredKeys: [] },
);
const rest = fc.record(
  {
    systemInstruction: words.map((text) => ({ parts: [{ text }] })),
    serviceTier: fc.constantFrom('flex', 'standard', 'priority'),
    safetySettings: fc.constant<JsonObject[]>([{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_NONE' }]),
    continuationToken: fc.constant('T'),
    tools: fc.constantFrom<JsonObject[]>(
      [
        {
          functionDeclarations: [
            {
              name: 'look',
              description: 'd',
              parametersJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
            },
          ],
        },
        { googleSearch: {} },
      ],
      [
        {
          functionDeclarations: [
            { name: 'look', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } } },
          ],
        },
        { codeExecution: {} },
      ],
    ),
    toolConfig: fc.constantFrom<JsonObject>(
      { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      { functionCallingConfig: { mode: 'AUTO' } },
      { functionCallingConfig: { mode: 'NONE' } },
    ),
  },
  { requiredKeys: ['tools'] },
);

it('a request read, written and read again is the same', () => {
  fc.assert(
    fc.property(history, generationConfig, rest, (contents, config, fields) => {
      const body = { contents, generationConfig: config, ...fields } as JsonObject;
      const { once, twice } = requestTwice(geminiGenerate, body, target);
      expect(JSON.parse(JSON.stringify(twice))).toEqual(JSON.parse(JSON.stringify(once)));
    }),
    { numRuns: 300 },
  );
});

it('budgets and the subset survive on models of that kind', () => {
  const quirks = { thinking: 'budget', json_schema: false };
  const body = {
    contents: [{ role: 'user', parts: [{ text: 'q' }] }],
    tools: [
      {
        functionDeclarations: [
          {
            name: 'f',
            parameters: {
              type: 'OBJECT',
              properties: {
                a: { type: 'ARRAY', items: { type: 'INTEGER', format: 'int64' }, minItems: 1 },
                b: { type: 'STRING', nullable: true, enum: ['x'] },
              },
              required: ['a'],
            },
          },
        ],
      },
    ],
    generationConfig: {
      thinkingConfig: { thinkingBudget: 512 },
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { n: { type: 'NUMBER' } } },
    },
  };
  const { once, twice } = requestTwice(geminiGenerate, body, { ...target, quirks });
  expect(twice).toEqual(once);
});
