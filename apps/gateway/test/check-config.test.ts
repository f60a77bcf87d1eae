/** What operators see of a configuration before and at the start: a process of its own, as they run it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gateway-check-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BAD = `accounts:
  - { id: 1, name: veo, vendor: veo, credentials: { api_key: k }, settings: { wir: kie } }
models:
  - { code: v, kind: video, body: omni, price: { second: 1 }, offers: [{ account: vea, model: foo }] }
`;
const WARNED = `accounts:
  - { id: 1, name: up, vendor: openai, credentials: { api_key: k } }
models:
  - { code: m, kind: chat, offers: [{ account: up, model: m, dialect: openai-chat }] }
`;

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}
async function run(line: readonly string[], yaml?: string): Promise<Said> {
  if (yaml !== undefined) writeFileSync(file, yaml);
  const child = spawn(process.execPath, ['--no-warnings', main, ...line], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...(yaml !== undefined && { GATEWAY_CONFIG: file }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, error }));
  });
}

it.each(['check-config', 'serve'])(
  '%s refuses what a vendor does not understand, and names every place',
  async (command) => {
    const { code, error } = await run([command], BAD);
    expect(code).toBe(command === 'serve' ? 78 : 1);
    expect(error).toContain(`${file} has 2 faults:`);
    expect(error).toContain(
      'accounts[0].settings.wir: unknown setting; veo knows wire, project, location (did you mean wire?)',
    );
    expect(error).toContain(
      "models[0].offers[0].account: there is no account 'vea' (did you mean veo?) (line 4, column 74)",
    );
  },
);

it('says faults to programs, too', async () => {
  const { code, out } = await run(['check-config', '--json'], BAD);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    faults: [expect.stringMatching(/^accounts\[0\]\.settings\.wir: /), expect.stringMatching(/^models\[0\]/)],
  });
});

it('warns, and with --strict refuses', async () => {
  const warning = 'models[0].price: m has no price, so it costs nothing (line 4, column 5)';
  const lenient = await run(['check-config'], WARNED);
  expect(lenient).toMatchObject({ code: 0, error: '' });
  expect(lenient.out).toContain(`Warnings:\n  - ${warning}`);
  const strict = await run(['check-config', '--strict', '--json'], WARNED);
  expect(strict.code).toBe(1);
  expect(JSON.parse(strict.out)).toMatchObject({ ok: false, models: 1, warnings: [warning] });
});

it('finds the built-in catalogue good, strictly', async () => {
  const { code, out } = await run(['check-config', '--strict']);
  expect(code).toBe(0);
  expect(out).toContain('The built-in catalogue is good');
});
