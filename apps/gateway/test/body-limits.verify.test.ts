/** What bodies may take of a gateway: values, bytes in memory, files of forms. Each is refused in words, and leaves nothing behind. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayProcess, type GatewayProcess, until } from '@model-gateway/testing';

const MB = 1024 * 1024;
const KEYS = { one: 'sk-test-bodies-one-0123456789', other: 'sk-test-bodies-other-0123456789' };
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-bodies-'));
/** Where the gateway keeps the files of forms. */
const temporary = join(folder, 'tmp');
const abandoned = join(temporary, 'model-gateway-form-999999999-abcdef');
const foreign = join(temporary, 'model-gateway-formula');

let gateway: GatewayProcess;
beforeAll(async () => {
  for (const each of [abandoned, foreign]) {
    mkdirSync(each, { recursive: true });
    writeFileSync(join(each, '0'), 'left');
  }
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0, body_limit: 8mb, body_memory: 16mb }
database: { url: 'sqlite:${folder}/gateway.db' }
files: { folder: '${folder}/files' }
keys:
  - { name: one, key: ${KEYS.one}, owner: 1 }
  - { name: other, key: ${KEYS.other}, owner: 2 }
`,
  );
  gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env: { TMPDIR: temporary } });
});
afterAll(async () => {
  await gateway.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function post(body: string, key = KEYS.one, path = '/v1/chat/completions') {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
const chat = (text: string, more = ''): string =>
  `{"model":"gpt-5.2","messages":[{"role":"user","content":"${text}"}]${more}}`;

/** Begins a request and sends so much of its body that the gateway holds it. */
async function begin(head: readonly string[], body: string): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`${[...head, '', ''].join('\r\n')}${body}`);
  if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  return socket;
}
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const heldBody = (key: string, size: number): Promise<Socket> =>
  begin(
    [
      'POST /v1/chat/completions HTTP/1.1',
      'host: x',
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      `content-length: ${size}`,
    ],
    ' '.repeat(size - 1),
  );
const formFolders = (): readonly string[] =>
  readdirSync(temporary).filter((name) => name.startsWith('model-gateway-form-'));

describe('values', () => {
  it.each([
    ['objects', `,"x":[${Array(210_000).fill('{}').join(',')}]`],
    ['numbers', `,"x":[${Array(210_000).fill('1').join(',')}]`],
  ])('%s beyond the limit are refused in words', async (_name, more) => {
    const { status, text } = await post(chat('hi', more));
    expect(status).toBe(400);
    expect(text).toContain('more than 200000 values');
  });

  it('as many as the longest history has are taken', async () => {
    const { text } = await post(chat('hi', `,"x":[${Array(150_000).fill('1').join(',')}]`));
    expect(text).not.toContain('values');
  });

  it('a name of a model has a length', async () => {
    const { status, text } = await post(
      '{"model":"' + 'gpt-'.repeat(30_000) + '","messages":[{"role":"user","content":"hi"}]}',
    );
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain('256');
  });
});

describe('bytes that are under way', () => {
  const large = chat('word '.repeat((3 * MB) / 5));
  /** A body that tells no length takes no turn: it is refused where it does not fit. */
  const postChunked = async (key: string): Promise<{ status: number; text: string; retryAfter: string | null }> => {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    });
    return { status: reply.status, text: await reply.text(), retryAfter: reply.headers.get('retry-after') };
  };

  it('are bounded for an owner, while another and small requests go on, and are given back', async () => {
    const held = [await heldBody(KEYS.one, 4 * MB), await heldBody(KEYS.one, 4 * MB)];
    await until(async () => (await postChunked(KEYS.one)).status === 429);
    const refused = await postChunked(KEYS.one);
    expect(refused.text).toContain('requests of your account');
    expect(refused.retryAfter).toBe('2');
    let isAnswered = false;
    const waiting = post(large).finally(() => {
      isAnswered = true;
    });
    expect((await post(chat('hi'))).status).toBe(200);
    expect((await post(large, KEYS.other)).status).toBe(200);
    expect(isAnswered).toBe(false);
    for (const socket of held) socket.destroy();
    expect((await waiting).status).toBe(200);
  });

  it('are bounded in all', async () => {
    const held = [];
    for (const key of [KEYS.one, KEYS.other])
      for (let body = 0; body < 2; body++) held.push(await heldBody(key, 4 * MB));
    await until(async () => (await postChunked(KEYS.one)).status === 429);
    const waiting = [post(large), post(large, KEYS.other)];
    expect((await post(chat('hi'))).status).toBe(200);
    for (const socket of held) socket.destroy();
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  });

  it('are admitted in turn: ten large ones at once are all answered', async () => {
    const largest = chat('word '.repeat((7 * MB) / 5));
    const form = new FormData();
    form.append('model', 'gpt-image-1');
    form.append('prompt', 'a boat');
    form.append('image', new Blob([new Uint8Array(7 * MB)]), 'a.png');
    const chats = Array.from({ length: 10 }, () => post(largest));
    const forms = Array.from({ length: 4 }, async () => {
      const reply = await fetch(`${gateway.url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEYS.other}` },
        body: form,
      });
      await reply.arrayBuffer();
      return reply.status;
    });
    for (const { status } of await Promise.all(chats)) expect(status).toBe(200);
    // They are no pictures, which is said of each once it was read.
    expect(await Promise.all(forms)).toEqual([400, 400, 400, 400]);
  });
});

it('a JSON body that does not tell its length ends at the limit of a body', async () => {
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${KEYS.one}`];
  const socket = await begin([...head, 'content-type: application/json', 'transfer-encoding: chunked'], '');
  let told = '';
  socket.on('data', (bytes: Buffer) => (told += bytes.toString('latin1')));
  for (let sent = 0; sent < 9; sent++) if (!socket.write(chunk(' '.repeat(MB)))) await once(socket, 'drain');
  await until(() => told.includes('\r\n\r\n'));
  expect(told).toContain(' 413 ');
  expect(told).toContain('8 MB');
  socket.destroy();
});

describe('forms', () => {
  const chunked = (key: string): Promise<Socket> =>
    begin(
      [
        'POST /v1/images/edits HTTP/1.1',
        'host: x',
        `authorization: Bearer ${key}`,
        'content-type: multipart/form-data; boundary=x',
        'transfer-encoding: chunked',
      ],
      '',
    );
  const file = (name: string): string =>
    `\r\n--x\r\ncontent-disposition: form-data; name="${name}"; filename="a.png"\r\n\r\n`;

  it('what processes that were killed have left is removed at the start, and nothing else', () => {
    expect(formFolders()).toEqual([]);
    expect(readdirSync(temporary)).toContain('model-gateway-formula');
  });

  it('are counted as they come: a chunked one ends at the limit of a body', async () => {
    const socket = await chunked(KEYS.one);
    let told = '';
    socket.on('data', (bytes: Buffer) => (told += bytes.toString('latin1')));
    for (let sent = 0; sent < 12; sent++) {
      const piece = chunk(`${sent % 3 === 0 ? file('image') : ''}${'a'.repeat(MB)}`);
      if (!socket.write(piece)) await once(socket, 'drain');
    }
    await until(() => told.includes('\r\n\r\n'));
    expect(told).toContain(' 413 ');
    expect(told).toContain('8 MB');
    socket.destroy();
    await until(() => formFolders().length === 0);
  });

  it('one that is broken off leaves nothing, on the disk or in the count', async () => {
    for (let turn = 0; turn < 6; turn++) {
      const socket = await chunked(KEYS.one);
      socket.write(chunk(`${file('image')}${'a'.repeat(4 * MB)}`));
      await until(() => formFolders().length > 0);
      socket.destroy();
      await until(() => formFolders().length === 0);
    }
    const { status } = await post(chat('word '.repeat((7 * MB) / 5)));
    expect(status).toBe(200);
  });

  it('a thousand fields are refused', async () => {
    const form = new FormData();
    for (let field = 0; field < 1_000; field++) form.append(`f${field}`, 'x');
    const reply = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.one}` },
      body: form,
    });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain('more than 60 fields');
  });
});
