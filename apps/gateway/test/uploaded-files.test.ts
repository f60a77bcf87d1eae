/** Uploaded files by the SDKs that know them, and what lies about a file or asks for another's. */
import Anthropic, { toFile as anthropicFile } from '@anthropic-ai/sdk';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import OpenAI, { NotFoundError, toFile } from 'openai';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-uploads-'));
let gateway: TestGateway;
let openai: OpenAI;
let stranger: OpenAI;
let now = Date.UTC(2026, 10, 20);

beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => now,
    files: `{ folder: '${folder}', largest_upload: 4mb, uploads: 16mb, uploads_count: 12 }`,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
  stranger = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.otherKey, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (body: FormData | string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, ...headers },
    body,
  });
const formOf = (entries: Readonly<Record<string, string | Blob>>, filename = 'a.txt'): FormData => {
  const form = new FormData();
  for (const [name, entry] of Object.entries(entries))
    if (typeof entry === 'string') form.append(name, entry);
    else form.append(name, entry, filename);
  return form;
};
const removeAll = async (client: OpenAI): Promise<void> => {
  for await (const { id } of client.files.list()) await client.files.delete(id);
};

it('OpenAI’s SDK: a file whole, its facts, its bytes, and that it is gone', async () => {
  // The purpose stands behind the file in this form: the order is the caller's.
  const made = await openai.files.create({
    file: await toFile(Buffer.from('{"custom_id":"1"}\n'), 'lines.jsonl'),
    purpose: 'batch',
  });
  expect(made).toMatchObject({ object: 'file', bytes: 18, filename: 'lines.jsonl', purpose: 'batch' });
  expect(made).toMatchObject({ status: 'processed', mime_type: 'application/jsonl' });
  expect(made.id).toMatch(/^file-gw[a-z0-9]+$/);
  expect(made.expires_at).toBe(made.created_at + 30 * 24 * 3600);
  expect(await openai.files.retrieve(made.id)).toEqual(made);
  const content = await openai.files.content(made.id);
  expect(await content.text()).toBe('{"custom_id":"1"}\n');
  expect(content.headers.get('x-content-type-options')).toBe('nosniff');
  expect(content.headers.get('content-type')).toBe('application/octet-stream');
  expect(await openai.files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true });
  await expect(openai.files.retrieve(made.id)).rejects.toThrow(NotFoundError);
  await expect(openai.files.content(made.id)).rejects.toThrow(NotFoundError);
  await expect(openai.files.delete(made.id)).rejects.toThrow(NotFoundError);
  expect(readdirSync(folder)).toEqual([]);
});

it('lists in pages, by purpose and from either end', async () => {
  const ids: string[] = [];
  for (const [at, purpose] of (['batch', 'vision', 'batch', 'user_data', 'batch'] as const).entries()) {
    now += 1000;
    ids.push((await openai.files.create({ file: await toFile(PNG, `${at}.png`), purpose })).id);
  }
  const listed = async (query: OpenAI.FileListParams) => {
    const found: string[] = [];
    for await (const { id } of openai.files.list(query)) found.push(id);
    return found;
  };
  expect(await listed({ limit: 2 })).toEqual(ids.toReversed());
  expect(await listed({ limit: 2, order: 'asc' })).toEqual(ids);
  expect(await listed({ purpose: 'batch', limit: 1 })).toEqual([ids[4], ids[2], ids[0]]);
  expect((await openai.files.list({ limit: 2 })).has_more).toBe(true);
  await expect(openai.files.list({ after: 'file-gw00000000000000000000' })).rejects.toThrow(/no file/);
  await removeAll(openai);
});

it('Anthropic’s SDK: the same files in its form, in pages', async () => {
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.liveKey, maxRetries: 0 });
  const made = await anthropic.beta.files.upload({ file: await anthropicFile(PNG, 'dot.png') });
  expect(made).toMatchObject({ type: 'file', filename: 'dot.png', mime_type: 'image/png', size_bytes: PNG.length });
  expect(made).toMatchObject({ id: expect.stringMatching(/^file_gw/), expires_at: null });
  now += 1000;
  const other = await openai.files.create({ file: await toFile(Buffer.from('High tide.'), 'b.md'), purpose: 'evals' });
  const ids: string[] = [];
  for await (const { id } of anthropic.beta.files.list({ limit: 1 })) ids.push(id);
  expect(ids).toEqual([other.id.replace('-', '_'), made.id]);
  expect(await anthropic.beta.files.retrieveMetadata(made.id)).toEqual(made);
  expect(await openai.files.retrieve(made.id)).toMatchObject({ purpose: 'user_data', bytes: PNG.length });
  expect(Buffer.from(await (await anthropic.beta.files.download(made.id)).arrayBuffer())).toEqual(PNG);
  const before = await fetch(`${gateway.url}/v1/files?before_id=${made.id}&limit=5`, {
    headers: { 'x-api-key': gateway.liveKey, 'anthropic-version': '2023-06-01' },
  });
  expect(await before.json()).toMatchObject({ data: [{ mime_type: 'text/markdown' }], has_more: false });
  expect(await anthropic.beta.files.delete(made.id)).toEqual({ id: made.id, type: 'file_deleted' });
  await removeAll(openai);
});

it('another owner’s file, and one’s own in the other mode, is as good as none', async () => {
  const { id } = await openai.files.create({ file: await toFile(PNG, 'a.png'), purpose: 'vision' });
  const test = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
  const said = async (asked: Promise<unknown>): Promise<string> =>
    asked.then(String, (error: unknown) => String(error).replaceAll(/file-gw\w+/g, 'ID'));
  const nobodys = 'file-gw0123456789abcdef0123456789abcdef';
  for (const client of [stranger, test]) {
    expect(await said(client.files.retrieve(id))).toBe(await said(client.files.retrieve(nobodys)));
    expect(await said(client.files.content(id))).toBe(await said(client.files.content(nobodys)));
    expect(await said(client.files.delete(id))).toBe(await said(client.files.delete(nobodys)));
    expect((await client.files.list()).data).toEqual([]);
    await expect(client.files.list({ after: id })).rejects.toThrow(/no file/);
  }
  expect((await openai.files.retrieve(id)).id).toBe(id);
  await removeAll(openai);
});

it('names and types do no harm, whatever they are', async () => {
  const names = ['../../etc/passwd', 'a"\r\nset-cookie: x=1', '..', '', 'x'.repeat(5000), 'Gezeiten für Öland.txt'];
  for (const name of names) {
    const reply = await send(formOf({ purpose: 'user_data', file: new Blob(['<script>']) }, name || 'file'));
    const { id, filename } = (await reply.json()) as { id: string; filename: string };
    expect(filename).not.toMatch(/[\\/\r\n]|^\.*$/);
    expect(filename.length).toBeLessThanOrEqual(255);
    const { headers } = await openai.files.content(id);
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[\w.\- ]+"; filename\*=UTF-8''[\w.%-]+$/,
    );
    expect(headers.get('set-cookie')).toBeNull();
    await openai.files.delete(id);
  }
  for (const [type, text] of [
    ['text/html', '<!doctype html><script>alert(1)</script>'],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ['image/png', 'no picture at all'],
  ] as const) {
    const reply = await send(formOf({ purpose: 'vision', file: new Blob([text], { type }) }));
    const { id } = (await reply.json()) as { id: string };
    const { headers } = await openai.files.content(id);
    expect(headers.get('content-type')).toMatch(/^(?:application\/octet-stream|text\/plain)$/);
    await openai.files.delete(id);
  }
});

it('says what is wrong with an upload, and keeps nothing of it', async () => {
  const file = new Blob(['High tide.']);
  for (const [form, status, words] of [
    [formOf({ file }), 400, 'purpose is missing'],
    [formOf({ file, purpose: 'world_peace' }), 400, "purpose is 'world_peace'"],
    [formOf({ purpose: 'batch' }), 400, 'no file in the field file'],
    [formOf({ document: file, purpose: 'batch' }), 400, 'send the file in the field file'],
    [formOf({ file, purpose: 'batch', 'expires_after[seconds]': '60' }), 400, 'expires_after[seconds]'],
    [formOf({ file, purpose: 'batch', 'expires_after[anchor]': 'now' }), 400, 'expires_after[anchor]'],
    [formOf({ purpose: 'batch', file: new Blob([Buffer.alloc(4 * 1024 * 1024 + 1)]) }), 413, 'larger than 4 MB'],
  ] as const) {
    const reply = await send(form);
    const text = await reply.text();
    expect([reply.status, text]).toEqual([status, expect.stringContaining(words)]);
  }
  const json = await send('{}', { 'content-type': 'application/json' });
  expect(json.status).toBe(415);
  expect((await openai.files.list()).data).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

it('an owner has so much room, and what is deleted gives it back', async () => {
  const form = () => formOf({ purpose: 'user_data', file: new Blob([Buffer.alloc(4 * 1024 * 1024 - 1024)]) });
  for (let at = 0; at < 4; at++) expect((await send(form())).status).toBe(200);
  const refused = await send(form());
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('delete files')]);
  const { data } = await openai.files.list();
  await openai.files.delete(data[0]?.id ?? '');
  expect((await send(form())).status).toBe(200);
  await removeAll(openai);
  const small = () => send(formOf({ purpose: 'user_data', file: new Blob(['x']) }));
  const replies = await Promise.all(Array.from({ length: 20 }, small));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(12);
  await removeAll(openai);
  expect(readdirSync(folder)).toEqual([]);
});

it('an upload that breaks off leaves nothing', async () => {
  const head = `POST /v1/files HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${gateway.liveKey}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 100000\r\n\r\n`;
  const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(`${head}${part}${'x'.repeat(50_000)}`);
  await until(() => readdirSync(folder).length === 1);
  socket.destroy();
  await until(() => readdirSync(folder).length === 0);
  expect((await openai.files.list()).data).toEqual([]);
});

it('expired files vanish, and what a killed process left goes with them', async () => {
  const { id } = await openai.files.create({
    file: await toFile(PNG, 'a.png'),
    purpose: 'vision',
    expires_after: { anchor: 'created_at', seconds: 3600 },
  });
  const { store } = gateway.server.parts;
  const [tenant] = [{ ownerId: 1, mode: 'live' as const }];
  const left = { id: 'file-gwleft', location: 'left.bin', size: 5, createdAt: now, expiresAt: now + 1000, ...tenant };
  await store.uploadedFiles.begin(left, { bytes: 1e9, files: 1e9 }, now);
  now += 3_600_000;
  await expect(openai.files.retrieve(id)).rejects.toThrow(NotFoundError);
  const taken = await store.files.expired(now, 100);
  expect(taken.map((file) => file.id)).toEqual(expect.arrayContaining([id, left.id]));
  expect(taken.find((file) => file.id === left.id)?.location).toBe('left.bin');
  expect(readdirSync(folder)).toEqual([taken.find((file) => file.id === id)?.location]);
});
