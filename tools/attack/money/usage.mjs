/** A vendor whose usage reports are nothing, nonsense or enormous, whole and streamed; then the books are looked at. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAttackedDatabase, startGatewayProcess } from '../target.mjs';
import { startScriptedVendor } from '../../../libs/testing/src/scripted-vendor.ts';
import { configText, DOLLAR, enrol, OVERDRAFT, readBooks, WORST_CASE } from './payers.mjs';

const TEXT = 'The sea is wide and the boat is small. '.repeat(20);
const tokens = (prompt, completion) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});
/** `free` where the vendor says that it bills nothing. */
const REPORTS = {
  true: { usage: tokens(10, 200) },
  zero: { usage: tokens(0, 0), free: true },
  missing: { usage: undefined },
  null: { usage: null },
  negative: { usage: tokens(-5, -2_000) },
  fraction: { usage: tokens(0.5, 10.25) },
  text: { usage: { prompt_tokens: 'ten', completion_tokens: '200', total_tokens: {} } },
  huge: { usage: tokens(2 ** 40, 2 ** 40) },
  unsafe: { usage: tokens(1e300, 1e300) },
};
const FLUSH_MS = 1_500;

/** Every report, whole and streamed, each by a payer of a dollar. */
export async function reportAnything({ say }) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attack-'));
  const database = await openAttackedDatabase();
  const vendor = await startScriptedVendor(({ json }) => answerWith(json));
  const twin = { baseUrl: () => `${vendor.url}/v1`, credentials: () => ({ api_key: 'none' }) };
  const payers = Object.keys(REPORTS).flatMap((report) =>
    ['whole', 'stream'].map((way) => ({
      name: `${report}-${way}`,
      report,
      stream: way === 'stream',
      cap: DOLLAR,
      twin,
      secret: `sk-attack-${report}-${way}-0123456789abcdef`,
      billed: () => 0,
    })),
  );
  await enrol(database.url, payers);
  writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: database.url, folder, payers }));
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  const faults = [];
  try {
    const heard = new Map();
    for (const payer of payers) heard.set(payer, await ask(gateway.url, payer));
    await sleep(FLUSH_MS);
    await gateway.kill();
    const { books, differences } = await readBooks(database.url, payers);
    const charged = books.map(({ payer, charged: units, shortfall, balance }) => {
      const { free = false } = REPORTS[payer.report];
      const delivered = heard.get(payer);
      if (balance < -OVERDRAFT) faults.push(`${payer.name} owes ${-balance} units`);
      if (delivered && units === 0 && !free) faults.push(`${payer.name} had an answer for nothing`);
      if (!delivered && units > 0) faults.push(`${payer.name} had no answer and paid ${units}`);
      if (units > WORST_CASE)
        say(`${payer.name} paid ${units} units; its worst case is ${WORST_CASE} (shortfall ${shortfall})`);
      return `${payer.name} ${delivered ? units : 'refused'}`;
    });
    faults.push(...differences.map(({ message }) => `ledger verify: ${message}`));
    return { measured: `units charged: ${charged.join(', ')}`, faults };
  } finally {
    await gateway.kill();
    await vendor.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function answerWith(json) {
  const report = /report=(\w+)/.exec(JSON.stringify(json))?.[1] ?? 'true';
  const { usage } = REPORTS[report];
  const base = { id: 'chatcmpl-1', created: 1, model: 'gpt-5.2' };
  const told = usage === undefined ? {} : { usage };
  if (json.stream !== true)
    return {
      json: {
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
        ...told,
      },
    };
  const chunk = (choices, more = {}) =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  const delta = { role: 'assistant', content: TEXT };
  return {
    headers: { 'content-type': 'text/event-stream' },
    text: `${chunk([{ index: 0, delta, finish_reason: null }])}${chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])}${usage === undefined ? '' : chunk([], told)}data: [DONE]\n\n`,
  };
}

/** True when content came. */
async function ask(url, { name, report, secret, stream }) {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: name,
      stream,
      max_completion_tokens: 1_000,
      messages: [{ role: 'user', content: `report=${report}` }],
    }),
  });
  return (await reply.text()).includes('boat');
}
