/** What the gateway writes is for its own user: folders 0700, files 0600, whatever the umask it was started with. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LIVE_KEY, startGatewayProcess } from '@model-gateway/testing';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('database, kept files, twin and its media', async () => {
  chmodSync(folder, 0o755);
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: 'sqlite:./data/gateway.db' }
files: { folder: ./data/files }
keys: [{ name: one, key: ${LIVE_KEY} }]
`,
  );
  const open = process.umask(0);
  const gateway = await startGatewayProcess({ folder }).finally(() => process.umask(open));
  try {
    const reply = await fetch(`${gateway.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-image-2', prompt: 'a cat', response_format: 'url' }),
    });
    expect(reply.status).toBe(200);
    const names = readdirSync(join(folder, 'data'), { recursive: true }).map(String);
    expect(names).toEqual(expect.arrayContaining(['gateway.db', 'gateway.db-wal', 'gateway.db-lock', 'files', 'twin']));
    expect(names.filter((name) => name.startsWith('files/'))).toHaveLength(1);
    const openToOthers = ['.', ...names].filter((name) => (statSync(join(folder, 'data', name)).mode & 0o077) !== 0);
    expect(openToOthers).toEqual([]);
  } finally {
    await gateway.kill();
  }
});
