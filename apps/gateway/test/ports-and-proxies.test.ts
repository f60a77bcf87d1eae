/** What is served where, and whose address counts. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestGateway, type TestGateway, type TestGatewayOptions } from '@model-gateway/testing';
import { pino } from 'pino';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { faultLine } from '../src/config/fault.ts';

let gateway: TestGateway | undefined;
afterEach(() => gateway?.close());

const METRICS_KEY = 'metrics-0123456789abcdef';
const open = async (options: TestGatewayOptions): Promise<TestGateway> => (gateway = await openTestGateway(options));
const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });

describe('metrics', () => {
  it('are on the admin port where there is one, and not on the public one', async () => {
    const { url, server } = await open({ server: 'admin_port: 0' });
    expect(server.adminUrl).not.toBe(url);
    expect((await get(`${server.adminUrl}/metrics`)).status).toBe(200);
    expect((await get(`${url}/metrics`)).status).toBe(404);
    for (const path of ['/healthz', '/readyz', '/openapi.json'])
      for (const each of [url, server.adminUrl]) expect((await get(`${each}${path}`)).status).toBe(200);
  });

  it('ask for their key where they have one, and for no other', async () => {
    const { url, adminKey, liveKey } = await open({ env: { GATEWAY_METRICS_KEY: METRICS_KEY } });
    const status = async (key?: string): Promise<number> =>
      (await get(`${url}/metrics`, key === undefined ? {} : { authorization: `Bearer ${key}` })).status;
    expect(await status(METRICS_KEY)).toBe(200);
    for (const key of [undefined, adminKey, liveKey, `${METRICS_KEY}0`, METRICS_KEY.slice(1)])
      expect(await status(key)).toBe(401);
  });

  it('are closed where other machines reach the port and there is no key, until an operator opens them', async () => {
    const { lines, log } = linesOf();
    const closed = await open({ env: { HOST: '0.0.0.0' }, log });
    for (let turn = 0; turn < 3; turn++) {
      const reply = await get(`${closed.url}/metrics`, { authorization: `Bearer ${closed.adminKey}` });
      expect(reply.status).toBe(401);
      expect(await reply.text()).toContain('GATEWAY_METRICS_KEY');
    }
    expect(lines.filter((line) => line.includes('the metrics are closed'))).toHaveLength(1);
    await closed.close();
    const opened = await open({ env: { HOST: '0.0.0.0', GATEWAY_METRICS_KEY: 'none' } });
    expect((await get(`${opened.url}/metrics`)).status).toBe(200);
    await opened.close();
    const { url } = await open({ env: { HOST: '0.0.0.0' }, server: `metrics_key: ${METRICS_KEY}` });
    expect((await get(`${url}/metrics`)).status).toBe(401);
    expect((await get(`${url}/metrics`, { authorization: `Bearer ${METRICS_KEY}` })).status).toBe(200);
  });

  it.each([
    ['127.0.0.1', 'open'],
    ['127.8.8.8', 'open'],
    ['::1', 'open'],
    ['localhost', 'open'],
    ['0.0.0.0', 'closed'],
    ['::', 'closed'],
    ['192.168.0.2', 'closed'],
    ['localhost.example.com', 'closed'],
    ['gateway', 'closed'],
  ])('on %s without a key they are %s', (HOST, metrics) => {
    expect(readConfig({ HOST }).server.metrics).toBe(metrics);
  });

  it('have one label for whatever path is asked for', async () => {
    const { url } = await open({});
    for (let at = 0; at < 300; at++) await get(`${url}/${at % 2 === 0 ? 'v1/' : ''}unknown-${at}`);
    const page = await (await get(`${url}/metrics`)).text();
    const routes = new Set([...page.matchAll(/gateway_requests_total\{route="([^"]*)"/g)].map(([, route]) => route));
    expect([...routes]).toEqual(['unmatched']);
  });
});

it('a long path is cut in the log, and a short one is whole', async () => {
  const { lines, log } = linesOf();
  const { url } = await open({ log });
  for (const path of ['/v1/models', `/${'x'.repeat(8_000)}`]) await (await get(`${url}${path}`)).arrayBuffer();
  const paths = lines.map((line) => (JSON.parse(line) as { path?: string }).path).filter(Boolean);
  expect(paths).toEqual(['/v1/models', `/${'x'.repeat(255)}…`]);
});

describe('the address of a caller', () => {
  const KEYS = '  - { name: ranged, key: sk-ranged-0123456789abcdef, owner: 3, ip_ranges: [203.0.113.0/24] }';
  const ranged = { authorization: 'Bearer sk-ranged-0123456789abcdef' };

  it('is the socket’s, whatever a header says', async () => {
    const { url } = await open({ keys: KEYS });
    const said = await get(`${url}/v1/models`, { ...ranged, 'x-forwarded-for': '203.0.113.9' });
    expect(said.status).toBe(403);
  });

  it('of a proxy on the same machine is told to the operator, once', async () => {
    const { lines, log } = linesOf();
    const { url } = await open({ keys: KEYS, log });
    for (let turn = 0; turn < 3; turn++) await get(`${url}/v1/models`, { ...ranged, 'x-forwarded-for': '203.0.113.9' });
    const warnings = lines.filter((line) => line.includes('GATEWAY_TRUSTED_PROXIES'));
    expect(warnings.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: 40, proxy: '127.0.0.1' }]);
  });

  it('is what a proxy that a variable names says, over the file', async () => {
    const { url } = await open({
      keys: KEYS,
      server: "trusted_proxies: ['192.0.2.1']",
      env: { GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' },
    });
    expect((await get(`${url}/v1/models`, { ...ranged, 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
  });

  it('is what a proxy of the operator’s own says, in the log too', async () => {
    const { lines, log } = linesOf();
    const { url } = await open({ keys: KEYS, server: "trusted_proxies: ['127.0.0.0/8', '::1']", log });
    const status = async (forwarded: string): Promise<number> =>
      (await get(`${url}/v1/models`, { ...ranged, 'x-forwarded-for': forwarded })).status;
    expect(await status('203.0.113.9')).toBe(200);
    expect(await status('203.0.113.9, 127.0.0.5')).toBe(200);
    // To the left of the proxy's word stands what the caller wrote.
    expect(await status('203.0.113.9, 198.51.100.1')).toBe(403);
    const seen = lines.map((line) => (JSON.parse(line) as { address?: string }).address).filter(Boolean);
    expect(seen).toEqual(['203.0.113.9', '203.0.113.9', '198.51.100.1']);
  });

  it('is limited by itself when it guesses keys, while those who have one go on', async () => {
    const { url, liveKey, otherKey } = await open({
      server: "trusted_proxies: ['127.0.0.1'], unknown_keys_per_minute: 5",
    });
    const status = async (key: string, from: string): Promise<number> =>
      (await get(`${url}/v1/models`, { authorization: `Bearer ${key}`, 'x-forwarded-for': from })).status;
    expect(await status(liveKey, '203.0.113.1')).toBe(200);
    const guesses = [];
    for (let guess = 0; guess < 8; guess++) guesses.push(await status(`sk-guess-${guess}`, '203.0.113.1'));
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(await status(liveKey, '203.0.113.1')).toBe(200);
    expect(await status(otherKey, '203.0.113.1')).toBe(200);
    expect(await status('sk-other', '203.0.113.2')).toBe(401);
  });

  it('is a fault of the configuration where a proxy is none', () => {
    const faults = (proxies: string, env: Record<string, string> = {}): readonly string[] => {
      try {
        readConfig({ GATEWAY_CONFIG: writeConfig(proxies), ...env });
        return [];
      } catch (error) {
        if (error instanceof ConfigError) return error.faults.map(faultLine);
        throw error;
      }
    };
    expect(faults("['10.0.0.0/8', '::1', 'fd00::/8']")).toEqual([]);
    expect(faults("['10.0.0.0/8', '10.0.0/33']")).toEqual([
      expect.stringMatching(/^server\.trusted_proxies\[1\]: expected an address or range.*gateway\.yaml:1:\d+\)$/),
    ]);
    expect(faults("['proxy.internal']")).toHaveLength(1);
    expect(faults('[]', { GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8, ::1' })).toEqual([]);
    expect(faults('[]', { GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8,balancer,' })).toEqual([
      "GATEWAY_TRUSTED_PROXIES: 'balancer' is no address or range such as 10.0.0.0/8",
      "GATEWAY_TRUSTED_PROXIES: '' is no address or range such as 10.0.0.0/8",
    ]);
  });
});

function linesOf() {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: pino(sink) };
}

function writeConfig(proxies: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'model-gateway-proxies-')), 'gateway.yaml');
  writeFileSync(file, `server: { trusted_proxies: ${proxies} }\n`);
  return file;
}
