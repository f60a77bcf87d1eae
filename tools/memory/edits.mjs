/**
 * How much memory the gateway's process takes while many large picture edits run at the same time.
 *
 *   node_modules/.bin/node tools/memory/edits.mjs [--edits 50] [--megabytes 20] [--limit 400]
 *
 * The gateway runs in a process of its own, as `gateway serve`; the vendor twin and the clients live here. Resident memory is read from
 * /proc/<pid>/status every 20 ms, the kernel's own peak (VmHWM) with it. Prints a table; exit code 1 when the peak is not below the limit
 * (in units of 1,000,000 bytes), or an edit failed.
 */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGatewayProcess } from '../../libs/testing/src/gateway-process.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';
import { readArguments } from '../read-arguments.mjs';

const KEY = 'sk-memory-0123456789abcdef01';
const EVERY_MS = 20;
const CHUNK = 64 * 1024;
/** A picture of 8 x 8 pixels; what follows its end is padding that no reader minds. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGM4YSKGFTEMLQkAt2dAYXDVBYMAAAAASUVORK5CYII=',
  'base64',
);

const values = readArguments(import.meta.url, {
  edits: { type: 'string', default: '50' },
  megabytes: { type: 'string', default: '20' },
  limit: { type: 'string', default: '400' },
});
const edits = Number(values.edits);
const bytes = Number(values.megabytes) * 1_000_000;
const limit = Number(values.limit) * 1_000_000;

const folder = mkdtempSync(join(tmpdir(), 'model-gateway-memory-'));
const twin = await startVendorTwin({ media: 'tiny' });
writeFileSync(join(folder, 'gateway.yaml'), configText());
const gateway = await startGatewayProcess({ folder, env: { TMPDIR: folder } });
let broken = ['the run did not come to its end'];
try {
  const { url } = gateway;
  // Everything is loaded and compiled once before the measuring begins.
  const first = await edit(url, 100_000);
  if (first !== 200) throw new Error(`an ordinary edit was answered with ${first}`);
  const idle = memory().resident;
  let peak = 0;
  let most = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memory().resident);
    most = Math.max(most, spooled());
  }, EVERY_MS);
  const began = performance.now();
  const statuses = await Promise.all(Array.from({ length: edits }, () => edit(url, bytes)));
  clearInterval(sampling);
  const seconds = (performance.now() - began) / 1000;
  const { highest } = memory();
  // The answer goes out before the files do.
  for (let round = 0; spooled() > 0 && round < 100; round++) await sleep(50);
  const failed = statuses.filter((status) => status !== 200);
  console.table({
    'edits at the same time': edits,
    'bytes of each': bytes,
    'answered 200': edits - failed.length,
    seconds: Number(seconds.toFixed(1)),
    'most forms in temporary storage': most,
    'resident before (MB)': megabytes(idle),
    'resident peak, sampled (MB)': megabytes(peak),
    'resident peak, kernel (MB)': megabytes(highest),
    'limit (MB)': megabytes(limit),
  });
  broken = [
    ...(failed.length > 0 ? [`${failed.length} edits failed: ${[...new Set(failed)].join(', ')}`] : []),
    ...(Math.max(peak, highest) >= limit ? ['the peak is not below the limit'] : []),
    ...(spooled() > 0 ? ['temporary files stayed behind'] : []),
  ];
} finally {
  await gateway.kill();
  await twin.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of broken) console.error(`BROKEN: ${fault}`);
process.exit(broken.length === 0 ? 0 : 1);

function configText() {
  const account = {
    id: 1,
    name: 'openai',
    vendor: 'openai',
    base_url: twin.baseUrl('openai'),
    credentials: twin.credentials('openai'),
  };
  return `server: { port: 0 }
database: { url: 'sqlite:${folder}/gateway.db' }
twin: { enabled: false }
keys: [{ name: memory, key: ${KEY} }]
extends: none
accounts: [${JSON.stringify(account)}]
models:
  - { code: gpt-image-2, kind: image-edit, offers: [{ account: openai, model: gpt-image-2 }], price: { image: 0.04 } }
`;
}

/** One edit with a picture of so many bytes, sent as it is made; resolves with the status. */
async function edit(url, size) {
  const field = (name, value) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = Buffer.from(
    `${field('model', 'gpt-image-2')}${field('prompt', 'A hat')}--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`,
  );
  const tail = Buffer.from('\r\n--x--\r\n');
  const upload = request(`${url}/v1/images/edits`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': head.length + size + tail.length,
    },
  });
  const answered = once(upload, 'response');
  answered.catch(() => undefined);
  upload.write(head);
  upload.write(PICTURE);
  for (let left = size - PICTURE.length; left > 0; left -= CHUNK) {
    if (!upload.write(Buffer.alloc(Math.min(CHUNK, left), 7))) await once(upload, 'drain');
  }
  upload.end(tail);
  const [reply] = await answered;
  reply.resume();
  await once(reply, 'end');
  return reply.statusCode;
}

function memory() {
  const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8');
  const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  return { resident: of('VmRSS'), highest: of('VmHWM') };
}

function spooled() {
  return readdirSync(folder).filter((name) => name.startsWith('model-gateway-form-')).length;
}

function megabytes(count) {
  return Math.round(count / 100_000) / 10;
}
