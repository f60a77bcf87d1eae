/** `gateway files`: up, listed, down, gone. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand, type Said } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-files-'));
const path = join(folder, 'lines.jsonl');
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
  writeFileSync(path, '{"custom_id":"1"}\n');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});
const run = (...line: readonly string[]): Promise<Said> =>
  runCommand(['files', ...line], {
    env: { MODEL_GATEWAY_URL: gateway.url, MODEL_GATEWAY_API_KEY: gateway.testKey },
  });

it('uploads, lists, downloads and deletes a file', async () => {
  expect((await run('list')).out).toBe('There are no such files.\n');
  const made = JSON.parse((await run('upload', path, '--purpose', 'batch', '--days', '2', '--json')).out) as {
    readonly id: string;
    readonly created_at: number;
    readonly expires_at: number;
  };
  expect(made).toMatchObject({ filename: 'lines.jsonl', bytes: 18, purpose: 'batch' });
  expect(made.expires_at - made.created_at).toBe(2 * 24 * 3600);
  expect((await run('list', '--purpose', 'batch')).out).toContain(made.id);
  expect((await run('list', '--purpose', 'vision', '--json')).out).toBe('[]\n');
  const out = join(folder, 'back.jsonl');
  expect((await run('download', made.id, '-o', out)).out).toBe(`${out}\n`);
  expect(readFileSync(out, 'utf8')).toBe('{"custom_id":"1"}\n');
  expect((await run('delete', made.id)).out).toBe(`${made.id} is deleted.\n`);
  const again = await run('download', made.id, '-o', out);
  expect(again.code).toBe(1);
  expect(again.error).toContain('here is no file');
  expect((await run('upload', join(folder, 'none'))).error).toContain('cannot be read');
});

it('the client: a stream of pages, bytes and facts', async () => {
  const client = createClient({ baseUrl: gateway.url, apiKey: gateway.liveKey });
  for (const text of ['one', 'two', 'three'])
    await client.files.create({ file: { data: new Blob([text]), name: `${text}.txt` }, purpose: 'user_data' });
  const found = await client.files.list({ limit: 2 }).all();
  expect(found.map(({ filename }) => filename).toSorted()).toEqual(['one.txt', 'three.txt', 'two.txt']);
  const [first] = found;
  const content = await client.files.content(first?.id ?? '');
  expect(Buffer.from(await content.bytes()).toString()).toBe(first?.filename.replace('.txt', ''));
  expect(await client.files.get(first?.id ?? '')).toEqual(first);
  expect(await client.files.delete(first?.id ?? '')).toMatchObject({ deleted: true });
});
