/**
 * What is wrong with a request before its fields are looked at, for each of the newer kinds: bodies that are none, in encodings that are none,
 * in types that are not taken, and that break off. What their fields can have wrong is in whole-answer-bad-input, transcription-bad-input,
 * responses-bad-input and resumable-bounds.
 */
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '@model-gateway/testing';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { soundFile } from './sound-files.ts';
import { useGateway } from './whole-answers.ts';

const KEY = Buffer.alloc(32, 5).toString('base64');
const { gateway, charges } = useGateway({ yaml: `security: { encryption_key: '${KEY}' }` });
beforeEach(() => gateway().twin.requests.clear());

interface Operation {
  readonly path: string;
  readonly body: Json;
  readonly headers?: Record<string, string>;
}
const GOOGLE = '/v1beta/models/gemini-embedding-001';
const content = { parts: [{ text: 'High tide' }] };
const JSON_KINDS: readonly (readonly [name: string, operation: Operation])[] = [
  ['embeddings', { path: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: 'High tide' } }],
  ['embedContent', { path: `${GOOGLE}:embedContent`, body: { content } }],
  ['batchEmbedContents', { path: `${GOOGLE}:batchEmbedContents`, body: { requests: [{ content }] } }],
  ['rerank', { path: '/v1/rerank', body: { model: 'rerank-v3.5', query: 'tide', documents: ['High tide'] } }],
  ['moderations', { path: '/v1/moderations', body: { input: 'High tide' } }],
  ['background', { path: '/v1/responses', body: { model: 'claude-sonnet-5', input: 'High tide', background: true } }],
  ['conversations', { path: '/v1/conversations', body: { metadata: { tide: 'High tide' } } }],
  [
    'a resumable stream',
    {
      path: '/v1/chat/completions',
      body: { model: 'gpt-5.2', stream: true, messages: [{ role: 'user', content: 'High tide' }] },
      headers: { 'x-gateway-resumable': 'true' },
    },
  ],
];

interface Sent {
  readonly body: Buffer | string;
  readonly headers?: Record<string, string>;
}
type Wrong = readonly [name: string, sent: (whole: string) => Sent, status: number, words: RegExp];
const WRONG: readonly Wrong[] = [
  ['no JSON', (whole) => ({ body: whole.slice(0, -1) }), 400, /JSON/],
  ['a list', (whole) => ({ body: `[${whole}]` }), 400, /object/],
  ['null', () => ({ body: 'null' }), 400, /object/],
  ['a text', () => ({ body: '"High tide"' }), 400, /object/],
  [
    'letters of another encoding',
    (whole) => ({ body: Buffer.from(whole.replace('High', 'Höchste'), 'latin1') }),
    400,
    /UTF-8/,
  ],
  ['UTF-16', (whole) => ({ body: Buffer.from(`\ufeff${whole}`, 'utf16le') }), 400, /UTF-8|JSON/],
  ['another type', (whole) => ({ body: whole, headers: { 'content-type': 'text/plain' } }), 415, /application\/json/],
  [
    'a compressed one',
    (whole) => ({ body: gzipSync(whole), headers: { 'content-encoding': 'gzip' } }),
    415,
    /compressed bodies are not accepted/,
  ],
  [
    'too deep',
    (whole) => ({ body: `${whole.slice(0, -1)},"x":${'['.repeat(500)}${']'.repeat(500)}}` }),
    400,
    /deep|nest/,
  ],
];

async function send({ path, headers }: Omit<Operation, 'body'>, sent: Sent): Promise<readonly [number, JsonObject]> {
  const reply = await fetch(`${gateway().url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway().liveKey}`,
      'content-type': 'application/json',
      ...headers,
      ...sent.headers,
    },
    body: typeof sent.body === 'string' ? sent.body : new Uint8Array(sent.body),
  });
  return [reply.status, (await reply.json()) as JsonObject];
}

describe.each(JSON_KINDS)('%s', (_kind, operation) => {
  it.each(WRONG)('%s', async (_name, sent, status, words) => {
    const before = await charges();
    const [found, { error }] = await send(operation, sent(JSON.stringify(operation.body)));
    expect([found, (error as JsonObject)['message']]).toEqual([status, expect.stringMatching(words)]);
    if (operation.path.startsWith('/v1beta')) expect(error).toMatchObject({ code: status });
    else expect(error).toMatchObject({ type: 'invalid_request_error' });
    expect(gateway().twin.requests.list()).toEqual([]);
    expect(await charges()).toEqual(before);
  });

  it('none at all', async () => {
    const [status, { error }] = await send(operation, { body: '' });
    // A conversation may be begun with nothing.
    if (operation.path === '/v1/conversations') expect(status).toBe(200);
    else
      expect([status, (error as JsonObject)['message']]).toEqual([400, expect.stringMatching(/missing|object|body/)]);
    expect(gateway().twin.requests.list()).toEqual([]);
  });

  it('a body that breaks off is asked for by nobody, and leaves nothing', async () => {
    await breakOff(operation.path, 'application/json', Buffer.from(JSON.stringify(operation.body)));
  });
});

const FORMS: readonly (readonly [path: string, model: string, file: string])[] = [
  ['/v1/audio/transcriptions', 'whisper-1', 'file'],
  ['/v1/audio/translations', 'whisper-1', 'file'],
  ['/v1/images/edits', 'gpt-image-2', 'image'],
];
const part = (name: string, value: Buffer | string, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`--edge\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
const formOf = (model: string, file: string): Buffer =>
  Buffer.concat([part('model', model), part(file, soundFile(1), '; filename="a.mp3"'), Buffer.from('--edge--\r\n')]);
const MULTIPART = 'multipart/form-data; boundary=edge';

describe.each(FORMS)('%s', (path, model, file) => {
  it.each<readonly [name: string, type: string, change: (form: Buffer) => Buffer, status: number]>([
    ['a form without a boundary', 'multipart/form-data', (form) => form, 400],
    ['another boundary', 'multipart/form-data; boundary=other', (form) => form, 400],
    ['a form without its end', MULTIPART, (form) => form.subarray(0, -30), 400],
    ['nothing', MULTIPART, () => Buffer.alloc(0), 400],
    ['a form of addresses', 'application/x-www-form-urlencoded', () => Buffer.from('model=a&file=b'), 415],
    ['the file alone', 'audio/mpeg', () => soundFile(1), 415],
  ])('%s', async (_name, type, change, status) => {
    const before = await charges();
    const sent = { body: change(formOf(model, file)), headers: { 'content-type': type } };
    const [found, { error }] = await send({ path }, sent);
    expect([found, error]).toEqual([status, expect.objectContaining({ type: 'invalid_request_error' })]);
    expect(gateway().twin.requests.list()).toEqual([]);
    expect(await charges()).toEqual(before);
  });

  it('an upload that breaks off is asked for by nobody, and leaves nothing', async () => {
    await breakOff(path, MULTIPART, formOf(model, file), () => until(() => leftFolders().length === 1));
    await until(() => leftFolders().length === 0);
  });
});

const leftFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`model-gateway-form-${process.pid}-`));

/** Sends all but the end of a body, and hangs up when it has `arrived`. */
async function breakOff(path: string, type: string, body: Buffer, arrived?: () => Promise<void>): Promise<void> {
  const before = await charges();
  const { hostname, port } = new URL(gateway().url);
  const socket = connect(Number(port), hostname);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway().liveKey}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  await new Promise((resolve) => socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, -30)]), resolve));
  await arrived?.();
  await new Promise((resolve) => socket.once('close', resolve).destroy());
  // Whatever became of it has happened when the next request is answered.
  const [status] = await send({ path: '/v1/moderations' }, { body: JSON.stringify({ input: 'High tide' }) });
  expect(status).toBe(200);
  expect(gateway().twin.requests.list()).toHaveLength(1);
  expect((await charges()).filter(({ model }) => model !== 'omni-moderation-latest')).toEqual(
    before.filter(({ model }) => model !== 'omni-moderation-latest'),
  );
}
