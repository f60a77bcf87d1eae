/** Music through the running gateway: two vendors, every format or a refusal, and the bill of the length that was asked for. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '@model-gateway/client';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';

const SONG = 'elevenlabs/music_v2';
const EFFECT = 'elevenlabs/text_to_sound_v2';
const CLIP = 'vertex/lyria-002';
const UNITS = 500_000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());
beforeEach(() => gateway.twin.faults.clear());

async function compose(body: object, headers: Record<string, string> = {}) {
  const reply = await fetch(`${gateway.url}/v1/music/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt: 'A shanty of the tide', ...body }),
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { reply, bytes, requestId: reply.headers.get('x-request-id') ?? '' };
}

async function chargeOf(requestId: string) {
  const { ledger } = gateway.server.parts.store;
  const entries = () => ledger.entries({ requestId, kind: 'capture', limit: 1 });
  await until(async () => (await entries()).length === 1);
  return (await entries())[0];
}

const errorIn = (bytes: Buffer) =>
  (JSON.parse(bytes.toString()) as { error: { code: string; message: string; param: string } }).error;

describe('sound', () => {
  it.each([
    [SONG, {}, 'audio/mpeg', /^(?:ID3|\xff[\xe0-\xff])/],
    [SONG, { response_format: 'opus' }, 'audio/opus', /^OggS/],
    [EFFECT, {}, 'audio/mpeg', /^(?:ID3|\xff[\xe0-\xff])/],
    [CLIP, {}, 'audio/wav', /^RIFF....WAVE/s],
  ])('%s with %j is %s', async (model, body, type, beginning) => {
    const { reply, bytes } = await compose({ model, ...body });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type]);
    expect(bytes.toString('latin1', 0, 12)).toMatch(beginning);
  });

  it.each([
    [SONG, { response_format: 'wav' }, 'response_format', 'mp3, opus'],
    [CLIP, { response_format: 'mp3' }, 'response_format', 'wav'],
    [SONG, { seconds: 601 }, 'seconds', '3 to 600'],
    [SONG, { seconds: 0 }, 'seconds', '3 to 600'],
    [CLIP, { seconds: 10 }, 'seconds', 'exactly 30'],
    [SONG, { prompt: ' ' }, 'prompt', 'must be a text'],
  ])('%s refuses %j', async (model, body, param, says) => {
    const { reply, bytes } = await compose({ model, ...body });
    expect([reply.status, errorIn(bytes).param]).toEqual([400, param]);
    expect(errorIn(bytes).message).toContain(says);
  });

  it.each([
    [SONG, ['seed', 'tempo'], 'elevenlabs'],
    [EFFECT, ['instrumental', 'lyrics', 'seed', 'tempo'], 'elevenlabs'],
    [CLIP, ['lyrics', 'tempo'], 'vertex'],
  ] as const)('%s does not send %j', async (model, dropped, vendor) => {
    const { reply } = await compose({ model, lyrics: 'Heave ho', instrumental: true, seed: 7, tempo: 'fast' });
    expect((reply.headers.get('x-gateway-dropped') ?? '').split(/, ?/).toSorted()).toEqual(dropped);
    expect(gateway.twin.requests.last(vendor)?.body).not.toMatch(/tempo/);
  });

  it('a prompt that the vendor refuses is the caller’s affair', async () => {
    for (const model of [SONG, EFFECT]) {
      const { reply, bytes } = await compose({ model, prompt: '[[twin:refuse]] a song' });
      expect([reply.status, errorIn(bytes).code]).toEqual([400, 'content_filter']);
    }
  });
});

describe('money', () => {
  it.each([
    [SONG, {}, 30, 0.005],
    [SONG, { seconds: 90 }, 90, 0.005],
    [EFFECT, { seconds: 2.5 }, 2.5, 0.004],
    [CLIP, {}, 30, 0.002],
  ])('%s with %j costs %d seconds', async (model, body, seconds, price) => {
    const { requestId } = await compose({ model, ...body });
    const entry = await chargeOf(requestId);
    expect(entry).toMatchObject({ charged: Math.round(seconds * price * UNITS), detail: { usage: { seconds } } });
  });

  it('what is asked for is what the vendor makes and bills', async () => {
    await compose({ model: SONG, seconds: 12 });
    expect(gateway.twin.ledger.answers('elevenlabs').at(-1)).toMatchObject({ kind: 'music', billed: { seconds: 12 } });
  });

  it('a vendor that fails costs nothing, and one that is asked again is paid once', async () => {
    gateway.twin.faults.next('elevenlabs', 'music', { kind: 'status', status: 500 });
    const { reply, requestId } = await compose({ model: SONG });
    expect(reply.status).toBe(503);
    const { ledger } = gateway.server.parts.store;
    expect(await ledger.entries({ requestId, kind: 'capture', limit: 1 })).toEqual([]);
  });

  it('a repeated request is answered with the same sound, and paid once', async () => {
    const key = { 'idempotency-key': 'song-1' };
    const first = await compose({ model: SONG }, key);
    const before = gateway.twin.ledger.answers('elevenlabs').length;
    const again = await compose({ model: SONG }, key);
    expect(again.reply.headers.get('idempotent-replayed')).toBe('true');
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(gateway.twin.ledger.answers('elevenlabs')).toHaveLength(before);
  });
});

it('our client saves it', async () => {
  const client = createClient({ baseUrl: gateway.url, apiKey: gateway.testKey });
  const sound = await client.music.create({ model: EFFECT, prompt: 'Waves', seconds: 3 });
  expect([sound.contentType, (await sound.bytes()).length > 1000]).toEqual(['audio/mpeg', true]);
});
