import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { asker } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
const call = asker(() => twin, 'xai');
const MODEL = 'grok-imagine-video';

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now, media: 'tiny' });
});
afterAll(async () => twin.close());

describe('xAI videos', () => {
  it('answer 202 without a body until they are done', async () => {
    const { json } = await call('/videos/generations', {
      body: { model: MODEL, prompt: 'a kite', duration: 3, aspect_ratio: '1:1' },
    });
    const path = `/videos/${json.request_id as string}`;
    expect(await call(path)).toMatchObject({ status: 202, text: '' });
    now += 5000;
    expect(await call(path)).toMatchObject({
      status: 200,
      json: { status: 'done', video: { duration: 3, respect_moderation: true } },
    });
  });

  it('are done, yet without a video, when moderation blocked them', async () => {
    const { json } = await call('/videos/generations', { body: { model: MODEL, prompt: '[[twin:moderation]]' } });
    const failed = await call('/videos/edits', {
      body: { model: MODEL, prompt: '[[twin:fail]]', video: { url: 'https://a.b/c.mp4' } },
    });
    now += 10_000;
    expect((await call(`/videos/${json.request_id as string}`)).json).toMatchObject({
      status: 'done',
      video: { respect_moderation: false, url: '' },
    });
    expect((await call(`/videos/${failed.json.request_id as string}`)).json.status).toBe('failed');
  });

  it.each<[string, string, object]>([
    ['1080p of the first model', 'generations', { resolution: '1080p' }],
    [
      'eight references',
      'generations',
      { reference_images: Array.from({ length: 8 }, () => ({ url: 'https://a.b/c.png' })) },
    ],
    ['a video to generate from', 'generations', { video: { url: 'https://a.b/c.mp4' } }],
    ['an edit of nothing', 'edits', {}],
    ['a duration for an edit', 'edits', { video: { url: 'https://a.b/c.mp4' }, duration: 4 }],
    ['an unknown field', 'generations', { seed: 1 }],
  ])('refuse %s', async (_, kind, more) => {
    expect(await call(`/videos/${kind}`, { body: { model: MODEL, prompt: 'a', ...more } })).toMatchObject({
      status: 400,
      json: { code: 'invalid-argument' },
    });
  });

  it('stand beside chat', async () => {
    const reply = await call('/chat/completions', {
      body: { model: 'grok-4', messages: [{ role: 'user', content: 'hi' }] },
    });
    expect(reply.json.choices[0].message.content).toBe('You said: hi');
    const refused = await call('/chat/completions', { body: { model: 'grok-4', messages: [] } });
    expect(refused).toMatchObject({
      status: 400,
      json: { code: 'invalid-argument', error: expect.stringContaining('messages') },
    });
  });

  it('stream a call in one piece', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
    const body = { model: 'grok-4', stream: true, messages: [{ role: 'user', content: 'look' }], tools };
    const { text } = await call('/chat/completions', { body });
    expect(text.split('"tool_calls":[')).toHaveLength(2);
    expect(text).toContain('"type":"function","function":{"name":"look","arguments":"{}"}');
  });

  it('take a call back under any id', async () => {
    const asked = { type: 'function_call', id: 'call_1', call_id: 'call_1', name: 'look', arguments: '{}' };
    const answered = { type: 'function_call_output', call_id: 'call_1', output: 'a tree' };
    const body = { model: 'grok-4', input: [{ role: 'user', content: 'look' }, asked, answered] };
    expect(await call('/responses', { body })).toMatchObject({ status: 200 });
  });
});
