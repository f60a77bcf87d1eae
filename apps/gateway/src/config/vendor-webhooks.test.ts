/** What the file says of vendors' webhooks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { configChanges } from './changes.ts';
import { readConfig, type Config } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-vendor-webhooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(yaml: string): Config {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  return readConfig({ GATEWAY_CONFIG: file });
}
const SET = "server: { public_url: 'https://gateway.example/ai/' }\ntasks: { vendor_webhooks: true }";

it('vendors are given no address unless somebody says so', () => {
  expect(read('{}').tasks.vendorWebhooks).toBe(false);
  expect(read(SET).tasks.vendorWebhooks).toBe(true);
});

it.each(['', "server: { public_url: 'http://gateway.example' }\n", 'server: { port: 8080 }\n'])(
  'the address must be said, and by https: %j',
  (server) => {
    expect(() => read(`${server}tasks: { vendor_webhooks: true }`)).toThrow(/server\.public_url.*https/s);
  },
);

it('a reload cannot change it', () => {
  expect(configChanges(read(SET), read(SET.replace('true', 'false'))).needRestart).toEqual(['tasks.vendor_webhooks']);
});
