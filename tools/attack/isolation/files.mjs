/** A tenant who has got hold of another's ids asks for the files in every dialect and form, and uploads files that lie about themselves. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:net';
import { KEYS, startListeningVendor, startWatched } from '../exhaustion/gateway.mjs';

const [VICTIM, THIEF] = KEYS;
const OTHER_MODE = 'sk-test-attack-files-0123456789abcdef';
const SECRET = 'the treasure lies under the third palm';

export async function takeFiles({ say }) {
  const vendor = await startListeningVendor();
  const account = (id, name) =>
    `  - { id: ${id}, name: ${name}, vendor: ${name}, base_url: 'http://127.0.0.1:${vendor.port}', credentials: { api_key: none } }\n`;
  const model = (code, name, dialect) =>
    `  - { code: ${code}, kind: chat, offers: [{ account: ${name}, model: ${code}, dialect: ${dialect} }], price: { input: 0, output: 0 } }\n`;
  const gateway = await startWatched({
    keys: `  - { name: other-mode, key: ${OTHER_MODE}, owner: 1 }\n`,
    accounts: account(2, 'anthropic') + account(3, 'gemini'),
    lines: model('claude', 'anthropic', 'anthropic-messages') + model('google', 'gemini', 'gemini-generate'),
  });
  const faults = [];
  const measured = [];
  const tell = (words) => {
    say(words);
    measured.push(words);
  };
  const world = { url: gateway.url, folder: gateway.folder, vendor, faults, tell };
  try {
    const made = await upload(world, VICTIM, SECRET, 'map.txt');
    if (made.status !== 200) return { measured: 'no file can be uploaded', faults: ['no file can be uploaded'] };
    await takeOthers(world, made.json.id);
    await lieAboutFiles(world);
    return { measured: measured.join(', '), faults };
  } finally {
    await gateway.stop();
    vendor.stop();
  }
}

async function send({ url }, key, method, path, body, headers = {}) {
  const isJson = body !== undefined && !(body instanceof FormData) && !(body instanceof Buffer);
  const reply = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: text.startsWith('{') ? JSON.parse(text) : {} };
}

function upload(world, key, content, filename, type = 'text/plain', purpose = 'user_data') {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', new Blob([content], { type }), filename);
  return send(world, key, 'POST', '/v1/files', form);
}

async function takeOthers(world, id) {
  const { faults, tell, vendor } = world;
  const own = id.replace('file-', '');
  const anthropics = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'files-api-2025-04-14' };
  const spellings = [id, id.replace('file-', 'file_'), `files/${own}`, `${world.url}/v1beta/files/${own}`];
  const begun = await send(world, VICTIM, 'POST', '/v1/uploads', {
    ...{ bytes: 10, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' },
  });
  const uploadId = begun.json.id;
  const formOf = (name) => {
    const form = new FormData();
    form.set(name, new Blob(['0123456789']), 'a');
    return form;
  };
  const part = await send(world, VICTIM, 'POST', `/v1/uploads/${uploadId}/parts`, formOf('data'));
  const thiefs = await send(world, THIEF, 'POST', '/v1/uploads', {
    ...{ bytes: 10, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' },
  });
  const ways = [
    ...['GET', 'DELETE'].flatMap((method) => [
      [method, `/v1/files/${id}`],
      [method, `/v1/files/${spellings[1]}`, undefined, anthropics],
      [method, `/v1beta/files/${own}`],
    ]),
    ['GET', `/v1/files/${id}/content`],
    ['GET', `/v1/files/${spellings[1]}/content`, undefined, anthropics],
    ['GET', `/v1/files/${part.json.id?.replace('part_', 'file-')}`],
    ['GET', `/v1/files/${part.json.id?.replace('part_', 'file-')}/content`],
    ['GET', `/v1beta/files/${own}:download?alt=media`],
    ['POST', `/v1/uploads/${uploadId}/parts`, formOf('data')],
    ['POST', `/v1/uploads/${uploadId}/complete`, { part_ids: [part.json.id] }],
    ['POST', `/v1/uploads/${uploadId}/cancel`],
    ['POST', `/upload/v1beta/files/${uploadId}`, undefined, { 'x-goog-upload-command': 'query' }],
    ['POST', `/upload/v1beta/files/${uploadId}`, undefined, { 'x-goog-upload-command': 'finalize' }],
    ['POST', '/v1/batches', { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' }],
  ];
  const chats = spellings.flatMap((named) => chatsNaming(named));
  vendor.asked = [];
  let tries = 0;
  let taken = 0;
  for (const key of [THIEF, OTHER_MODE])
    for (const [method, path, body, headers] of [...ways, ...chats]) {
      tries += 1;
      const { status, text } = await send(world, key, method, path, body, headers);
      const isRefused = status === 404 || (chats.some(([, chat]) => chat === path) && status >= 400 && status < 500);
      if (!isRefused || text.includes(SECRET)) {
        taken += 1;
        faults.push(`${method} ${path} ${JSON.stringify(body ?? '').slice(0, 150)} is ${status}`);
      }
    }
  const joined = await send(world, THIEF, 'POST', `/v1/uploads/${thiefs.json.id}/complete`, {
    part_ids: [part.json.id],
  });
  if (joined.status !== 400) faults.push(`another owner's part in one's own upload is ${joined.status}`);
  for (const path of [
    `/v1/files?after=${id}`,
    `/v1/files?before=${id}`,
    `/v1beta/files?pageToken=${own}`,
    '/v1/files',
  ]) {
    tries += 1;
    const { json } = await send(world, THIEF, 'GET', path);
    if ((json.data ?? json.files ?? []).length > 0) faults.push(`${path} lists another owner's file`);
  }
  const leaked = vendor.asked.filter(
    ({ body }) => body.includes(SECRET) || body.includes(Buffer.from(SECRET).toString('base64').slice(0, 20)),
  );
  if (leaked.length > 0) faults.push(`a vendor got the file ${leaked.length} times`);
  const still = await send(world, VICTIM, 'GET', `/v1/files/${id}/content`);
  if (still.text !== SECRET) faults.push(`the owner's own file is ${still.status}`);
  const done = await send(world, VICTIM, 'POST', `/v1/uploads/${uploadId}/complete`, { part_ids: [part.json.id] });
  if (done.status !== 200) faults.push(`the owner's own upload is ${done.status}`);
  tell(`${tries} tries at another owner's files, ${taken} of them answered, ${leaked.length} vendors told`);
}

/** Chats in each dialect, for models of each vendor, with the file where a file may be. */
function chatsNaming(id) {
  const models = ['m', 'claude', 'google'];
  return models.flatMap((model) => [
    ...[{ file_id: id }, { file_id: id, filename: 'a.pdf' }].map((file) => [
      'POST',
      '/v1/chat/completions',
      { model, messages: [{ role: 'user', content: [{ type: 'file', file }] }] },
    ]),
    ...['input_file', 'input_image'].map((type) => [
      'POST',
      '/v1/responses',
      { model, input: [{ role: 'user', content: [{ type, file_id: id }] }] },
    ]),
    ...['document', 'image'].map((type) => [
      'POST',
      '/v1/messages',
      {
        model,
        max_tokens: 9,
        messages: [{ role: 'user', content: [{ type, source: { type: 'file', file_id: id } }] }],
      },
      { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'files-api-2025-04-14' },
    ]),
    [
      'POST',
      '/v1/messages/count_tokens',
      { model, messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: id } }] }] },
    ],
    ...['generateContent', 'streamGenerateContent', 'countTokens'].map((method) => [
      'POST',
      `/v1beta/models/${model}:${method}`,
      { contents: [{ role: 'user', parts: [{ fileData: { fileUri: id, mimeType: 'text/plain' } }] }] },
    ]),
  ]);
}

const PAGE = '<script>alert(document.cookie)</script>';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg">${PAGE}</svg>`;
const LIES = [
  ['a.html', 'text/html', `<!doctype html>${PAGE}`],
  ['a.png', 'text/html', `<html>${PAGE}`],
  ['a.svg', 'image/svg+xml', SVG],
  ['a.svg', 'image/png', `<?xml version="1.0"?>${SVG}`],
  ['a.xhtml', 'application/xhtml+xml', SVG],
  ['a.xml', 'text/xml', SVG],
  ['a.js', 'text/javascript', 'alert(1)'],
  ['a.pdf', 'application/pdf', PAGE],
  ['a.txt', 'text/plain', PAGE],
  ['a', 'text/html; charset=utf-7', '+ADw-script+AD4-'],
  ['a.json', 'application/json\r\nx-evil: 1', '{}'],
];
const NAMES = [
  '../../../etc/passwd',
  '..\\..\\windows\\system.ini',
  '/etc/passwd',
  '....//....//a',
  '..',
  '.',
  'a\u0000.png',
  'a\r\nset-cookie: x=1',
  'a"; filename="b.html',
  'CON',
  '\u202Egnp.exe',
  'n'.repeat(5000),
  '%2e%2e%2f%2e%2e%2fa',
];
const RUN_BY_BROWSERS = /html|svg|xml|javascript|json/i;

async function lieAboutFiles(world) {
  const { faults, tell, folder } = world;
  let kept = 0;
  for (const [name, type, content] of [...LIES, ...NAMES.map((name) => [name, 'text/plain', 'x'])]) {
    const { status, json } = await uploadRaw(world, name, type, content);
    if (status === 400) continue;
    if (status !== 200) {
      faults.push(`the name ${JSON.stringify(name).slice(0, 40)} of the type ${type} is ${status}`);
      continue;
    }
    kept += 1;
    if (/[/\\\u0000-\u001f]/.test(json.filename) || json.filename.length > 255 || /^\.{0,2}$/.test(json.filename))
      faults.push(`a file is called ${JSON.stringify(json.filename).slice(0, 60)}`);
    const own = json.id.replace('file-', '');
    for (const path of [`/v1/files/${json.id}/content`, `/v1beta/files/${own}:download?alt=media`]) {
      const { headers, text } = await send(world, VICTIM, 'GET', path);
      const sent = headers.get('content-type') ?? '';
      const isInert = !RUN_BY_BROWSERS.test(sent) && headers.get('x-content-type-options') === 'nosniff';
      if (!isInert || !/^attachment;/.test(headers.get('content-disposition') ?? ''))
        faults.push(`${name} of the type ${type} is sent as ${sent}`);
      if (headers.get('set-cookie') !== null || headers.get('x-evil') !== null) faults.push(`${name} sets headers`);
      if (text !== content) faults.push(`${name} has other bytes than were sent`);
    }
  }
  const strange = readdirSync(join(folder, 'files')).filter((name) => !/^upload_[a-z0-9]+\.bin$/.test(name));
  if (strange.length > 0) faults.push(`the folder of files has ${strange.join()}`);
  if (existsSync('/etc/passwd.bin')) faults.push('a file lies outside');
  tell(`${kept} files with lying names and types kept, ${strange.length} of them elsewhere than they should be`);
}

/** A form whose header is written as it stands: `FormData` would put it right. */
function uploadRaw({ url }, name, type, content) {
  const form = Buffer.from(
    `--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n${content}\r\n--b--\r\n`,
  );
  const { port, hostname } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /v1/files HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${VICTIM}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${form.length}\r\nconnection: close\r\n\r\n`,
      );
      socket.write(form);
    });
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const body = /\{.*\}/s.exec(text.split('\r\n\r\n').slice(1).join(''))?.[0] ?? '{}';
      resolve({ status: Number(text.split(' ')[1] ?? 0), json: JSON.parse(body) });
    });
  });
}
