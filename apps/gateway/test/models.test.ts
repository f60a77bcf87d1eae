/** The model lists as each SDK reads them, and page by page. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI from 'openai';

let gateway: TestGateway;
let codes: readonly string[];
let chatCodes: readonly string[];

beforeAll(async () => {
  gateway = await openTestGateway();
  const rows = [...gateway.server.catalogue().models.values()];
  codes = rows.map(({ code }) => code);
  chatCodes = rows.filter(({ kind }) => kind === 'chat').map(({ code }) => code);
});
afterAll(() => gateway.close());

async function get(path: string, headers: Record<string, string>): Promise<{ status: number; json: JsonObject }> {
  const reply = await fetch(`${gateway.url}${path}`, { headers });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}
const anthropicHeaders = (): Record<string, string> => ({
  'x-api-key': gateway.testKey,
  'anthropic-version': '2023-06-01',
});
const googleHeaders = (): Record<string, string> => ({ 'x-goog-api-key': gateway.testKey });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('each SDK lists and reads models in its own form', () => {
  it('openai', async () => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
    expect((await collect(openai.models.list())).map(({ id }) => id)).toEqual(codes);
    expect((await openai.models.retrieve('gpt-5.2')).object).toBe('model');
  });

  it('@anthropic-ai/sdk, over several pages', async () => {
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.testKey, maxRetries: 0 });
    expect((await collect(anthropic.models.list({ limit: 7 }))).map(({ id }) => id)).toEqual(codes);
    // Every member that its `ModelInfo` requires.
    const members: readonly (keyof Anthropic.ModelInfo)[] = [
      ...(['id', 'type', 'display_name', 'created_at', 'lifecycle', 'deprecated_at'] as const),
      ...(['retires_at', 'capabilities', 'line', 'max_input_tokens', 'max_tokens'] as const),
    ];
    for (const model of await collect(anthropic.models.list())) {
      expect(Object.keys(model)).toEqual(expect.arrayContaining([...members]));
      expect(model.lifecycle).toBe('active');
    }
    expect((await anthropic.models.retrieve('gpt-5.2')).type).toBe('model');
  });

  it.each(['', 'v1', 'v1beta'])('@google/genai, over several pages, API version "%s"', async (apiVersion) => {
    const genai = new GoogleGenAI({
      apiKey: gateway.testKey,
      httpOptions: { baseUrl: gateway.url },
      ...(apiVersion !== '' && { apiVersion }),
    });
    const listed = await collect(await genai.models.list({ config: { pageSize: 2 } }));
    expect(listed.map(({ name }) => name)).toEqual(chatCodes.map((code) => `models/${code}`));
    const model = await genai.models.get({ model: 'gpt-5.2' });
    expect(model.name).toBe('models/gpt-5.2');
    expect(model.inputTokenLimit).toBeGreaterThan(0);
  });
});

describe('pages', () => {
  it("Anthropic's go both ways", async () => {
    const [first, second, third, fourth] = codes;
    const ids = ({ json }: { json: JsonObject }): unknown => [
      (json['data'] as { id: string }[]).map(({ id }) => id),
      json['has_more'],
      json['first_id'],
      json['last_id'],
    ];
    expect(ids(await get('/v1/models?limit=2', anthropicHeaders()))).toEqual([[first, second], true, first, second]);
    expect(ids(await get(`/v1/models?limit=2&after_id=${String(second)}`, anthropicHeaders()))).toEqual([
      [third, fourth],
      true,
      third,
      fourth,
    ]);
    expect(ids(await get(`/v1/models?limit=1&before_id=${String(third)}`, anthropicHeaders()))).toEqual([
      [second],
      true,
      second,
      second,
    ]);
    expect(ids(await get(`/v1/models?before_id=${String(first)}`, anthropicHeaders()))).toEqual([
      [],
      false,
      null,
      null,
    ]);
  });

  it("the last of Google's has no token", async () => {
    const { json } = await get('/v1beta/models?pageSize=1000', googleHeaders());
    expect(json['nextPageToken']).toBeUndefined();
    expect(json['models']).toHaveLength(chatCodes.length);
  });

  it.each([
    { path: '/v1/models?after_id=no-such', headers: anthropicHeaders, says: "after_id: there is no model 'no-such'" },
    { path: '/v1/models?limit=0', headers: anthropicHeaders, says: 'limit' },
    {
      path: '/v1beta/models?pageToken=no-such',
      headers: googleHeaders,
      says: "pageToken: there is no model 'no-such'",
    },
    { path: '/v1beta/models?pageSize=1001', headers: googleHeaders, says: 'pageSize' },
  ])('$path is refused with its place', async ({ path, headers, says }) => {
    const { status, json } = await get(path, headers());
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain(says);
  });
});

describe('the catalogue for operators', () => {
  it('has every model with its price, also those that no key may use, and says who answers', async () => {
    const { status, json } = await get('/admin/models', { authorization: `Bearer ${gateway.adminKey}` });
    expect(status).toBe(200);
    const data = json['data'] as readonly JsonObject[];
    expect(data.map(({ id }) => id)).toEqual(codes);
    const mine = await get('/v1/models', { authorization: `Bearer ${gateway.liveKey}` });
    expect(data).toEqual(mine.json['data']);
    expect((await get('/admin/models', { authorization: `Bearer ${gateway.liveKey}` })).status).toBe(401);
  });

  it('has other names where they are asked for', async () => {
    const { json } = await get('/admin/models?aliases=true', { authorization: `Bearer ${gateway.adminKey}` });
    const model = (json['data'] as readonly JsonObject[]).find(({ id }) => id === 'gpt-5-mini');
    expect(model?.['aliases']).toContain('gpt-5-mini-2025-08-07');
  });
});
