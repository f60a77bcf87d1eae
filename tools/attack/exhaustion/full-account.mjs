/** An account that takes eight calls at once: one owner keeps fifty requests at it, another asks one at a time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startScriptedVendor } from '../../../libs/testing/src/scripted-vendor.ts';
import { startGatewayProcess } from '../target.mjs';
import { ask, KEYS } from './gateway.mjs';

const PLACES = 8;
const CROWD = 50;
const VENDOR_MS = 100;
/**
 * Answers of the vendor within which one is answered: at the median, and nine of ten times. In one line with the crowd it would be after them
 * all, each time. The tenth may be counted while this process, which asks and answers, has no turn on a busy machine.
 */
const MEDIAN_WAIT = 3 * PLACES;
const LONG_WAIT = 5 * PLACES;
const CHAT = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 });
const ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** Counts the answers of the one who asks one at a time, what comes before them, and what the others are told. */
export async function crowdAnAccount({ short }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  let vendorAnswers = 0;
  const vendor = await startScriptedVendor(async () => {
    await sleep(VENDOR_MS);
    vendorAnswers++;
    return { json: ANSWER };
  });
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
keys: [{ name: a, key: ${KEYS[0]}, owner: 1 }, { name: b, key: ${KEYS[1]}, owner: 2 }]
accounts: [{ name: eight, vendor: openai, base_url: '${vendor.url}/v1', credentials: { api_key: none }, max_concurrency: ${PLACES} }]
models: [{ code: m, kind: chat, price: { input: 1, output: 1 }, limits: { max_input_tokens: 1000, max_output_tokens: 100 }, offers: [{ account: eight, model: m, dialect: openai-chat }] }]
`,
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = new Set();
  const until = Date.now() + (short ? 5_000 : 20_000);
  const chat = async (key) => {
    const { status, headers, text } = await ask(gateway.url, '/v1/chat/completions', { key, body: CHAT });
    if (status === 200) return true;
    if (status !== 429 && status !== 503) faults.add(`a request was answered ${status} ${text.slice(0, 200)}`);
    if (headers.get('retry-after') === null) faults.add(`a refusal with status ${status} says not when to come back`);
    return false;
  };
  let crowdAnswers = 0;
  const crowd = Array.from({ length: CROWD }, async () => {
    while (Date.now() < until) {
      if (await chat(KEYS[0])) crowdAnswers++;
      else await sleep(20);
    }
  });
  /** Answers that the vendor gave meanwhile: the machine may be slow. */
  const waits = [];
  let asked = 0;
  try {
    while (Date.now() < until) {
      const before = vendorAnswers;
      asked++;
      if (await chat(KEYS[1])) waits.push(vendorAnswers - before);
    }
    await Promise.all(crowd);
    const sorted = waits.toSorted((one, other) => one - other);
    const within = (part) => sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
    const [median, long] = [within(0.5), within(0.9)];
    if (waits.length < asked) faults.add(`${waits.length} answers of ${asked} for the one who asks one at a time`);
    if (median > MEDIAN_WAIT || long > LONG_WAIT)
      faults.add(`the vendor gave ${median} answers while one was waited for, and ${long} one time of ten`);
    const measured = `${waits.length} answers of ${asked}, the vendor gave ${median} meanwhile, nine of ten times at most ${long}; the crowd had ${crowdAnswers}; ${faults.size} faults`;
    return { measured, faults: [...faults] };
  } finally {
    await gateway.kill();
    await vendor.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
