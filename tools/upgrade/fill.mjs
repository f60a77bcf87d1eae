/** Runs the gateway of an older checkout and leaves rows in every table of its database: `fill.mjs CHECKOUT FOLDER`. Ends by SIGKILL, in the middle of a stream. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ADMIN_KEY, CAPPED_KEY, configText, KEY } from '../../apps/gateway/test/upgrade-config.ts';

const [, , checkout, folder] = process.argv;
const load = (path) => import(pathToFileURL(join(checkout, path)).href);
const { readConfig, startServer } = await load('apps/gateway/src/index.ts');
const { startVendorTwin } = await load('libs/vendor-twin/src/index.ts');

const twin = await startVendorTwin({
  media: 'tiny',
  seconds: { video: 0.3, subject: 0.3 },
  chunkDelayMs: 20,
  journal: join(folder, 'jobs'),
});
writeFileSync(join(folder, 'gateway.yaml'), configText({ databaseUrl: `sqlite:${folder}/gateway.db`, folder, twin }));
const config = readConfig({
  GATEWAY_CONFIG: join(folder, 'gateway.yaml'),
  LOG_LEVEL: 'fatal',
  GATEWAY_ADMIN_KEY: ADMIN_KEY,
});
const server = await startServer({ config, now: () => Date.now(), twin });

const call = async (method, path, body, { key = KEY, headers = {} } = {}) => {
  const reply = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json = await reply.json();
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(json)}`);
  return json;
};
const admin = (method, path, body) => call(method, path, body, { key: ADMIN_KEY });
const video = (text, more = {}, options = {}) =>
  call(
    'POST',
    '/v1/video/generations',
    { model: 'doubao-seedance-2-0-fast', content: [{ type: 'text', text }], duration: 5, ...more },
    options,
  );
const chat = (key) =>
  call('POST', '/v1/chat/completions', { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] }, { key });

const owner = await admin('POST', '/admin/owners', { name: 'prepaid', credit_limit: 0 });
await admin('POST', `/admin/owners/${owner.id}/topups`, { amount: 5_000_000 });
await admin('POST', `/admin/owners/${owner.id}/adjustments`, { amount: -1_000, note: 'a fee' });
const made = await admin('POST', '/admin/keys', {
  name: 'made',
  owner_id: owner.id,
  limits: { requests_per_minute: 1000, spend_total: 9 },
});
await admin('POST', `/admin/keys/${made.key.id}/rotate`, { overlap_seconds: 3600 });
for (const key of [KEY, CAPPED_KEY, made.secret]) for (let count = 0; count < 3; count++) await chat(key);

const ids = [];
for (let count = 0; count < 3; count++)
  ids.push((await video(`finished ${count}`, { callback_url: 'http://127.0.0.1:9/hook' })).task_id);
await call('POST', '/v1/general/advanced-custom-elements', {
  element_name: 'A boat',
  element_description: 'A small red boat',
  reference_type: 'image_refer',
  element_image_list: {
    frontal_image: 'https://example.com/boat.png',
    refer_images: [{ image_url: 'https://example.com/bow.png' }],
  },
});
for (let round = 0; round < 100; round++) {
  const tasks = await Promise.all(ids.map((id) => call('GET', `/v1/video/generations/${id}`)));
  if (tasks.every(({ data }) => ['SUCCESS', 'FAILURE'].includes(data.status))) break;
  await sleep(100);
}
await sleep(1_500);
// A failed one, open ones, and answers of Idempotency-Keys.
twin.faults.next('ark', 'create', { kind: 'fail' });
await video('will fail', {}, { headers: { 'idempotency-key': 'failed' } });
await sleep(1_500);
twin.faults.always('ark', 'poll', { kind: 'status', status: 503 });
for (let count = 0; count < 4; count++)
  await video(`open ${count}`, {}, { headers: { 'idempotency-key': `open-${count}` } });
await call(
  'POST',
  '/v1/chat/completions',
  { model: 'chat', messages: [{ role: 'user', content: 'Once' }] },
  { headers: { 'idempotency-key': 'chat-once' } },
);
await sleep(500);

const reply = await fetch(`${server.url}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${CAPPED_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'chat',
    stream: true,
    messages: [{ role: 'user', content: 'Tell me [[twin:long=500]]' }],
  }),
});
let bytes = 0;
for await (const chunk of reply.body) {
  bytes += chunk.length;
  if (bytes > 3_000) break;
}
await sleep(400);
process.kill(process.pid, 'SIGKILL');
