/** Model servers are found by their own answers, become accounts and models at no price, and come back after they were down. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '@model-gateway/contracts';
import { freePort, openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { discover, rowsOf, usualAddresses } from '../src/resources/accounts/discovery.ts';
import { askInFormat } from './ask-in-format.ts';
import { runCommand } from './run-command.ts';

let twin: VendorTwin;
let gateway: TestGateway;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  gateway = await openTestGateway({ twin, yaml: 'config: { source: database }' });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

/** A server that answers these paths, and nothing else. */
async function serving(
  answers: Readonly<Record<string, unknown>>,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end('{"detail":"Not Found"}');
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
const list = (model: JsonObject) => ({ object: 'list', data: [{ object: 'model', created: 1, ...model }] });

it.each<{ name: string; answers: Readonly<Record<string, unknown>>; model: object }>([
  {
    name: 'vllm',
    answers: {
      '/v1/models': list({ id: 'q', owned_by: 'vllm', max_model_len: 32_768 }),
      '/version': { version: '0.11.0' },
    },
    model: { id: 'q', maxInputTokens: 32_768 },
  },
  {
    name: 'sglang',
    answers: { '/v1/models': list({ id: 'q', owned_by: 'sglang', max_model_len: 4096 }) },
    model: { id: 'q', maxInputTokens: 4096 },
  },
  {
    name: 'llamacpp',
    answers: {
      '/v1/models': list({ id: 'q.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }),
      '/props': { default_generation_settings: { n_ctx: 8192 }, total_slots: 1 },
      '/api/tags': { models: [] },
    },
    model: { id: 'q.gguf', maxInputTokens: 8192 },
  },
  {
    name: 'lmstudio',
    answers: {
      '/v1/models': list({ id: 'q', owned_by: 'organization_owner' }),
      '/api/v0/models': list({
        id: 'q',
        type: 'vlm',
        state: 'loaded',
        max_context_length: 32_768,
        loaded_context_length: 4096,
      }),
    },
    model: { id: 'q', maxInputTokens: 4096, kind: 'chat', inputs: ['text', 'image'] },
  },
  {
    name: 'tgi',
    answers: {
      '/v1/models': list({ id: 'q', owned_by: 'q' }),
      '/info': { model_id: 'q', max_input_tokens: 2048, max_total_tokens: 4096, version: '3.3.4' },
    },
    model: { id: 'q', maxInputTokens: 2048 },
  },
  {
    name: 'localai',
    answers: {
      '/v1/models': list({ id: 'q' }),
      '/system': { backends: ['llama-cpp'], loaded_models: [] },
      '/': 'Ollama is running',
    },
    model: { id: 'q' },
  },
  {
    name: 'xinference',
    answers: {
      '/v1/models': list({ id: 'e', owned_by: 'xinference', model_type: 'embedding', context_length: 512 }),
    },
    model: { id: 'e', kind: 'embedding', maxInputTokens: 512 },
  },
  { name: 'server', answers: { '/v1/models': list({ id: 'q', owned_by: 'me' }) }, model: { id: 'q' } },
])('$name is known by its answers', async ({ name, answers, model }) => {
  await using server = await serving(answers);
  for (const tail of ['', '/', '/v1'])
    expect(await discover([`${server.url}${tail}`], Date.now)).toEqual([
      { name, baseUrl: `${server.url}/v1`, models: [model] },
    ]);
});

it('what is no model server, or not there, is none', async () => {
  await using page = await serving({ '/': '<html>', '/v1/models': { data: [] }, '/info': { name: 'x' } });
  expect(await discover([page.url, `http://127.0.0.1:${await freePort()}`], Date.now)).toEqual([]);
});

it('two servers of a kind are two accounts', () => {
  const at = (baseUrl: string) => ({ name: 'vllm' as const, baseUrl, models: [{ id: 'q' }] });
  const { accounts, models } = rowsOf([at('http://a/v1'), at('http://b/v1')]);
  expect(accounts.map(({ name }) => name)).toEqual(['vllm', 'vllm-2']);
  expect(models.map(({ code }) => code)).toEqual(['vllm/q', 'vllm-2/q']);
  expect(usualAddresses('llamacpp')).toEqual(['http://127.0.0.1:8080']);
});

it('an Ollama that breaks off hides none of the others', async () => {
  await using broken = await serving({ '/': 'Ollama is running' });
  await using server = await serving({ '/v1/models': list({ id: 'q', owned_by: 'vllm' }) });
  expect(await discover([broken.url, server.url], Date.now)).toEqual([
    { name: 'ollama', baseUrl: broken.url, models: [] },
    { name: 'vllm', baseUrl: `${server.url}/v1`, models: [{ id: 'q' }] },
  ]);
});

it('what a server does not say of a model is not said of it', () => {
  const models = [{ id: 'q' }, { id: 'plain', thinks: false }, { id: 'thinker', thinks: true }, { id: 'bge-reranker' }];
  const rows = rowsOf([{ name: 'vllm', baseUrl: 'http://a/v1', models }]).models;
  expect(rows.map(({ kind, offers }) => ({ kind, offers }))).toEqual([
    { kind: 'chat', offers: [{ account: 'vllm', model: 'q', dialect: 'openai-chat' }] },
    {
      kind: 'chat',
      offers: [{ account: 'vllm', model: 'plain', dialect: 'openai-chat', quirks: { thinking: 'none' } }],
    },
    { kind: 'chat', offers: [{ account: 'vllm', model: 'thinker', dialect: 'openai-chat' }] },
    { kind: 'rerank', offers: [{ account: 'vllm', model: 'bge-reranker' }] },
  ]);
});

describe('Ollama', () => {
  const address = (): string => twin.baseUrl('ollama');

  it('is printed with what its models can do, and nothing is kept', async () => {
    const { code, out, error } = await runCommand(['accounts', 'discover', address()]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain(`ollama at ${address()}: 4 models`);
    expect(out).toMatch(/llama3\.2:3b +chat +131072 +text/);
    expect(out).toContain('--write');
  });

  it('becomes YAML for a configuration file', async () => {
    const { out } = await runCommand(['accounts', 'discover', address(), '--print', '--context', '50000']);
    const { accounts, models } = parse(out) as { accounts: JsonObject[]; models: JsonObject[] };
    expect(accounts).toEqual([{ name: 'ollama', vendor: 'ollama', base_url: address() }]);
    expect(models).toMatchObject([
      { code: 'ollama/llama3.2:3b', kind: 'chat', price: 'free', body_fields: { num_ctx: 50_000 } },
      { code: 'ollama/qwen3:8b', body_fields: { num_ctx: 40_960 }, limits: { max_input_tokens: 40_960 } },
      { code: 'ollama/gemma3:4b', limits: { inputs: ['text', 'image'] } },
      { code: 'ollama/nomic-embed-text:latest', kind: 'embedding', price: 'free' },
    ]);
    expect(models[3]).not.toHaveProperty('body_fields');
  });

  it('`connect` keeps it in a running gateway, which answers with its models at once', async () => {
    const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
    const said = await runCommand(['connect', 'ollama', address(), '--write', '--url', gateway.server.adminUrl], {
      env,
    });
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining('Ask for one as ollama/llama3.2:3b.') });
    const { status, text } = await askInFormat(gateway, { format: 'messages', model: 'ollama/qwen3:8b' });
    expect([status, text]).toEqual([200, expect.stringContaining('You said')]);
  });

  it('an account in use keeps its address, and the same server can be kept again', async () => {
    const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
    const write = (url: string) =>
      runCommand(['accounts', 'discover', url, '--write', '--url', gateway.server.adminUrl], { env });
    const base = async (): Promise<unknown> => {
      const reply = await fetch(`${gateway.server.adminUrl}/admin/config/entries/accounts/ollama`, {
        headers: { authorization: `Bearer ${gateway.adminKey}` },
      });
      return ((await reply.json()) as { value: JsonObject }).value['base_url'];
    };
    expect((await write(address())).code).toBe(0);
    await using other = await serving({ '/': 'Ollama is running', '/api/tags': { models: [] } });
    const said = await write(other.url);
    expect(said).toMatchObject({ code: 1, out: expect.stringContaining(`accounts/ollama: in use at ${address()};`) });
    expect(await base()).toBe(address());
  });

  it('another server than the one that was meant is told', async () => {
    const { code, error } = await runCommand(['connect', 'vllm', address()]);
    expect(code).toBe(1);
    expect(error).toContain(`No vllm answers at ${address()}, but ollama at ${address()}`);
  });

  it.each([
    [['connect', 'codex', 'http://127.0.0.1:1'], 'codex takes no address'],
    [['accounts', 'discover', 'localhost'], 'localhost is no address'],
  ])('%j is misuse', async (line, says) => {
    expect(await runCommand(line)).toMatchObject({ code: 2, error: expect.stringContaining(says) });
  });
});

it('an account whose server is down says why, and is back with its server', async () => {
  const port = await freePort();
  const put = (value: JsonObject) =>
    fetch(`${gateway.server.adminUrl}/admin/config/entries/accounts/ollama`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    });
  expect((await put({ base_url: `http://127.0.0.1:${port}/ollama` })).status).toBe(200);
  const ask = () => askInFormat(gateway, { format: 'chat', model: 'ollama/any' });
  const account = async (): Promise<JsonObject> => {
    const reply = await fetch(`${gateway.server.adminUrl}/admin/accounts`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    const { data } = (await reply.json()) as { data: JsonObject[] };
    return data.find(({ name }) => name === 'ollama') ?? {};
  };
  for (let round = 0; round < 6; round++) expect((await ask()).status).toBe(500);
  const down = await account();
  expect(down).toMatchObject({ last_fault: { message: 'the vendor could not be reached', model: 'any' } });
  expect(down['failures']).toBeGreaterThan(5);
  expect(down['cool_until']).toEqual(expect.any(String));
  const back = await startVendorTwin({ media: 'tiny', port });
  expect((await ask()).status).toBe(200);
  expect(await account()).toMatchObject({ state: 'closed', failures: 0, cool_until: null });
  await back.close();
});
