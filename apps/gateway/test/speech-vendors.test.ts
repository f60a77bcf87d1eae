/** Vendors of sound through the running gateway: each promised format is that format or a refusal, and the bill is that of the row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, recordingOf, until, type TestGateway } from '@model-gateway/testing';

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly voices?: readonly string[];
  readonly limits: { readonly formats: readonly string[] };
  readonly price: { readonly character?: number; readonly second?: number };
}

const VENDORS = /^(?:elevenlabs|deepgram|cartesia|assemblyai|azure-speech|google)\//;
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];
/** How files of a format begin, in latin1. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  mp3: /^(?:ID3|\xff[\xe0-\xff])/,
  opus: /^OggS/,
  aac: /^\xff[\xf0-\xf9]/,
  flac: /^fLaC/,
  wav: /^RIFF....WAVE/s,
  pcm: /^(?!RIFF|OggS|fLaC|ID3)/,
};
const TEXT = 'High tide at noon.';
const SECONDS = 9;

let gateway: TestGateway;
let rows: readonly Row[];

beforeAll(async () => {
  gateway = await openTestGateway();
  const reply = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${gateway.testKey}` } });
  const { data } = (await reply.json()) as { data: readonly Row[] };
  rows = data.filter(({ id }) => VENDORS.test(id));
});
afterAll(() => gateway.close());

/** At the same time, so that jobs that are asked after do not wait for each other. */
const forEach = (kind: string, check: (row: Row) => Promise<void>): Promise<unknown> =>
  Promise.all(rows.filter((row) => row.kind === kind).map(check));

async function speak(body: object) {
  const reply = await fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: TEXT, voice: 'alloy', ...body }),
  });
  return { reply, bytes: Buffer.from(await reply.arrayBuffer()) };
}

async function transcribe(fields: Readonly<Record<string, string>>) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(recordingOf(SECONDS))]), 'talk.wav');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}` },
    body: form,
  });
  return { reply, text: await reply.text() };
}

describe('speech', () => {
  it.each(FORMATS)('%s is what it says, or refused with what there is', async (format) => {
    await forEach('speech', async ({ id, limits }) => {
      const { reply, bytes } = await speak({ model: id, response_format: format });
      if (limits.formats.includes(format === 'pcm' ? 'pcm16' : format)) {
        expect([id, reply.status]).toEqual([id, 200]);
        expect(bytes.toString('latin1', 0, 12), id).toMatch(BEGINNINGS[format] ?? /^$/);
      } else {
        expect([id, reply.status]).toEqual([id, 400]);
        const { error } = JSON.parse(bytes.toString()) as { error: { message: string; param: string } };
        expect(error).toMatchObject({ param: 'response_format', message: expect.stringContaining('mp3') });
      }
    });
  });

  it('takes every voice of its row', async () => {
    await forEach('speech', async ({ id, voices = [] }) => {
      for (const voice of voices)
        expect([id, voice, (await speak({ model: id, voice })).reply.status]).toEqual([id, voice, 200]);
    });
  });

  it('names what it does not send', async () => {
    await forEach('speech', async ({ id }) => {
      const { reply } = await speak({ model: id, instructions: 'Softly.', speed: 4, callback: 'https://a.example' });
      const dropped = (reply.headers.get('x-gateway-dropped') ?? '').split(/, ?/).toSorted();
      // Gemini alone follows instructions.
      const unsent = id.includes('gemini') ? ['callback', 'speed'] : ['callback', 'instructions', 'speed'];
      expect([id, dropped]).toEqual([id, unsent]);
    });
  });

  it('costs what its characters cost, whatever credits the vendor counts', async () => {
    await forEach('speech', async ({ id, price }) => {
      if (price.character === undefined) return;
      const { reply } = await speak({ model: id });
      const requestId = reply.headers.get('x-request-id') ?? '';
      const { ledger } = gateway.server.parts.store;
      await until(async () => (await ledger.entries({ requestId, kind: 'capture', limit: 1 })).length === 1);
      const [entry] = await ledger.entries({ requestId, kind: 'capture', limit: 1 });
      expect([id, entry?.charged]).toEqual([id, Math.round((TEXT.length * price.character * 500_000) / 1e6)]);
    });
  });

  it('an account without credit is told as that, not as a wrong key', async () => {
    const { reply, bytes } = await speak({ model: 'elevenlabs/eleven_v3', input: '[[twin:no-credit]] Hello.' });
    expect(reply.status).toBe(503);
    expect(bytes.toString()).toMatch(/own quota with this vendor is used up/);
  });
});

describe('transcription', () => {
  it.each(['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'])('%s', async (format) => {
    await forEach('transcription', async ({ id, limits }) => {
      const { reply, text } = await transcribe({ model: id, response_format: format });
      const isMade = limits.formats.includes(format);
      expect([id, reply.status, isMade ? '' : /has json, text/.exec(text)?.[0]]).toEqual([
        id,
        isMade ? 200 : 400,
        isMade ? '' : 'has json, text',
      ]);
      if (isMade && (format === 'srt' || format === 'vtt'))
        expect(text.match(/ --> /g)?.length ?? 0, id).toBeGreaterThan(1);
      if (isMade && format === 'diarized_json')
        expect(JSON.parse(text), id).toMatchObject({
          segments: expect.arrayContaining([expect.objectContaining({ speaker: 'B' })]),
        });
    });
  });

  it('costs what the recording lasts', async () => {
    await forEach('transcription', async ({ id, price }) => {
      const { reply } = await transcribe({ model: id });
      const cost = Number(reply.headers.get('x-gateway-cost'));
      expect([id, cost]).toEqual([id, expect.closeTo(SECONDS * (price.second ?? 0), 5)]);
    });
  });

  it('is one piece of text where it is streamed', async () => {
    await forEach('transcription', async ({ id }) => {
      const { text } = await transcribe({ model: id, stream: 'true' });
      const types = [...text.matchAll(/"type":"(transcript[\w.]+)"/g)].map(([, type]) => type);
      expect([id, types]).toEqual([id, ['transcript.text.delta', 'transcript.text.done']]);
    });
  });
});
