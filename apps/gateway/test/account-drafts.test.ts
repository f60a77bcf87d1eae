/** Vendors that accounts can be made for, accounts that are tried before they are kept, and why an account is off. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { vendors } from '../src/adapters.ts';

const SEALING = Buffer.alloc(32, 7).toString('base64');
const WRONG_KEY = 'a-key-that-nobody-has-0123456789';
let gateway: TestGateway;
const lines: string[] = [];
let admin: Admin;

beforeAll(async () => {
  gateway = await openTestGateway({
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    env: { GATEWAY_ENCRYPTION_KEY: SEALING, GROQ_API_KEY: 'groq-key-0123456789' },
    yaml: `log: { level: trace }
accounts:
  - { name: openai, max_concurrency: 9 }
`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

const tested = (name: string, value: Record<string, unknown>, model?: string) =>
  admin.testAccountDraft({ name, value, ...(model !== undefined && { model }) });
const twin = (vendor: 'openai' | 'anthropic' | 'gemini') => ({
  base_url: gateway.twin.baseUrl(vendor),
  credentials: { ...gateway.twin.credentials(vendor) },
});

describe('vendors', () => {
  it('names every built-in account and every adapter, with the variables that are read', async () => {
    const { data } = await admin.vendors();
    const by = new Map(data.map((each) => [each.id, each]));
    expect(by.size).toBe(data.length);
    for (const id of vendors.keys()) expect(data.map(({ vendor }) => vendor)).toContain(id);
    expect(by.get('openai')).toMatchObject({
      title: 'OpenAI',
      base_url: 'https://api.openai.com/v1',
      credentials: [{ name: 'api_key', secret: true, variable: 'OPENAI_API_KEY', is_set: false }],
      lists_models: true,
      priced_by: { chat: ['input', 'output'], embedding: ['input'] },
    });
    expect(by.get('groq')).toMatchObject({ title: 'Groq', vendor: 'openai-compatible' });
    expect(by.get('groq')?.credentials).toMatchObject([{ variable: 'GROQ_API_KEY', is_set: true }]);
    expect(by.get('groq')?.account).toMatchObject({ credentials: { api_key: '${GROQ_API_KEY}' } });
    expect(by.get('azure')).toMatchObject({ base_url: '${AZURE_OPENAI_ENDPOINT}' });
    // A default within an address is nobody's: the address is asked for.
    for (const [id, variable] of Object.entries({
      ...{ databricks: 'DATABRICKS_HOST', snowflake: 'SNOWFLAKE_ACCOUNT', cloudflare: 'CLOUDFLARE_ACCOUNT_ID' },
    })) {
      expect(by.get(id)?.base_url).toContain(`\${${variable}}`);
      expect(by.get(id)?.account?.['base_url']).toBe(by.get(id)?.base_url);
    }
    expect(by.get('local')).toMatchObject({ base_url: 'http://127.0.0.1:11434/v1' });
    expect(JSON.stringify(data.map(({ account }) => account))).not.toContain(':-');
    expect(by.get('openai-compatible')).toMatchObject({
      account: null,
      base_url: null,
      keywords: expect.arrayContaining(['Ollama']),
    });
    expect(by.get('bedrock')?.settings.find(({ name }) => name === 'latency')?.values).toEqual([
      'standard',
      'optimized',
    ]);
    expect(JSON.stringify(data)).not.toContain('groq-key-0123456789');
  });

  it('all that a declaration lets an account say is there', async () => {
    const { data } = await admin.vendors();
    for (const { id, declares } of vendors.values())
      for (const view of data.filter(({ vendor, wire }) => vendor === id && wire === null)) {
        expect(view.credentials.map(({ name }) => name)).toEqual(Object.keys(declares.credentials));
        expect(view.settings.map(({ name }) => name)).toEqual(Object.keys(declares.settings ?? {}));
      }
  });
});

describe('why an account is off', () => {
  it.each([
    ['openai', 'OPENAI_API_KEY is not set'],
    ['tencent-vod', 'TENCENT_SECRET_ID, TENCENT_SECRET_KEY and TENCENT_SUB_APP_ID are not set'],
    ['azure', 'AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY are not set'],
  ])('%s: %s', async (name, reason) => {
    const { data } = await admin.accounts();
    expect(data.find((each) => each.name === name)).toMatchObject({ on: false, off_reason: reason });
  });

  it('one that is on has no reason', async () => {
    const { data } = await admin.accounts();
    expect(data.find(({ name }) => name === 'groq')).toMatchObject({ on: true, off_reason: null });
  });
});

describe('a draft', () => {
  it('of a built-in account is asked for a model, and its vendor for its list', async () => {
    const answer = await tested('openai', twin('openai'));
    expect(answer).toMatchObject({ ok: true, finding: 'works', faults: [], models_from: 'vendor' });
    expect(answer.models.find(({ id }) => id === 'gpt-5.2')).toMatchObject({
      code: 'gpt-5.2',
      offered: true,
      kind: 'chat',
      price: { input: 1.75, output: 14 },
      dialects: ['openai-chat', 'openai-responses'],
    });
  });

  it.each(['anthropic', 'gemini'] as const)('of %s has sizes and prices', async (vendor) => {
    const { models, models_from: from, ok } = await tested(vendor, twin(vendor));
    expect({ ok, from }).toEqual({ ok: true, from: 'vendor' });
    const priced = models.filter(({ price }) => price !== null);
    expect(priced.length).toBeGreaterThan(0);
    for (const { limits } of models) expect(limits).toMatchObject({ max_input_tokens: expect.any(Number) });
  });

  it('of a second account of the same vendor knows its prices, and offers nothing yet', async () => {
    const { models, message } = await tested('openai-eu', { vendor: 'openai', ...twin('openai') });
    expect(message).toBe('works: the vendor answered for gpt-5.2');
    expect(models.find(({ id }) => id === 'gpt-5.2')).toMatchObject({
      offered: false,
      code: 'gpt-5.2',
      price: { input: 1.75 },
    });
  });

  it.each(['openrouter', 'mimo'])('a wrong key of a second account of %s is found, list or not', async (id) => {
    const vendor = (await admin.vendors()).data.find((each) => each.id === id);
    const { name: _name, id: _id, ...row } = vendor?.account ?? {};
    const base =
      id === 'mimo' ? { base_url: gateway.twin.baseUrl('mimo') } : { base_url: gateway.twin.baseUrl('openai') };
    const answer = await tested(`${id}-2`, { ...row, ...base, credentials: { api_key: WRONG_KEY } });
    expect(answer).toMatchObject({ ok: false, finding: 'wrong-key' });
  });

  it('of a server that nobody knows lists its models without prices, under names that are free', async () => {
    const { base_url: url, credentials } = twin('openai');
    const answer = await tested('rack', { vendor: 'openai-compatible', base_url: url, credentials });
    expect(answer).toMatchObject({ ok: true, finding: 'works', models_from: 'vendor' });
    expect(answer.message).toMatch(/^works: the server lists \d+ models$/);
    expect(answer.models.find(({ id }) => id === 'gpt-5.2')).toMatchObject({
      code: 'rack/gpt-5.2',
      offered: false,
      price: null,
      dialects: ['openai-chat'],
    });
    // The list itself is no proof that a model answers; one that is named is asked.
    const chat = await tested('rack', { vendor: 'openai-compatible', base_url: url, credentials }, 'gpt-4o-mini');
    expect(chat).toMatchObject({ ok: true, message: 'works: the vendor answered for gpt-4o-mini' });
  });

  it('of a server whose every model is offered by one row is tested by its list, saved or not', async () => {
    const value = { base_url: gateway.twin.baseUrl('ollama') };
    const answer = await tested('ollama', value);
    expect(answer.message).toMatch(/^works: the server lists \d+ models$/);
    await admin.configEntries.put('accounts', 'ollama', { value });
    const saved = (await admin.accounts()).data.find(({ name }) => name === 'ollama');
    expect(await admin.testAccount(saved?.id ?? 0)).toMatchObject({ ok: true, message: answer.message });
    await admin.configEntries.delete('accounts', 'ollama');
  });

  it('a vendor without a list has the models of the catalogue', async () => {
    const answer = await tested('minimax', { credentials: { api_key: WRONG_KEY }, base_url: 'http://127.0.0.1:1' });
    expect(answer).toMatchObject({ ok: false, finding: 'wrong-base-url', models_from: 'catalogue' });
    expect(answer.models.length).toBeGreaterThan(0);
    expect(answer.models.every(({ offered }) => offered)).toBe(true);
  });

  it.each([
    ['a wrong key', () => ({ ...twin('openai'), credentials: { api_key: WRONG_KEY } }), 'wrong-key', /refused/],
    [
      'nobody there',
      () => ({ base_url: 'http://127.0.0.1:1/v1', credentials: { api_key: WRONG_KEY } }),
      'wrong-base-url',
      /nothing listens/,
    ],
    ['no key', () => ({ max_concurrency: 3 }), 'off', /OPENAI_API_KEY is not set/],
    ['an unset variable', () => ({ credentials: { api_key: '${NO_SUCH_KEY}' } }), 'off', /NO_SUCH_KEY is not set/],
    ['an unknown setting', () => ({ ...twin('openai'), settings: { organisation: 'x' } }), 'invalid', /organization/],
    ['a variable of the gateway', () => ({ credentials: { api_key: '${GATEWAY_ADMIN_KEY}' } }), 'invalid', /own/],
    ['a secret that is not there', () => ({ credentials: { api_key: '***' } }), 'invalid', /it has nothing/],
  ] as const)('%s is said, without the key', async (_what, value, finding, message) => {
    const answer = await tested('openai', value());
    expect(answer).toMatchObject({ ok: false, finding });
    expect(answer.message).toMatch(message);
    expect(JSON.stringify(answer)).not.toContain(WRONG_KEY);
    if (finding === 'invalid') expect(answer.faults[0]?.path).toMatch(/^accounts\[openai\]\./);
  });

  it('every key of an account is tried, and the one that does not work is named', async () => {
    const good = gateway.twin.credentials('openai')['api_key'] ?? '';
    const withKeys = (...keys: readonly string[]) => ({ ...twin('openai'), credentials: { api_keys: keys } });
    expect(await tested('openai', withKeys(good, WRONG_KEY))).toMatchObject({
      ...{ ok: false, finding: 'wrong-key', models_from: 'vendor' },
      message: expect.stringMatching(/^key 2 of 2: wrong key/) as unknown,
    });
    expect(await tested('openai', withKeys(WRONG_KEY, good))).toMatchObject({ ok: false, models_from: 'vendor' });
  });

  it('the /v1 that an address lacks is named, of a server without models in the catalogue too', async () => {
    const root = gateway.twin.baseUrl('openai').replace(/\/v1$/, '');
    const answer = await tested('rack', {
      vendor: 'openai-compatible',
      base_url: root,
      credentials: gateway.twin.credentials('openai'),
    });
    expect(answer).toMatchObject({ ok: false, finding: 'missing-v1' });
  });

  it('no line of the log has the key, however much is logged', () => {
    // The tests above sent it in every way.
    expect(lines.join('')).toContain('/admin/accounts/test');
    expect(lines.join('')).not.toContain(WRONG_KEY);
    expect(lines.join('')).not.toContain(gateway.twin.credentials('openai')['api_key'] ?? '');
  });

  it('keeps no entry and no account, and one line of the audit log: the name and the host that was asked', async () => {
    const lines = () => admin.audit.list({ subject: 'accounts/kept-nowhere' }).all();
    await tested('kept-nowhere', { vendor: 'openai', ...twin('openai') });
    // A draft with faults asks nobody.
    await tested('kept-nowhere', { vendor: 'openai', ...twin('openai'), settings: { organisation: 'x' } });
    expect(await lines()).toEqual([
      expect.objectContaining({
        ...{ action: 'account.test', before: null },
        after: { vendor: 'openai', host: new URL(gateway.twin.baseUrl('openai')).host },
      }),
    ]);
    expect((await admin.configEntries.list({ from: 'database' }).all()).length).toBe(0);
    expect((await admin.accounts()).data.map(({ name }) => name)).not.toContain('kept-nowhere');
  });

  it('*** stands for the secret that is kept', async () => {
    await admin.configEntries.put('accounts', 'second', { value: { vendor: 'openai', ...twin('openai') } });
    const kept = await admin.configEntries.get('accounts', 'second');
    expect(kept.kept).toMatchObject({ credentials: { api_key: '***' } });
    const value = { vendor: 'openai', base_url: gateway.twin.baseUrl('openai'), credentials: { api_key: '***' } };
    expect(await tested('second', value)).toMatchObject({ ok: true, finding: 'works' });
    await admin.configEntries.delete('accounts', 'second');
  });
});
