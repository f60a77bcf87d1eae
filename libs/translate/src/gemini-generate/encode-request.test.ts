import { describe, expect, it } from 'vitest';
import type { ChatRequest, Turn } from '../conversation.ts';
import { geminiGenerate } from './index.ts';
import {
  ask,
  callPart,
  calls,
  config,
  contents,
  encode,
  fieldsDropped,
  newest,
  PNG,
  request,
  result,
  thrown,
  WAV,
} from './testing/requests.ts';

describe('writing a generateContent body', () => {
  it('settings by their names', () => {
    const encoded = encode({
      system: [{ type: 'text', text: 's' }],
      temperature: 0,
      topP: 0.5,
      topK: 3,
      maxOutputTokens: 9,
      stop: ['x'],
      seed: 0,
      count: 2,
      presencePenalty: 0,
      frequencyPenalty: 1,
      logprobs: true,
      topLogprobs: 2,
      serviceTier: 'flex',
    });
    expect(encoded.body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { parts: [{ text: 's' }] },
      generationConfig: {
        temperature: 0,
        topP: 0.5,
        topK: 3,
        candidateCount: 2,
        maxOutputTokens: 9,
        stopSequences: ['x'],
        presencePenalty: 0,
        frequencyPenalty: 1,
        seed: 0,
        responseLogprobs: true,
        logprobs: 2,
      },
      serviceTier: 'flex',
    });
    expect(encoded.dropped).toEqual([]);
  });

  it("reports what is merely lost, by the caller's own names", () => {
    const encoded = encode({
      user: 'u',
      metadata: {},
      verbosity: 'low',
      logitBias: {},
      cacheKey: 'k',
      serviceTier: 'scale',
      tools: [{ type: 'function', name: 'f' }],
      parallelToolCalls: false,
    });
    expect(fieldsDropped(encoded).sort()).toEqual([
      'logit_bias',
      'metadata',
      'parallel_tool_calls',
      'prompt_cache_key',
      'service_tier',
      'user',
      'verbosity',
    ]);
  });

  it.each([
    {
      name: "what only the caller's vendor can do",
      fields: { unportable: [{ field: 'previous_response_id', reason: 'no' }] },
      param: 'previous_response_id',
    },
    {
      name: "another vendor's tool",
      fields: { tools: [{ type: 'hosted', provider: 'openai', name: 'mcp', raw: {}, place: 'tools[0]' }] },
      param: 'tools[0]',
    },
    {
      name: "another vendor's file",
      fields: {
        turns: [
          {
            role: 'user',
            parts: [{ type: 'image', source: { type: 'file', provider: 'openai', id: 'f' }, place: 'p' }],
          },
        ],
      },
      param: 'p',
    },
    { name: 'an orphan result', fields: { turns: [ask, result('x')] }, param: 'messages[2]' },
    { name: 'nothing said', fields: { turns: [], dialect: 'openai-responses' }, param: 'input' },
  ] as { name: string; fields: Partial<ChatRequest>; param: string }[])('refuses $name', ({ fields, param }) => {
    const error = thrown(() => encode(fields));
    expect([error.code, error.details.param]).toEqual(['invalid_request', param]);
  });

  it('media: bytes inline, addresses as files, or a refusal where the model fetches none', () => {
    const turns: Turn[] = [
      {
        role: 'user',
        parts: [
          { type: 'image', source: { type: 'base64', mime: 'image/png', data: PNG } },
          { type: 'audio', source: { type: 'base64', mime: 'audio/mpeg', data: WAV } },
          { type: 'document', source: { type: 'text', text: 'ä' } },
          { type: 'image', source: { type: 'url', url: 'https://a/b.png', mime: 'image/png' }, place: 'p' },
        ],
      },
    ];
    expect(contents(encode({ turns }))[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: PNG } },
      { inlineData: { mimeType: 'audio/mp3', data: WAV } },
      { inlineData: { mimeType: 'text/plain', data: Buffer.from('ä').toString('base64') } },
      { fileData: { mimeType: 'image/png', fileUri: 'https://a/b.png' } },
    ]);
    expect(thrown(() => encode({ turns }, { ...newest, quirks: { media_urls: false } })).details.param).toBe('p');
    expect(thrown(() => encode({ turns }, { ...newest, inputs: ['text', 'image', 'audio'] })).code).toBe(
      'invalid_request',
    );
  });

  it('bug 50 remote_image_urls: what a model does not fetch is named, once, and put in by its bytes', () => {
    const target = { ...newest, quirks: { media_urls: false } };
    const remote = { type: 'image' as const, source: { type: 'url' as const, url: 'https://a/b' } };
    const video = { type: 'video' as const, source: { type: 'url' as const, url: 'https://youtu.be/x' } };
    const asked = request({
      turns: [
        { role: 'user', parts: [remote, video, remote] },
        calls(callPart('a')),
        { role: 'user', parts: [{ type: 'tool-result', callId: 'a', content: [remote] }] },
      ],
    });
    expect(geminiGenerate.media?.urls(asked, newest)).toEqual([]);
    expect(geminiGenerate.media?.urls(asked, target)).toEqual(['https://a/b']);
    const fetched = new Map([['https://a/b', { data: PNG, mime: 'text/html' }]]);
    const ready = geminiGenerate.media?.inline(asked, fetched);
    const inline = { inlineData: { mimeType: 'image/png', data: PNG } };
    const sent = contents(geminiGenerate.encodeRequest(ready ?? asked, target));
    expect(sent[0]?.parts).toEqual([inline, { fileData: { fileUri: 'https://youtu.be/x' } }, inline]);
    expect(sent[2]?.parts[0]).toMatchObject({ functionResponse: { parts: [inline] } });
  });

  it('merges neighbours, wraps system messages, leaves blanks as they are and empties out', () => {
    const turns: Turn[] = [
      {
        role: 'user',
        parts: [
          { type: 'text', text: '' },
          { type: 'text', text: ' ' },
        ],
      },
      { role: 'system', parts: [{ type: 'text', text: 'sys' }], place: 'messages[1]' },
      { role: 'assistant', parts: [{ type: 'refusal', text: 'no' }] },
      ask,
    ];
    const encoded = encode({ turns });
    expect(contents(encoded)).toEqual([
      { role: 'user', parts: [{ text: ' ' }, { text: '<system>\nsys\n</system>' }] },
      { role: 'model', parts: [{ text: 'no' }] },
      { role: 'user', parts: [{ text: 'q' }] },
    ]);
    expect(fieldsDropped(encoded)).toEqual(['messages[1]']);
  });

  it('a continuation goes back as the token', () => {
    expect(encode({ continuation: 'T' }).body['continuationToken']).toBe('T');
  });

  it('image and speech answers', () => {
    expect(config(encode({ modalities: ['image'], image: { aspectRatio: '16:9', size: '4K' } }))).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9', imageSize: '4K' },
    });
    expect(config(encode({ modalities: ['audio'], audio: { voice: 'Kore', format: 'pcm16' } }))).toEqual({
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    });
  });

  it('structured output as JSON Schema, or as the subset', () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false };
    expect(config(encode({ format: { type: 'json-schema', name: 'answer', schema } }))).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { title: 'answer', ...schema },
    });
    expect(
      config(encode({ format: { type: 'json-schema', schema } }, { ...newest, quirks: { json_schema: false } })),
    ).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
    });
    expect(config(encode({ format: { type: 'json-object' } }))).toEqual({ responseMimeType: 'application/json' });
  });

  it('counting sends the whole request', () => {
    const encoded = geminiGenerate.counting?.encodeRequest(request({ system: [{ type: 'text', text: 's' }] }), newest);
    expect(encoded?.body).toMatchObject({
      generateContentRequest: { model: 'models/gemini-3-pro', systemInstruction: { parts: [{ text: 's' }] } },
    });
    expect(geminiGenerate.counting?.decodeReply({ totalTokens: 0 })).toBe(0);
    expect(geminiGenerate.counting?.encodeReply(3)).toEqual({ totalTokens: 3 });
    expect(thrown(() => geminiGenerate.counting?.decodeReply({})).code).toBe('upstream_malformed');
  });
});
