/** A gateway in a process of its own whose event loop and memory are watched, before a vendor that reads nothing of what it is sent. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatewayProcess } from '../target.mjs';

export const MB = 1024 * 1024;
export const KEYS = ['a', 'b', 'c'].map((name) => `sk-attack-${name}-0123456789abcdef`);
export const TEST_KEY = 'sk-test-attack-0123456789abcdef';
export const ADMIN_KEY = 'admin-attack-0123456789abcdef0123456789';
const WATCH = new URL('watch-loop.mjs', import.meta.url).href;

/** Starts both. `answers` are bodies that the vendor answers with, by path; `server` is more of the configuration's `server` section; `lines` more of the file, `keys` more of its keys, `accounts` of its accounts, `files` of its `files` section. */
export async function startWatched({
  answers = {},
  server = '',
  lines = '',
  keys = '',
  accounts = '',
  files = '',
  nodeFlags = [],
  env = {},
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const temporary = join(folder, 'tmp');
  const vendor = await startSilentVendor(answers);
  writeFileSync(
    join(folder, 'gateway.yaml'),
    configOf({ folder, vendor: vendor.url, server, lines, keys, accounts, files }),
  );
  const gateway = await startGatewayProcess({
    folder,
    logLevel: 'fatal',
    nodeFlags: ['--import', WATCH, ...nodeFlags],
    env: { GATEWAY_ADMIN_KEY: ADMIN_KEY, ...env },
  });
  const { children = [gateway.child], urls = [gateway.url] } = gateway;
  return {
    url: gateway.url,
    /** Of each process. */
    urls,
    folder,
    temporary,
    child: gateway.child,
    isAlive: () => children.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null),
    /** Since the last time it was asked: the longest delay of an event loop, the most memory of a process, CPU of all. */
    async look() {
      const seen = await Promise.all(children.map(lookAt));
      const most = (name) => Math.max(...seen.map((each) => each[name]));
      const total = (name) => seen.reduce((sum, { cpu }) => sum + cpu[name], 0);
      return {
        delayMs: most('delayMs'),
        peakBytes: most('peakBytes'),
        cpu: { user: total('user'), system: total('system') },
      };
    },
    async stop() {
      await gateway.kill();
      await vendor.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function lookAt(child) {
  const answer = once(child, 'message');
  child.send('loop');
  const [seen] = await answer;
  return seen;
}

/** Sends a request and reads all of the answer; its status, or why there was none. The first tenant's, unless another key is given; `undefined` is none at all. */
export async function ask(url, path, options = {}) {
  // A default would also stand for an explicit `undefined`: who has no key would come with one.
  const { key, body, headers = {}, method = 'POST', seconds = 60, redirect } = { key: KEYS[0], ...options };
  try {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body, duplex: 'half' }),
      ...(redirect !== undefined && { redirect }),
      signal: AbortSignal.timeout(seconds * 1000),
    });
    const text = await reply.text();
    return { status: reply.status, text, headers: reply.headers };
  } catch (error) {
    return { status: 0, text: String(error?.cause ?? error), headers: new Headers() };
  }
}

/** Bytes of everything below a folder. */
export function bytesIn(folder) {
  let sum = 0;
  for (const name of readdirSync(folder, { recursive: true })) {
    const found = statSync(join(folder, String(name)), { throwIfNoEntry: false });
    if (found?.isFile() === true) sum += found.size;
  }
  return sum;
}

/** A vendor that keeps what it was asked, bodies too; `next` says how it answers. */
export async function startListeningVendor() {
  const vendor = { asked: [], next: undefined };
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const asked = { method, url, headers, body: '' };
    vendor.asked.push(asked);
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (vendor.next !== undefined) {
      vendor.next(request, response);
      return;
    }
    request.setEncoding('latin1');
    request.on('data', (text) => (asked.body += text));
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  vendor.port = server.address().port;
  vendor.stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return vendor;
}

function startSilentVendor(more) {
  const answers = {
    ...more,
    '/v1/chat/completions': {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  };
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const known = answers[request.url.split('?')[0]];
      response.writeHead(known === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(known instanceof Buffer ? known : JSON.stringify(known ?? { error: { message: 'no such path' } }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        stop: () =>
          new Promise((done) => {
            server.close(done);
            server.closeAllConnections();
          }),
      });
    });
  });
}

function configOf({ folder, vendor, server, lines, keys, accounts, files }) {
  const price = 'price: { input: 0, output: 0 }';
  return `server: { port: 0, drain_seconds: 1${server === '' ? '' : `, ${server}`} }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files'${files === '' ? '' : `, ${files}`} }
keys:
${KEYS.map((key, at) => `  - { name: attack-${at}, key: ${key}, owner: ${at + 1} }`).join('\n')}
  - { name: attack-test, key: ${TEST_KEY}, owner: 9 }
${keys}
extends: none
accounts:
  - { id: 1, name: sink, vendor: openai, base_url: '${vendor}/v1', credentials: { api_key: none } }
${accounts}models:
  - { code: m, kind: chat, offers: [{ account: sink, model: m, dialect: openai-chat }], ${price} }
${lines}
`;
}
