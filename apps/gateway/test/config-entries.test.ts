/** Models and accounts that operators keep in the database: over sockets, on controlled time, with two replicas on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, type TestGatewayOptions } from '@model-gateway/testing';

const KEY = Buffer.alloc(32, 7).toString('base64');
const YAML = `config: { source: database }
log: { level: silent }
security: { encryption_key: '${KEY}' }
accounts:
  - { name: main, vendor: openai-compatible, base_url: 'https://main.example', credentials: { api_key: file-secret-0123 }, dialects: [openai-chat] }
models:
  - { code: drafts, kind: chat, offers: [{ account: main, model: d }], price: { input: 1, output: 2 }, limits: { max_input_tokens: 9000, max_output_tokens: 900 } }`;
const ACCOUNT = { vendor: 'openai-compatible', base_url: 'https://x.example', dialects: ['openai-chat'] };

interface Answer {
  readonly status: number;
  readonly body: never;
}
interface Result {
  readonly change: { readonly id: number; readonly before: unknown; readonly after: unknown } | null;
  readonly entry: {
    readonly value: JsonObject;
    readonly kept: JsonObject;
    readonly version: number;
    readonly from: string[];
  };
  readonly differences: readonly string[];
  readonly faults: readonly { readonly path: string; readonly message: string }[];
}

function client(gateway: () => TestGateway) {
  const ask = async (method: string, path: string, body?: unknown, key = gateway().adminKey): Promise<Answer> => {
    const reply = await fetch(`${gateway().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as never };
  };
  const at = (id: string): string =>
    `/admin/config/entries/${id.split('/')[0]}/${encodeURIComponent(id.slice(id.indexOf('/') + 1))}`;
  return {
    ask,
    at,
    put: (id: string, value: object, query = '') => ask('PUT', `${at(id)}${query}`, { value }),
    entry: async (id: string) => (await ask('GET', at(id))).body as Result['entry'] & { faults: Result['faults'] },
    async good(method: string, path: string, body?: unknown): Promise<Result> {
      const { status, body: said } = await ask(method, path, body);
      expect({ status, said }).toMatchObject({ status: 200 });
      return said;
    },
    /** What a request would cost at most: the price in effect. */
    async price(model: string): Promise<number | undefined> {
      const { body } = await ask('GET', '/v1/models', undefined, gateway().liveKey);
      const row = (body as { data: { id: string; pricing?: unknown; price?: { input?: number } }[] }).data.find(
        ({ id }) => id === model,
      );
      return (JSON.parse(JSON.stringify(row ?? {})) as { price?: { input?: number } }).price?.input;
    },
  };
}

const messageOf = ({ body }: Answer): string => (body as { error: { message: string } }).error.message;

describe.each(['sqlite', 'postgres'] as const)('entries of the configuration on %s', (kind) => {
  let gateway: TestGateway;
  let replica: TestGateway | undefined;
  let time = Date.UTC(2026, 10, 22);
  const options: TestGatewayOptions = { yaml: YAML, clock: () => time, env: { X_KEY: 'from-the-environment' } };
  const { ask, at, put, good, entry } = client(() => gateway);
  const other = client(() => replica ?? gateway);

  beforeAll(async () => {
    gateway = await openTestGateway({ ...options, database: kind });
    if (kind === 'postgres')
      replica = await openTestGateway({ ...options, databaseUrl: gateway.databaseUrl, twin: gateway.twin });
  });
  afterAll(async () => {
    await replica?.close();
    await gateway.close();
  });

  it('a price is changed, is in effect at once, here and on another replica, and is undone', async () => {
    time += 1000;
    const made = await good('PUT', at('models/drafts'), { value: { price: { input: 3, output: 4 } } });
    expect(made.differences).toEqual(['model drafts: price.input 1 → 3, price.output 2 → 4']);
    expect(made.entry).toMatchObject({ from: ['file', 'database'], kept: { price: { input: 3, output: 4 } } });
    expect(made.entry.value).toMatchObject({ code: 'drafts', kind: 'chat', price: { input: 3, output: 4 } });
    expect(gateway.server.catalogue().models.get('drafts')?.price).toEqual({ input: 3, output: 4 });

    const { catalogue, lookAtEntries } = (replica ?? gateway).server;
    await lookAtEntries();
    expect(catalogue().models.get('drafts')?.price).toEqual({ input: 3, output: 4 });

    const undone = await other.good('POST', `/admin/config/changes/${made.change?.id}/undo`);
    expect(undone.differences).toEqual(['model drafts: price.input 3 → 1, price.output 4 → 2']);
    expect(undone.change).toMatchObject({ undoes: made.change?.id, after: null });
    await gateway.server.lookAtEntries();
    expect(gateway.server.catalogue().models.get('drafts')?.price).toEqual({ input: 1, output: 2 });
    expect(await entry('models/drafts')).toMatchObject({ from: ['file'], version: 0, kept: null });

    // Undone is done again by undoing that.
    const again = await good('POST', `/admin/config/changes/${undone.change?.id}/undo`);
    expect(again.entry.kept).toEqual({ price: { input: 3, output: 4 } });
    const late = await ask('POST', `/admin/config/changes/${made.change?.id}/undo`);
    expect([late.status, messageOf(late)]).toEqual([
      409,
      `models/drafts was changed again by the change ${again.change?.id}; undo that one first`,
    ]);
    expect((await ask('POST', '/admin/config/changes/987654/undo')).status).toBe(404);
    await good('DELETE', at('models/drafts'));
  });

  it('every fault is said with its place, and nothing is stored or changed', async () => {
    const before = (await ask('GET', '/admin/config/changes')).body as { data: unknown[] };
    const bad = { kind: 'chat', prise: 1, offers: [{ account: 'mian', model: 'x', dialect: 'openai-chat' }] };
    const refused = await put('models/gpt-x', bad);
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toBe(
      "3 faults: models[gpt-x].prise: unknown key (did you mean price?); models[gpt-x].price: gpt-x has no price: add price: { input: …, output: … } with US dollars, or price: free where it costs nothing; models[gpt-x].offers[0].account: there is no account 'mian' (did you mean main?)",
    );
    const dry = await good('PUT', `${at('models/gpt-x')}?dry_run=true`, { value: bad });
    expect(dry.faults.map(({ path }) => path)).toEqual([
      'models[gpt-x].prise',
      'models[gpt-x].price',
      'models[gpt-x].offers[0].account',
    ]);
    expect([dry.change, dry.entry]).toEqual([null, null]);
    expect(((await ask('GET', '/admin/config/changes')).body as { data: unknown[] }).data).toHaveLength(
      before.data.length,
    );
    expect((await ask('GET', at('models/gpt-x'))).status).toBe(404);

    const fine = await good('PUT', `${at('models/drafts')}?dry_run=true`, {
      value: { price: { input: 9, output: 9 } },
    });
    expect(fine).toMatchObject({
      change: null,
      faults: [],
      differences: ['model drafts: price.input 1 → 9, price.output 2 → 9'],
    });
    expect(gateway.server.catalogue().models.get('drafts')?.price).toEqual({ input: 1, output: 2 });
  });

  it('accounts and models depend on each other: what another entry needs is not taken away', async () => {
    await good('PUT', at('accounts/second'), { value: { ...ACCOUNT, credentials: { api_key: '${X_KEY}' } } });
    await good('PUT', at('models/vendors/*'), {
      value: { kind: 'chat', offers: [{ account: 'second', model: '*' }], price: { input: 1, output: 1 } },
    });
    expect(gateway.server.catalogue().accounts.find(({ name }) => name === 'second')).toMatchObject({
      on: true,
      credentials: { api_key: 'from-the-environment' },
    });
    for (const refused of [
      await ask('DELETE', at('accounts/second')),
      await ask('PUT', at('accounts/second'), { removed: true }),
    ]) {
      expect(refused.status).toBe(400);
      expect(messageOf(refused)).toContain('models[vendors/*].offers[0].account');
    }
    await good('DELETE', at('models/vendors/*'));
    await good('DELETE', at('accounts/second'));
    expect((await ask('DELETE', at('accounts/second'))).status).toBe(404);
  });

  it('a row of the file is taken away, and comes back', async () => {
    const gone = await good('PUT', at('models/drafts'), { removed: true });
    expect(gone.differences).toEqual(['model drafts is gone']);
    expect(await entry('models/drafts')).toMatchObject({ removed: true, value: null, from: ['file', 'database'] });
    await good('DELETE', at('models/drafts'));
    expect(gateway.server.catalogue().models.has('drafts')).toBe(true);
    // A built-in one, too; and what is nowhere cannot be.
    expect((await good('PUT', at('models/gpt-5-mini'), { removed: true })).differences).toEqual([
      'model gpt-5-mini is gone',
    ]);
    await good('DELETE', at('models/gpt-5-mini'));
    const nowhere = await ask('PUT', at('models/gpt-5-minny'), { removed: true });
    expect(messageOf(nowhere)).toBe(
      "models[gpt-5-minny]: there is no model 'gpt-5-minny' to remove (did you mean gpt-5-mini?)",
    );
  });

  it('of two who knew the same version one wins, and the other is told', async () => {
    const [first, second] = await Promise.all([put('models/drafts', { description: 'a' }, '?version=0'), other.put('models/drafts', { description: 'b' }, '?version=0')]); // prettier-ignore
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    const { version } = await entry('models/drafts');
    const late = [first, second].find(({ status }) => status === 409) as Answer;
    expect(messageOf(late)).toBe(
      `models/drafts was changed by the change ${version} since the version 0; read it again`,
    );
    // Those who change different rows at once do not meet.
    const rows = ['a', 'b', 'c', 'd'].map((name, index) =>
      (index % 2 === 0 ? put : other.put)(`accounts/${name}`, { ...ACCOUNT, credentials: { api_key: '${X_KEY}' } }),
    );
    expect((await Promise.all(rows)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const name of ['a', 'b', 'c', 'd']) await good('DELETE', at(`accounts/${name}`));
    await good('DELETE', `${at('models/drafts')}?version=${version}`);
    const gone = await ask('DELETE', `${at('models/drafts')}?version=${version}`);
    expect([gone.status, messageOf(gone)]).toEqual([
      409,
      `models/drafts is gone from the database since the version ${version}; read it again`,
    ]);
  });

  it('secrets are sealed, never shown, and kept by an edit that sends the mask', async () => {
    const secret = 'a-very-secret-text-0123';
    const row = { ...ACCOUNT, credentials: { api_key: secret }, headers: { 'x-team': '${X_KEY}' } };
    const made = await good('PUT', at('accounts/sealed'), { value: row });
    expect(made.entry.kept).toMatchObject({ credentials: { api_key: '***' }, headers: { 'x-team': '${X_KEY}' } });
    const accountNow = () => gateway.server.catalogue().accounts.find(({ name }) => name === 'sealed');
    expect(accountNow()).toMatchObject({
      credentials: { api_key: secret },
      headers: { 'x-team': 'from-the-environment' },
    });

    const edited = { ...row, credentials: { api_key: '***' }, max_concurrency: 7 };
    const { differences, change } = await good('PUT', at('accounts/sealed'), { value: edited });
    expect(differences).toEqual(['account sealed: max_concurrency none → 7']);
    expect(accountNow()).toMatchObject({ credentials: { api_key: secret }, maxConcurrency: 7 });
    await good('DELETE', at('accounts/sealed'));
    const back = await good('POST', `/admin/config/changes/${(change?.id ?? 0) + 1}/undo`);
    expect(back.entry.kept).toMatchObject({ credentials: { api_key: '***' } });
    expect(accountNow()?.credentials).toEqual({ api_key: secret });

    const { entries } = await gateway.server.parts.store.configEntries.all();
    const stored = JSON.stringify([entries, await gateway.server.parts.store.configEntries.changes({ limit: 500 })]);
    const answers = await Promise.all(
      ['', '/entries?limit=500', '/entries/accounts/sealed', '/changes'].map(
        async (path) => (await ask('GET', `/admin/config${path}`)).body,
      ),
    );
    const audit = (await ask('GET', '/admin/audit?limit=500')).body;
    for (const text of [stored, JSON.stringify(answers), JSON.stringify(audit)]) {
      for (const each of [secret, 'file-secret-0123', 'from-the-environment']) expect(text).not.toContain(each);
    }
    await good('DELETE', at('accounts/sealed'));
  });

  it('the audit log has every change: who, before, after', async () => {
    const { change } = await good('PUT', at('models/drafts'), { value: { description: 'audited' } });
    const page = (await ask('GET', '/admin/audit?subject=models/drafts&limit=1')).body as { data: object[] };
    expect(page.data[0]).toMatchObject({
      ...{ action: 'config.put', subject: 'models/drafts', actor: expect.stringMatching(/^admin key /), before: null },
      after: { value: { description: 'audited' }, removed: false, change: change?.id },
    });
    // The same again is no change.
    expect((await good('PUT', at('models/drafts'), { value: { description: 'audited' } })).change).toBeNull();
    await good('DELETE', at('models/drafts'));
    const [last] = ((await ask('GET', '/admin/audit?subject=models/drafts&limit=1')).body as { data: object[] }).data;
    expect(last).toMatchObject({ action: 'config.delete', before: { value: { description: 'audited' } }, after: null });
  });

  it('lists page after page, by layer and by name', async () => {
    await good('PUT', at('models/gpt-5.2'), { value: { description: 'Ours.' } });
    const list = async (query: string) =>
      (await ask('GET', `/admin/config/entries?${query}`)).body as {
        data: { id: string; from: string[] }[];
        next_after: string | null;
      };
    expect((await list('from=database')).data).toMatchObject([{ id: 'models/gpt-5.2', from: ['builtin', 'database'] }]);
    expect((await list('search=drafts')).data.map(({ id }) => id)).toEqual(['models/drafts']);
    const all: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = await list(`limit=20${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`);
      all.push(...page.data.map(({ id }) => id));
      after = page.next_after;
    }
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual((await list('limit=500')).data.map(({ id }) => id));
    expect(all).toEqual(expect.arrayContaining(['models/drafts', 'accounts/main', 'accounts/openai']));
    await good('DELETE', at('models/gpt-5.2'));
  });
});
