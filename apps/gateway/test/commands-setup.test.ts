/** Commands that need no gateway: init, doctor, logs, connect, completion; and how the program itself behaves in a pipe. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand, startCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-setup-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('init', () => {
  it('asks until the answers are good, keeps passwords out of the file, and checks it', async () => {
    const file = at('asked.yaml');
    const input = '99999\n8181\nperhaps\ny\nmysql://x\npostgres://u:hunter2@db/gateway\n25';
    const said = await runCommand(['init', file], { tty: true, input });
    expect(said.code).toBe(0);
    for (const words of ['It must be a number from 1 to 65535.', 'It is y or n.', 'It must be postgres://'])
      expect(said.error).toContain(words);
    expect(said.out).toMatch(/asked\.yaml.* is written, and good: \d+ models\./);
    for (const words of ['export DATABASE_URL=', 'export FIRST_KEY=', `GATEWAY_CONFIG=${file} gateway serve`])
      expect(said.out).toContain(words);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('hunter2');
    expect(text).toMatch(/^server:\n {2}host: 0\.0\.0\.0\n {2}port: 8181\n/m);
    expect(text).toContain('limits: { spend_per_month: 25 }');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=http://127.0.0.1:8181/docs/gateway.schema.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const env = { GATEWAY_CONFIG: file, FIRST_KEY: 'sk-0123456789abcdef', DATABASE_URL: 'sqlite:./x.db' };
    expect(await runCommand(['check-config', '--strict'], { env })).toMatchObject({ code: 0 });
  });

  it('--yes asks nothing; a file that is there stays', async () => {
    const file = at('yes.yaml');
    const first = await runCommand(['init', file, '--yes', '--json']);
    expect(JSON.parse(first.out)).toMatchObject({ file, accounts_on: [] });
    const again = await runCommand(['init', file, '--yes']);
    expect(again).toMatchObject({ code: 1, out: '', error: expect.stringContaining('--force to replace it') });
    expect(await runCommand(['init', at('none.yaml')])).toMatchObject({
      code: 2,
      error: expect.stringContaining('There is nobody to ask: --yes'),
    });
    const stopped = await runCommand(['init', at('none.yaml')], { tty: true, input: '\u0003' });
    expect(stopped).toMatchObject({ code: 130, out: '' });
    expect(() => statSync(at('none.yaml'))).toThrow('ENOENT');
  });
});

interface Report {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly name: string;
    readonly state: string;
    readonly message: string;
    readonly advice?: string;
  }[];
}
async function doctor(
  env: Record<string, string>,
  ...line: readonly string[]
): Promise<{ code: number | null; report: Report }> {
  const { code, out } = await runCommand(['doctor', '--json', ...line], { env });
  return { code, report: JSON.parse(out) as Report };
}
const named = (report: Report, name: string) => report.findings.find((each) => each.name === name);

describe('doctor', () => {
  it('says of each thing how it is, and what to do', async () => {
    const env = { DATABASE_URL: `sqlite:${at('good.db')}`, PORT: '1' };
    const { code, out } = await runCommand(['doctor'], { env });
    expect(code).toBe(0);
    expect(out).toMatch(/^ok +configuration +the built-in catalogue/m);
    expect(out).toMatch(/^ok +disk +[\d,]+ MB free for /m);
    expect(out).toMatch(/^ok +database +sqlite:\S+ is not there yet; the first start makes it$/m);
    expect(out).toMatch(/^ok +gateway +none runs at http:\/\/127\.0\.0\.1:1; gateway serve starts one$/m);
    expect(out).toMatch(/^warning +accounts off +openai, [^\n]*\n +→ the vendor twin answers everything/m);
    expect(out).toMatch(/^Nothing is wrong; 1 warning\.$/m);
  });

  it('a configuration with faults is the first thing to mend', async () => {
    writeFileSync(at('bad.yaml'), 'serverr: { port: 1 }\n');
    const { code, report } = await doctor({ GATEWAY_CONFIG: at('bad.yaml') });
    expect(code).toBe(1);
    expect(report.findings).toHaveLength(1);
    expect(report.findings[0]).toMatchObject({
      name: 'configuration',
      state: 'fault',
      message: expect.stringContaining('serverr'),
    });
  });

  it('a database and a Redis that are away are faults, without their passwords', async () => {
    const env = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x', REDIS_URL: 'redis://:hunter2@127.0.0.1:1' };
    const { code, report } = await doctor(env, '--offline');
    expect([code, report.ok]).toEqual([1, false]);
    expect(named(report, 'database')).toMatchObject({
      state: 'fault',
      advice: expect.stringContaining('DATABASE_URL'),
    });
    expect(named(report, 'redis')).toMatchObject({ state: 'fault', message: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  it('a file that is no database', async () => {
    writeFileSync(at('no.db'), 'this is no database, and long enough to be looked at\n'.repeat(20));
    const { report } = await doctor({ DATABASE_URL: `sqlite:${at('no.db')}` }, '--offline');
    expect(named(report, 'database')).toMatchObject({ state: 'fault' });
  });

  it('an account is tried, and the clock is compared with what its vendor says', async () => {
    let [status, ahead] = [200, 0];
    const vendor = createServer((request, response) => {
      request.resume();
      const answer = {
        id: 'x',
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
      };
      const headers = { 'content-type': 'application/json', date: new Date(Date.now() + ahead).toUTCString() };
      response
        .writeHead(status, headers)
        .end(JSON.stringify(status === 200 ? answer : { error: { message: 'no such key' } }));
    }).listen(0, '127.0.0.1');
    await once(vendor, 'listening');
    try {
      const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
      writeFileSync(
        at('vendor.yaml'),
        `extends: none\naccounts: [{ id: 1, name: up, vendor: openai, base_url: '${url}', credentials: { api_key: k } }]
models: [{ code: m, kind: chat, price: { input: 1, output: 1 }, offers: [{ account: up, model: m, dialect: openai-chat }] }]\n`,
      );
      const env = { GATEWAY_CONFIG: at('vendor.yaml'), DATABASE_URL: `sqlite:${at('good.db')}` };
      const good = await doctor(env);
      expect(named(good.report, 'account up')).toMatchObject({
        state: 'ok',
        message: expect.stringContaining('works'),
      });
      expect(named(good.report, 'clock')).toMatchObject({
        state: 'ok',
        message: expect.stringContaining('agrees with 127.0.0.1'),
      });
      [status, ahead] = [401, 120_000];
      const bad = await doctor(env);
      expect(bad.code).toBe(1);
      expect(named(bad.report, 'account up')).toMatchObject({
        state: 'fault',
        message: expect.stringContaining('wrong key'),
      });
      expect(named(bad.report, 'clock')).toMatchObject({
        state: 'fault',
        message: expect.stringMatching(/^it is 1[12]\d s behind/),
      });
      // Nobody is asked.
      const offline = await doctor(env, '--offline');
      expect([offline.code, named(offline.report, 'accounts on')?.message]).toEqual([0, 'up: not tried']);
    } finally {
      vendor.close();
    }
  });
});

describe('logs', () => {
  const line = JSON.stringify({
    level: 50,
    time: 0,
    msg: 'request',
    method: 'GET',
    path: '/x',
    status: 500,
    ms: 1,
    error: 'internal',
    request_id: 'req_1',
  });

  it('the configured file in words, or as it is; a pipe', async () => {
    mkdirSync(at('log'), { recursive: true });
    writeFileSync(at('log/gateway.log'), `${line}\n${line}\n`);
    const env = { LOG_FILE: at('log/gateway.log') };
    expect((await runCommand(['logs', '-n', '1'], { env })).out).toMatch(
      /^\[[\d:]+\] ERROR: GET \/x 500 1 ms {"code":"internal","request_id":"req_1"}\n$/,
    );
    expect((await runCommand(['logs', '--json'], { env })).out).toBe(`${line}\n${line}\n`);
    expect((await runCommand(['logs', '--file', '-'], { input: `${line}\nelse\n` })).out).toMatch(
      /ERROR: GET \/x[^\n]*\nelse\n$/,
    );
  });

  it('without a file says where the log is', async () => {
    const said = await runCommand(['logs']);
    expect(said).toMatchObject({ code: 2, out: '', error: expect.stringContaining('Set LOG_FILE or log.file') });
  });
});

describe('connect', () => {
  const URL_ELSEWHERE = 'https://gateway.example.com';
  const connect = (tool: string, home: string, ...more: readonly string[]) =>
    runCommand(['connect', tool, '--url', `${URL_ELSEWHERE}/v1/`, ...more], {
      env: { HOME: at(home), MODEL_GATEWAY_API_KEY: 'sk-secret-0123456789abcdef' },
    });
  const TOOLS = 'claude-code codex gemini-cli continue librechat open-webui cursor cline n8n'.split(' ');

  it.each(TOOLS)('%s: the address and the name of the variable, and never the key', async (tool) => {
    const { code, out, error } = await connect(tool, 'printed');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain(URL_ELSEWHERE);
    expect(out).toContain('MODEL_GATEWAY_API_KEY');
    expect(out).not.toContain('sk-secret');
    expect(out).not.toContain('/v1/v1');
    expect(() => statSync(at('printed'))).toThrow('ENOENT');
  });

  it('stands in the guide with what it prints', async () => {
    const guide = readFileSync(new URL('../../../docs/guides/tools.md', import.meta.url), 'utf8');
    for (const tool of TOOLS) expect(guide).toContain(`gateway connect ${tool}`);
    for (const tool of ['claude-code', 'codex', 'gemini-cli', 'continue', 'librechat']) {
      const { out } = await runCommand(['connect', tool, '--json'], { env: { HOME: at('printed') } });
      const { settings, shell } = JSON.parse(out) as { settings: string; shell: string[] };
      for (const part of [settings.trimEnd(), ...shell]) expect(guide).toContain(part);
    }
  });

  it('without --url it is the gateway on this machine', async () => {
    const { out } = await runCommand(['connect', 'codex', '--json'], { env: { HOME: at('here'), PORT: '8181' } });
    expect(JSON.parse(out)).toMatchObject({ url: 'http://127.0.0.1:8181', key_variable: 'MODEL_GATEWAY_API_KEY' });
  });

  it('--write leaves what else stands in the file, twice is once, and another setting is replaced with --force alone', async () => {
    const file = at('merged/.claude/settings.json');
    mkdirSync(at('merged/.claude'), { recursive: true });
    const before = { permissions: { allow: ['Read'] }, env: { EDITOR: 'vi' } };
    writeFileSync(file, JSON.stringify(before));
    expect((await connect('claude-code', 'merged', '--write')).out).toContain('is written');
    const written = readFileSync(file, 'utf8');
    expect(JSON.parse(written)).toEqual({
      ...before,
      env: { EDITOR: 'vi', ANTHROPIC_BASE_URL: URL_ELSEWHERE },
      apiKeyHelper: 'printf %s "$MODEL_GATEWAY_API_KEY"',
    });
    expect((await connect('claude-code', 'merged', '--write')).out).toContain('says so already');
    const other = ['connect', 'claude-code', '--write', '--url', 'http://other:1'];
    const env = { HOME: at('merged') };
    const refused = await runCommand(other, { env });
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('env.ANTHROPIC_BASE_URL') });
    expect(readFileSync(file, 'utf8')).toBe(written);
    expect(await runCommand([...other, '--force'], { env })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('http://other:1');
    writeFileSync(file, '// mine\n{}');
    expect(await connect('claude-code', 'merged', '--write', '--force')).toMatchObject({ code: 1, out: '' });
    expect(readFileSync(file, 'utf8')).toBe('// mine\n{}');
  });

  it('--write puts the keys of Codex ahead of its tables, and leaves a file that has a provider', async () => {
    const file = at('codex/.codex/config.toml');
    mkdirSync(at('codex/.codex'), { recursive: true });
    writeFileSync(file, '[features]\napps = false\n');
    expect(await connect('codex', 'codex', '--write', '-m', 'claude-sonnet-5')).toMatchObject({ code: 0 });
    const written = readFileSync(file, 'utf8');
    expect(written).toMatch(
      /^model = "claude-sonnet-5"\nmodel_provider = "gateway"\n\n\[features\]\napps = false\n\n\[model_providers\.gateway\]\n/,
    );
    expect((await connect('codex', 'codex', '--write', '-m', 'claude-sonnet-5')).out).toContain('says so already');
    expect(await connect('codex', 'codex', '--write', '-m', 'gpt-5.2')).toMatchObject({ code: 1, out: '' });
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('--write leaves the lists of others alone, and says where there is nothing to write', async () => {
    mkdirSync(at('lists/.continue'), { recursive: true });
    writeFileSync(at('lists/.continue/config.yaml'), 'models: []\n');
    expect(await connect('continue', 'lists', '--write')).toMatchObject({ code: 1, out: '' });
    expect(readFileSync(at('lists/.continue/config.yaml'), 'utf8')).toBe('models: []\n');
    expect(await connect('cursor', 'lists', '--write')).toMatchObject({ code: 2, out: '' });
    expect(await connect('emacs', 'lists')).toMatchObject({ code: 2, error: expect.stringContaining('claude-code') });
  });

  it('an address is one word for the shell, whatever stands in it', async () => {
    const { out } = await runCommand(['connect', 'gemini-cli', '--url', "http://x/$(id)'"], { env: { HOME: at('x') } });
    expect(out).toContain(String.raw`export GOOGLE_GEMINI_BASE_URL='http://x/$(id)'\'''`);
  });
});

describe('completion', () => {
  it('bash completes commands, options and their values from the tree itself', async () => {
    const { out } = await runCommand(['completion', 'bash']);
    writeFileSync(at('completion.bash'), out);
    const complete = (...words: readonly string[]): readonly string[] => {
      const script = `source '${at('completion.bash')}'
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gateway; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['--norc', '-c', script, 'bash', 'gateway', ...words], { encoding: 'utf8' })
        .split('\n')
        .filter((word) => word !== '');
    };
    expect(complete('ke')).toEqual(['keys']);
    expect(complete('keys', '')).toEqual(
      expect.arrayContaining(['create', 'get', 'list', 'revoke', 'rotate', 'update']),
    );
    expect(complete('keys', 'create', '--spend')).toEqual([
      ...['--spend-per-hour', '--spend-per-day', '--spend-per-week', '--spend-per-month'],
      ...['--spend-per-run', '--spend-total'],
    ]);
    expect(complete('tasks', 'list', '--status', 'S')).toEqual(['SUCCESS']);
    expect(complete('chat', '--model', 'x', '--sys')).toEqual(['--system']);
    expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'fish', 'zsh']));
    // What has no list is left to the names of files.
    expect(complete('check-config', '--strict', 'x')).toEqual([]);
    expect(complete('logs', '--file', 'a')).toEqual([]);
  });

  it.each(['zsh', 'fish'])('%s knows every command too', async (shell) => {
    const { out } = await runCommand(['completion', shell]);
    for (const word of ['keys', 'doctor', 'spend-per-month', 'IN_PROGRESS']) expect(out).toContain(word);
  });
});

it('every command stands in the guide', async () => {
  const guide = readFileSync(new URL('../../../docs/guides/commands.md', import.meta.url), 'utf8');
  const { out } = await runCommand(['completion', 'bash']);
  const places = [...out.matchAll(/^    'gateway ([\w -]+)'\) found='([^']*)'/gm)];
  const leaves = places.filter(([, path]) => !places.some(([, other]) => other?.startsWith(`${path} `) === true));
  expect(leaves.length).toBeGreaterThan(35);
  for (const [, path] of leaves) expect(guide).toContain(`\`${path}\``);
});

describe('the program itself', () => {
  const program = fileURLToPath(new URL('../bin/gateway.mjs', import.meta.url));

  it('ends quietly when its reader has gone', async () => {
    const line = `set -o pipefail; '${process.execPath}' --no-warnings '${program}' config-schema | true`;
    const child = spawn('bash', ['-c', line]);
    const closed = once(child, 'close');
    const told = await text(child.stderr);
    const [code] = (await closed) as [number | null];
    expect([code, told]).toEqual([0, '']);
  });

  it('--version, a wrong word and its exit code', async () => {
    const [version, wrong] = await Promise.all([startCommand(['--version']), startCommand(['keyz'])]);
    expect(version).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), error: '' });
    expect(wrong).toEqual({
      code: 2,
      out: '',
      error: "Unknown command 'keyz' (did you mean keys?) See gateway --help.\n",
    });
  });
});
