/** Kept files in a bucket: a small strict S3 on loopback works out every signature again from AWS's specification. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { startVendorTwin } from '@model-gateway/vendor-twin';
import { pino } from 'pino';
import { readConfig } from '../src/config/config.ts';
import { createBlobS3 } from '../src/server/blob-s3.ts';
import { startServer } from '../src/server/gateway-server.ts';

const ACCESS = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const KEY = 'sk-live-bucket-0123456789abcdef';
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-s3-'));
const spoolFolder = mkdtempSync(join(tmpdir(), 'model-gateway-spool-'));
const objects = new Map<string, { readonly mime: string; readonly bytes: Buffer }>();
const asked: { readonly method: string; readonly key: string }[] = [];
let bucket: Server;
let endpoint: string;
let ignoreRange = false;

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

interface Signed {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  readonly region: string;
}

/** "Signature calculation for the Authorization header" of the S3 API reference. */
function signatureOf({ method, path, query = '', headers, names, region }: Signed): string {
  const date = headers['x-amz-date'] ?? '';
  const canonical = [
    method,
    path,
    query,
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = [region, 's3', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${SECRET}`, date.slice(0, 8)));
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const headers = request.headers as Record<string, string>;
  const { method = '', url: path = '' } = request;
  const [, scope = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      headers['authorization'] ?? '',
    ) ?? [];
  const names = signed.split(';');
  const [access, , region = ''] = scope.split('/');
  const right =
    access === ACCESS &&
    region === 'eu-test-1' &&
    ['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.includes(name)) &&
    headers['x-amz-content-sha256'] === sha256(bytes) &&
    signature === signatureOf({ method, path, headers, names, region });
  const end = (status: number, more: Record<string, string | number> = {}, body: Buffer = Buffer.alloc(0)): void => {
    response.writeHead(status, { 'content-length': body.length, ...more }).end(body);
  };
  if (!right) return end(403);
  const key = decodeURIComponent(path.replace('/films/', ''));
  asked.push({ method, key });
  if (method === 'PUT') {
    if (headers['content-length'] === undefined || headers['transfer-encoding'] !== undefined) return end(411);
    objects.set(key, { mime: headers['content-type'] ?? '', bytes });
    return end(200);
  }
  if (method === 'DELETE') {
    objects.delete(key);
    return end(204);
  }
  const object = objects.get(key);
  if (object === undefined) return end(404);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? [];
  if (first === undefined || ignoreRange) return end(200, {}, object.bytes);
  return end(206, {}, object.bytes.subarray(Number(first), Number(last) + 1));
}

const blobs = (secret = SECRET) =>
  createBlobS3({
    bucket: {
      endpoint,
      bucket: 'films',
      region: 'eu-test-1',
      access_key: ACCESS,
      secret_key: secret,
      prefix: 'a b+c/',
    },
    now: Date.now,
    spoolFolder,
  });
async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('cut');
}

beforeAll(async () => {
  bucket = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  endpoint = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
});
beforeEach(() => {
  ignoreRange = false;
  asked.length = 0;
});
afterAll(() => {
  bucket.closeAllConnections();
  bucket.close();
  for (const each of [folder, spoolFolder]) rmSync(each, { recursive: true, force: true });
});

it("AWS's published example comes out of the reckoning this test trusts", () => {
  // S3 API reference, "Examples: signature calculations", GET object.
  const headers = {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': sha256(''),
    'x-amz-date': '20130524T000000Z',
  };
  const names = Object.keys(headers);
  expect(signatureOf({ method: 'GET', path: '/test.txt', headers, names, region: 'us-east-1' })).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

it('puts with length and hash, opens parts, removes twice, and leaves no temporary file', async () => {
  const { location, size } = await blobs().put('x1.mp4', 'video/mp4', parts('hello ', 'world'));
  expect({ location, size }).toEqual({ location: 'a b+c/x1.mp4', size: 11 });
  expect(objects.get('a b+c/x1.mp4')).toEqual({ mime: 'video/mp4', bytes: Buffer.from('hello world') });
  const chunks: Uint8Array[] = [];
  for await (const chunk of await blobs().open(location, { first: 4, last: 8 })) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('o wor');
  await blobs().remove(location);
  await blobs().remove(location);
  expect(objects.size).toBe(0);
  await expect(blobs().open(location, { first: 0, last: 1 })).rejects.toMatchObject({ code: 'not_found' });
  expect(readdirSync(spoolFolder)).toEqual([]);
});

it('sends nothing of a file that breaks off, and nothing outside of its prefix', async () => {
  await expect(blobs().put('x2.mp4', 'video/mp4', broken())).rejects.toThrow('cut');
  await expect(blobs().put('../x.mp4', 'video/mp4', parts('x'))).rejects.toThrow('not the key');
  await expect(blobs().remove('other/x.mp4')).rejects.toThrow('not the key');
  expect(asked).toEqual([]);
  expect(readdirSync(spoolFolder)).toEqual([]);
});

it('a refused signature and a store that ignores Range are faults without secrets', async () => {
  const wrong = await blobs('not the secret').put('x3.mp4', 'video/mp4', parts('x')).catch(String);
  expect(wrong).toContain('answered 403');
  expect(wrong).not.toContain('secret');
  const { location } = await blobs().put('x4.mp4', 'video/mp4', parts('hello world'));
  ignoreRange = true;
  await expect(blobs().open(location, { first: 1, last: 2 })).rejects.toMatchObject({ code: 'upstream_unavailable' });
  await blobs().remove(location);
});

it('a finished film is copied, and its result_url is a link of ours that plays without a key', async () => {
  let now = Date.now();
  const clock = (): number => now;
  const twin = await startVendorTwin({ media: 'tiny', clock });
  const file = join(folder, 'gateway.yaml');
  writeFileSync(
    file,
    `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { copy_results: true, keep_hours: 2, s3: { endpoint: '${endpoint}', bucket: films, region: eu-test-1, access_key: ${ACCESS}, secret_key: ${SECRET}, prefix: kept/ } }
keys: [{ name: one, key: ${KEY} }]
`,
  );
  const config = readConfig({ GATEWAY_CONFIG: file });
  const server = await startServer({ config, now: clock, twin, pollTasks: false, log: pino({ level: 'silent' }) });
  try {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'a boat' }] });
    const created = await fetch(`${server.url}/v1/video/generations`, { method: 'POST', headers, body });
    const { task_id: id } = (await created.json()) as { task_id: string };
    now += 120_000;
    await server.tasks.runDue();
    const record = await fetch(`${server.url}/v1/video/generations/${id}`, { headers });
    const { data } = (await record.json()) as { data: JsonObject };
    expect(data).toMatchObject({ status: 'SUCCESS' });
    const link = data['result_url'] as string;
    expect(link.startsWith(server.url)).toBe(true);
    const played = await fetch(link, { headers: { range: 'bytes=4-7' } });
    expect([played.status, played.headers.get('content-type')]).toEqual([206, 'video/mp4']);
    // Every MP4 begins with its length and `ftyp`.
    expect(await played.text()).toBe('ftyp');
    expect([...objects.keys()].every((key) => key.startsWith('kept/'))).toBe(true);
    expect(objects.size).toBeGreaterThan(0);
    const forged = await fetch(link.replace(/signature=./, 'signature=!'));
    expect(forged.status).toBe(401);
  } finally {
    await server.close();
    await twin.close();
  }
});
