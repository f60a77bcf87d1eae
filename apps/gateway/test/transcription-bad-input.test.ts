/** Recordings and forms that are wrong: each is refused by name, nothing is asked, nothing charged, nothing left on disk. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '@model-gateway/testing';
import type { JsonObject } from '@model-gateway/contracts';
import { silence, soundFile, wavOf } from './sound-files.ts';
import { openTranscriptionGateway, type TranscriptionGateway } from './transcription-gateway.ts';

let gateway: TranscriptionGateway;
beforeAll(async () => {
  gateway = await openTranscriptionGateway();
});
afterAll(() => gateway.close());

/** Of this process: others run on the machine, too. */
const leftFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`model-gateway-form-${process.pid}-`));
const askedVendor = (): number => gateway.twin.requests.list({ operation: 'transcription' }).length;

interface Sent {
  readonly model?: string;
  readonly path?: string;
  readonly file?: Buffer | string;
  readonly name?: string;
  readonly fields?: readonly (readonly [string, string])[];
}

async function post({
  model = 'whisper-1',
  path = 'transcriptions',
  file = soundFile(1),
  name = 'file',
  fields = [],
}: Sent) {
  const form = new FormData();
  if (model !== '') form.append('model', model);
  for (const [field, value] of fields) form.append(field, value);
  if (typeof file === 'string') form.append(name, file);
  else form.append(name, new Blob([new Uint8Array(file)]), 'talk.mp3');
  const reply = await fetch(`${gateway.url}/v1/audio/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}` },
    body: form,
  });
  const json = (await reply.json()) as { error?: JsonObject };
  return { status: reply.status, error: json.error, requestId: reply.headers.get('x-request-id') ?? '' };
}

const field = (name: string, value: string): Sent => ({ fields: [[name, value]] });
/** A file that claims to be mp4 and holds less than its boxes say. */
const cutMp4 = Buffer.concat([
  Buffer.from('\0\0\0\x18ftypM4A \0\0\0\0M4A mp42', 'latin1'),
  Buffer.from('\0\x01\0\0mdat', 'latin1'),
  Buffer.alloc(64),
]);

interface Bad extends Sent {
  readonly title: string;
  readonly param: string;
  readonly says: RegExp;
  readonly status?: number;
}
const BAD: readonly Bad[] = [
  { title: 'no file', file: 'just text', param: 'file', says: /sent as text/ },
  { title: 'an empty file', file: Buffer.alloc(0), param: 'file', says: /empty/ },
  {
    title: 'a picture',
    file: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    param: 'file',
    says: /image\/png/,
  },
  { title: 'text for sound', file: Buffer.from('not a sound at all'), param: 'file', says: /no known format/ },
  { title: 'too short', file: soundFile(0.05), param: 'file', says: /0\.05 seconds.*at least 0\.1/ },
  { title: 'a head without sound', file: wavOf(Buffer.alloc(0)), param: 'file', says: /duration is 0|cannot be read/ },
  { title: 'half a head', file: soundFile(1).subarray(0, 20), param: 'file', says: /cannot be read|no known format/ },
  { title: 'cut off', file: cutMp4, param: 'file', says: /cut off/ },
  { title: 'too long', model: 'by-tokens', file: silence(61), param: 'file', says: /61 seconds.*at most 60/ },
  {
    title: 'too large',
    file: silence(15),
    param: 'file',
    says: /0\.2 MB; this model takes at most 0\.2 MB/,
    status: 413,
  },
  { title: 'a file under another name', name: 'audio', param: 'audio', says: /goes into file/ },
  {
    title: 'another recording by its address',
    ...field('url', 'https://example.com/a.mp3'),
    param: 'url',
    says: /goes into file/,
  },
  { title: 'no model', model: '', param: 'model', says: /missing.*transcription model/ },
  { title: 'a chat model', model: 'chat', param: 'model', says: /of kind chat/ },
  { title: 'an unknown model', model: 'no-such', param: 'model', says: /no-such/, status: 400 },
  {
    title: 'a temperature twice',
    fields: [
      ['temperature', '0'],
      ['temperature', '1'],
    ],
    param: 'temperature',
    says: /twice/,
  },
  {
    title: 'an unknown format',
    ...field('response_format', 'docx'),
    param: 'response_format',
    says: /json, text, srt, vtt, verbose_json/,
  },
  {
    title: 'a format that the model lacks',
    model: 'by-tokens',
    ...field('response_format', 'srt'),
    param: 'response_format',
    says: /this model has json, text/,
  },
  {
    title: 'speakers of a translation',
    path: 'translations',
    model: 'whisper-twice',
    ...field('response_format', 'diarized_json'),
    param: 'response_format',
    says: /verbose_json$/,
  },
  {
    title: 'subtitles as events',
    fields: [
      ['response_format', 'srt'],
      ['stream', 'true'],
    ],
    param: 'response_format',
    says: /cannot be streamed.*json, text/,
  },
  { title: 'stream that is neither', ...field('stream', 'yes'), param: 'stream', says: /true or false/ },
  {
    title: 'granularity without verbose_json',
    ...field('timestamp_granularities[]', 'word'),
    param: 'timestamp_granularities[]',
    says: /verbose_json/,
  },
  {
    title: 'include that the model lacks',
    ...field('include[]', 'logprobs'),
    param: 'include[]',
    says: /nothing to include/,
  },
  {
    title: 'an unknown include',
    model: 'by-tokens',
    ...field('include[]', 'usage'),
    param: 'include[]',
    says: /logprobs/,
  },
  {
    title: 'include with text',
    model: 'by-tokens',
    fields: [
      ['include[]', 'logprobs'],
      ['response_format', 'text'],
    ],
    param: 'include[]',
    says: /response_format json/,
  },
  {
    title: 'a translation by a model that only transcribes',
    path: 'translations',
    model: 'by-tokens',
    param: 'model',
    says: /does not translate/,
  },
];

describe('refused', () => {
  it.each(BAD)('$title → $param', async ({ title: _title, param, says, status = 400, ...sent }) => {
    const before = askedVendor();
    const { status: seen, error, requestId } = await post(sent);
    expect({ seen, error }).toMatchObject({ seen: status, error: { param, message: expect.stringMatching(says) } });
    expect(askedVendor()).toBe(before);
    expect(await gateway.isFree(requestId)).toBe(true);
    expect(leftFolders()).toEqual([]);
  });

  it.each([
    ['a language that is none', 'language', 'xx'],
    ['a language by its name', 'language', 'english'],
    ['too warm', 'temperature', '1.5'],
    ['a temperature that is none', 'temperature', 'NaN'],
    ['a granularity that nobody knows', 'timestamp_granularities[]', 'letter'],
  ])('%s is for the vendor to judge', async (_title, name, value) => {
    const before = askedVendor();
    const { status, requestId } = await post({
      fields: [
        ['response_format', 'verbose_json'],
        [name, value],
      ],
    });
    expect(askedVendor()).toBe(before + 1);
    if (status !== 200) expect([status, await gateway.isFree(requestId)]).toEqual([400, true]);
  });

  it('JSON in place of a form', async () => {
    const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'whisper-1', file: 'data:audio/wav;base64,AAAA' }),
    });
    expect(reply.status).toBe(415);
    expect(await reply.json()).toMatchObject({ error: { message: expect.stringMatching(/application\/json/) } });
  });

  it('an estimate that does not say how long it is', async () => {
    const reply = await fetch(`${gateway.url}/v1/estimate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint: '/v1/audio/transcriptions', body: { model: 'whisper-1' } }),
    });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: { param: 'body.seconds' } });
  });
});

it('who hangs up in the middle of the upload is asked for by nobody, and leaves nothing', async () => {
  const before = askedVendor();
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const head = `--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  const sound = soundFile(10);
  socket.write(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.liveKey}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${head.length + sound.length + 9}\r\n\r\n${head}`,
  );
  socket.write(sound.subarray(0, 40_000));
  await until(() => leftFolders().length === 1);
  socket.destroy();
  await once(socket, 'close');
  await until(() => leftFolders().length === 0);
  expect(askedVendor()).toBe(before);
});

it('what a vendor refuses is told in its words, and free', async () => {
  gateway.twin.faults.next('openai', 'transcription', {
    kind: 'status',
    status: 400,
    body: {
      error: {
        message: 'Audio file might be corrupted or unsupported',
        type: 'invalid_request_error',
        param: 'file',
        code: 'invalid_value',
      },
    },
  });
  const { status, error, requestId } = await post({});
  expect({ status, error }).toMatchObject({ status: 400, error: { message: expect.stringContaining('corrupted') } });
  expect(await gateway.isFree(requestId)).toBe(true);
});

it.each(['malformed', 'torn-json'] as const)('a %s answer is the vendor’s fault, and free', async (kind) => {
  gateway.twin.faults.next('openai', 'transcription', { kind });
  const { status, requestId } = await post({});
  expect(status).toBe(503);
  expect(await gateway.isFree(requestId)).toBe(true);
  expect(leftFolders()).toEqual([]);
});
