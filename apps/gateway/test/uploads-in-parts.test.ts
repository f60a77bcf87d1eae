/** Uploads in parts: OpenAI's by its SDK, Google's resumable ones by its SDK, and what is left open. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import OpenAI, { toFile } from 'openai';

const MB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-parts-'));
let gateway: TestGateway;
let openai: OpenAI;
let google: GoogleGenAI;
let now = Date.UTC(2026, 10, 20);

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    files: `{ folder: '${folder}', largest_upload: 20mb, uploads: 30mb, uploads_count: 200 }`,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: gateway.liveKey, httpOptions: { baseUrl: gateway.url } });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const begin = (bytes: number) =>
  openai.uploads.create({ bytes, filename: 'tides.txt', mime_type: 'text/plain', purpose: 'user_data' });
const part = async (id: string, text: string) =>
  openai.uploads.parts.create(id, { data: await toFile(Buffer.from(text), 'part') });

it('OpenAI’s SDK: parts in the order that the completion names', async () => {
  const upload = await begin(8);
  expect(upload).toMatchObject({ object: 'upload', status: 'pending', bytes: 8, file: null });
  const second = await part(upload.id, 'tide');
  const first = await part(upload.id, 'High');
  expect(first).toMatchObject({ object: 'upload.part', upload_id: upload.id });
  const md5 = createHash('md5').update('Hightide').digest('hex');
  await expect(openai.uploads.complete(upload.id, { part_ids: [first.id] })).rejects.toThrow(/4 bytes/);
  await expect(openai.uploads.complete(upload.id, { part_ids: [first.id, first.id] })).rejects.toThrow(/part_ids/);
  await expect(openai.uploads.complete(upload.id, { part_ids: [second.id, first.id], md5 })).rejects.toThrow(/md5/);
  const done = await openai.uploads.complete(upload.id, { part_ids: [first.id, second.id], md5 });
  expect(done).toMatchObject({ status: 'completed', file: { bytes: 8, filename: 'tides.txt', purpose: 'user_data' } });
  expect(await (await openai.files.content(done.file?.id ?? '')).text()).toBe('Hightide');
  expect((await openai.files.list()).data).toHaveLength(1);
  expect(readdirSync(folder)).toHaveLength(1);
  await expect(openai.uploads.complete(upload.id, { part_ids: [first.id] })).rejects.toThrow(/completed/);
  await expect(part(upload.id, 'more')).rejects.toThrow(/completed/);
  await openai.files.delete(done.file?.id ?? '');
});

it('an upload belongs to its owner and mode, takes room while it is open, and gives it back', async () => {
  const upload = await begin(20 * MB);
  for (const apiKey of [gateway.otherKey, gateway.testKey]) {
    const other = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
    await expect(other.uploads.cancel(upload.id)).rejects.toThrow(/no upload/);
    await expect(other.uploads.complete(upload.id, { part_ids: [] })).rejects.toThrow(/no upload/);
    await expect(other.uploads.parts.create(upload.id, { data: await toFile(Buffer.from('x'), 'p') })).rejects.toThrow(
      /no upload/,
    );
  }
  await part(upload.id, 'x'.repeat(15 * MB));
  await part(upload.id, 'x'.repeat(14 * MB));
  await expect(part(upload.id, 'x'.repeat(4 * MB))).rejects.toThrow(/delete files/);
  expect(await openai.uploads.cancel(upload.id)).toMatchObject({ status: 'cancelled' });
  expect(readdirSync(folder)).toEqual([]);
  const again = await begin(5 * MB);
  await part(again.id, 'x'.repeat(5 * MB));
  await openai.uploads.cancel(again.id);
});

it('uploads that are left open are bounded, and go with their parts', async () => {
  const open = await Promise.all(Array.from({ length: 110 }, async () => begin(10).catch(() => undefined)));
  const kept = open.flatMap((upload) => upload ?? []);
  expect(kept).toHaveLength(100);
  await part(kept[0]?.id ?? '', 'half');
  now += 3_600_000;
  await expect(part(kept[0]?.id ?? '', 'other')).rejects.toThrow(/no upload/);
  const { store } = gateway.server.parts;
  const due = await store.files.expired(now, 1000);
  expect(due.some(({ size }) => size === 4)).toBe(true);
  await store.files.forget(due.map(({ id }) => id));
  expect(await store.files.expired(now, 1000)).toEqual([]);
  expect(await store.uploadedFiles.findUpload({ ownerId: 1, mode: 'live' }, kept[0]?.id ?? '')).toBeUndefined();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

it('Google’s SDK: a file in several chunks, listed, used in a chat, deleted', async () => {
  const bytes = Buffer.alloc(17 * MB, 'The tide is high. ');
  const file = await google.files.upload({
    file: new Blob([bytes], { type: 'text/plain' }),
    config: { displayName: 'tides.txt', mimeType: 'text/plain' },
  });
  expect(file).toMatchObject({ displayName: 'tides.txt', mimeType: 'text/plain', sizeBytes: String(bytes.length) });
  expect(file).toMatchObject({ state: 'ACTIVE', name: expect.stringMatching(/^files\/gw[a-z0-9]+$/) });
  expect(Date.parse(file.expirationTime ?? '') - Date.parse(file.createTime ?? '')).toBe(48 * 3_600_000);
  expect(file.sha256Hash).toBe(Buffer.from(createHash('sha256').update(bytes).digest('hex')).toString('base64'));
  expect((await google.files.get({ name: file.name ?? '' })).uri).toBe(file.uri);
  const small = await google.files.upload({
    file: new Blob(['The lock is of oak.'], { type: 'text/plain' }),
    config: { mimeType: 'text/plain' },
  });
  const names: (string | undefined)[] = [];
  for await (const { name } of await google.files.list({ config: { pageSize: 1 } })) names.push(name);
  expect(names.toSorted()).toEqual([file.name, small.name].toSorted());
  const { text } = await google.models.generateContent({
    model: 'claude-sonnet-5',
    contents: [
      {
        role: 'user',
        parts: [{ fileData: { fileUri: small.uri ?? '', mimeType: 'text/plain' } }, { text: 'Of what?' }],
      },
    ],
  });
  expect(text).toBeTruthy();
  expect(gateway.twin.requests.last('anthropic')?.body).toContain('The lock is of oak.');
  const [sameFile] = (await openai.files.list()).data.filter(({ bytes: size }) => size === 19);
  expect(sameFile?.id.replace('file-', 'files/')).toBe(small.name);
  for (const name of [file.name, small.name]) await google.files.delete({ name: name ?? '' });
  await expect(google.files.get({ name: file.name ?? '' })).rejects.toThrow(/no file/);
});

it('Google’s protocol: bytes go on where they stopped, and nowhere else', async () => {
  const headers = { 'x-goog-api-key': gateway.liveKey };
  const start = (more: Record<string, string>) =>
    fetch(`${gateway.url}/upload/v1beta/files`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', ...more },
      body: JSON.stringify({ file: { display_name: 'a.bin' } }),
    });
  expect((await start({})).status).toBe(400);
  const begun = await start({ 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-header-content-length': '6' });
  const url = begun.headers.get('x-goog-upload-url') ?? '';
  const send = async (command: string, body?: string, offset = 0, key = gateway.liveKey) => {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'x-goog-api-key': key, 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
      ...(body !== undefined && { body }),
    });
    const { status, headers: got } = reply;
    return [status, got.get('x-goog-upload-status'), got.get('x-goog-upload-size-received')];
  };
  expect(await send('upload', 'abc', 0, gateway.otherKey)).toEqual([404, null, null]);
  expect(await send('upload', 'abc')).toEqual([200, 'active', '3']);
  expect(await send('query')).toEqual([200, 'active', '3']);
  expect(await send('upload', 'abc')).toEqual([400, null, null]);
  expect(await send('finalize')).toEqual([400, null, null]);
  expect(await send('upload', 'defghijkl', 3)).toEqual([413, null, null]);
  expect(await send('write', 'def', 3)).toEqual([400, null, null]);
  expect(await send('upload, finalize', 'def', 3)).toEqual([200, 'final', null]);
  expect(await send('query')).toEqual([200, 'active', '0']);
  const { data } = await openai.files.list();
  expect(await (await openai.files.content(data[0]?.id ?? '')).text()).toBe('abcdef');
});
