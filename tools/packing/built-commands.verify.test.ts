/** Every command of the packed server, run as operators run it: what a bundler breaks no test of the sources sees. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSandbox, type Sandbox } from '../publishing/sandbox.ts';
import { copyPackedServer } from './packed-server.ts';
import { ask, startPacked, type Running } from './running.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let sandbox: Sandbox;
let program: string;
let folder: string;
let gateway: Running;
let isStopped = false;
beforeAll(async () => {
  sandbox = openSandbox();
  const packed = join(sandbox.folder, 'server');
  await copyPackedServer(packed);
  program = join(packed, 'bin/gateway.mjs');
  folder = join(sandbox.folder, 'work');
  mkdirSync(folder);
  gateway = await startPacked(process.execPath, [program, 'serve'], folder);
  // Beside the twin, whose address it has from its environment: a picture that is one.
  writeFileSync(
    join(folder, 'picture.mjs'),
    `const reply = await fetch(process.env.OPENAI_BASE_URL + '/images/generations', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-image-2', prompt: 'a kite' }),
});
const { data } = await reply.json();
process.exit(Buffer.from(data[0].b64_json, 'base64').toString('latin1', 1, 4) === 'PNG' ? 0 : 1);
`,
  );
  writeFileSync(join(folder, 'prompts.txt'), 'Name a ship.\nName a harbour.\n');
  writeFileSync(join(folder, 'member.yaml'), 'price:\n  input: 1.1\n  cached_input: 0.11\n  output: 9\n');
}, 300_000);
afterAll(async () => {
  if (!isStopped) await gateway.stop();
  sandbox.close();
});

interface Said {
  readonly code: number | null;
  readonly out: string;
}

async function run(line: readonly string[], input = ''): Promise<Said> {
  const child = spawn(process.execPath, [program, ...line], {
    cwd: folder,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      XDG_CONFIG_HOME: join(folder, 'settings'),
      MODEL_GATEWAY_URL: gateway.url,
      MODEL_GATEWAY_API_KEY: gateway.testKey,
    },
  });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => pieces.push(String(chunk)));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: pieces.join('') };
}

/** The commands below one, by its help: the words before the options. */
function commandsBelow(line: readonly string[], help: string): string[][] {
  const names = [...help.matchAll(/^ {2}([a-z][a-z-]*)(?: (?:\[options\]|<|\[).*?)? {2,}\S/gm)].map(
    ([, name = '']) => name,
  );
  return names.filter((name) => name !== 'help').map((name) => [...line, name]);
}

/** Every command that does something by itself. */
async function leaves(): Promise<string[]> {
  const all: string[] = [];
  for (const first of commandsBelow([], (await run(['--help'])).out)) {
    const { out } = await run([...first, '--help']);
    const more = out.includes('Commands:') ? commandsBelow(first, out) : [];
    all.push(...(more.length === 0 ? [first] : more).map((line) => line.join(' ')));
  }
  return all;
}

/** How each is run beside the gateway, in this order. */
const BESIDE: Readonly<Record<string, string>> = {
  'check-config': '',
  'config-schema': '',
  doctor: '',
  twin: '-- node picture.mjs',
  'models sync': '',
  chat: '-m gpt-5.2 Hello',
  image: '-m doubao-seedream-4-5 a-kite',
  speech: '-m gpt-4o-mini-tts Hello',
  transcribe: '-m whisper-1 speech.mp3',
  embed: '-m text-embedding-3-small Hello',
  music: '-m elevenlabs/music_v2 a shanty -o music.mp3',
  rerank: '-m rerank-v3.5 sea ship tree',
  moderate: 'Hello',
  'files upload': 'prompts.txt --purpose user_data',
  'files list': '',
  'batches create': 'prompts.txt -m gpt-5.2',
  'batches list': '',
  video: '-m sora-2 a-kite --wait',
  'keys create': '--name built --unlimited',
  'keys list': '',
  'keys get': '2',
  'keys update': '2 --name other',
  'keys rotate': '2',
  'keys revoke': '2',
  'owners create': 'Ada',
  'owners list': '',
  'owners get': '1',
  'owners update': '1 --name Bob',
  'owners topup': '1 --usd 5',
  'owners statement': '1',
  'owners adjust': '1 --usd -1 --note test',
  usage: '',
  'ledger list': '',
  'ledger verify': '',
  'tasks list': '',
  'webhooks list': '',
  'requests list': '',
  'requests dropped': '',
  'cache report': '',
  'accounts vendors': 'ollama',
  'config entries': '',
  'config get': 'models/gpt-5.2',
  'config set': 'models/gpt-5.2 {"price":{"input":1.1,"cached_input":0.11,"output":9}}',
  'config changes': '',
  'config undo': '1',
  'config remove': 'models/gpt-5.2-pro',
  'config unset': 'models/gpt-5.2-pro',
  'audit list': '',
  'budgets list': '',
  'budgets create': 'acme --scope organization --values acme --window month --limit 500',
  'budgets update': 'acme --limit 800',
  'budgets delete': 'acme',
  'alerts list': '',
  'guardrails list': '',
  'guardrails test': 'Hello',
  'people list': '',
  invariants: '',
  'jobs start': 'invariants',
  'jobs list': '',
  'profile add': 'here --url http://127.0.0.1:1 --key sk-test-0123456789abcdef',
  'profile list': '',
  'profile use': 'here',
  'profile remove': 'here',
  connect: 'claude-code',
  completion: 'bash',
  backup: 'copy.db',
};
/** What has the database to itself. */
const ALONE: Readonly<Record<string, string>> = {
  migrate: '',
  'admin-key rotate': '',
  'encryption-key rotate': '',
  restore: 'copy.db',
};
/** What other tests run: the gateway itself, questions on a terminal, a vendor's key, ids that a test must learn first, a file of the log. */
const ELSEWHERE = [
  ...[
    'serve',
    'init',
    'accounts test',
    'logs',
    'ledger replay',
    'requests get',
    'requests waive',
    'cache explain',
    'replay',
  ],
  ...['tasks get', 'tasks watch', 'accounts discover', 'people block', 'people unblock', 'people sign-out'],
  ...['tasks cancel', 'webhooks replay', 'mcp', 'jobs get', 'jobs watch', 'jobs cancel', 'jobs download'],
  ...[
    'alerts test',
    'bills check',
    'files download',
    'files delete',
    'batches get',
    'batches results',
    'batches cancel',
    'batches delete',
  ],
];
const BROKEN = /TypeError|ReferenceError|is not a function|Cannot find (?:module|package)|\n {4}at /;

async function works(command: string, words: string): Promise<void> {
  const line = [...command.split(' '), ...words.split(' ').filter((word) => word !== '')];
  const { code, out } = await run(line);
  expect({ line, code, out }).toMatchObject({ code: 0 });
  expect(out).not.toMatch(BROKEN);
}

it('every command is run by some test', async () => {
  const known = [...Object.keys(BESIDE), ...Object.keys(ALONE), ...ELSEWHERE];
  expect((await leaves()).toSorted()).toEqual(known.toSorted());
});

it.each(Object.entries(BESIDE))('gateway %s %s', works);

it('members come as YAML from a file and through a pipe, and a fault in them names its place', async () => {
  expect(await run(['config', 'set', 'models/gpt-5.2', '--file', 'member.yaml'])).toMatchObject({ code: 0 });
  expect(
    await run(['config', 'set', 'models/gpt-5.2', '--file', '-'], 'price: { input: 2, output: 9 }\n'),
  ).toMatchObject({ code: 0 });
  const { code, out } = await run(['config', 'set', 'models/gpt-5.2', '{price: {input: 1.1']);
  expect(code).not.toBe(0);
  expect(out).toMatch(/neither JSON nor YAML: .*line 1/s);
});

it('models are listed', () => works('models', ''));

it('the file of another gateway is read with what the package has of vendors and models', async () => {
  const models = [{ model_name: 'our-gpt', litellm_params: { model: 'openai/gpt-5.2' } }];
  writeFileSync(join(folder, 'litellm.yaml'), JSON.stringify({ model_list: models }));
  const { code, out } = await run(['migrate', 'litellm.yaml', '--json']);
  expect({ code, said: JSON.parse(out) as unknown }).toMatchObject({ code: 0, said: { from: 'LiteLLM', faults: [] } });
});

it('files, batches and jobs are found by the ids that they get', async () => {
  const idOf = ({ code, out }: Said): string => {
    const id = /"id": ?"?([\w-]+)/.exec(out)?.[1];
    expect({ code, out, id }).toMatchObject({ code: 0, id: expect.any(String) });
    return id ?? '';
  };
  const file = idOf(await run(['files', 'upload', 'prompts.txt', '--purpose', 'user_data', '--json']));
  await works('files download', `${file} -o prompts-again.txt`);
  await works('files delete', file);
  const batch = idOf(await run(['batches', 'create', 'prompts.txt', '-m', 'gpt-5.2', '--json']));
  await works('batches get', batch);
  await works('batches cancel', batch);
  const job = idOf(await run(['jobs', 'start', 'usage_export', '--json']));
  await works('jobs get', job);
  await works('jobs watch', job);
  await works('jobs download', `${job} -o usage.csv`);
});

it('a request and a task are found by the ids that callers have', async () => {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey ?? ''}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-sonnet-5', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect({ status: reply.status, text: await reply.text() }).toMatchObject({ status: 200 });
  const id = reply.headers.get('x-request-id') ?? '';
  const task = JSON.parse((await ask(gateway, '/v1/videos', { model: 'sora-2', prompt: 'a kite' })).text) as {
    id: string;
  };
  expect(await run(['tasks', 'get', task.id])).toMatchObject({ code: 0 });
  expect(await run(['tasks', 'watch', task.id])).toMatchObject({ code: 0 });
  let found = await run(['requests', 'get', id]);
  // Rows are written many at a time.
  for (let round = 0; round < 50 && found.code !== 0; round++) found = await run(['requests', 'get', id]);
  expect(found).toMatchObject({ code: 0 });
  expect(await run(['ledger', 'replay', id])).toMatchObject({ code: 0 });
  expect(await run(['requests', 'waive', id, '--note', 'test'])).toMatchObject({ code: 0 });
});

describe('when the gateway has stopped', () => {
  beforeAll(async () => {
    await gateway.stop();
    isStopped = true;
  });
  it.each(Object.entries(ALONE))('gateway %s %s', works);
});
