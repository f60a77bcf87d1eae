/** The admin key: long enough or no start, rotated by whoever has the machine, shown once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GATEWAY_PROGRAM, startGatewayProcess } from '@model-gateway/testing';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-admin-key-'));
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function gateway(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--no-warnings', GATEWAY_PROGRAM, ...args], {
    env: { PATH: process.env['PATH'] ?? '', GATEWAY_CONFIG: join(folder, 'gateway.yaml'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, error };
}

it.each([
  { name: 'of one character', key: 'x' },
  { name: 'one too short', key: 'a'.repeat(23) },
])('a key $name is a fault of the configuration, and is not repeated', async ({ key }) => {
  const ended = await gateway(['serve'], { GATEWAY_ADMIN_KEY: key });
  expect(ended).toMatchObject({ code: 78, out: '' });
  expect(ended.error).toContain(`GATEWAY_ADMIN_KEY: it has ${key.length} characters and needs 24 or more`);
  if (key.length > 1) expect(ended.error).not.toContain(key);
});

it('is rotated while the gateway runs: the new one is taken, the old one refused, and neither is written anywhere', async () => {
  const running = await startGatewayProcess({ folder, env: { GATEWAY_ADMIN_KEY: '' }, logLevel: 'warn' });
  try {
    const status = async (key: string): Promise<number> =>
      (await fetch(`${running.url}/admin/audit`, { headers: { authorization: `Bearer ${key}` } })).status;
    const rotated = await gateway(['admin-key', 'rotate']);
    expect(rotated).toMatchObject({ code: 0, error: '' });
    const [first = ''] = /admin-\S{43}/.exec(rotated.out) ?? [];
    const until = async (key: string, wanted: number): Promise<void> => {
      for (let turn = 0; turn < 600 && (await status(key)) !== wanted; turn++)
        await once(AbortSignal.timeout(100), 'abort');
      expect(await status(key)).toBe(wanted);
    };
    await until(first, 200);
    const { admin_key: second = '' } = JSON.parse((await gateway(['admin-key', 'rotate', '--json'])).out) as {
      admin_key?: string;
    };
    expect(second).not.toBe(first);
    await until(second, 200);
    expect(await status(first)).toBe(401);

    const audit = await (
      await fetch(`${running.url}/admin/audit`, { headers: { authorization: `Bearer ${second}` } })
    ).text();
    expect(audit.match(/admin-key\.rotate/g)).toHaveLength(2);
    for (const secret of [first, second]) {
      expect(audit).not.toContain(secret);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      for (const each of files) expect(readFileSync(join(each.parentPath, each.name)).includes(secret)).toBe(false);
    }
  } finally {
    await running.kill();
  }
});

it('is not rotated where the environment has it: that is said, and nothing is changed', async () => {
  const ended = await gateway(['admin-key', 'rotate'], { GATEWAY_ADMIN_KEY: 'admin-of-the-operator-0123456789' });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.error).toContain('GATEWAY_ADMIN_KEY');
});
