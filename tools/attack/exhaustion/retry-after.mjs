/** A vendor that is busy for a moment and says so with `retry-after: 999999999`, to a chat and to a question about a film. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedVendor } from '../../../libs/testing/src/scripted-vendor.ts';
import { startGatewayProcess } from '../target.mjs';
import { ADMIN_KEY, ask, KEYS } from './gateway.mjs';

const MOST_SECONDS = 300;
const HEADERS = { 'retry-after': '999999999' };
const LOOKS = 100;
const VIDEO = { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text: 'A paper boat' }], duration: 4 };
const CHAT = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'hi' }] };

/** Measures what the next caller is told, until when the account cools, and when the film is looked at again. */
export async function waitForYears() {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const vendor = await startScriptedVendor(({ method, path }) => {
    if (method === 'POST' && path.includes('tasks')) return { json: { id: 'cgt-1' } };
    return {
      status: 429,
      headers: HEADERS,
      json: { error: { message: 'busy', type: 'rate_limit_error', code: null } },
    };
  });
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
tasks: { poll_seconds: 1 }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: a, key: ${KEYS[0]}, owner: 1 }, { name: b, key: ${KEYS[1]}, owner: 2 }]
accounts:
  - { name: openai, base_url: '${vendor.url}/v1', credentials: { api_key: none } }
  - { name: ark, base_url: '${vendor.url}/api/v3', credentials: { api_key: none } }
`,
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { GATEWAY_ADMIN_KEY: ADMIN_KEY } });
  const faults = [];
  const seen = {};
  const note = (what, seconds) => {
    seen[what] = Math.round(seconds);
    if (!(seconds <= MOST_SECONDS)) faults.push(`${what}: ${Math.round(seconds)} s`);
  };
  const admin = async (path) => JSON.parse((await ask(gateway.url, path, { key: ADMIN_KEY, method: 'GET' })).text).data;
  try {
    const { status, text } = await ask(gateway.url, '/v1/video/generations', { body: JSON.stringify(VIDEO) });
    if (status !== 200) faults.push(`the film was answered ${status} ${text}`);
    for (const key of KEYS.slice(0, 2)) {
      const { headers } = await ask(gateway.url, '/v1/chat/completions', { key, body: JSON.stringify(CHAT) });
      note(`told to tenant ${KEYS.indexOf(key) + 1}`, Number(headers.get('retry-after')));
    }
    const account = (await admin('/admin/accounts')).find(({ name }) => name === 'openai');
    note('the account cools for', secondsUntil(account.cool_until));
    let task;
    for (let look = 0; look < LOOKS && !(task?.faults > 0); look++) {
      await sleep(100);
      [task] = await admin('/admin/tasks');
    }
    if (!(task?.faults > 0)) faults.push('the film was never asked about');
    else note('the film is looked at in', secondsUntil(task.next_check_at));
    const measured = Object.entries(seen).map(([what, seconds]) => `${what} ${seconds} s`);
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.kill();
    await vendor.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of a time in the admin API: text, or seconds since 1970. */
function secondsUntil(time) {
  return ((typeof time === 'number' ? time * 1000 : Date.parse(time)) - Date.now()) / 1000;
}
