/** What the portal prints is run: programs and commands of the guides, and each of the reference's samples, against a running gateway. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openTestGateway,
  runPrograms,
  startModernMcpServer,
  WEBHOOK_SECRET,
  type ProgramOutcome,
  type TestGateway,
  type TestMcpServer,
} from '@model-gateway/testing';
import type { ApiDocument } from './portal/document.ts';
import { guideSamples, referenceSamples, type Piece } from './printed-samples.ts';
import { openPlaces } from './sample-places.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the workspace, so that packages are found; git does not see it. */
const folder = join(root, 'tools/docs/data/examples');
const document = JSON.parse(
  readFileSync(join(root, 'libs/contracts/src/generated/openapi.json'), 'utf8'),
) as ApiDocument;
const guides = guideSamples(root);
const reference = referenceSamples(document, root);
const pieces = [...guides, ...reference];
/** Another Python, such as one of a virtual environment with the SDKs. */
const PYTHON = process.env['PYTHON'] ?? 'python3';
const BASH_AT_ONCE = 3;
const SDKS = ['openai', 'anthropic', 'google', 'langchain_openai', 'llama_index', 'pydantic_ai'];
const LOOK = `import importlib.util, json; print(json.dumps([n for n in ${JSON.stringify(SDKS)} if importlib.util.find_spec(n) is None]))`;
const missing = ((): readonly string[] => {
  try {
    return JSON.parse(execFileSync(PYTHON, ['-c', LOOK], { encoding: 'utf8' })) as string[];
  } catch {
    return ['Python'];
  }
})();

let gateway: TestGateway;
let tools: TestMcpServer;
const outcomes = new Map<string, ProgramOutcome>();

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Some vendors change no picture with a side below 64 pixels.
  const create = { width: 96, height: 64, channels: 4, background: { r: 90, g: 120, b: 140, alpha: 0.5 } } as const;
  for (const name of ['picture', 'mask'])
    await sharp({ create })
      .png()
      .toFile(join(folder, `${name}.png`));
  writeFileSync(join(folder, 'talk.wav'), recording());
  tools = await startModernMcpServer();
  gateway = await openTestGateway({
    yaml: `config: { source: database }
accounts: [{ name: ollama }]
security: { encryption_key: '${Buffer.alloc(32, 1).toString('base64')}', allow_private: ['127.0.0.1'] }
mcp: { own_tools: true, authorization_servers: ['https://login.example.com'], servers: [{ name: docs, url: '${tools.url}', test_keys: true }] }
${routed()}`,
    twinOptions: { media: 'tiny', seconds: { video: 0.3, subject: 0.3, image: 0.1 } },
  });
  const filledIn = await openPlaces(gateway);
  const written: (Piece & { readonly file: string })[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (missingFor(piece) !== undefined) continue;
    const file = `sample-${index}.${{ python: 'py', sh: 'sh' }[piece.language] ?? 'ts'}`;
    writeFileSync(join(folder, file), await filledIn(piece));
    written.push({ ...piece, file });
  }
  const of = (ending: string): typeof written => written.filter(({ file }) => file.endsWith(ending));
  await Promise.all([runAll(of('.ts')), runAll(of('.py'), PYTHON), runCommands(of('.sh'))]);
}, 400_000);
afterAll(async () => {
  await gateway.close();
  await tools.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the examples of transcriptions send. */
function recording(): Buffer {
  const { value } = JSON.parse(readFileSync(join(root, 'spec/examples/createTranscription.text.json'), 'utf8')) as {
    value: { file: string };
  };
  const { file } = value;
  return Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
}

/** The SDK that a program in Python needs and this machine has not; a machine may have no Python. */
function missingFor({ language, code }: Piece): string | undefined {
  if (language !== 'python') return undefined;
  return missing.find((name) => name === 'Python' || new RegExp(`^(from|import) ${name}\\b`, 'm').test(code));
}

/** The models that the page on routing makes before it asks about them. */
function routed(): string {
  return /```yaml\n([\s\S]+?)```/.exec(readFileSync(join(root, 'docs/guides/routing.md'), 'utf8'))?.[1] ?? '';
}

async function runAll(given: readonly (Piece & { readonly file: string })[], python?: string): Promise<void> {
  const files = given.map(({ file }) => file);
  const run = await runPrograms(files, { folder, env: environment(), ...(python !== undefined && { python }) });
  for (const { file, name } of given) outcomes.set(name, run.outcomes.get(file) ?? { error: 'it never ended' });
}

async function runCommands(given: readonly (Piece & { readonly file: string })[]): Promise<void> {
  const waiting = [...given];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const script = readFileSync(join(folder, next.file), 'utf8').replace(/^curl/gm, 'curl -sS --fail-with-body');
      const args = ['--norc', '-e', '-c', script];
      const outcome = await run('bash', args, { cwd: folder, env: environment(), maxBuffer: 64 * 1024 * 1024 }).then(
        ({ stdout }) => ({ output: stdout || 'saved to a file' }),
        (error: unknown) => {
          const { stdout, stderr } = error as { stdout: string; stderr: string };
          return { error: `${stderr}\n${stdout}` };
        },
      );
      outcomes.set(next.name, outcome);
    }
  };
  await Promise.all(Array.from({ length: BASH_AT_ONCE }, worker));
}

function environment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    MODEL_GATEWAY_URL: gateway.url,
    MODEL_GATEWAY_API_KEY: gateway.testKey,
    GATEWAY_ADMIN_KEY: gateway.adminKey,
    WEBHOOK_SECRET,
  };
}

function judge({ code, id, name }: Piece): void {
  const { output, error } = outcomes.get(name) ?? { error: 'it was not run' };
  // A job that its vendor has begun is not cancelled any more; which of the two it is, time decides.
  if (/^cancel/.test(id ?? '') && error?.includes('409') === true) return;
  // What opens a socket is told so over HTTP, by which these ask.
  if (id?.startsWith('connect') === true && error?.includes('426') === true) return;
  // Nobody has signed in by an identity provider here; what becomes of people is tested beside single sign-on.
  if (/^(?:update|signOut)Person$/.test(id ?? '') && error?.includes('404') === true) return;
  // Alerts are sent to a channel in the tests of alerts.
  if (id === 'testAlerts' && error?.includes('404') === true) return;
  // Only a vendor knows how an address ends.
  if (id === 'receiveVendorWebhook' && error?.includes('401') === true) return;
  // Nothing of a vendor's own is open until an operator opens it.
  if (id?.endsWith('PassThrough') === true && error?.includes('404') === true) return;
  expect(error).toBeUndefined();
  // The receivers of webhooks only wait; what saves a file says nothing; nobody was sent a webhook or an alert, and nobody has signed in.
  if (
    !/server\.listen|HTTPServer/.test(code) &&
    /console\.log|^curl|print\(/.test(code) &&
    !['listWebhookDeliveries', 'listPeople', 'listAlerts'].includes(id ?? '')
  )
    expect(output).not.toBe('');
  expect(output).not.toMatch(/\bundefined\b/);
}
it('every page about generating has something to run, in JavaScript and in Python', () => {
  for (const page of [
    'quick-start',
    'chat',
    'streaming',
    'images',
    'speech',
    'transcription',
    'embeddings',
    'moderation',
    'rerank',
    'video-tasks',
    'idempotency',
    'webhooks',
  ])
    for (const [language, kinds] of [
      ['JavaScript', ['js', 'ts']],
      ['Python', ['python']],
    ] as const) {
      const runs = guides.some(
        (each) =>
          each.name.startsWith(`docs/guides/${page}.md `) && (kinds as readonly string[]).includes(each.language),
      );
      expect({ page, language, runs }).toEqual({ page, language, runs: true });
    }
});

it('every operation has commands, a program in Python and one in JavaScript', () => {
  const languages = new Map<string, Set<string>>();
  for (const { id = '', language } of reference)
    languages.set(id, (languages.get(id) ?? new Set()).add(language === 'ts' ? 'js' : language));
  for (const [id, has] of languages) expect({ id, has: [...has].sort() }).toEqual({ id, has: ['js', 'python', 'sh'] });
});

it('no two pages use the same Idempotency-Key: the second would get the answer of the first', () => {
  const used = new Map<string, string>();
  for (const { name, code } of pieces)
    for (const [, key = ''] of code.matchAll(/idempotency-?key['"]?: '?"?([\w-]+)/gi)) {
      const page = name.split(' ')[0] ?? '';
      expect({ key, page: used.get(`${key} ${code}`) ?? page }).toEqual({ key, page });
      used.set(`${key} ${code}`, page);
    }
});

it('nothing that is sent is cut short', () => {
  const cut = reference.filter(({ code }) => /[^-]…/.test(code)).map(({ name }) => name);
  expect(cut).toEqual([]);
});

describe('programs and commands', () => {
  for (const piece of pieces) {
    const missing = missingFor(piece);
    if (missing === undefined) it(`run: ${piece.name}`, () => judge(piece));
    else it.skip(`run: ${piece.name} (Python has no ${missing} here)`, () => undefined);
  }
});
