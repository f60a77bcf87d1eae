/** Configurations of other gateways as ours, and the same requests to both. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../src/config/config.ts';
import { runCommand, type Said } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'moving-in-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const given = (name: string): string => fileURLToPath(new URL(`moving-in/${name}`, import.meta.url));

interface Row {
  readonly code: string;
  readonly name: string;
  readonly [member: string]: unknown;
}
interface Moved {
  readonly notes: readonly string[];
  readonly faults: readonly string[];
  readonly variables: readonly string[];
  readonly commands: readonly string[];
  readonly file: Readonly<Record<'accounts' | 'models' | 'keys' | 'owners', readonly Row[]>>;
}

async function move(file: string): Promise<Moved> {
  const { code, out, error } = await runCommand(['migrate', file, '--json']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  const said = JSON.parse(out) as Moved & { readonly text: string };
  return { ...said, file: parse(said.text) as Moved['file'] };
}
const row = (rows: readonly Row[], name: string): Row | undefined =>
  rows.find(({ code, name: other }) => code === name || other === name);

describe('LiteLLM', () => {
  it('models with their deployments, weights, prices and fallbacks; accounts where the built-in ones do not fit', async () => {
    const { file, faults } = await move(given('litellm.yaml'));
    expect(faults).toEqual([]);
    expect(file.models.map(({ code }) => code)).toEqual([
      ...['gpt-5.2', 'smart', 'house-llama', 'small', 'search-embedding', 'claude-on-aws'],
    ]);
    expect(row(file.models, 'smart')).toMatchObject({
      aliases: ['clever'],
      strategy: 'lowest_latency',
      fallbacks: { on_error: ['gpt-5.2'] },
      retries: { attempts: 3 },
      timeout_seconds: { total: 120 },
      price: { input: 3, output: 15 },
      offers: [
        { account: 'anthropic', model: 'claude-sonnet-4-5-20250929', dialect: 'anthropic-messages', weight: 2 },
        { account: 'azure-own', model: 'our-gpt', weight: 1 },
      ],
    });
    expect(row(file.models, 'gpt-5.2')).toEqual({ code: 'gpt-5.2', retries: { attempts: 3 } });
    expect(row(file.models, 'house-llama')).toMatchObject({ price: { input: 0.2, output: 0.6 } });
    expect(row(file.models, 'small')?.['fallbacks']).toEqual({
      on_error: ['house-llama'],
      on_context_too_long: ['smart'],
    });
    expect(row(file.accounts, 'azure-own')).toMatchObject({ credentials: { api_key: '${AZURE_KEY_EU}' } });
    expect(row(file.accounts, 'bedrock-own')).toEqual({
      ...{ name: 'bedrock-own', vendor: 'bedrock' },
      settings: { region: 'eu-central-1', credentials_from: 'environment' },
    });
    expect(row(file.accounts, 'anthropic')?.['budget']).toEqual({
      models: { 'claude-sonnet-4-5-20250929': { requests_per_minute: 60 } },
    });
  });

  it('every setting that is not carried over is told with its place', async () => {
    const { notes } = await move(given('litellm.yaml'));
    for (const place of [
      ...['model_list[7] (groq/*)', 'model_list[8] (odd)', 'fallbacks.small', 'router_settings.redis_host'],
      ...['litellm_settings.drop_params', 'litellm_settings.callbacks', 'general_settings.master_key'],
      'general_settings.database_url',
    ])
      expect(notes.filter((note) => note.startsWith(`${place}: `))).toHaveLength(1);
  });

  /** The file of one model, as it is moved. */
  const moveOne = async (litellm_params: object, more: object = {}): Promise<Moved> => {
    const file = join(folder, 'one.json');
    writeFileSync(file, JSON.stringify({ model_list: [{ model_name: 'm', litellm_params, ...more }] }));
    return move(file);
  };

  it('a vendor that is named and not there is no other vendor, who would be sent its key', async () => {
    const { file, notes } = await moveOne({ model: 'gpt-5.2', custom_llm_provider: 'watsonx', api_key: 'a-key-0123' });
    expect(file).toEqual({});
    expect(notes).toContainEqual(expect.stringMatching(/^model_list\[0\] \(m\): is left out: .* vendor watsonx\./));
  });

  it('a model without a prefix at an address of its own is on that server', async () => {
    const { file } = await moveOne({ model: 'gpt-5.2', api_base: 'http://gpu2:8000/v1', organization: 'org-1' });
    expect(file.accounts).toMatchObject([
      { name: 'gpu2', vendor: 'openai-compatible', base_url: 'http://gpu2:8000/v1', credentials: { api_key: 'none' } },
    ]);
  });

  it('a value of the file gets no variable that the file itself reads', async () => {
    const { file, variables } = await moveOne(
      { model: 'openai/gpt-5.2', api_key: 'a-key-of-the-file' },
      { model_info: { other: 'os.environ/OPENAI_API_KEY' } },
    );
    expect(variables).toEqual(['OPENAI_API_KEY_2']);
    expect(file.accounts).toMatchObject([{ name: 'openai-own', credentials: { api_key: '${OPENAI_API_KEY_2}' } }]);
  });

  it('an account like a built-in one reads the variables that it reads', async () => {
    const { file, faults } = await moveOne({
      model: 'databricks/some',
      api_key: 'os.environ/OTHER',
      input_cost_per_token: 0,
      output_cost_per_token: 0,
    });
    expect(faults).toEqual([]);
    expect(row(file.accounts, 'databricks-own')).toMatchObject({
      base_url: 'https://${DATABRICKS_HOST}/ai-gateway/mlflow/v1',
      credentials: { api_key: '${OTHER}' },
    });
  });

  it.each([
    ['bge-reranker-v2-m3', 'rerank'],
    ['whisper-large-v3', 'transcription'],
    ['e5-large', 'embedding'],
    ['qwen3-32b', 'chat'],
  ])('%s of a server is of the kind %s, as every gateway guesses it', async (model, kind) => {
    const { file } = await moveOne({ model: `hosted_vllm/${model}`, api_base: 'http://gpu2:8000/v1' });
    expect(row(file.models, 'm')?.['kind']).toBe(kind);
    const key = { name: 'rack', value: '', models: [model], ollama_key_config: { url: 'http://gpu2:8000' } };
    const bifrost = join(folder, 'kinds-bifrost.json');
    writeFileSync(bifrost, JSON.stringify({ providers: { ollama: { keys: [key] } } }));
    expect(row((await move(bifrost)).file.models, `ollama/${model}`)?.['kind']).toBe(kind);
    const newApi = join(folder, 'kinds-new-api.json');
    const channel = { id: 1, name: 'rack', type: 8, key: 'k', base_url: 'http://gpu2:8000', models: model };
    writeFileSync(newApi, JSON.stringify({ channels: [channel] }));
    expect(row((await move(newApi)).file.models, model)?.['kind']).toBe(kind);
  });

  it('headers are kept as secrets', async () => {
    const headers = { 'x-proxy-key': 'secret-of-the-proxy', 'x-other': 'os.environ/OTHER' };
    const { file, variables } = await moveOne({ model: 'openai/gpt-5.2', extra_headers: headers });
    expect(row(file.accounts, 'openai-own')?.['headers']).toEqual({
      ...{ 'x-proxy-key': '${X_PROXY_KEY_HEADER}', 'x-other': '${OTHER}' },
    });
    expect(variables).toEqual(['X_PROXY_KEY_HEADER']);
    expect(JSON.stringify(file)).not.toContain('secret-of-the-proxy');
  });

  it.each([
    ['organization', { model: 'openai/gpt-5.2', organization: 'org-1' }, { settings: { organization: 'org-1' } }],
    [
      'aws_session_token',
      {
        ...{ model: 'bedrock/some', aws_access_key_id: 'os.environ/A', aws_secret_access_key: 'os.environ/B' },
        aws_session_token: 'os.environ/C',
      },
      { credentials: { access_key_id: '${A}', secret_access_key: '${B}', session_token: '${C}' } },
    ],
  ])('%s is carried over', async (_, params, account) => {
    const { file, notes } = await moveOne(params);
    expect(file.accounts).toMatchObject([account]);
    expect(notes.filter((note) => note.startsWith('model_list'))).toEqual([]);
  });

  it('what is not carried over is told of own servers, too', async () => {
    const { notes } = await moveOne({
      model: 'hosted_vllm/q',
      api_base: 'http://gpu2:8000/v1',
      seed: 7,
      organization: 'o',
    });
    for (const name of ['seed', 'organization'])
      expect(notes).toContainEqual(expect.stringContaining(`(m).litellm_params.${name}: is not carried over`));
  });

  it('secrets of the file are in none of what is said, but in a file of this user alone when that is asked for', async () => {
    const [out, secrets] = [join(folder, 'gateway.yaml'), join(folder, '.env')];
    const line = ['migrate', given('litellm.yaml'), '--out', out, '--secrets', secrets];
    const said = await runCommand(line);
    expect(said.code).toBe(0);
    for (const text of [said.out, said.error, readFileSync(out, 'utf8')]) {
      expect(text).not.toContain('vllm-secret-of-the-house');
      expect(text).not.toContain('sk-1234');
    }
    expect(readFileSync(secrets, 'utf8')).toBe('LOCAL_API_KEY="vllm-secret-of-the-house"\n');
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    const config = readConfig({ GATEWAY_CONFIG: out, LOCAL_API_KEY: 'vllm-secret-of-the-house' });
    expect(config.warnings).toEqual([]);
    const again = await runCommand(line);
    expect(again).toMatchObject({ code: 1, error: expect.stringContaining('--force to replace it') });
  });

  it('secrets that replace a file others may read are for this user alone; where one file is there, none is written', async () => {
    const [out, secrets] = [join(folder, 'again.yaml'), join(folder, 'again.env')];
    const line = ['migrate', given('litellm.yaml'), '--out', out, '--secrets', secrets];
    writeFileSync(out, 'before');
    expect(await runCommand(line)).toMatchObject({ code: 1, error: expect.stringContaining(`${out} already exists`) });
    expect(existsSync(secrets)).toBe(false);
    writeFileSync(secrets, 'before');
    chmodSync(secrets, 0o644);
    expect((await runCommand([...line, '--force'])).code).toBe(0);
    expect(readFileSync(secrets, 'utf8')).toContain('LOCAL_API_KEY');
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
  });
});

describe('Bifrost', () => {
  it('keys of vendors become accounts, virtual keys become keys with their caps', async () => {
    const { file, faults, notes, variables } = await move(given('bifrost.json'));
    expect(faults).toEqual([]);
    expect(row(file.models, 'openai/gpt-5.2')?.['offers']).toMatchObject([
      { account: 'openai', weight: 0.7 },
      { account: 'openai-second', weight: 0.3 },
    ]);
    expect(row(file.models, 'azure/gpt-5.2')?.['offers']).toMatchObject([{ account: 'azure-eu', model: 'eu-gpt' }]);
    expect(row(file.models, 'anthropic/claude-sonnet-5')?.['price']).toMatchObject({ input: 3 });
    expect(row(file.keys, 'team-a')).toEqual({
      ...{ name: 'team-a', key: '${TEAM_A_KEY}', owner: 'research', models: ['openai/gpt-5.2', 'anthropic/*'] },
      limits: { spend_per_month: 50, requests_per_minute: 100 },
    });
    expect(row(file.keys, 'weekly')).toEqual({ name: 'weekly', key: '${WEEKLY_KEY}', limits: { spend_per_week: 5 } });
    expect(variables).toEqual(['ANTHROPIC_API_KEY', 'TEAM_A_KEY']);
    expect(notes.join('\n')).toMatch(/elevenlabs.*\n.*5000 tokens in 1h.*/);
  });
});

describe('new-api', () => {
  it('channels, ratios, users and tokens', async () => {
    const { file, faults, commands, notes } = await move(given('new-api.json'));
    // What new-api has no price for has none here, and says so before anything is given away.
    expect(faults).toEqual([expect.stringContaining('house-llama has no price')]);
    expect(row(file.models, 'our-model')).toMatchObject({
      price: { input: 3, cached_input: 0.3, output: 12 },
      offers: [
        { account: 'OpenAI-main', model: 'gpt-5.2', priority: -10, weight: 3 },
        { account: 'OpenAI-main-2', model: 'gpt-5.2', priority: -10, weight: 3 },
      ],
    });
    expect(row(file.accounts, 'house-server')).toMatchObject({ base_url: 'http://10.0.0.7:8000/v1' });
    expect(row(file.accounts, 'Kling')?.['credentials']).toEqual({
      access_key: '${CHANNEL_5_ACCESS_KEY}',
      secret_key: '${CHANNEL_5_SECRET_KEY}',
    });
    expect(row(file.keys, 'trial-2')).toMatchObject({ owner: 'user-42', limits: { spend_total: 0.5 } });
    expect(row(file.keys, 'app-1')).toMatchObject({ models: ['gpt-5.2', 'claude-sonnet-4-5'] });
    expect(file.owners).toEqual([
      { name: 'ada', group: 'vip', credit_limit: 0 },
      { name: 'user-42', credit_limit: 0 },
    ]);
    expect(commands).toEqual(['gateway owners topup ada 10']);
    expect(notes.filter((note) => /^(channel 4|channel 6|token 3)\b/.test(note))).toHaveLength(3);
  });

  it('its SQLite file is read as the same rows of JSON are', async () => {
    type Rows = Record<string, unknown>[];
    const json = JSON.parse(readFileSync(given('new-api.json'), 'utf8')) as Record<
      'channels' | 'users' | 'tokens',
      Rows
    > & {
      readonly options: Record<string, string>;
    };
    const file = join(folder, 'one-api.db');
    const database = new DatabaseSync(file);
    const options = Object.entries(json.options).map(([key, value]) => ({ key, value }));
    for (const [table, rows] of Object.entries({ ...json, options })) {
      const columns = [...new Set(rows.flatMap(Object.keys))];
      const names = columns.map((column) => `"${column}"`).join(', ');
      database.exec(`create table ${table} (${names})`);
      const insert = database.prepare(`insert into ${table} values (${columns.map(() => '?').join(', ')})`);
      for (const each of rows as Rows) {
        const cell = (value: unknown) => (typeof value === 'boolean' ? Number(value) : (value ?? null));
        insert.run(...columns.map((column) => cell(each[column]) as string | number | null));
      }
    }
    database.close();
    expect((await move(file)).file).toEqual((await move(given('new-api.json'))).file);
  });
});

it.each([
  ['a file that is not there', 'missing.yaml', undefined, /cannot be read \(ENOENT\)/],
  ['text that is no YAML', 'broken.yaml', 'a: [sk-secret-of-somebody', /neither YAML nor JSON/],
  ['the settings of something else', 'other.yaml', 'services: {}', /none of these/],
])('%s is said in a sentence without what stands in it', async (_, name, text, said) => {
  const file = join(folder, name);
  if (text !== undefined) writeFileSync(file, text);
  const { code, error } = await runCommand(['migrate', file]);
  expect(code).toBe(1);
  expect(error).toMatch(said);
  expect(error).not.toContain('sk-secret');
});

describe('the same to both', () => {
  let gateway: TestGateway;
  let other: Server;
  let address: string;
  /** What the other gateway answers differently. */
  let plant: (asked: { readonly body: string; readonly path: string }, answer: Changed) => Changed = (_, answer) =>
    answer;
  interface Changed {
    readonly status: number;
    readonly text: string;
    readonly cost: string | null;
  }
  const file = join(folder, 'compared.yaml');

  beforeAll(async () => {
    gateway = await openTestGateway();
    other = createServer((request, response) => {
      void (async () => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece as Buffer);
        const body = Buffer.concat(pieces).toString();
        const reply = await fetch(`${gateway.url}${request.url}`, {
          method: 'POST',
          headers: { authorization: String(request.headers.authorization), 'content-type': 'application/json' },
          body,
        });
        const before = { status: reply.status, text: await reply.text(), cost: reply.headers.get('x-gateway-cost') };
        const { status, text, cost } = plant({ body, path: request.url ?? '' }, before);
        if (status === 0) return void response.destroy();
        response.writeHead(status, {
          'content-type': reply.headers.get('content-type') ?? '',
          ...(cost !== null && { 'x-litellm-response-cost': cost }),
        });
        response.end(text);
      })();
    });
    other.listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const models = ['openai/gpt-5.2', 'anthropic/claude-sonnet-4-5', 'openai/text-embedding-3-small'];
    const list = models.map((model) => ({ model_name: model.split('/')[1], litellm_params: { model } }));
    writeFileSync(file, JSON.stringify({ model_list: list }));
  });
  afterAll(async () => {
    other.closeAllConnections();
    other.close();
    await gateway.close();
  });
  const compared = (): Promise<Said> =>
    runCommand(['migrate', file, '--compare', address, '--compare-key', gateway.testKey, '--json'], {
      env: { MODEL_GATEWAY_URL: gateway.url, MODEL_GATEWAY_API_KEY: gateway.testKey },
    });

  it('nothing is found where nothing differs', async () => {
    const { code, out } = await compared();
    expect(JSON.parse(out)).toMatchObject({ requests: 44, differences: [], refused: [], same: true });
    expect(code).toBe(0);
  });

  it('what was planted is found, and nothing else', async () => {
    plant = ({ body, path }, answer) => {
      const isGpt = body.includes('"gpt-5.2"');
      if (body.includes('no-such-model')) return { ...answer, status: 404 };
      if (path.endsWith('/embeddings'))
        return { ...answer, text: answer.text.replaceAll(/"embedding":"?\[?[^\]]+\]/g, '"embedding":[1,2]') };
      if (body.includes('"stream":true'))
        return isGpt ? { ...answer, text: answer.text.replace(/"prompt_tokens":\d+/, '"prompt_tokens":1') } : answer;
      if (body.includes('find_harbour'))
        return isGpt ? answer : { ...answer, text: answer.text.replaceAll('find_harbour', 'find_city') };
      if (isGpt) return { ...answer, cost: answer.cost === null ? null : String(Number(answer.cost) * 2) };
      return { ...answer, text: answer.text.replace('"finish_reason":"stop"', '"finish_reason":"length"') };
    };
    const { code, out } = await compared();
    const { differences } = JSON.parse(out) as { differences: { where: string; what: string }[] };
    expect(differences.map(({ where, what }) => `${where}: ${what}`).sort()).toEqual([
      'a model that is not there: status',
      'claude-sonnet-4-5, tool: tool_calls',
      'claude-sonnet-4-5, whole answer: finish_reason',
      'gpt-5.2, stream: usage',
      'gpt-5.2, whole answer: cost',
      'text-embedding-3-small, embedding: vectors',
    ]);
    expect(code).toBe(1);
  });

  it('a gateway that does not answer one question loses none of the others', async () => {
    plant = ({ body }, answer) => (body.includes('"stream":true') ? { ...answer, status: 0 } : answer);
    const { code, out } = await compared();
    const { differences, requests } = JSON.parse(out) as { differences: object[]; requests: number };
    expect(requests).toBe(44);
    expect(differences).toEqual(
      ['gpt-5.2', 'claude-sonnet-4-5'].flatMap((model) => [
        { where: `${model}, stream`, what: 'status', theirs: '0', ours: '200' },
        {
          where: `${model}, stream`,
          what: 'error',
          theirs: expect.stringMatching(/^type \w+, code -$/),
          ours: 'no error object',
        },
      ]),
    );
    expect(code).toBe(1);
  });
});
