/** The auditor of the faults can fail: of a run in which everything was kept, each promise is broken on purpose, and that one alone is reported. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
// @ts-expect-error: a module without types
import { checkPromises } from './checks.mjs';

const TASK = { name: 'task 1', id: 'task_1' };
const SECRET = 'sk-vendor-0123456789';
/** What the gateway answers; a test changes a part of it. */
const kept = {
  '/admin/ledger/verify': { differences: [] as object[] },
  '/admin/invariants?look=true': { ok: true, violations: [] as object[] },
};
let answers: Record<string, unknown> = kept;
let url: string;
const server = createServer((request, response) => response.end(JSON.stringify(answers[request.url ?? ''] ?? {})));

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function runOf() {
  return {
    world: {
      url,
      log: 'started',
      secrets: [SECRET],
      twin: { jobs: () => Promise.resolve([{ prompt: TASK.name }]) },
      gateway: { peakMb: () => 200 },
    },
    load: {
      tasks: [TASK] as object[],
      replies: ['hello'],
      problems: [] as string[],
      counts: { errors: {}, ok: 1, streams: 1 },
      send: () => Promise.resolve({ status: 200, text: JSON.stringify({ data: { status: 'SUCCESS' } }) }),
    },
    recovered: { seen: 'yes', faults: [] as string[] },
  };
}

type Run = ReturnType<typeof runOf>;

async function brokenIn(run: Run): Promise<string[]> {
  const cells = (await checkPromises(run)) as Record<string, { faults: readonly string[] }>;
  return Object.entries(cells).flatMap(([promise, { faults }]) => (faults.length > 0 ? [promise] : []));
}

it('reports nothing of a run in which everything was kept', async () => {
  answers = kept;
  expect(await brokenIn(runOf())).toEqual([]);
});

it.each<[string, (run: Run) => void]>([
  ['no lost task', ({ load }) => load.tasks.push({ name: 'task 2', last: 'unavailable' })],
  [
    'no double job',
    ({ world }) => (world.twin.jobs = () => Promise.resolve([TASK, TASK].map(({ name }) => ({ prompt: name })))),
  ],
  ['ledger balanced', () => (answers = { ...kept, '/admin/ledger/verify': { differences: [{ message: '5 µ$' }] } })],
  ['ledger balanced', () => (answers = { ...kept, '/admin/invariants?look=true': { ok: false } })],
  ['no secret leaked', ({ world }) => (world.log = `said ${SECRET}`)],
  ['no secret leaked', ({ load }) => load.replies.push(SECRET)],
  ['memory bounded', ({ world }) => (world.gateway.peakMb = () => 451)],
  ['recovers without help', ({ recovered }) => recovered.faults.push('nothing was answered')],
  ['typed errors', ({ load }) => load.problems.push('a reply without a type')],
])('reports a broken promise: %s', async (promise, breakIt) => {
  answers = kept;
  const run = runOf();
  breakIt(run);
  expect(await brokenIn(run)).toEqual([promise]);
});
