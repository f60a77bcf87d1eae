/** The wires of other kinds by the SDKs that speak them, and what an answer in the background is estimated at. */
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { BadRequestError, toFile } from 'openai';
import { soundFile } from './sound-files.ts';

const YAML = `security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }`;
let gateway: TestGateway;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: YAML });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

it('moderation by OpenAI’s SDK: a text, texts, a text and a picture', async () => {
  const one = await openai.moderations.create({ input: 'The tide turns at noon.' });
  expect(one.results.map(({ flagged }) => flagged)).toEqual([false]);
  const two = await openai.moderations.create({
    model: 'omni-moderation-latest',
    input: ['High tide.', 'I will stab you.'],
  });
  expect(two.results.map(({ flagged, categories }) => [flagged, categories.violence])).toEqual([
    [false, false],
    [true, true],
  ]);
  const parts = await openai.moderations.create({
    input: [
      { type: 'text', text: 'Our harbour.' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ],
  });
  expect(parts.results).toHaveLength(1);
  await expect(openai.moderations.create({ input: [] })).rejects.toThrow(BadRequestError);
});

it('a translation by OpenAI’s SDK, as JSON and as subtitles', async () => {
  const file = await toFile(soundFile(2), 'talk.wav');
  const told = await openai.audio.translations.create({ model: 'whisper-1', file });
  expect(told.text).toMatch(/^[a-z]/);
  const lines: unknown = await openai.audio.translations.create({ model: 'whisper-1', file, response_format: 'vtt' });
  expect(lines).toMatch(/^WEBVTT\n/);
});

it('contents by Google’s SDK: one and several, of a length', async () => {
  const genai = new GoogleGenAI({ apiKey: gateway.liveKey, httpOptions: { baseUrl: gateway.url } });
  for (const model of ['gemini-embedding-001', 'text-embedding-3-small']) {
    const config = { outputDimensionality: 256 };
    const one = await genai.models.embedContent({ model, contents: 'High tide.', config });
    const several = await genai.models.embedContent({ model, contents: ['High tide.', 'Invoices.'], config });
    expect([one, several].map(({ embeddings }) => embeddings?.map(({ values }) => values?.length))).toEqual([
      [256],
      [256, 256],
    ]);
    expect(several.embeddings?.[0]).toEqual(one.embeddings?.[0]);
  }
});

it('an answer in the background is estimated at what is set aside for it, with what it goes on from', async () => {
  const body = { model: 'claude-sonnet-5', input: 'A long story', background: true, max_output_tokens: 500 };
  const [status, quota] = await estimate(body);
  await openai.responses.create(body);
  expect([status, quota]).toEqual([200, await lastHold()]);

  const first = await openai.responses.create({ model: 'claude-sonnet-5', input: 'A long story '.repeat(500) });
  const next = { ...body, previous_response_id: first.id };
  const [, more] = await estimate(next);
  expect(more).toBeGreaterThan(quota ?? Infinity);
  await openai.responses.create(next);
  expect(more).toBe(await lastHold());
  expect(await estimate({ ...body, previous_response_id: 'resp_gw_nobody' })).toEqual([404, undefined]);
});

async function estimate(body: object): Promise<readonly [status: number, quota: number | undefined]> {
  const reply = await fetch(`${gateway.url}/v1/estimate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: '/v1/responses', body }),
  });
  return [reply.status, ((await reply.json()) as { quota?: number }).quota];
}

/** What was set aside for the last answer in the background; leases set aside without an endpoint. */
async function lastHold(): Promise<number> {
  const entries = await gateway.server.parts.store.ledger.entries({ kind: 'hold', order: 'newest', limit: 20 });
  return -(entries.find(({ detail }) => detail['endpoint'] === '/v1/responses')?.amount ?? 0);
}
