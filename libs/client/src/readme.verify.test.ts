/** Every block of the README is run as it stands, against a running gateway, and type-checked. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestGateway, PIXEL, runPrograms, type ProgramOutcome, type TestGateway } from '@model-gateway/testing';

const project = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Inside the project, so that the package is found by its name; git does not see it. */
const folder = join(project, 'data/readme');

const blocks = [
  ...readFileSync(join(project, 'README.md'), 'utf8').matchAll(/^## (.+)$|^```ts\n([\s\S]+?)^```$/gm),
].reduce<{ heading: string; code: string }[]>((found, [, heading, code = '']) => {
  const last = found.at(-1)?.heading ?? '';
  return heading === undefined ? [...found, { heading: last, code }] : [...found, { heading, code: '' }];
}, []);
const examples = blocks
  .filter(({ code }) => code !== '')
  .map(({ heading, code }, index) => ({ name: `${index} ${heading}`, file: `example-${index}.ts`, code }));

let gateway: TestGateway;
let outcomes: ReadonlyMap<string, ProgramOutcome>;
beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, code } of examples) writeFileSync(join(folder, file), code);
  writeFileSync(join(folder, 'cat.png'), Buffer.from(PIXEL, 'base64'));
  gateway = await openTestGateway({
    twinOptions: { media: 'tiny', seconds: { video: 0.3, subject: 0.3, image: 0.1 } },
  });
  outcomes = await runAll();
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

/** All of the examples. */
async function runAll(): Promise<ReadonlyMap<string, ProgramOutcome>> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    MODEL_GATEWAY_URL: gateway.url,
    MODEL_GATEWAY_API_KEY: gateway.testKey,
    MODEL_GATEWAY_ADMIN_KEY: gateway.adminKey,
  };
  const files = examples.map(({ file }) => file);
  const run = await runPrograms(files, { folder, env });
  expect(run.stderr).toBe('');
  return run.outcomes;
}

describe('the README', () => {
  it.each(examples)('runs: $name', ({ file, code }) => {
    const { output, error } = outcomes.get(file) ?? { error: 'it never ended' };
    expect(error).toBeUndefined();
    expect(output).not.toContain('undefined');
    // The receiver of webhooks only waits.
    if (!code.includes('server.listen')) expect(output).not.toBe('');
  });

  it('has the right types', () => {
    const config = { extends: join(root, 'tsconfig.base.json'), include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder],
      {
        encoding: 'utf8',
      },
    );
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});
