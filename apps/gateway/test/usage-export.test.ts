/** Usage rows in a bucket: every charge in exactly one file, once, whoever writes and whatever fails between. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ChargeRecord, Store } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import { describeDatabases, openTestGateway } from '@model-gateway/testing';
import { createBlobS3 } from '../src/server/blob-s3.ts';
import { createUsageExport, type UsageExport } from '../src/telemetry/usage-export.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 22, 10);

/** A bucket on a socket; signatures are looked at elsewhere (blob-s3.test.ts). */
const files = new Map<string, Buffer>();
let puts: string[] = [];
let answers: ('fail' | 'ok')[] = [];
let bucket: Server;
let endpoint = '';
beforeAll(async () => {
  bucket = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const name = decodeURIComponent(request.url ?? '').replace('/usage-bucket/', '');
      puts.push(name);
      const isBad = answers.shift() === 'fail';
      if (!isBad) files.set(name, Buffer.concat(chunks));
      response.writeHead(isBad ? 503 : 200).end();
    });
  });
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  endpoint = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
});
afterAll(() => {
  bucket.closeAllConnections();
  bucket.close();
});
beforeEach(() => {
  files.clear();
  puts = [];
  answers = [];
});

const s3 = { bucket: 'usage-bucket', access_key: 'a', secret_key: 's' };
const linesOf = (name: string): readonly Record<string, unknown>[] =>
  gunzipSync(files.get(name) ?? Buffer.alloc(0))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const exported = (): readonly unknown[] =>
  [...files.keys()].flatMap((name) => linesOf(name).map((line) => line['request_id']));

describeDatabases(
  'usage export',
  (url) => openStore(url),
  ({ store, replica }) => {
    /** Each test has days of its own: the table of files is shared. */
    let day = 0;
    let clock = 0;
    let ownerId = 0;
    let last = 0;
    beforeEach(async () => {
      clock = START + ++day * 100 * 24 * HOUR;
      ownerId = (await store().owners.create({ name: `owner ${day}`, group: 'default' }, 0)).id;
    });
    const open = (over: Store, process: string): UsageExport =>
      createUsageExport({
        store: over.usageExports,
        bucket: (folder) => createBlobS3({ bucket: { ...s3, endpoint, prefix: `u/${folder}` }, now: () => clock }),
        everyMs: HOUR,
        process,
        now: () => clock,
        log: { info: () => undefined, warn: () => undefined },
        meter: { count: () => undefined },
      });
    const charge = async (at: number, given: Partial<ChargeRecord> = {}): Promise<string> => {
      const requestId = `request ${day} ${++last}`;
      await store().ledger.record([
        {
          payer: { ownerId, keyId: 7, limits: {} },
          requestId,
          model: 'gpt-5.2',
          endpoint: '/v1/chat/completions',
          accountId: 3,
          charged: 250,
          shortfall: 0,
          priceVersion: 'v1',
          detail: { usage: { inputTokens: 5, outputTokens: 6, images: 1 } },
          at,
          ...given,
        },
      ]);
      return requestId;
    };

    it('an hour is a file, a charge a line', async () => {
      const exporting = open(store(), 'one');
      await exporting.run();
      const usage = { inputTokens: 5, outputTokens: 6, images: 1 };
      const identity = { user: 'u-42', session: 's-1', run: 'nightly' };
      const first = await charge(clock, { detail: { usage, tags: { project: 'p' }, identity } });
      clock += HOUR;
      const second = await charge(clock);
      expect(await exporting.run()).toBe(2);
      const date = new Date(clock).toISOString().slice(0, 10);
      expect([...files.keys()].sort()).toEqual([`u/${date}/10.ndjson.gz`, `u/${date}/11.ndjson.gz`]);
      expect(linesOf(`u/${date}/10.ndjson.gz`)).toEqual([
        {
          id: expect.any(Number),
          at: `${date}T10:00:00.000Z`,
          request_id: first,
          task_id: null,
          owner_id: ownerId,
          key_id: 7,
          mode: 'live',
          model: 'gpt-5.2',
          endpoint: '/v1/chat/completions',
          account_id: 3,
          input_tokens: 5,
          output_tokens: 6,
          usage,
          charged_units: 250,
          charged_dollars: 0.0005,
          shortfall_units: 0,
          price_version: 'v1',
          tags: { project: 'p' },
          ...identity,
        },
      ]);
      expect(linesOf(`u/${date}/11.ndjson.gz`)).toMatchObject([{ tags: {}, user: null, session: null, run: null }]);
      expect(exported()).toEqual([first, second]);
    });

    it('what has not changed is not written again; what came late is, in its own hour', async () => {
      const exporting = open(store(), 'one');
      await exporting.run();
      const early = await charge(clock + 5);
      clock += 3 * HOUR;
      expect(await exporting.run()).toBe(1);
      expect(await exporting.run()).toBe(0);
      const late = await charge(clock - 3 * HOUR + 2);
      expect(await exporting.run()).toBe(1);
      expect(new Set(puts).size).toBe(1);
      expect(exported()).toEqual([early, late]);
    });

    it('two processes write each hour once', async () => {
      const [one, two] = [open(store(), 'one'), open(replica(), 'two')];
      await one.run();
      const asked: string[] = [];
      for (let hour = 0; hour < 6; hour++) asked.push(await charge(clock + hour * HOUR));
      clock += 6 * HOUR;
      const counts = await Promise.all([one.run(), two.run()]);
      expect(counts[0] + counts[1]).toBeGreaterThanOrEqual(6);
      expect(exported().toSorted()).toEqual(asked.toSorted());
      expect(await one.run()).toBe(0);
    });

    it('a bucket that refuses loses nothing and holds no claim', async () => {
      const exporting = open(store(), 'one');
      await exporting.run();
      const asked = [await charge(clock), await charge(clock + HOUR)];
      clock += 2 * HOUR;
      answers = ['ok', 'fail'];
      await expect(exporting.run()).rejects.toThrow('503');
      expect(exporting.lagMs()).toBe(2 * HOUR);
      expect(await open(replica(), 'two').run()).toBe(1);
      expect(exported()).toEqual(asked);
    });

    it('a process that died while it wrote is relieved when its claim has run out', async () => {
      await open(store(), 'one').run();
      const asked = await charge(clock);
      const hour = clock - (clock % HOUR);
      expect(await store().usageExports.claim(hour, { process: 'dead', until: clock + 60_000, now: clock })).toBe(true);
      const two = open(replica(), 'two');
      expect(await two.run()).toBe(0);
      clock += 60_001;
      expect(await two.run()).toBe(1);
      expect(exported()).toEqual([asked]);
      // What it would still write down counts no more.
      expect(await store().usageExports.finish(hour, 'dead', { rows: 0, lastEntry: 0 }, clock)).toBe(false);
    });

    it('many rows of one hour are one file', async () => {
      const exporting = open(store(), 'one');
      await exporting.run();
      const payer = { ownerId: -ownerId, keyId: 7, limits: {} };
      await store().owners.ensure({ id: -ownerId, name: 'test', group: 'default' }, 0);
      const charges = Array.from({ length: 4_500 }, (_, index) => ({
        payer,
        requestId: `many ${day} ${index}`,
        model: 'm',
        endpoint: '/e',
        charged: 0,
        shortfall: 0,
        priceVersion: 'v1',
        detail: {},
        at: clock,
      }));
      for (let at = 0; at < charges.length; at += 500) await store().ledger.record(charges.slice(at, at + 500));
      expect(await exporting.run()).toBe(1);
      const lines = linesOf([...files.keys()][0] ?? '');
      expect([lines.length, new Set(lines.map(({ request_id }) => request_id)).size]).toEqual([4_500, 4_500]);
      expect(lines[0]).toMatchObject({ mode: 'test', owner_id: ownerId });
    });
  },
);

it('runs in the gateway, by its configuration', async () => {
  const gateway = await openTestGateway({
    yaml: `usage_export: { s3: { endpoint: '${endpoint}', bucket: usage-bucket, access_key: a, secret_key: s, prefix: billing }, every_minutes: 1 }`,
  });
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(page).toMatch(/^gateway_usage_export_lag_seconds \d/m);
  await gateway.close();
});
