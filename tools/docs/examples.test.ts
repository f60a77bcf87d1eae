/** What the portal shows is run: the programs and commands of the guides, and the reference's samples, against a running gateway. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAdmin, createClient, type Admin } from '@model-gateway/client';
import { openTestGateway, PIXEL, WEBHOOK_SECRET, type TestGateway } from '@model-gateway/testing';
import { calledBy, samplesOf } from './portal/samples.ts';
import { operationsOf, resolve, type ApiDocument } from './portal/document.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the workspace, so that packages are found; git does not see it. */
const folder = join(root, 'tools/docs/data/examples');
const document = JSON.parse(
  readFileSync(join(root, 'libs/contracts/src/generated/openapi.json'), 'utf8'),
) as ApiDocument;

interface Piece {
  /** Of the operation it is a sample of. */
  readonly id?: string;
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

/** Whole programs and commands of the guides; pieces of JSON, YAML and Python are only read. */
const guides: readonly Piece[] = [
  'README.md',
  'docs/index.md',
  ...readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`),
].flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^```(js|ts|sh)(?: tab="([^"]*)")?\n([\s\S]+?)^```$/gm)]
    .map(([, language = '', tab = '', code = ''], index) => ({
      name: `${file} ${index} ${tab}`.trim(),
      language,
      code,
    }))
    .filter(({ language, code }) =>
      language === 'sh' ? /^(curl|KEY=|TASK=)/.test(code) : code.includes('import ') || code.includes('fetch('),
    );
});

/** Operations whose samples name what only a moment has: a file's signed link, a task that still runs, a delivery. */
const NEEDS_MORE = new Set(['getFile', 'replayWebhookDelivery', 'cancelVideoTask']);
/** In the samples of operators; each sample gets its own. */
const PLACES = { key_id: '900000001', owner_id: '900000002', request_id: 'the-request-id' };
const samples: readonly Piece[] = operationsOf(document)
  .filter(({ id, webhook }) => !webhook && !NEEDS_MORE.has(id))
  .flatMap((operation) => {
    const [type, media] = Object.entries(operation.object.requestBody?.content ?? {})[0] ?? [];
    const [first] = Object.values(media?.examples ?? {});
    const example = first === undefined ? undefined : resolve(document, first);
    const called = calledBy(operation, example, type === 'multipart/form-data');
    const path = Object.fromEntries(
      Object.entries(called.path).map(([name, value]) => [
        name,
        (PLACES as Readonly<Record<string, string>>)[name] ?? value,
      ]),
    );
    return samplesOf({ ...called, path }).map(({ label, language, code }) => ({
      id: operation.id,
      name: `${operation.id} ${label}`,
      language,
      code,
    }));
  })
  // Embedded media are shortened for the eye.
  .filter(({ code }) => !/[^-]…/.test(code));

let gateway: TestGateway;
let admin: Admin;
const real = { task: '', video: '', subject: '', request: '' };
beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'picture.png'), Buffer.from(PIXEL, 'base64'));
  gateway = await openTestGateway({
    twinOptions: { media: 'tiny', seconds: { video: 0.3, subject: 0.3, image: 0.1 } },
  });
  const client = createClient({ baseUrl: gateway.url, apiKey: gateway.testKey });
  const task = await client.videos
    .create({ model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'a boat' }] })
    .wait();
  const video = await client.videoObjects.create({ model: 'sora-2', prompt: 'a boat', seconds: '4' }).wait();
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey });
  const subject = await client.subjects.create({
    element_name: 'Mira',
    element_description: 'young woman',
    reference_type: 'image_refer',
    element_image_list: {
      frontal_image: 'https://media.example.com/a.png',
      refer_images: [{ image_url: 'https://media.example.com/b.png' }],
    },
  });
  const chat = client.chat.create({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] });
  const { requestId } = await chat.withResponse();
  Object.assign(real, { task: task.task_id, video: video.id, subject: subject.Response.TaskId, request: requestId });
}, 120_000);
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

let given = 0;
/** The code as somebody would run it who has put in their own address, keys and ids; what is used up is made anew for each. */
async function filledIn({ code, id = '' }: Piece): Promise<string> {
  given++;
  let text = code
    .replaceAll('http://127.0.0.1:8080', gateway.url)
    .replaceAll('sk-test-…', gateway.testKey)
    .replaceAll('admin-…', gateway.adminKey)
    .replaceAll('task_…', real.task)
    .replaceAll('task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f', id === 'getSubject' ? real.subject : real.task)
    .replaceAll(PLACES.request_id, real.request);
  // Names of keys are taken once.
  if (id === 'createKey') text = text.replace(/(name'?"?: ['"])/, `$1n${given} `);
  if (text.includes(PLACES.key_id))
    text = text.replace(PLACES.key_id, String((await admin.keys.create({ name: `sample ${given}` })).key.id));
  if (text.includes(PLACES.owner_id))
    text = text.replace(PLACES.owner_id, String((await admin.owners.create({ name: `Sample ${given}` })).id));
  if (id === 'deleteVideo') {
    const client = createClient({ baseUrl: gateway.url, apiKey: gateway.testKey });
    const { id: own } = await client.videoObjects.create({ model: 'sora-2', prompt: 'a boat', seconds: '4' }).wait();
    return text.replaceAll('video_7d1e9c3b5a2f4d8e', own);
  }
  return text.replaceAll('video_7d1e9c3b5a2f4d8e', real.video);
}

interface Outcome {
  readonly output?: string;
  readonly error?: string;
}

const env = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  GATEWAY: gateway.url,
  KEY: gateway.testKey,
  WEBHOOK_SECRET,
});

/** All programs in one process, one after the other. */
async function runPrograms(pieces: readonly Piece[]): Promise<ReadonlyMap<string, Outcome>> {
  const files: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    files.push(`program-${index}.ts`);
    writeFileSync(join(folder, `program-${index}.ts`), await filledIn(piece));
  }
  const runner = join(root, 'tools/docs/run-programs.mjs');
  const options = { cwd: folder, env: env(), maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', runner, ...files], options);
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);
  return new Map(pieces.map(({ name }, index) => [name, said[index] ?? { error: 'it never ended' }]));
}

async function runCommand(piece: Piece): Promise<Outcome> {
  const script = (await filledIn(piece)).replace(/^curl/gm, 'curl -sS --fail-with-body');
  const args = ['--norc', '-e', '-c', script];
  try {
    const { stdout } = await promisify(execFile)('bash', args, { cwd: folder, env: env() });
    return { output: stdout || 'saved to a file' };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { error: `${stderr}\n${stdout}` };
  }
}

function judge({ code, id }: Piece, { output, error }: Outcome): void {
  expect(error).toBeUndefined();
  // The receivers of webhooks only wait; what saves a file says nothing; nobody was sent a webhook.
  if (!code.includes('server.listen') && /console\.log|^curl/.test(code) && id !== 'listWebhookDeliveries')
    expect(output).not.toBe('');
  expect(output).not.toMatch(/\bundefined\b/);
}

const programs = [...guides, ...samples].filter(({ language }) => language !== 'sh');
const commands = [...guides, ...samples].filter(({ language }) => language === 'sh');
let outcomes: ReadonlyMap<string, Outcome>;
beforeAll(async () => {
  outcomes = await runPrograms(programs);
}, 300_000);

it('every page about generating has something to run', () => {
  const files = new Set(guides.map(({ name }) => name.split(' ')[0]));
  for (const page of ['quick-start', 'chat', 'streaming', 'images', 'speech', 'video-tasks', 'idempotency', 'webhooks'])
    expect({ page, runs: files.has(`docs/guides/${page}.md`) }).toEqual({ page, runs: true });
});

describe('programs', () => {
  it.each(programs)('run: $name', (piece) => judge(piece, outcomes.get(piece.name) ?? { error: 'it was not run' }));
});

describe('commands', () => {
  it.each(commands)('run: $name', async (piece) => judge(piece, await runCommand(piece)));
});
