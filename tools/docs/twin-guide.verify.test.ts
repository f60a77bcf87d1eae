/** The guide on the twin, run: its programs by the test runners that they are for, its commands by a shell, its tables against the twin itself. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = readFileSync(join(root, 'docs/guides/twin.md'), 'utf8');
const GATEWAY = join(root, 'apps/gateway/bin/gateway.mjs');
/** Inside the workspace, so that packages are found; git does not see it. */
const folder = join(root, 'tools/docs/data/twin');
/** Another Python, such as one of a virtual environment with the SDKs. */
const PYTHON = process.env['PYTHON'] ?? 'python3';
const hasPytest = ((): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import openai, pytest'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
})();

/** Nothing of this process' own settings: a test runner in a test runner would find its parent's. */
const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: process.env['HOME'] };
const files = new Map(
  [...GUIDE.matchAll(/^```\w+ file="([^"]+)"\n([\s\S]+?)^```$/gm)].map(([, name = '', text = '']) => [name, text]),
);

let process_: ChildProcess;
let printed = '';
let url: string;
beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  // In the guide's place of `npx @model-gateway/gateway`.
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${GATEWAY}' "$@"\n`, {
    mode: 0o755,
  });
  process_ = spawn(process.execPath, [GATEWAY, 'twin', '--port', '0', '--video-seconds', '0.3'], { env });
  await new Promise<void>((resolve, reject) => {
    process_.stdout?.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes('_twin/faults')) resolve();
    });
    process_.once('exit', () => reject(new Error(`the twin did not start: ${printed}`)));
  });
  url = /listens on (\S+)/.exec(printed)?.[1] ?? '';
});
afterAll(async () => {
  const gone = once(process_, 'exit');
  process_.kill('SIGTERM');
  expect(await gone).toEqual([0, null]);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => fetch(`${url}/_twin/reset`, { method: 'POST' }));

/** A line of the guide in a shell, at the twin of this test. */
async function sh(line: string): Promise<string> {
  const here = line.replaceAll('http://127.0.0.1:9000', url);
  const { stdout } = await promisify(execFile)('sh', ['-c', here], {
    cwd: folder,
    env: { ...env, PATH: `${folder}:${env.PATH}` },
  });
  return stdout;
}

describe('the programs of the guide', () => {
  const beside = async (...command: readonly string[]): Promise<string> => {
    const line = [GATEWAY, 'twin', '--', ...command];
    const { stdout } = await promisify(execFile)(process.execPath, line, { cwd: folder, env });
    return stdout;
  };

  it('Vitest passes all of its tests', async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const said = await beside(process.execPath, vitest, 'run', '--root', folder, '--no-color');
    expect(said).toMatch(/Tests {2}5 passed \(5\)/);
  });

  (hasPytest ? it : it.skip)('pytest passes all of its tests', async () => {
    expect(await beside(PYTHON, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', folder)).toContain('4 passed');
  });

  it('a test that fails fails the command, with its exit code', async () => {
    await expect(beside(process.execPath, '-e', 'process.exit(7)')).rejects.toMatchObject({ code: 7 });
  });
});

describe('CI', () => {
  interface Step {
    readonly run?: string;
    readonly env?: Record<string, string>;
  }

  it('runs the tests in one step', async () => {
    const { steps } = (parse(files.get('test.yml') ?? '') as { jobs: { test: { steps: Step[] } } }).jobs.test;
    const line = steps.at(-1)?.run ?? '';
    expect(line).toContain('npx @model-gateway/gateway twin -- npm test');
    expect(await sh(line.replace('npm test', `sh -c 'echo $OPENAI_BASE_URL'`))).toMatch(
      /^http:\/\/127.0.0.1:\d+\/openai\/v1\n$/,
    );
  });

  it('waits for a twin in the background, which takes the key that is written there', async () => {
    const [start, wait, test] = (parse(files.get('steps.yml') ?? '') as { steps: [Step, Step, Step] }).steps;
    expect(start.run).toBe('npx @model-gateway/gateway twin --port 9000 &');
    expect(JSON.parse(await sh(wait.run ?? ''))).toMatchObject({ url });
    const asked = `curl -s ${test.env?.['OPENAI_BASE_URL']}/models -H 'authorization: Bearer ${test.env?.['OPENAI_API_KEY']}'`;
    expect(JSON.parse(await sh(asked))).toMatchObject({ object: 'list' });
  });
});

describe('what the guide says', () => {
  it('is what the twin prints', () => {
    const [, shown = ''] = /^```\n(The twin listens[\s\S]+?)^…/m.exec(GUIDE) ?? [];
    const plain = (text: string): string => text.replace(/127\.0\.0\.1:\d+/g, 'HERE').replace(/ +/g, ' ');
    expect(plain(printed)).toContain(plain(shown));
  });

  it('holds for its commands', async () => {
    const [, commands = ''] = /^```sh\n(TWIN=[\s\S]+?)^```$/m.exec(GUIDE) ?? [];
    const replies = (await sh(commands))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { faults: object[] });
    expect(replies.map(({ faults }) => faults.length)).toEqual([1, 2, 2, 0]);
  });

  const tables = [...GUIDE.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table);
  const script = (body: object): Promise<Response> =>
    fetch(`${url}/_twin/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const tableOf = (head: string): string[][] =>
    (tables.find((table) => table.startsWith(`| ${head} `)) ?? '')
      .split('\n')
      .slice(2, -1)
      .map((line) => line.split('|').map((cell) => cell.trim()));
  const words = (cell = ''): string[] => [...cell.matchAll(/`([\w-]+)`/g)].map(([, word = '']) => word);

  it('names every fault with its fields, and the twin takes them', async () => {
    const rows = tableOf('Fault');
    const named = rows.flatMap(([, faults]) => words(faults));
    const { error } = (await (await script({ fault: '?' })).json()) as { error: { message: string } };
    const known = /one of (.*)\.$/.exec(error.message)?.[1]?.split(', ') ?? [];
    expect(named.toSorted()).toEqual(known.toSorted());
    const VALUES: Record<string, unknown> = {
      status: 503,
      headers: { a: 'b' },
      body: 'x',
      value: 'text/html',
      word: 'w',
    };
    for (const [, faults, fields] of rows)
      for (const fault of words(faults)) {
        const body = Object.fromEntries(words(fields).map((field) => [field, VALUES[field] ?? 1]));
        const reply = await script({ fault, ...body });
        expect([fault, reply.status, await reply.text()]).toEqual([fault, 201, expect.any(String)]);
      }
  });

  it('names operations that there are', async () => {
    const [row] = tableOf('Field').filter(([, field]) => field === '`operation`');
    const operations = words(row?.[2]);
    expect(operations.length).toBeGreaterThan(15);
    for (const operation of operations) expect((await script({ fault: 'hang', operation })).status).toBe(201);
  });

  it('names the options of the command', async () => {
    const help = await sh('npx @model-gateway/gateway twin --help');
    const options = tableOf('Option').map(([, option = '']) => option.replaceAll('`', ''));
    expect([...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option).toSorted()).toEqual(options.toSorted());
  });
});
