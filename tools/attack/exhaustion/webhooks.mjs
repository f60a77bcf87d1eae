/** A tenant has the webhooks of many tasks sent to an address that takes them and never answers; another's must still come. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGatewayProcess } from '../target.mjs';

const SLOW = 'sk-attack-webhooks-slow-0123456789abcdef';
const QUICK = 'sk-attack-webhooks-quick-0123456789abcdef';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MODEL = 'doubao-seedance-2-0-fast';
const TASKS = { whole: 300, short: 100 };
const AT_ONCE = 20;
const TRIES = 3;
const LONGEST_DELAY_MS = 5_000;
const GIVEN_UP_MS = 50_000;
/** Until the slow ones are due, all of them. */
const SETTLING_MS = 6_000;

/** How much later than on an idle gateway another owner's webhook comes. */
export async function holdWebhooks({ short, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const receiver = await startReceiver();
  writeFileSync(join(folder, 'gateway.yaml'), configOf(receiver.port));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { OPENAI_API_KEY: '' } });
  const faults = [];
  const slowest = async () => {
    let most = 0;
    for (let count = 0; count < TRIES && most < 2 * LONGEST_DELAY_MS; count++)
      most = Math.max(most, await delivered(gateway.url, receiver));
    return most;
  };
  try {
    const idle = await slowest();
    const tasks = short ? TASKS.short : TASKS.whole;
    for (let at = 0; at < tasks; at += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => create(gateway.url, SLOW, `http://127.0.0.1:${receiver.port}/slow`)),
      );
    await sleep(SETTLING_MS);
    say(`${receiver.held()} receivers hold on to their webhooks`);
    const busy = await slowest();
    const delay = Math.max(0, busy - idle);
    if (delay > LONGEST_DELAY_MS) faults.push(`another owner's webhook came ${delay} ms later`);
    if (receiver.held() === 0) faults.push('no slow receiver was asked');
    const words = busy >= GIVEN_UP_MS ? `not after ${GIVEN_UP_MS / 1000} s` : `${delay} ms later than with none`;
    return { measured: `${tasks} slow receivers, another owner’s webhook ${words}`, faults };
  } finally {
    await gateway.kill();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function delivered(url, receiver) {
  const began = Date.now();
  const id = await create(url, QUICK, `http://127.0.0.1:${receiver.port}/quick`);
  while (!receiver.has(id) && Date.now() - began < GIVEN_UP_MS) await sleep(20);
  return Date.now() - began;
}

async function create(url, key, callback_url) {
  const reply = await fetch(`${url}/v1/video/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, content: [{ type: 'text', text: 'A boat' }], duration: 4, callback_url }),
  });
  const { task_id } = await reply.json();
  if (task_id === undefined) throw new Error(`no task: ${reply.status}`);
  return task_id;
}

/** `/quick` answers, `/slow` never does. */
async function startReceiver() {
  const said = [];
  let held = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.once('end', () => {
      if (request.url === '/slow') {
        held++;
        return;
      }
      said.push(body);
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    has: (id) => said.some((body) => body.includes(id)),
    held: () => held,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function configOf(port) {
  return `server: { port: 0, drain_seconds: 1 }
security: { allow_private: ['127.0.0.1:${port}'] }
twin: { video_seconds: 0.2 }
tasks: { poll_seconds: 0.5 }
keys:
  - { name: slow, key: ${SLOW}, owner: 1, webhook_secret: ${SECRET} }
  - { name: quick, key: ${QUICK}, owner: 2, webhook_secret: ${SECRET} }
`;
}
