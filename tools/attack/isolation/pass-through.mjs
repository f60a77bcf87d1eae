/** A tenant to whom two paths of an account are opened tries to reach others, to see the credential, and to pay less. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY, ask, MB, startListeningVendor, startWatched } from '../exhaustion/gateway.mjs';

const KEY = 'sk-attack-opened-0123456789abcdef';
const STRANGER = 'sk-attack-a-0123456789abcdef';
const SECRET = 'vendor-credential-0123456789abcdef';
const BASE = '/v1/inner';
const MOST_GROWTH_MB = 128;
const HELD_CENTS = 11;
const UNITS_PER_CENT = 5000;

export async function attackPassThrough({ say, short = false }) {
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const vendor = await startListeningVendor();
  const gateway = await startWatched({
    server: 'body_limit: 4mb',
    keys: `  - { name: opened, key: ${KEY}, owner: 8, group: opened }\n`,
    accounts: `  - id: 2
    name: own
    vendor: openai
    base_url: 'http://127.0.0.1:${vendor.port}${BASE}'
    credentials: { api_key: ${SECRET} }
    pass_through:
      groups: [opened]
      body_limit: 2gb
      paths:
        - { path: /ocr, methods: [POST], price: { call: 0.01, unit: 0.001 }, usage: { units: usage.pages }, most: { units: 100 } }
        - { path: '/files/**', methods: [GET, POST], price: { call: 0 }, headers: [x-note] }
`,
  });
  const world = { gateway, vendor, tell, faults, short };
  try {
    if ((await ask(gateway.url, '/pass/own/files/a', { method: 'GET', key: KEY })).status !== 200)
      return { measured: 'nothing is passed through', faults: ['nothing is passed through'] };
    await leaveThePaths(world);
    await seeSecrets(world);
    await payLess(world);
    await growMemory(world);
    if (!gateway.isAlive()) faults.push('the gateway has died');
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
    vendor.stop();
  }
}

/** A path as the most obliging server would walk it: escapes of escapes decoded, backslashes turned, parameters taken off. */
function walked(url) {
  let path = url.split('?')[0];
  for (let last = ''; last !== path;) {
    last = path;
    try {
      path = decodeURIComponent(path);
    } catch {
      break;
    }
  }
  const segments = [];
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    const name = segment.split(';')[0].trim();
    if (name === '..') segments.pop();
    else if (name !== '.' && name !== '') segments.push(name);
  }
  return `/${segments.join('/')}`;
}

const STEPS = [
  '..',
  '.',
  '%2e%2e',
  '.%2e',
  '%252e%252e',
  '..;',
  '..;a=b',
  '%2e%2e%3b',
  '..%00',
  '..%20',
  '%c0%ae%c0%ae',
  '',
];
const SEPARATORS = ['/', '\\', '%2f', '%5c', '%252f', '//'];
const HOSTS = [
  'http://127.0.0.1:1/x',
  '//127.0.0.1/x',
  '@127.0.0.1/x',
  ':80@127.0.0.1/x',
  '\\\\127.0.0.1\\x',
  'http:%2f%2f127.0.0.1%2fx',
  '#@127.0.0.1/x',
  '?@127.0.0.1/x',
];
const TARGETS = ['chat/completions', 'organization/api_keys'];

async function leaveThePaths({ gateway, vendor, tell, faults, short }) {
  const paths = [
    ...TARGETS.flatMap((target) =>
      STEPS.flatMap((step) =>
        SEPARATORS.flatMap((separator) => [
          `files/${step}${separator}${target}`,
          `files/a${separator}${step}${separator}${step}${separator}${target}`,
          `files/${step}${separator}${step}${separator}${step}/v1/${target}`,
        ]),
      ),
    ),
    ...HOSTS.flatMap((host) => [host, `files/${host}`, `files${host}`]),
    ...TARGETS,
    'ocr/more',
    'ocr.php',
    'OCR',
    'ocr%0d%0aX:1',
  ];
  vendor.asked = [];
  const own = new URL(gateway.url).port;
  let tries = 0;
  for (const path of short ? paths.filter((_, index) => index % 3 === 0) : paths)
    for (const target of [`/pass/own/${path}`, `http://127.0.0.1:${own}/pass/own/${path}`]) {
      tries += 1;
      await rawRequest(gateway.url, `GET ${target} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${KEY}`);
    }
  for (const [key, method, path] of [
    [STRANGER, 'GET', 'own/files/a'],
    [undefined, 'GET', 'own/files/a'],
    [KEY, 'DELETE', 'own/files/a'],
    [KEY, 'GET', 'sink/models'],
  ]) {
    tries += 1;
    const { status } = await ask(gateway.url, `/pass/${path}`, { method, key });
    if (![401, 403, 404, 405].includes(status)) faults.push(`${method} ${path} is ${status}`);
  }
  const outside = vendor.asked.filter(
    ({ url }) => !url.startsWith(`${BASE}/files/`) || !walked(url).startsWith(`${BASE}/files/`),
  );
  for (const { url } of outside) faults.push(`the vendor was asked ${url}`);
  tell(`${tries} paths, ${outside.length} beyond those that are opened`);
}

/** The status, 0 where the connection ended without one. */
function rawRequest(url, head) {
  const { port, hostname } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}\r\nconnection: close\r\n\r\n`, 'latin1'),
    );
    socket.setTimeout(5000, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(text.split(' ')[1] ?? 0)));
  });
}

async function seeSecrets({ gateway, vendor, tell, faults }) {
  const given = ['x-api-key', 'x-goog-api-key', 'api-key', 'cookie', 'proxy-authorization', 'x-note'];
  const told = [];
  for (const name of ['authorization', ...given.slice(0, 2)]) {
    vendor.asked = [];
    const headers = Object.fromEntries(given.filter((each) => each !== 'x-note').map((each) => [each, KEY]));
    const query = `?key=${KEY}&api_key=${encodeURIComponent(KEY)}&a[]=${KEY}`;
    await ask(gateway.url, `/pass/own/files/a${query}`, {
      ...{ method: 'GET', key: undefined },
      headers: {
        ...headers,
        [name]: name === 'authorization' ? `Bearer ${KEY}` : KEY,
        host: 'metadata.internal',
        'x-forwarded-host': 'a',
      },
    });
    if (vendor.asked.length === 0) faults.push(`the vendor was not asked by a key in ${name}`);
    told.push(...vendor.asked.filter((asked) => JSON.stringify(asked).includes(KEY)));
  }
  for (const { url } of told) faults.push(`the vendor saw the caller's key: ${url}`);
  const mirror = (status, type) => (request, response) => {
    const seen = JSON.stringify(request.headers);
    response.writeHead(status, {
      'content-type': type,
      'x-seen': request.headers.authorization,
      location: '/v1/inner/secret',
    });
    response.end(status === 302 ? '' : seen);
  };
  let shown = 0;
  for (const status of [302, 400, 401, 403, 404, 422, 429, 500, 503]) {
    vendor.asked = [];
    vendor.next = mirror(status, 'application/json');
    const { text, headers } = await ask(gateway.url, '/pass/own/ocr', { key: KEY, body: '{}', redirect: 'manual' });
    if (text.includes(SECRET) || JSON.stringify([...headers]).includes(SECRET)) shown += 1;
    if (vendor.asked.length !== 1) faults.push(`a ${status} made ${vendor.asked.length} requests`);
  }
  vendor.next = undefined;
  if (shown > 0) faults.push(`${shown} answers show the credential`);
  tell(`${told.length} requests with the caller's key, ${shown} answers with the credential`);
}

/** What each way to be answered without saying so costs, in cents: all that was held. */
async function payLess({ gateway, vendor, tell, faults }) {
  const said =
    (body, type = 'application/json') =>
    (_, response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(body);
    };
  const ways = {
    'told as text': said('{"usage":{"pages":"0"}}'),
    negative: said('{"usage":{"pages":-100}}'),
    'not told': said('{}'),
    'told beyond': said('{"usage":{"pages":1e300}}'),
    'no JSON': said('pages: 0', 'text/plain'),
    'behind a megabyte': said(`{"a":"${'x'.repeat(2 * MB)}","usage":{"pages":0}}`),
    'another event': said('event: a\ndata: {"pages":0}\n\n', 'text/event-stream'),
  };
  const costs = {};
  for (const [name, answer] of Object.entries(ways)) {
    vendor.next = answer;
    const { headers } = await ask(gateway.url, '/pass/own/ocr', { key: KEY, body: '{}' });
    costs[name] = await centsOf(gateway, headers.get('x-request-id'));
  }
  vendor.next = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"text":"all of it"');
    setTimeout(() => response.end('}'), 500);
  };
  const hungUp = await fetch(`${gateway.url}/pass/own/ocr`, {
    ...{ method: 'POST', body: '{}', headers: { authorization: `Bearer ${KEY}` } },
  });
  await hungUp.body.getReader().read();
  await hungUp.body?.cancel().catch(() => undefined);
  costs['hung up'] = await centsOf(gateway, hungUp.headers.get('x-request-id'));
  vendor.next = undefined;
  const less = Object.entries(costs).filter(([, cents]) => !(Math.abs(cents - HELD_CENTS) < 0.01));
  for (const [name, cents] of less) faults.push(`${name} costs ${cents} cents`);
  tell(
    `${Object.keys(costs).length} answers that tell nothing right, ${less.length} of them cheaper than what was held`,
  );
}

async function centsOf({ url }, id) {
  for (let looks = 0; looks < 100; looks++) {
    const { status, text } = await ask(url, `/admin/ledger/replay/${id}`, { method: 'GET', key: ADMIN_KEY });
    if (status === 200) return JSON.parse(text).charged / UNITS_PER_CENT;
    await sleep(50);
  }
  return Number.NaN;
}

/** Bodies without end, both ways, past somebody who does not read. */
async function growMemory({ gateway, vendor, tell, faults, short }) {
  const start = await gateway.look();
  const piece = Buffer.alloc(MB, 120);
  const size = short ? 256 : 1024;
  const flood = async function* flood() {
    for (let sent = 0; sent < size; sent++) yield piece;
  };
  vendor.next = (request, response) => {
    // Reads nothing of what it is sent, and sends without end to who reads nothing.
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    const fill = () => {
      while (response.write(piece));
    };
    response.on('drain', fill);
    fill();
    request.pause();
  };
  const gone = new AbortController();
  const open = Array.from({ length: 8 }, () =>
    fetch(`${gateway.url}/pass/own/files/a`, {
      ...{
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}` },
        body: ReadableStream.from(flood()),
        duplex: 'half',
      },
      signal: gone.signal,
    }).catch(() => undefined),
  );
  await sleep(short ? 2000 : 10_000);
  const waited = performance.now();
  await ask(gateway.url, '/v1/models', { method: 'GET', key: STRANGER });
  const other = performance.now() - waited;
  gone.abort();
  await Promise.all(open);
  vendor.next = undefined;
  const { peakBytes, delayMs } = await gateway.look();
  const growth = (peakBytes - start.peakBytes) / MB;
  tell(
    `8 bodies without end both ways: ${growth.toFixed(0)} MB more, event loop held up for ${delayMs.toFixed(0)} ms, another owner waited ${other.toFixed(0)} ms`,
  );
  if (growth > MOST_GROWTH_MB) faults.push(`memory grew by ${growth.toFixed(0)} MB`);
  if (other > 1000) faults.push(`another owner waited ${other.toFixed(0)} ms`);
}
