import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
const MODEL = 'doubao-seedance-2-0-fast-260128';

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now });
});
afterAll(async () => twin.close());
beforeEach(() => twin.faults.clear());

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly json: any;
}

const call = async (
  method: string,
  path: string,
  body?: object,
  key = TWIN_CREDENTIALS.ark['api_key']!,
): Promise<Reply> => {
  const reply = await fetch(`${twin.baseUrl('ark')}/contents/generations/tasks${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, json: await reply.json() };
};
const text = (prompt: string): object => ({ type: 'text', text: prompt });
const image = (role?: string): object => ({
  type: 'image_url',
  image_url: { url: 'https://media.example/a.png' },
  ...(role !== undefined && { role }),
});
const create = async (prompt: string, more: object = {}): Promise<string> => {
  const reply = await call('POST', '', { model: MODEL, content: [text(prompt)], ...more });
  expect(reply.status).toBe(200);
  return reply.json.id as string;
};

describe('ark video tasks', () => {
  it('go from queued over running to a video that plays', async () => {
    const id = await create('A paper boat', { resolution: '480p', ratio: '9:16', duration: 4, seed: 9 });
    expect((await call('GET', `/${id}`)).json).toEqual({
      id,
      model: MODEL,
      status: 'queued',
      created_at: 1_790_000_000,
      updated_at: 1_790_000_000,
      service_tier: 'default',
      execution_expires_after: 172_800,
    });
    expect(twin.ledger.jobs('ark').at(-1)).not.toHaveProperty('billed');
    now += 1500;
    expect((await call('GET', `/${id}`)).json.status).toBe('running');
    now += 2500;
    const { json } = await call('GET', `/${id}`);
    expect(json).toMatchObject({
      status: 'succeeded',
      seed: 9,
      resolution: '480p',
      ratio: '9:16',
      duration: 4,
      framespersecond: 24,
      generate_audio: true,
      draft: false,
      usage: { completion_tokens: 38_430, total_tokens: 38_430 },
    });
    expect(twin.ledger.jobs('ark').at(-1)).toMatchObject({ id, state: 'succeeded', billed: { outputTokens: 38_430 } });

    const file = await fetch(json.content.video_url as string);
    expect(file.headers.get('content-type')).toBe('video/mp4');
    const bytes = new Uint8Array(await file.arrayBuffer());
    using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    const video = (await input.getPrimaryVideoTrack())!;
    const audio = (await input.getPrimaryAudioTrack())!;
    expect(
      await Promise.all([video.getCodec(), video.getDisplayWidth(), video.getDisplayHeight(), audio.getCodec()]),
    ).toEqual(['avc', 480, 854, 'aac']);
    expect(await input.computeDuration()).toBeCloseTo(4, 2);
    expect((await video.computePacketStats()).averagePacketRate).toBeCloseTo(24, 1);
    const part = await fetch(json.content.video_url as string, { headers: { range: 'bytes=4-7' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 4-7/${bytes.length}`);
    expect(await part.text()).toBe('ftyp');
  });

  it.each([
    ['[[twin:fail]]', 'failed', 'InternalServiceError'],
    ['[[twin:moderation]]', 'failed', 'OutputVideoSensitiveContentDetected'],
    ['[[twin:expire]]', 'expired', undefined],
    ['[[twin:never]]', 'running', undefined],
  ])('%s ends %s', async (mark, status, code) => {
    const id = await create(`a cat ${mark}`);
    now += 60_000;
    const { json } = await call('GET', `/${id}`);
    expect(json.status).toBe(status);
    expect(json.error?.code).toBe(code);
    expect(twin.ledger.jobs('ark').at(-1)).not.toHaveProperty('billed');
  });

  it('are cancelled while queued, not while running, and forgotten when ended', async () => {
    const id = await create('a dog');
    const running = await create('a fox');
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expect((await call('GET', `/${id}`)).json.status).toBe('cancelled');
    now += 1500;
    expect(await call('DELETE', `/${running}`)).toMatchObject({ status: 400 });
    now += 10_000;
    expect((await call('DELETE', `/${running}`)).status).toBe(200);
    expect((await call('GET', `/${running}`)).json.error.code).toBe('ResourceNotFound');
    expect((await call('GET', `/${id}`)).json.status).toBe('cancelled');
  });

  it('are listed, newest first, by id and by status', async () => {
    const ids = [await create('one'), await create('two')];
    const query = `?page_num=1&page_size=2&filter.status=queued&filter.task_ids=${ids[0]!}&filter.task_ids=${ids[1]!}`;
    const { json } = await call('GET', query);
    expect(json.total).toBe(2);
    expect(json.items.map((item: { id: string }) => item.id)).toEqual([ids[1], ids[0]]);
    expect((await call('GET', '?page_size=501')).status).toBe(400);
  });

  it('are created once although nobody hears of it', async () => {
    const before = twin.ledger.jobs('ark').length;
    twin.faults.next('ark', 'create', { kind: 'no-answer' });
    await expect(create('lost')).rejects.toThrow();
    expect(twin.ledger.jobs('ark')).toHaveLength(before + 1);
    twin.faults.next('ark', 'create', { kind: 'reset' });
    await expect(create('never arrived')).rejects.toThrow();
    expect(twin.ledger.jobs('ark')).toHaveLength(before + 1);
  });

  it('meet scripted faults on polls', async () => {
    const id = await create('a hen');
    twin.faults.next('ark', 'poll', { kind: 'unknown-status', word: 'marinating' });
    twin.faults.next('ark', 'poll', { kind: 'status', status: 429, headers: { 'retry-after': '3' } });
    twin.faults.next('ark', 'poll', {
      kind: 'status',
      status: 502,
      body: '<html>bad gateway</html>',
      headers: { 'content-type': 'text/html' },
    });
    expect((await call('GET', `/${id}`)).json.status).toBe('marinating');
    const limited = await call('GET', `/${id}`);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3']);
    expect(limited.json.error.code).toBe('ModelAccountRpmRateLimitExceeded');
    await expect(call('GET', `/${id}`)).rejects.toThrow('Unexpected token');
    expect((await call('GET', `/${id}`)).json.status).toBe('queued');
  });

  it.each([
    ['no content', { model: MODEL, content: [] }, 'MissingParameter', 'content'],
    [
      '1080p on the fast tier',
      { model: MODEL, content: [text('a')], resolution: '1080p' },
      'InvalidParameter',
      'resolution',
    ],
    ['three seconds', { model: MODEL, content: [text('a')], duration: 3 }, 'InvalidParameter', 'duration'],
    ['seconds as text', { model: MODEL, content: [text('a')], duration: '5' }, 'InvalidParameter', 'duration'],
    [
      'frames beside references',
      { model: MODEL, content: [text('a'), image('first_frame'), image('reference_image')] },
      'InvalidParameter.TaskTypeConstraint',
      'content',
    ],
    [
      'a last frame alone',
      { model: MODEL, content: [text('a'), image('last_frame')] },
      'InvalidParameter.TaskTypeConstraint',
      'content',
    ],
    [
      'two frames without roles',
      { model: MODEL, content: [text('a'), image(), image()] },
      'InvalidParameter.TaskTypeConstraint',
      'content',
    ],
    [
      'ten references',
      { model: MODEL, content: [text('a'), ...Array.from({ length: 10 }, () => image('reference_image'))] },
      'InvalidParameter.TaskTypeConstraint',
      'content',
    ],
    [
      'a video in base64',
      {
        model: MODEL,
        content: [
          text('a'),
          { type: 'video_url', role: 'reference_video', video_url: { url: 'data:video/mp4;base64,AA' } },
        ],
      },
      'InvalidParameter',
      'content[1].video_url.url',
    ],
    [
      'lonely audio',
      {
        model: MODEL,
        content: [text('a'), { type: 'audio_url', role: 'reference_audio', audio_url: { url: 'https://a.b/c.mp3' } }],
      },
      'InvalidParameter.TaskTypeConstraint',
      'content',
    ],
    ['flex', { model: MODEL, content: [text('a')], service_tier: 'flex' }, 'InvalidParameter', 'service_tier'],
  ])('refuse %s', async (_, body, code, param) => {
    const reply = await call('POST', '', body);
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({ code, param });
  });

  it('refuse strangers and unknown models', async () => {
    expect(await call('GET', '/x', undefined, 'wrong')).toMatchObject({
      status: 401,
      json: { error: { code: 'AuthenticationError' } },
    });
    const unknown = await call('POST', '', { model: 'no-such-model', content: [text('a')] });
    expect(unknown).toMatchObject({ status: 404, json: { error: { code: 'InvalidEndpointOrModel.NotFound' } } });
  });

  it('survive the process when they have a journal', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'twin-'));
    const options = { clock: () => now, journal: join(folder, 'jobs.jsonl') };
    const base = { method: 'POST', headers: { authorization: `Bearer ${TWIN_CREDENTIALS.ark['api_key']!}` } };
    const first = await startVendorTwin(options);
    const path = '/contents/generations/tasks';
    const reply = await fetch(`${first.baseUrl('ark')}${path}`, {
      ...base,
      body: JSON.stringify({ model: MODEL, content: [text('a')] }),
    });
    const { id } = (await reply.json()) as { id: string };
    await first.close();
    const second = await startVendorTwin(options);
    const found = await fetch(`${second.baseUrl('ark')}${path}/${id}`, { headers: base.headers });
    expect(await found.json()).toMatchObject({ id, status: 'queued' });
    await second.close();
    await rm(folder, { recursive: true });
  });
});
