/** Who exports nothing pays for no exporter: which packages a gateway loads, by Node's own hooks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const HOOK = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  const name = /node_modules\\/((?:@opentelemetry\\/)?(?:exporter-\\w+-otlp-proto|sdk-trace|sdk-logs|otlp-[a-z-]+|pino-pretty))\\//.exec(url)?.[1];
  if (name !== undefined) process.stderr.write('loaded ' + name + '\\n');
  return next(url, context);
} });`;

async function loaded(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-loading-'));
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
  const child = spawn(process.execPath, ['--no-warnings', '--import', hook, MAIN, 'serve'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', GATEWAY_WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('listens on')) resolve();
    });
  });
  child.kill('SIGTERM');
  await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
  return [...new Set([...said.matchAll(/^loaded (\S+)$/gm)].map(([, name = '']) => name))].sort();
}

it('by default none is loaded', async () => {
  expect(await loaded({})).toEqual([]);
});

it('with a collector they are', async () => {
  // Nobody listens there: the start does not wait for it.
  const names = await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '100' });
  expect(names).toEqual(
    expect.arrayContaining([
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/sdk-logs',
      '@opentelemetry/sdk-trace',
    ]),
  );
});
