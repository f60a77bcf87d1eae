/** A tenant fills batches: 100,000 lines, a line of 60 MB, ids twice, models it may not use, cancels without end; another owner asks meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, KEYS, MB, startWatched } from './gateway.mjs';

const LINES = 100_000;
const LARGE_LINE_MB = 60;
const CANCELS = 2_000;
const AT_ONCE = 50;
const MOST_GROWTH_MB = 500;
const SLOWEST_MS = 2_000;
const NARROW_KEY = 'sk-attack-narrow-0123456789abcdef';
const CHAT = '/v1/chat/completions';
const BODY = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

export async function attackBatches({ say, short = false }) {
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const keys = `  - { name: narrow, key: ${NARROW_KEY}, owner: 9, models: [nothing-*] }\n`;
  const gateway = await startWatched({ server: 'body_limit: 64mb', keys });
  const api = apiOf(gateway.url);
  try {
    if ((await api.send(KEYS[0], 'GET', '/v1/batches')).status === 404)
      return { measured: 'there are no batches', faults: ['there are no batches'] };
    const start = await gateway.look();
    let slowest = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const from = performance.now();
        await ask(gateway.url, '/v1/models', undefined, KEYS[1]).catch(() => undefined);
        slowest = Math.max(slowest, performance.now() - from);
        await sleep(50);
      }
    })();
    const large = await fillUp(api, { tell, faults, lines: short ? LINES / 10 : LINES });
    await tooLarge(api, { tell, faults });
    await takeOthers(api, large, { tell, faults });
    await wrongLines(api, { tell, faults });
    await stormOfCancels(api, large, { tell, faults, count: short ? CANCELS / 10 : CANCELS });
    isOver = true;
    await watching;
    const { peakBytes, delayMs } = await gateway.look();
    const growth = (peakBytes - start.peakBytes) / MB;
    tell(
      `${growth.toFixed(0)} MB more, event loop held up for ${delayMs.toFixed(0)} ms, another owner waited ${slowest.toFixed(0)} ms at most`,
    );
    if (growth > MOST_GROWTH_MB) faults.push(`memory grew by ${growth.toFixed(0)} MB`);
    if (slowest > SLOWEST_MS) faults.push(`another owner waited ${slowest.toFixed(0)} ms`);
    if (!gateway.isAlive()) faults.push('the gateway has died');
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
  }
}

function apiOf(url) {
  const send = async (key, method, path, body) => {
    const isForm = body instanceof FormData;
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, text, json: text.startsWith('{') ? JSON.parse(text.split('\n')[0]) : undefined };
  };
  return {
    send,
    async batchOf(key, lines) {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob(lines), 'in.jsonl');
      const file = await send(key, 'POST', '/v1/files', form);
      if (file.status !== 200) return file;
      const asked = { input_file_id: file.json.id, endpoint: CHAT, completion_window: '24h' };
      return send(key, 'POST', '/v1/batches', asked);
    },
    /** When its input has been read, or it has ended. */
    async read(key, id) {
      for (;;) {
        const { json } = await send(key, 'GET', `/v1/batches/${id}`);
        if (json.status !== 'validating') return json;
        await sleep(50);
      }
    },
  };
}

function lineOf(id, body = BODY) {
  return `${JSON.stringify({ custom_id: String(id), method: 'POST', url: CHAT, body })}\n`;
}

async function fillUp(api, { tell, faults, lines }) {
  const from = performance.now();
  const made = await api.batchOf(
    KEYS[0],
    Array.from({ length: lines }, (_, index) => lineOf(index)),
  );
  const batch = await api.read(KEYS[0], made.json.id);
  tell(`${lines} lines taken in ${((performance.now() - from) / 1000).toFixed(1)} s`);
  if (batch.request_counts.total !== lines) faults.push(`${batch.request_counts.total} of ${lines} lines were taken`);
  const more = await api.batchOf(
    KEYS[0],
    Array.from({ length: 100_001 }, (_, index) => lineOf(index)),
  );
  const refused = more.status === 200 ? await api.read(KEYS[0], more.json.id) : { status: 'failed' };
  if (refused.status !== 'failed') faults.push(`100,001 lines are ${refused.status}`);
  return batch.id;
}

async function tooLarge(api, { tell, faults }) {
  const content = 'x'.repeat(LARGE_LINE_MB * MB);
  const made = await api.batchOf(KEYS[0], [lineOf(1), lineOf(2, { ...BODY, messages: [{ role: 'user', content }] })]);
  const batch =
    made.status === 200 ? await api.read(KEYS[0], made.json.id) : { errors: { data: [{ code: made.status }] } };
  const code = batch.errors?.data[0]?.code;
  tell(`a line of ${LARGE_LINE_MB} MB: ${code}`);
  if (code !== 'line_too_large') faults.push(`a line of ${LARGE_LINE_MB} MB is ${batch.status}`);
}

async function takeOthers(api, id, { tell, faults }) {
  const ways = [
    ['GET', `/v1/batches/${id}`],
    ['POST', `/v1/batches/${id}/cancel`],
    ['GET', `/v1/messages/batches/${id}`],
    ['GET', `/v1/messages/batches/${id}/results`],
    ['POST', `/v1/messages/batches/${id}/cancel`],
    ['DELETE', `/v1/messages/batches/${id}`],
    ['GET', `/v1beta/batches/${id}`],
    ['DELETE', `/v1beta/batches/${id}`],
  ];
  for (const [method, path] of ways) {
    const { status } = await api.send(KEYS[1], method, path);
    if (status !== 404) faults.push(`another owner's ${method} ${path} is ${status}`);
  }
  const { json } = await api.send(KEYS[1], 'GET', '/v1/batches');
  if (json.data.length > 0) faults.push("another owner's batches are listed");
  tell(`another owner's id: 404 by ${ways.length} ways`);
}

async function wrongLines(api, { tell, faults }) {
  const twice = await api.batchOf(KEYS[2], [lineOf(1), lineOf(1)]);
  const { status } = await api.read(KEYS[2], twice.json.id);
  if (status !== 'failed') faults.push(`a custom_id that is there twice is ${status}`);
  const params = { ...BODY, max_tokens: 10 };
  const { json } = await api.send(NARROW_KEY, 'POST', '/v1/messages/batches', {
    requests: [{ custom_id: 'a', params }],
  });
  for (let looks = 0; looks < 200; looks++) {
    const seen = await api.send(NARROW_KEY, 'GET', `/v1/messages/batches/${json.id}`);
    if (seen.json.processing_status === 'ended') break;
    await sleep(50);
  }
  const result = await api.send(NARROW_KEY, 'GET', `/v1/messages/batches/${json.id}/results`);
  const type = result.json?.result?.error?.error?.type;
  tell(`a model that the key may not use: ${type}`);
  if (type !== 'permission_error') faults.push(`a model that the key may not use: ${result.text.slice(0, 200)}`);
}

async function stormOfCancels(api, id, { tell, faults, count }) {
  const from = performance.now();
  let wrong = 0;
  for (let at = 0; at < count; at += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => api.send(KEYS[0], 'POST', `/v1/batches/${id}/cancel`)),
    );
    wrong += answers.filter(({ status }) => status !== 200).length;
  }
  tell(`${count} cancels in ${((performance.now() - from) / 1000).toFixed(1)} s`);
  if (wrong > 0) faults.push(`${wrong} cancels failed`);
}
