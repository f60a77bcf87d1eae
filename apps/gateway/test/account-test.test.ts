/** `gateway accounts test`: what is wrong with an account, found by one call. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-account-test-'));
const KEY = 'vendor-key-0123456789';
let vendor: Server;
let asked: string[] = [];

beforeAll(async () => {
  vendor = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push(Buffer.concat(chunks).toString());
      const json = (status: number, body: object): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      const refuse = (status: number, message: string, code: string | null = null): void =>
        json(status, { error: { message, type: 'invalid_request_error', param: null, code } });
      if (request.url !== '/v1/chat/completions') {
        response.writeHead(404, { 'content-type': 'text/html' }).end('<html>not here</html>');
      } else if (request.headers.authorization !== `Bearer ${KEY}`) {
        refuse(401, `Incorrect API key provided: ${request.headers.authorization?.slice(7) ?? ''}`, 'invalid_api_key');
      } else if (asked.at(-1)?.includes('"gone"') === true) {
        refuse(404, 'The model `gone` does not exist', 'model_not_found');
      } else if (asked.at(-1)?.includes('"busy"') === true) {
        refuse(429, 'Rate limit reached for busy');
      } else {
        json(200, { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [], usage: {} });
      }
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const { port } = vendor.address() as AddressInfo;
  const account = (name: string, url: string, key: string): string =>
    `  - { name: ${name}, vendor: openai-compatible, base_url: '${url}', credentials: { api_key: ${key} } }\n`;
  const row = (code: string, by: string, model: string): string =>
    `  - { code: ${code}, kind: chat, price: { input: 1 }, limits: { max_input_tokens: 9, max_output_tokens: 9 }, offers: [{ account: ${by}, model: ${model}, dialect: openai-chat }] }\n`;
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `extends: none
database: { url: 'sqlite:${join(folder, 'gateway.db')}' }
accounts:
${account('good', `http://127.0.0.1:${port}/v1`, KEY)}${account('keyless', `http://127.0.0.1:${port}/v1`, 'another-key-0123456789')}${account('short', `http://127.0.0.1:${port}`, KEY)}${account('elsewhere', `http://127.0.0.1:${port}/api/v1`, KEY)}${account('closed', 'http://127.0.0.1:1/v1', KEY)}${account('nowhere', 'http://no-such-host.invalid/v1', KEY)}${account('lonely', `http://127.0.0.1:${port}/v1`, KEY)}${account('off', `http://127.0.0.1:${port}/v1`, "'${UNSET}'")}
models:
${['good', 'keyless', 'short', 'elsewhere', 'closed', 'nowhere', 'off'].map((name) => row(`m-${name}`, name, 'm')).join('')}`,
  );
});
afterAll(() => {
  vendor.close();
  vendor.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...args: readonly string[]) {
  asked = [];
  const env = { GATEWAY_CONFIG: join(folder, 'gateway.yaml') };
  const { code, out, error } = await runCommand(['accounts', 'test', ...args], { env });
  return { code, out: out.trim(), error: error.trim() };
}

it.each([
  { args: ['good'], code: 0, says: /^good: works: the vendor answered for m$/ },
  {
    args: ['keyless'],
    code: 1,
    says: /^keyless: wrong key: the vendor refused the credentials \(401: Incorrect API key/,
  },
  {
    args: ['short'],
    code: 1,
    says: /^short: the base URL lacks \/v1: write base_url: 'http:\/\/127\.0\.0\.1:\d+\/v1'$/,
  },
  {
    args: ['elsewhere'],
    code: 1,
    says: /^elsewhere: wrong base URL: 127\.0\.0\.1:\d+ answers, but not as this vendor does/,
  },
  { args: ['closed'], code: 1, says: /^closed: wrong base URL: nothing listens at 127\.0\.0\.1:1; see base_url$/ },
  {
    args: ['nowhere'],
    code: 1,
    says: /^nowhere: wrong base URL: there is no host no-such-host\.invalid; see base_url$/,
  },
  { args: ['lonely'], code: 1, says: /^lonely: no route: no model of the catalogue leads to it/ },
  { args: ['off'], code: 1, says: /^off: it is off: UNSET is not set/ },
  {
    args: ['good', '--model', 'gone'],
    code: 1,
    says: /^good: key and address work, but the vendor has no model 'gone'/,
  },
  { args: ['good', '--model', 'busy'], code: 1, says: /^good: key and address work, but the vendor limits it/ },
  { args: ['good', '--model', 'm-good'], code: 0, says: /^good: works/ },
])('$args: $says', async ({ args, code, says }) => {
  const said = await run(...args);
  expect(said).toMatchObject({ code, error: '' });
  expect(said.out).toMatch(says);
  expect(said.out).not.toMatch(/(vendor|another)-key-0123456789/);
  expect(asked.length).toBeLessThanOrEqual(2);
  for (const text of asked) expect(JSON.parse(text)).toMatchObject({ max_tokens: 16 });
});

it('--json is for programs; a name that is none has the nearest right one', async () => {
  expect(JSON.parse((await run('keyless', '--json')).out)).toMatchObject({
    account: 'keyless',
    ok: false,
    finding: 'wrong-key',
    status: 401,
  });
  const { code, error } = await run('godo');
  expect(code).toBe(1);
  expect(error).toBe("There is no account 'godo' (did you mean good?); gateway accounts lists them.");
});
