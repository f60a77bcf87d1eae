/** The embedded twin: what its mount lets through without a key, and when it runs at all. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { readConfig, startServer, type GatewayServer } from '../src/index.ts';

const LIVE = 'sk-live-twin-media-0123456789abcdef';
const TEST = 'sk-test-twin-media-0123456789abcdef';
const log = pino({ level: 'silent' });

/** A path as it is written: `fetch` would normalise it. */
function ask(url: string, path: string, method = 'GET'): Promise<{ readonly status: number; readonly type: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method }, (reply) => {
      reply.resume();
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, type: reply.headers['content-type'] ?? '' }));
    })
      .once('error', reject)
      .end();
  });
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-twin-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let runs = 0;
/** A gateway with its own twin, in a folder of its own. */
async function start(
  yaml: string,
  env: Record<string, string> = {},
  place = String(runs++),
): Promise<{ readonly server: GatewayServer; readonly media: () => string[] }> {
  const file = join(folder, `${place}.yaml`);
  const data = join(folder, place);
  writeFileSync(
    file,
    `server: { port: 0 }\ndatabase: { url: 'sqlite:${data}/gateway.db' }\nfiles: { folder: '${data}/files' }\n${yaml}`,
  );
  const server = await startServer({ config: readConfig({ GATEWAY_CONFIG: file, ...env }), now: Date.now, log });
  const media = (): string[] => {
    try {
      return readdirSync(join(data, 'twin', 'media'));
    } catch {
      return [];
    }
  };
  return { server, media };
}

describe('links to the twin’s media', () => {
  let gateway: Awaited<ReturnType<typeof start>>;
  let link: string;
  const keys = `keys: [{ name: one, key: ${LIVE} }]`;

  beforeAll(async () => {
    gateway = await start(keys, {}, 'links');
    const reply = await fetch(`${gateway.server.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LIVE}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'doubao-seedream-4-0', prompt: 'a cat', size: '2K' }),
    });
    const { data } = (await reply.json()) as { data: { url: string }[] };
    link = new URL(data[0]?.url ?? '').pathname;
  });
  afterAll(() => gateway.server.close());

  it('HEAD without a key makes nothing, however often', async () => {
    for (let count = 0; count < 12; count++)
      expect(await ask(gateway.server.url, link, 'HEAD')).toEqual({ status: 200, type: 'image/jpeg' });
    expect(gateway.media()).toEqual([]);
  });

  it('a spec of the caller’s own is not found, and nothing is made', async () => {
    const spec = { kind: 'image', width: 4096, height: 4096, format: 'png', text: 'mine', seed: 1 };
    const encoded = Buffer.from(JSON.stringify(spec)).toString('base64url');
    const [, signature = ''] = link.split('.');
    for (const name of [`${encoded}.png`, `${encoded}.${signature}.png`])
      for (const method of ['GET', 'HEAD'])
        expect((await ask(gateway.server.url, `/twin/media/${name}`, method)).status).toBe(404);
    expect(gateway.media()).toEqual([]);
  });

  // A vendor's route would answer in the vendor's words, with 401 or 405.
  it.each([
    '/twin/media/../openai/v1/models',
    '/twin/media/%2e%2e/openai/v1/models',
    '/twin/media/%2E%2E/anthropic/v1/models',
    '/twin/media/..%2fopenai/v1/models',
    '/twin/media/..\\openai\\v1\\models',
    '/twin/media\\..\\openai\\v1\\models',
    '/twin/media/x/../../vertex/token',
    '/twin/media/.%2e/openai/v1/models',
    '/twin/media//openai/v1/models',
    '/twin/./media/../openai/v1/models',
    '/twin/openai/v1/models',
    '/twin/media',
    '/twin',
  ])('%s is no address', async (path) => {
    expect((await ask(gateway.server.url, path)).status).toBe(404);
  });

  it('the link itself opens, without anything behind it, and after a restart too', async () => {
    expect((await ask(gateway.server.url, `${link}?x=1`)).status).toBe(404);
    expect((await ask(gateway.server.url, link)).status).toBe(200);
    await gateway.server.close();
    gateway = await start(keys, {}, 'links');
    expect(await ask(gateway.server.url, link)).toEqual({ status: 200, type: 'image/jpeg' });
  });
});

describe('the twin runs where it is needed', () => {
  const on = { OPENAI_API_KEY: 'sk-vendor-0123456789' };
  const keysOf = (...keys: string[]): string =>
    `keys: [${keys.map((key, index) => `{ name: k${index}, key: ${key} }`).join(', ')}]\n`;
  it.each([
    { name: 'no account is on', yaml: keysOf(LIVE), env: {}, runsHere: true },
    { name: 'an account is on, live keys only', yaml: keysOf(LIVE), env: on, runsHere: false },
    { name: 'an account is on, a test key too', yaml: keysOf(LIVE, TEST), env: on, runsHere: true },
    { name: 'an account is on, no key yet: a test key is about to be made', yaml: '', env: on, runsHere: true },
    { name: 'asked for', yaml: `${keysOf(LIVE)}twin: { enabled: true }`, env: on, runsHere: true },
    { name: 'refused', yaml: `${keysOf(LIVE, TEST)}twin: { enabled: false }`, env: on, runsHere: false },
  ])('$name: $runsHere', async ({ yaml, env, runsHere }) => {
    const { server } = await start(yaml, env);
    try {
      expect(server.catalogue().accounts.some(({ twin }) => twin)).toBe(runsHere);
    } finally {
      await server.close();
    }
  });

  it('a test key in the database counts, a revoked one does not', async () => {
    const first = await start(keysOf(LIVE, TEST), on, 'again');
    await first.server.close();
    // No longer declared: revoked.
    const second = await start(keysOf(LIVE), on, 'again');
    await second.server.close();
    const third = await start(keysOf(LIVE), on, 'again');
    expect(third.server.catalogue().accounts.some(({ twin }) => twin)).toBe(false);
    await third.server.close();
    expect(second.server.catalogue().accounts.some(({ twin }) => twin)).toBe(true);
  });
});
