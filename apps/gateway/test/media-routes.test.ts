/** Models of pictures, speech and videos that lead to other models: over real sockets, with OpenAI's SDK and the twin's faults. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { chargesOf } from './ask-in-format.ts';

let gateway: TestGateway;
let openai: OpenAI;
let now = Date.UTC(2026, 10, 22, 10);

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    yaml: `models:
  - { code: draw, kind: image, body: prompt, routes: [{ model: doubao-seedream-4-0 }], fallbacks: { on_error: [qwen-image-2.0], on_content_refusal: [gpt-image-2] } }
  - { code: draw-from, kind: image, body: prompt, routes: [{ model: doubao-seedream-4-0 }, { model: qwen-image-2.0, when: { inputs: [image] } }] }
  - { code: draw-cheaply, kind: image, body: prompt, strategy: cheapest, routes: [{ model: qwen-image-2.0 }, { model: doubao-seedream-4-0 }] }
  - { code: touch-up, kind: image-edit, routes: [{ model: gpt-image-2 }], fallbacks: { on_error: [qwen-image-edit-plus] } }
  - { code: say, kind: speech, routes: [{ model: mimo-v2.5-tts }, { model: gpt-4o-mini-tts, priority: 2 }] }
  - { code: movie, kind: video, body: prompt, routes: [{ model: doubao-seedance-2-0-fast }, { model: sora-2, priority: 2 }], fallbacks: { on_content_refusal: [grok-imagine-video] } }
`,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
});
afterEach(() => {
  gateway.twin.faults.clear();
  // What cooled is due again.
  now += 3_600_000;
});
afterAll(() => gateway.close());

const REFUSED = { error: { code: 'InputTextSensitiveContentDetected', message: 'no' } };

async function post(path: string, body: JsonObject) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    route: reply.headers.get('x-gateway-route'),
    attempts: reply.headers.get('x-gateway-attempts'),
    text,
    json: (): JsonObject => JSON.parse(text) as JsonObject,
  };
}
async function lastCharge(): Promise<JsonObject> {
  return (await chargesOf(gateway))[0] ?? {};
}

describe('pictures', () => {
  const draw = (model: string, more: JsonObject = {}) =>
    post('/v1/images/generations', { model, prompt: 'a boat', ...more });

  it('go where the route leads, and elsewhere when the vendor has certainly made none', async () => {
    expect(await draw('draw')).toMatchObject({ status: 200, route: 'doubao-seedream-4-0; route; weighted' });
    gateway.twin.faults.always('ark', '*', { kind: 'status', status: 429 });
    const reply = await draw('draw');
    expect(reply).toMatchObject({ status: 200, route: 'qwen-image-2.0; on_error', attempts: '2' });
    // The answer has the form of the model that was asked for.
    expect(reply.json()).toMatchObject({ model: 'draw', data: [{ url: expect.any(String) as unknown }] });
    expect(await lastCharge()).toMatchObject({ model: 'qwen-image-2.0', detail: { asked: 'draw' } });
  });

  it('are not made twice: a vendor that went silent may have one', async () => {
    gateway.twin.faults.always('ark', '*', { kind: 'reset' });
    expect(await draw('draw')).toMatchObject({ status: 503, attempts: '1' });
  });

  it('have another vendor for what one refuses', async () => {
    gateway.twin.faults.always('ark', '*', {
      kind: 'status',
      status: 400,
      body: REFUSED,
    });
    expect(await draw('draw')).toMatchObject({ status: 200, route: 'gpt-image-2; on_content_refusal' });
  });

  it('a condition on pictures that come with the request', async () => {
    const image = `data:image/png;base64,${(await picture()).toString('base64')}`;
    expect(await draw('draw-from')).toMatchObject({ route: 'doubao-seedream-4-0; route; weighted' });
    expect(await draw('draw-from', { image })).toMatchObject({ status: 200, route: 'qwen-image-2.0; route; weighted' });
  });

  it('the cheapest for this very request', async () => {
    expect(await draw('draw-cheaply')).toMatchObject({ route: 'doubao-seedream-4-0; route; cheapest' });
    // What a model does not take goes to the others.
    expect(await draw('draw-cheaply', { size: '1K' })).toMatchObject({ route: 'doubao-seedream-4-0; route; cheapest' });
    expect(await draw('draw-cheaply', { size: '2048x1536' })).toMatchObject({
      route: 'doubao-seedream-4-0; route; cheapest',
    });
  });

  it('edits and streams, by OpenAI’s SDK', async () => {
    const image = await toFile(await picture(), 'boat.png', { type: 'image/png' });
    gateway.twin.faults.always('openai', '*', { kind: 'status', status: 429 });
    const { data, response } = await openai.images.edit({ model: 'touch-up', image, prompt: 'red' }).withResponse();
    expect(data.data).toHaveLength(1);
    expect(response.headers.get('x-gateway-route')).toBe('qwen-image-edit-plus; on_error');
    const streamed = await draw('draw', { stream: true });
    expect(streamed).toMatchObject({ status: 200, route: 'doubao-seedream-4-0; route; weighted' });
    expect(streamed.text).toContain('image_generation.completed');
  });

  it('an estimate is that of the dearest that may draw it', async () => {
    const estimate = async (model: string) =>
      (await post('/v1/estimate', { endpoint: '/v1/images/generations', body: { model, prompt: 'a boat' } })).json()[
        'quota'
      ];
    expect(await estimate('draw-cheaply')).toBe(await estimate('qwen-image-2.0'));
  });
});

describe('speech', () => {
  const say = (voice: string) =>
    post('/v1/audio/speech', { model: 'say', input: 'hello', response_format: 'wav', voice });
  const sayInChat = () =>
    post('/v1/chat/completions', {
      model: 'say',
      messages: [{ role: 'assistant', content: 'hello' }],
      audio: { format: 'wav' },
    });

  it('goes to the second when the first refuses', async () => {
    expect(await sayInChat()).toMatchObject({ status: 200, route: 'mimo-v2.5-tts; route; weighted' });
    gateway.twin.faults.always('mimo', '*', { kind: 'status', status: 429 });
    expect(await sayInChat()).toMatchObject({ status: 200, route: 'gpt-4o-mini-tts; route; weighted', attempts: '2' });
    expect(await lastCharge()).toMatchObject({ model: 'gpt-4o-mini-tts', detail: { asked: 'say' } });
  });

  it('goes to the model that has the voice, and to nobody when none has', async () => {
    expect(await say('alloy')).toMatchObject({ status: 200, route: 'gpt-4o-mini-tts; route; weighted' });
    expect(await say('nobody')).toMatchObject({
      status: 400,
      text: expect.stringContaining('voice') as unknown,
    });
  });
});

describe('videos', () => {
  const create = () => post('/v1/video/generations', { model: 'movie', prompt: 'a boat', duration: 4 });
  const finish = async (id: string): Promise<JsonObject> => {
    for (let round = 0; round < 6; round++) {
      now += 60_000;
      await gateway.server.tasks.runDue();
    }
    const reply = await fetch(`${gateway.url}/v1/video/generations/${id}`, {
      headers: { authorization: `Bearer ${gateway.liveKey}` },
    });
    return ((await reply.json()) as { data: JsonObject }).data;
  };

  it('go where the route leads and cost what the model that made them costs', async () => {
    const first = await create();
    expect(first).toMatchObject({ status: 200, route: 'doubao-seedance-2-0-fast; route; weighted', attempts: '1' });
    expect(await finish(String(first.json()['task_id'] ?? first.json()['id']))).toMatchObject({ status: 'SUCCESS' });
    gateway.twin.faults.always('ark', '*', { kind: 'status', status: 429 });
    const second = await create();
    expect(second).toMatchObject({ status: 200, route: 'sora-2; route; weighted', attempts: '2' });
    const record = await finish(String(second.json()['task_id'] ?? second.json()['id']));
    // 4 s at $0.10; a dollar is 500,000 units.
    expect(record).toMatchObject({ status: 'SUCCESS', quota: 200_000 });
    expect(await lastCharge()).toMatchObject({ model: 'movie', detail: { answered_by: 'sora-2' } });
  });

  it('a creation without an answer is never repeated elsewhere', async () => {
    gateway.twin.faults.always('ark', 'create', { kind: 'reset' });
    const reply = await create();
    expect(reply).toMatchObject({ status: 503, attempts: null, route: null });
    expect(reply.text).toContain('submission_unknown');
  });

  it('have another vendor for what one refuses', async () => {
    gateway.twin.faults.always('ark', '*', {
      kind: 'status',
      status: 400,
      body: REFUSED,
    });
    expect(await create()).toMatchObject({ status: 200, route: 'grok-imagine-video; on_content_refusal' });
  });

  it('what no model takes is refused in the words of the first', async () => {
    const reply = await post('/v1/video/generations', { model: 'movie', prompt: 'a boat', duration: 9000 });
    expect(reply).toMatchObject({ status: 400, text: expect.stringContaining('duration') as unknown });
  });
});

function picture(): Promise<Buffer> {
  return sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
}
