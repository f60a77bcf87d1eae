/** Answers that are given before the body was read reach who is still sending it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayProcess, type GatewayProcess } from '@model-gateway/testing';
import OpenAI, { APIError, toFile } from 'openai';

const MB = 1024 * 1024;
const BODY_LIMIT = 8 * MB;
const PIECE = 64 * 1024;
const KEY = 'sk-test-early-answers-0123456789';
const SLOW_KEY = 'sk-test-early-limited-0123456789';

let gateway: GatewayProcess;
const folder = mkdtempSync(join(tmpdir(), 'early-answers-'));

beforeAll(async () => {
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0, body_limit: ${BODY_LIMIT} }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
keys:
  - { name: early, key: ${KEY}, owner: 1 }
  - { name: limited, key: ${SLOW_KEY}, owner: 1, limits: { requests_per_minute: 1 } }
`,
  );
  gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
});
afterAll(async () => {
  await gateway.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends all of a body, chunked unless its length is among the headers, and only then looks at what was answered. */
async function sendWhole(path: string, headers: Record<string, string>, size: number): Promise<string> {
  const announced = headers['content-length'] !== undefined;
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  const failed = new Promise<never>((_resolve, reject) => socket.once('error', reject));
  const head = { host: 'localhost', ...headers, ...(!announced && { 'transfer-encoding': 'chunked' }) };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const data = 'a'.repeat(PIECE);
  const piece = announced ? data : `${PIECE.toString(16)}\r\n${data}\r\n`;
  for (let sent = 0; sent < size; sent += PIECE)
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), failed]);
  if (!announced) socket.write('0\r\n\r\n');
  let text = '';
  while (!text.includes('\r\n\r\n') || !text.endsWith('}')) {
    const [chunk] = (await Promise.race([once(socket, 'data'), failed])) as [Buffer];
    text += chunk.toString('latin1');
  }
  socket.destroy();
  return text.slice(0, text.indexOf('\r\n'));
}

describe('a form with a wrong key', () => {
  it.each([
    { times: 150, size: 5_000 },
    { times: 20, size: 5_000_000 },
  ])(
    'is told so by the official SDK, $times of $times times with $size bytes',
    async ({ times, size }) => {
      const client = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${gateway.url}/v1`, maxRetries: 0 });
      const picture = Buffer.alloc(size, 7);
      const seen: Record<string, number> = {};
      for (let turn = 0; turn < times; turn++) {
        const image = await toFile(picture, 'a.png', { type: 'image/png' });
        const error: unknown = await client.images
          .edit({ model: 'gpt-image-1.5', prompt: 'A hat', image })
          .catch((thrown: unknown) => thrown);
        const told = error instanceof APIError ? String(error.status ?? error.message) : String(error);
        seen[told] = (seen[told] ?? 0) + 1;
      }
      expect(seen).toEqual({ 401: times });
    },
    120_000,
  );

  it('is told so when its length is announced', async () => {
    for (let turn = 0; turn < 40; turn++) {
      const reply = await fetch(`${gateway.url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-wrong', 'content-type': 'multipart/form-data; boundary=x' },
        body: Buffer.alloc(turn % 2 === 0 ? 5_000 : 2 * MB, 'a'),
      });
      expect(reply.status).toBe(401);
      await reply.text();
    }
  });
});

describe('who sends all of the body before looking at the answer', () => {
  const json = { 'content-type': 'application/json' };
  it.each([
    { status: 401, path: '/v1/chat/completions', headers: { ...json, authorization: 'Bearer sk-wrong' } },
    { status: 404, path: '/v1/nothing', headers: { ...json, authorization: `Bearer ${KEY}` } },
    { status: 405, path: '/v1/models', headers: { ...json, authorization: `Bearer ${KEY}` } },
    {
      status: 415,
      path: '/v1/chat/completions',
      headers: { 'content-type': 'text/x', authorization: `Bearer ${KEY}` },
    },
  ])('still gets the $status', async ({ status, path, headers }) => {
    for (let turn = 0; turn < 20; turn++) {
      expect(await sendWhole(path, headers, 3 * MB)).toContain(` ${status} `);
      const announced = { ...headers, 'content-length': String(3 * MB) };
      expect(await sendWhole(path, announced, 3 * MB)).toContain(` ${status} `);
    }
  });

  it('still gets the 413 of a body that is larger than what is taken', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const headers = { ...json, authorization: `Bearer ${KEY}` };
      expect(await sendWhole('/v1/chat/completions', headers, BODY_LIMIT + 3 * MB)).toContain(' 413 ');
      const announced = { ...headers, 'content-length': String(BODY_LIMIT + 3 * MB) };
      expect(await sendWhole('/v1/chat/completions', announced, BODY_LIMIT + 3 * MB)).toContain(' 413 ');
    }
  });

  it('still gets the 429 of a form over the limit', async () => {
    const headers = { authorization: `Bearer ${SLOW_KEY}`, 'content-type': 'multipart/form-data; boundary=x' };
    // The first one is let in, and is no form.
    expect(await sendWhole('/v1/images/edits', headers, 3 * MB)).toContain(' 400 ');
    for (let turn = 0; turn < 20; turn++)
      expect(await sendWhole('/v1/images/edits', headers, 3 * MB)).toContain(' 429 ');
  });
});

it('a body without an end is cut off, its answer having gone out', async () => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  let told = '';
  socket.on('data', (chunk: Buffer) => (told += chunk.toString('latin1')));
  // Cut off is how it is to end.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  const piece = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
  let sent = 0;
  while (!socket.destroyed) {
    if (socket.write(piece)) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    sent += piece.length;
    if (sent > 20 * BODY_LIMIT) break;
  }
  expect(told).toMatch(/^HTTP\/1\.1 401 /);
  expect(sent).toBeLessThan(8 * BODY_LIMIT);
});
