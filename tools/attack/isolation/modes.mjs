/** Keys of the other mode and of other owners try every operation that takes a task's id, on tasks that run and that have ended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGatewayProcess } from '../target.mjs';

const KEYS = {
  'one, live': 'sk-attack-modes-one-0123456789abcdef',
  'one, test': 'sk-test-attack-modes-one-0123456789abcdef',
  'two, live': 'sk-attack-modes-two-0123456789abcdef',
  'two, test': 'sk-test-attack-modes-two-0123456789abcdef',
};
const VIDEO = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A paper boat' }], duration: 4 };
const TRIES = [
  (id) => ['GET', `/v1/video/generations/${id}`],
  (id) => ['GET', `/v1/video/generations/${id}?wait=1`],
  (id) => ['DELETE', `/v1/video/generations/${id}`],
  (id) => ['GET', `/v1/videos/${id}`],
  (id) => ['GET', `/v1/videos/${id}/content`],
  (id) => ['GET', `/v1/videos/${id}/content?expires=9999999999&signature=${'0'.repeat(40)}`],
  (id) => ['DELETE', `/v1/videos/${id}`],
  (id) => ['GET', `/v1beta/models/any/operations/${id}`],
  (id) => ['GET', `/v1beta/files/${googleFile(id)}:download`],
  (id) => [
    'POST',
    '/v1beta1/publishers/google/models/any:fetchPredictOperation',
    { operationName: `any/operations/${id}` },
  ],
  (id) => ['GET', `/v1/general/advanced-custom-elements/${id}`],
];
const NOBODYS = 'task_0000000000000000000000000000';
const LONGEST_VIDEO_MS = 30_000;

/** Counts tries that succeed, tries whose answer tells a stranger more than that of an id that never was, and what changed for the owner. */
export async function tryForeignTasks({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const keys = Object.entries(KEYS).map(
    ([name, key]) => `  - { name: '${name}', key: ${key}, owner: ${name.startsWith('one') ? 1 : 2} }`,
  );
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }\ntwin: { video_seconds: 1 }\ntasks: { poll_seconds: 1 }\nkeys:\n${keys.join('\n')}\n`,
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { OPENAI_API_KEY: '' } });
  const faults = [];
  let tries = 0;
  try {
    for (const owner of short ? ['one, live'] : Object.keys(KEYS)) {
      const ended = await createVideo(gateway.url, owner);
      await endOf(gateway.url, owner, ended);
      const running = await createVideo(gateway.url, owner);
      for (const stranger of Object.keys(KEYS).filter((name) => name !== owner)) {
        for (const id of [ended, running]) {
          for (const attempt of TRIES) {
            tries++;
            const [method, path, body] = attempt(id);
            const told = await ask(gateway.url, stranger, method, path, body);
            const nothing = await ask(gateway.url, stranger, ...attempt(NOBODYS));
            const what = `${stranger}: ${method} ${path}`;
            if (told.status < 400) faults.push(`${what} was answered ${told.status}`);
            else if (said(told, id) !== said(nothing, NOBODYS))
              faults.push(`${what} tells more than of an id of nobody's`);
          }
        }
      }
      for (const [id, method, path] of [
        [ended, 'GET', `/v1/videos/${ended}/content`],
        [running, 'GET', `/v1/video/generations/${running}`],
        [ended, 'GET', `/v1beta/files/${googleFile(ended)}:download`],
        [ended, 'DELETE', `/v1/videos/${ended}`],
      ]) {
        const { status, text } = await ask(gateway.url, owner, method, path);
        if (status !== 200) faults.push(`the owner's ${method} of ${id} was answered ${status}: ${text.slice(0, 200)}`);
      }
    }
    return { measured: `${tries} tries, ${faults.length} faults`, faults };
  } finally {
    await gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createVideo(url, who) {
  const { text } = await ask(url, who, 'POST', '/v1/video/generations', VIDEO);
  return JSON.parse(text).task_id;
}

async function endOf(url, who, id) {
  const until = Date.now() + LONGEST_VIDEO_MS;
  while (Date.now() < until) {
    const { text } = await ask(url, who, 'GET', `/v1/videos/${id}`);
    if (/"status":\s*"completed"/.test(text)) return;
    await sleep(200);
  }
  throw new Error('the twin made no video in time');
}

const said = ({ status, text }, id) =>
  `${status} ${text
    .replaceAll(googleFile(id), '<file>')
    .replaceAll(id, '<id>')
    .replaceAll(/"request_id":"[^"]*"|req_\w+/g, '')}`;

async function ask(url, who, method, path, body) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEYS[who]}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
  });
  return { status: reply.status, text: await reply.text() };
}

/** How the file of a video is called in Google's form. */
function googleFile(id) {
  return `video${Buffer.from(id).toString('hex')}n0`;
}
