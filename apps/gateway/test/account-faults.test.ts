/** What is known of an account that fails: in the admin API, the log and the refusal. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { pino } from 'pino';
import supertest from 'supertest';

interface Line {
  readonly msg: string;
  readonly level: number;
}
interface Account {
  readonly name: string;
  readonly state: string;
  readonly last_fault: object | null;
}

const START = Date.UTC(2026, 10, 22, 10);
const KEY = 'vendor-key-0123456789';
const lines: Line[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  }),
);
let now = START;
let answer: { readonly status: number; readonly body: object };
let vendor: Server;
let gateway: TestGateway;

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'hi', refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
};
const refusal = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'x', param: null, code: null } },
});

beforeAll(async () => {
  vendor = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const { port } = vendor.address() as AddressInfo;
  gateway = await openTestGateway({
    clock: () => now,
    log,
    yaml: `extends: none
accounts:
  - { name: up, vendor: openai, base_url: 'http://127.0.0.1:${port}/v1', credentials: { api_key: ${KEY} } }
  - { name: off, vendor: openai, credentials: { api_key: '\${UNSET}' } }
models:
  - { code: m, kind: chat, price: { input: 1 }, limits: { max_input_tokens: 9, max_output_tokens: 9 }, offers: [{ account: up, model: the-model, dialect: openai-chat }] }
  - { code: unserved, kind: chat, price: { input: 1 }, limits: { max_input_tokens: 9, max_output_tokens: 9 }, offers: [{ account: off, model: x, dialect: openai-chat }] }`,
  });
});
beforeEach(() => {
  lines.length = 0;
});
afterAll(async () => {
  await gateway.close();
  vendor.close();
  vendor.closeAllConnections();
});

const ask = (model = 'm') =>
  supertest(gateway.url)
    .post('/v1/chat/completions')
    .set('authorization', `Bearer ${gateway.liveKey}`)
    .send({ model, messages: [{ role: 'user', content: 'hi' }] });
async function account(): Promise<Account | undefined> {
  const { body } = await supertest(gateway.server.adminUrl)
    .get('/admin/accounts')
    .set('authorization', `Bearer ${gateway.adminKey}`);
  return (body as { data: Account[] }).data.find(({ name }) => name === 'up');
}
const warnings = (): readonly string[] => lines.filter(({ msg }) => msg.startsWith('account up')).map(({ msg }) => msg);

it('status, the vendor’s words and the time are kept and shown; the caller is told no word about credentials', async () => {
  answer = { status: 200, body: completion };
  expect((await ask()).status).toBe(200);
  expect((await account())?.last_fault).toBeNull();
  answer = refusal(401, `Incorrect API key provided: ${KEY}. Find yours in your settings.`);
  const { text } = await ask();
  expect(text).toContain('own credentials for this vendor were refused');
  expect(text).not.toContain('Incorrect');
  expect(await account()).toMatchObject({
    last_fault: {
      code: 'upstream_rejected_key',
      status: 401,
      message: 'Incorrect API key provided: [hidden]. Find yours in your settings.',
      model: 'the-model',
      at: new Date(START).toISOString(),
    },
  });
});

it('the log warns once when it begins to fail, once when it fails otherwise, and says when it is well again', async () => {
  now += 3_600_000;
  answer = { status: 200, body: completion };
  await ask();
  now += 3_600_000;
  lines.length = 0;
  answer = refusal(401, 'no such key');
  for (let each = 0; each < 5; each++) {
    await ask();
    now += 400_000;
  }
  expect(warnings()).toEqual([
    expect.stringMatching(/^account up fails for the-model: .*credentials.*; gateway accounts test up says why$/),
  ]);
  answer = refusal(429, 'Rate limit reached');
  await ask();
  await ask();
  expect(warnings()).toHaveLength(2);
  expect(warnings()[1]).toContain('Rate limit reached');
  answer = { status: 200, body: completion };
  now += 400_000;
  await ask();
  await ask();
  expect(warnings().slice(2)).toEqual(['account up has recovered for the-model']);
  expect(await account()).toMatchObject({
    state: 'closed',
    last_fault: { code: 'upstream_rate_limited', status: 429 },
  });
});

it('what a request did wrong is no fault of the account', async () => {
  const before = (await account())?.last_fault;
  answer = refusal(400, 'no such field');
  expect((await ask()).status).toBe(400);
  expect((await account())?.last_fault).toEqual(before);
});

it('an account that flaps is told of once a minute', async () => {
  now += 3_600_000;
  for (let each = 0; each < 10; each++) {
    answer = refusal(429, 'Rate limit reached');
    await ask();
    now += 2_500;
    answer = { status: 200, body: completion };
    await ask();
  }
  expect(warnings().filter((text) => text.includes('fails'))).toHaveLength(1);
});

it('a model without an account that is on says what its operator must do', async () => {
  const { text } = await ask('unserved');
  expect(text).toContain(
    "no vendor account serves the model 'unserved' on this deployment at the moment: no account of it has its credentials",
  );
});
