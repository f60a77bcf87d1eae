import {
  ApiError,
  FunctionCallingConfigMode,
  GoogleGenAI,
  ThinkingLevel,
  type Content,
  type GenerateContentParameters,
  type Part,
} from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageSize } from 'image-size';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';

let twin: VendorTwin;
let client: GoogleGenAI;
const KEY = TWIN_CREDENTIALS.gemini['api_key']!;
const THREE = 'gemini-3-pro';
const TWO = 'gemini-2.5-flash';

beforeAll(async () => {
  twin = await startVendorTwin();
  client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: twin.baseUrl('gemini') } });
});
afterAll(async () => twin.close());

const WEATHER = {
  functionDeclarations: [
    {
      name: 'get_weather',
      parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
    { name: 'clock' },
  ],
};
const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const text = (words: string): Part => ({ text: words });
const respond = (name: string, response: unknown, id?: string): Part =>
  ({ functionResponse: { name, response, ...(id !== undefined && { id }) } }) as unknown as Part;

/** Posts a body as it is and answers with the vendor's message: the SDK would mend some mistakes. */
const refused = async (body: object, model = THREE): Promise<string> => {
  const reply = await fetch(`${twin.url}/gemini/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY },
    body: JSON.stringify({ contents: [user(text('a'))], ...body }),
  });
  const json = (await reply.json()) as { error: { code: number; message: string; status: string } };
  expect([reply.status, json.error.code, json.error.status]).toEqual([400, 400, 'INVALID_ARGUMENT']);
  return json.error.message;
};

describe('generateContent', () => {
  it('answers with what it was told and shown', async () => {
    const reply = await client.models.generateContent({
      model: TWO,
      config: { systemInstruction: 'Be brief.' },
      contents: [user(text('Look'), { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } })],
    });
    expect(reply.text).toBe('You said: Look\nMy instructions: Be brief.\nImages seen: 1.');
    expect(reply.candidates![0]).toMatchObject({ finishReason: 'STOP', index: 0 });
    const usage = reply.usageMetadata!;
    expect(usage.totalTokenCount).toBe(
      usage.promptTokenCount! + usage.candidatesTokenCount! + usage.thoughtsTokenCount!,
    );
  });

  it('streams fragments with a running total, as events and as one array', async () => {
    const stream = await client.models.generateContentStream({ model: TWO, contents: '[[twin:long=60]]' });
    let said = '';
    const totals: number[] = [];
    let finish: string | undefined;
    for await (const chunk of stream) {
      said += chunk.text ?? '';
      totals.push(chunk.usageMetadata!.totalTokenCount!);
      finish = chunk.candidates?.[0]?.finishReason ?? finish;
    }
    expect(said.split(' ')).toHaveLength(60);
    expect(totals.toSorted((left, right) => left - right)).toEqual(totals);
    expect(finish).toBe('STOP');
    const reply = await fetch(`${twin.url}/gemini/v1/models/${TWO}:streamGenerateContent?key=${KEY}`, {
      method: 'POST',
      body: JSON.stringify({ contents: [user(text('hello'))] }),
    });
    const array = (await reply.json()) as { candidates: { content: Content }[] }[];
    expect(array.map((chunk) => chunk.candidates[0]!.content.parts![0]!.text).join('')).toBe('You said: hello');
  });

  it('signs calls and wants the signature back, on every step', async () => {
    const config = { tools: [WEATHER] };
    const question = user(text('[[twin:steps=2]] weather'));
    const first = await client.models.generateContent({ model: THREE, config, contents: [question] });
    const model = first.candidates![0]!.content!;
    const call = model.parts![0]!;
    expect(call).toMatchObject({ functionCall: { name: 'get_weather', args: { city: 'Paris' } } });
    expect(call.thoughtSignature).toBeDefined();
    const answer = user(respond('get_weather', { output: 'wet' }, call.functionCall!.id));
    const second = await client.models.generateContent({ model: THREE, config, contents: [question, model, answer] });
    const next = second.candidates![0]!.content!;
    expect(next.parts![0]!.thoughtSignature).toBeDefined();
    const done = user(respond(next.parts![0]!.functionCall!.name!, { error: 'no' }));
    const last = await client.models.generateContent({
      model: THREE,
      config,
      contents: [question, model, answer, next, done],
    });
    expect(last.text).toContain('get_weather answered: wet');
    expect(last.text).toContain('failed: no');

    const bare = { role: 'model', parts: [{ functionCall: call.functionCall! }] };
    expect(await refused({ ...config, contents: [question, bare, answer] })).toContain('missing a thought_signature');
    expect(
      await refused({
        ...config,
        contents: [
          question,
          model,
          answer,
          { role: 'model', parts: [{ functionCall: next.parts![0]!.functionCall }] },
          done,
        ],
      }),
    ).toContain('missing a thought_signature');
    const foreign = { role: 'model', parts: [{ ...call, thoughtSignature: 'Zm9yZWlnbg==' }] };
    expect(await refused({ ...config, contents: [question, foreign, answer] })).toBe('Corrupted thought signature.');
    const excused = { role: 'model', parts: [{ ...call, thoughtSignature: 'skip_thought_signature_validator' }] };
    await expect(
      client.models.generateContent({ model: THREE, config, contents: [question, excused, answer] }),
    ).resolves.toBeDefined();
    // Steps before the user spoke again are not looked at.
    await expect(
      client.models.generateContent({
        model: THREE,
        config,
        contents: [question, bare, answer, { role: 'model', parts: [text('ok')] }, user(text('so?'))],
      }),
    ).resolves.toBeDefined();
    await expect(
      client.models.generateContent({ model: TWO, config, contents: [question, bare, answer] }),
    ).resolves.toBeDefined();
  });

  it('calls in parallel with one signature, on the first call', async () => {
    const reply = await client.models.generateContent({
      model: THREE,
      config: { tools: [WEATHER] },
      contents: '[[twin:tools]]',
    });
    const parts = reply.candidates![0]!.content!.parts!;
    expect(parts.map((part) => part.functionCall!.name)).toEqual(['get_weather', 'clock']);
    expect(parts.map((part) => part.thoughtSignature !== undefined)).toEqual([true, false]);
    expect(new Set(parts.map((part) => part.functionCall!.id)).size).toBe(2);
  });

  it('shows thoughts when asked, keeps schemas, forces calls', async () => {
    const thought = await client.models.generateContent({
      model: THREE,
      config: { thinkingConfig: { includeThoughts: true } },
      contents: 'why',
    });
    expect(thought.candidates![0]!.content!.parts![0]).toMatchObject({ thought: true });
    const shaped = await client.models.generateContent({
      model: TWO,
      config: {
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { n: { type: 'INTEGER' } }, required: ['n'] },
      },
      contents: 'n?',
    });
    expect(JSON.parse(shaped.text!)).toEqual({ n: 1 });
    const forced = await client.models.generateContent({
      model: TWO,
      config: {
        tools: [WEATHER],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['clock'] } },
      },
      contents: 'hello',
    });
    expect(forced.functionCalls!.map((call) => call.name)).toEqual(['clock']);
  });

  it('grounds in a search, by bytes', async () => {
    const reply = await client.models.generateContent({
      model: TWO,
      config: { tools: [{ googleSearch: {} }] },
      contents: 'news: é',
    });
    const grounding = reply.candidates![0]!.groundingMetadata!;
    expect(grounding.groundingChunks![0]!.web!.uri).toContain('https://');
    expect(grounding.groundingSupports![0]!.segment!.endIndex).toBe(Buffer.byteLength(reply.text!));
  });

  it('blocks prompts without candidates and answers without content', async () => {
    const blocked = await client.models.generateContent({ model: TWO, contents: '[[twin:moderation]]' });
    expect(blocked.promptFeedback!.blockReason).toBe('PROHIBITED_CONTENT');
    expect(blocked.candidates).toBeUndefined();
    const declined = await client.models.generateContent({ model: TWO, contents: '[[twin:refuse]]' });
    expect(declined.candidates![0]).toMatchObject({ finishReason: 'SAFETY' });
    expect(declined.candidates![0]!.content).toBeUndefined();
  });

  it('continues what it broke off, once per token', async () => {
    const whole = (await client.models.generateContent({ model: TWO, contents: '[[twin:long=30]]' })).text!;
    const post = async (
      more: object,
    ): Promise<{ candidates: { content: Content; finishReason: string; continuationToken?: string }[] }> => {
      const reply = await fetch(`${twin.url}/gemini/v1beta/models/${TWO}:generateContent`, {
        method: 'POST',
        headers: { 'x-goog-api-key': KEY },
        body: JSON.stringify({ contents: [user(text('[[twin:long=30]] [[twin:continue]]'))], ...more }),
      });
      return (await reply.json()) as never;
    };
    const first = (await post({})).candidates[0]!;
    expect(first.finishReason).toBe('CONTINUATION');
    const second = (await post({ continuationToken: first.continuationToken })).candidates[0]!;
    expect(second.finishReason).toBe('STOP');
    expect(first.content.parts![0]!.text! + second.content.parts![0]!.text!).toBe(whole);
  });

  it('draws pictures of the asked shape', async () => {
    const reply = await client.models.generateContent({
      model: 'gemini-3-pro-image',
      config: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '1K' } },
      contents: 'a red boat',
    });
    const parts = reply.candidates![0]!.content!.parts!;
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(['text', 'inlineData']);
    expect(imageSize(Buffer.from(parts[1]!.inlineData!.data!, 'base64'))).toMatchObject({
      width: 1376,
      height: 768,
      type: 'png',
    });
    expect(twin.ledger.totals('gemini').images).toBe(1);
  });

  it('speaks raw samples', async () => {
    const reply = await client.models.generateContent({
      model: 'gemini-2.5-flash-preview-tts',
      config: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } } },
      },
      contents: 'hello world',
    });
    const blob = reply.candidates![0]!.content!.parts![0]!.inlineData!;
    expect(blob.mimeType).toBe('audio/L16;codec=pcm;rate=24000');
    expect(Buffer.from(blob.data!, 'base64').length).toBeGreaterThan(10_000);
  });

  it('counts, lists, and knows its key', async () => {
    expect(
      (await client.models.countTokens({ model: TWO, contents: 'x'.repeat(400) })).totalTokens,
    ).toBeGreaterThanOrEqual(100);
    const names: string[] = [];
    for await (const model of await client.models.list({ config: { pageSize: 3 } })) names.push(model.name!);
    expect(names).toContain('models/gemini-3-pro');
    const stranger = new GoogleGenAI({ apiKey: 'wrong', httpOptions: { baseUrl: twin.baseUrl('gemini') } });
    const error: unknown = await stranger.models
      .generateContent({ model: TWO, contents: 'a' })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400 });
    expect((error as ApiError).message).toContain('API_KEY_INVALID');
  });

  it('says when to come back in the details', async () => {
    twin.faults.next('gemini', 'chat', { kind: 'status', status: 429, headers: { 'retry-after': '12' } });
    const error: unknown = await client.models
      .generateContent({ model: TWO, contents: 'a' })
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 429 });
    expect((error as ApiError).message).toContain('"retryDelay":"12s"');
  });

  it('fails inside a stream', async () => {
    const read = async (): Promise<void> => {
      const stream = await client.models.generateContentStream({ model: TWO, contents: '[[twin:error-event=2]]' });
      for await (const chunk of stream) expect(chunk.candidates).toBeDefined();
    };
    await expect(read()).rejects.toMatchObject({ status: 503 });
  });

  const call: Content = {
    role: 'model',
    parts: [{ functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }],
  };
  const answer: Part = respond('f', {});

  it.each<[string, object, string, string?]>([
    ['nothing', { contents: [] }, 'contents is not specified'],
    ['an unknown field', { temperature: 1 }, 'Unknown name "temperature": Cannot find field'],
    [
      'an unknown field below',
      { generation_config: { max_tokens: 1 } },
      'Unknown name "max_tokens" at \'generation_config\'',
    ],
    ['another role', { contents: [{ role: 'assistant', parts: [text('a')] }] }, 'valid role: user, model'],
    ['an empty part', { contents: [user({})] }, "required oneof field 'data'"],
    ['empty text', { contents: [user(text(''))] }, "required oneof field 'data'"],
    [
      'two kinds in a part',
      { contents: [user({ text: 'a', inlineData: { mimeType: 'image/png', data: 'AA==' } })] },
      'already set',
    ],
    [
      'a call without answers',
      { contents: [user(text('a')), call, user(text('b'))] },
      'number of function response parts',
    ],
    [
      'answers nobody asked for',
      { contents: [user(text('a')), { role: 'model', parts: [text('b')] }, user(answer)] },
      'immediately after a function call turn',
    ],
    ['a wrong name', { contents: [user(text('a')), call, user(respond('g', {}))] }, "'g' does not match"],
    ['a response as text', { contents: [user(text('a')), call, user(respond('f', 'x'))] }, 'functionResponse.response'],
    [
      'budget and level',
      { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } },
      'only set one',
    ],
    [
      'a level before 3',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
      'level is not supported',
      TWO,
    ],
    [
      'switching off what cannot be',
      { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      'Budget 0 is invalid',
    ],
    [
      'minimal on newer flash',
      { generationConfig: { thinkingConfig: { thinkingLevel: ThinkingLevel.MINIMAL } } },
      'MINIMAL is not supported',
      'gemini-3.7-flash',
    ],
    [
      'JSON Schema as Schema',
      {
        tools: [
          {
            functionDeclarations: [
              {
                name: 'f',
                parameters: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
              },
            ],
          },
        ],
      },
      'Unknown name "additionalProperties"',
    ],
    [
      'a reference inside',
      {
        tools: [
          { functionDeclarations: [{ name: 'f', parameters: { type: 'object', properties: { a: { $ref: '#/x' } } } }] },
        ],
      },
      'Unknown name "$ref"',
    ],
    [
      'a list of types',
      {
        tools: [
          {
            functionDeclarations: [
              { name: 'f', parameters: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
            ],
          },
        ],
      },
      "Invalid value at 'tools[0].function_declarations[0].parameters.properties.a.type'",
    ],
    [
      'no properties',
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }] }] },
      'should be non-empty',
    ],
    ['a name with a blank', { tools: [{ functionDeclarations: [{ name: 'get it' }] }] }, 'Invalid function name'],
    [
      'search beside functions',
      { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] },
      'cannot be combined',
    ],
    [
      'names without ANY',
      { tools: [WEATHER], toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['clock'] } } },
      'only when function calling mode is ANY',
    ],
    [
      'a schema without JSON',
      { generationConfig: { responseSchema: { type: 'STRING' } } },
      'mime type of application/json',
    ],
    [
      'pictures from a text model',
      { generationConfig: { responseModalities: ['IMAGE'] } },
      'requested response modalities: image',
    ],
    ['six stop texts', { generationConfig: { stopSequences: ['1', '2', '3', '4', '5', '6'] } }, 'stop_sequences'],
    [
      'a strange media type',
      { contents: [user({ inlineData: { mimeType: 'application/zip', data: 'AA==' } })] },
      'Unsupported MIME type',
    ],
  ])('refuses %s', async (_, body, message, ...[model]) => {
    expect(await refused(body as GenerateContentParameters, model)).toContain(message);
  });
});
