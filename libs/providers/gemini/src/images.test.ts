import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCreate } from '@model-gateway/provider-kit';
import {
  imageCreate,
  PIXEL,
  startScriptedVendor,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { toGeminiImage, fromGeminiImage, images } from './images.ts';
import { gemini } from './adapter.ts';

const asked = (given: Partial<ImageCreate>, model = 'gemini-3.1-flash-image') =>
  toGeminiImage(imageCreate({ prompt: 'p', ...given }), { model, quirks: {} }, []);
const configOf = (given: Partial<ImageCreate>, model?: string) =>
  asked(given, model).body['generationConfig'] as JsonObject;

describe('the request', () => {
  it('has the pictures first, then the text', () => {
    const { body } = toGeminiImage(imageCreate({ prompt: 'p' }), { model: 'm', quirks: {} }, [
      { mime: 'image/png', base64: 'QUJD' },
    ]);
    expect(body['contents']).toEqual([
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }, { text: 'p' }] },
    ]);
    expect(body['generationConfig']).toEqual({ responseModalities: ['TEXT', 'IMAGE'] });
  });

  it.each<[size: string, imageConfig: JsonObject | undefined, exact: boolean]>([
    ['auto', undefined, true],
    ['2k', { imageSize: '2K' }, true],
    ['4K', { imageSize: '4K' }, true],
    ['512', { imageSize: '512' }, true],
    ['3K', { imageSize: '4K' }, false],
    ['1024x1024', { aspectRatio: '1:1', imageSize: '1K' }, true],
    ['2048x2048', { aspectRatio: '1:1', imageSize: '2K' }, true],
    ['1920*1080', { aspectRatio: '16:9', imageSize: '1K' }, false],
    ['1080x1920', { aspectRatio: '9:16', imageSize: '1K' }, false],
    ['3072x384', { aspectRatio: '8:1', imageSize: '1K' }, false],
  ])('size %s', (size, imageConfig, exact) => {
    expect(configOf({ size })['imageConfig']).toEqual(imageConfig);
    expect(asked({ size }).dropped).toEqual(exact ? [] : ['size']);
  });

  it('knows the model that has one size, and the ratios of the older ones', () => {
    expect(configOf({ size: '2K' }, 'gemini-2.5-flash-image')['imageConfig']).toBeUndefined();
    expect(asked({ size: '2K' }, 'gemini-2.5-flash-image').dropped).toEqual(['size']);
    expect(asked({ size: '1K' }, 'gemini-2.5-flash-image').dropped).toEqual([]);
    expect(configOf({ size: '3072x384' }, 'gemini-3-pro-image')['imageConfig']).toMatchObject({ aspectRatio: '21:9' });
  });

  it.each<{ name: string; given: Partial<ImageCreate>; config?: JsonObject; dropped: string[] }>([
    { name: 'seed zero is a seed', given: { seed: 0 }, config: { seed: 0 }, dropped: [] },
    {
      name: 'what it lacks is named',
      given: {
        negativePrompt: 'x',
        promptExtend: false,
        watermark: false,
        user: 'u',
        quality: 'low',
        outputFormat: 'png',
      },
      dropped: ['negative_prompt', 'prompt_extend', 'watermark', 'quality', 'output_format', 'user'],
    },
    {
      name: 'foreign fields are named, its own pass',
      given: { shape: 'messages', extra: { parameters: { thinking_mode: true, aspect_ratio: '4:5' } } },
      config: { imageConfig: { aspectRatio: '4:5' } },
      dropped: ['parameters.thinking_mode'],
    },
    {
      name: 'its own configuration wins',
      given: {
        extra: { generationConfig: { responseModalities: ['IMAGE'], thinkingConfig: { includeThoughts: true } } },
      },
      config: { responseModalities: ['IMAGE'], thinkingConfig: { includeThoughts: true } },
      dropped: [],
    },
  ])('$name', ({ given, config = {}, dropped }) => {
    expect(configOf(given)).toEqual({ responseModalities: ['TEXT', 'IMAGE'], ...config });
    expect(asked(given).dropped).toEqual(dropped);
  });

  it('its search tool goes to the top', () => {
    expect(asked({ extra: { tools: [{ googleSearch: {} }] } }).body['tools']).toEqual([{ googleSearch: {} }]);
  });

  it('refuses a mask', () => {
    const mask = { url: `data:image/png;base64,${PIXEL}`, param: 'mask' };
    expect(() => asked({ mask })).toThrow(expect.objectContaining({ details: { param: 'mask' } }));
  });
});

const picture = (extra: JsonObject = {}): JsonObject => ({
  inlineData: { mimeType: 'image/png', data: PIXEL },
  ...extra,
});
const answer = (parts: JsonObject[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
  ...more,
});

describe('the answer', () => {
  it('is the pictures that are no drafts, and what they cost', () => {
    const usageMetadata = {
      promptTokenCount: 20,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 8 },
        { modality: 'IMAGE', tokenCount: 12 },
      ],
      candidatesTokenCount: 1290,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
      thoughtsTokenCount: 100,
      toolUsePromptTokenCount: 5,
      totalTokenCount: 1415,
    };
    const reply = fromGeminiImage(
      answer([picture({ thought: true }), { text: 'Here:' }, picture({ thoughtSignature: 'c2ln' })], { usageMetadata }),
    );
    expect(reply.files).toMatchObject([{ mime: 'image/png' }]);
    expect(reply.usage).toEqual({
      images: 1,
      inputTokens: 25,
      inputImageTokens: 12,
      toolPromptTokens: 5,
      outputTokens: 1390,
      reasoningTokens: 100,
      outputImageTokens: 1290,
    });
  });

  it.each<{ name: string; json: JsonObject | undefined; code: string }>([
    {
      name: 'a blocked prompt',
      json: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
      code: 'content_refused',
    },
    { name: 'a withheld picture', json: { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }, code: 'content_refused' },
    { name: 'a recitation', json: { candidates: [{ finishReason: 'IMAGE_RECITATION' }] }, code: 'content_refused' },
    { name: 'words alone', json: answer([{ text: 'I cannot draw.' }]), code: 'upstream_malformed' },
    { name: 'not an image', json: { candidates: [{ finishReason: 'NO_IMAGE' }] }, code: 'upstream_malformed' },
    { name: 'drafts alone', json: answer([picture({ thought: true })]), code: 'upstream_malformed' },
    { name: 'no JSON', json: undefined, code: 'upstream_malformed' },
  ])('$name is $code', ({ json, code }) => {
    const taken = code === 'content_refused' ? 'no' : 'unknown';
    const details = expect.objectContaining({ taken }) as unknown;
    expect(() => fromGeminiImage(json)).toThrow(expect.objectContaining({ code, details }));
  });
});

describe('over the wire', () => {
  let vendor: ScriptedVendor | undefined;
  afterEach(() => vendor?.close());
  const drawn: ScriptedReply = {
    json: answer([picture()], { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 } }),
  };

  it('makes several pictures by several requests, and keeps those that came', async () => {
    let asked = 0;
    vendor = await startScriptedVendor(() => {
      asked += 1;
      return asked === 2 ? { json: { promptFeedback: { blockReason: 'SAFETY' } } } : drawn;
    });
    const reply = await images.generate(
      imageCreate({ count: 3 }),
      vendor.upstream(gemini, { model: 'gemini-3-pro-image' }),
    );
    expect(reply.files.map((file) => ('fault' in file ? file.fault.code : file.mime)).sort()).toEqual([
      'content_refused',
      'image/png',
      'image/png',
    ]);
    expect(reply.usage).toEqual({ images: 2, inputTokens: 6, outputTokens: 8 });
    expect(vendor.requests.map(({ path }) => path)).toEqual(
      Array.from({ length: 3 }, () => '/v1beta/models/gemini-3-pro-image:generateContent'),
    );
  });

  it('gives each of several pictures a seed of its own', async () => {
    vendor = await startScriptedVendor(() => drawn);
    await images.generate(imageCreate({ count: 3, seed: 7 }), vendor.upstream(gemini));
    const seeds = vendor.requests.map(
      ({ json }) => (json as { generationConfig: { seed: number } }).generationConfig.seed,
    );
    expect(seeds.toSorted()).toEqual([7, 8, 9]);
  });

  it('brings pictures by address and by file as bytes', async () => {
    const bytes = Buffer.from(PIXEL, 'base64');
    vendor = await startScriptedVendor((request) => (request.method === 'GET' ? { bytes } : drawn));
    const file = {
      filename: 'a.png',
      mime: 'image/png',
      size: bytes.byteLength,
      param: 'image',
      open: async function* () {
        yield bytes;
      },
    };
    const link = { url: `${vendor.url}/a.png`, param: 'image[1]' };
    await images.generate(imageCreate({ shape: 'edit', images: [file, link] }), vendor.upstream(gemini));
    const sent = vendor.requests.at(-1)?.json as JsonObject;
    expect(sent['contents']).toMatchObject([
      {
        parts: [
          { inlineData: { data: PIXEL } },
          { inlineData: { data: PIXEL, mimeType: 'image/png' } },
          { text: 'A paper boat' },
        ],
      },
    ]);
  });

  it.each([0, 11])('refuses %i pictures', async (count) => {
    vendor = await startScriptedVendor(() => drawn);
    await expect(images.generate(imageCreate({ count }), vendor.upstream(gemini))).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'n' },
    });
    expect(vendor.requests).toEqual([]);
  });
});
