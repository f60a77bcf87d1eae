/** Overview, usage (however it is split), log of requests, ledger, statement and balance say the same cost, to the unit, whenever a request is charged. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import { openSocket } from './open-socket.ts';
import { spokenSound } from './realtime-sound.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ env: { GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') } });
});
afterAll(() => gateway.close());

async function ask<T = JsonObject>(path: string, body?: JsonObject, key = gateway.liveKey, tags?: string): Promise<T> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(tags !== undefined && { 'x-gateway-tags': tags }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  expect({ path, status: reply.status, text }).toMatchObject({
    status: expect.toSatisfy((status: number) => status < 300),
  });
  return JSON.parse(text) as T;
}
const admin = <T = JsonObject>(path: string, body?: JsonObject): Promise<T> => ask<T>(path, body, gateway.adminKey);

interface Row {
  readonly charged: number;
  readonly kind: string | null;
}

it('on mixed traffic: chat, pictures, vectors, a video, an answer in the background, a correction of the balance', async () => {
  const hello = { messages: [{ role: 'user', content: 'Hello' }] };
  const tagged = <T>(path: string, body: JsonObject, team: string) =>
    ask<T>(path, body, gateway.liveKey, `team=${team}`);
  await tagged('/v1/chat/completions', { model: 'gpt-5.2', ...hello }, 'search');
  await ask('/v1/messages', { model: 'claude-sonnet-5', max_tokens: 100, ...hello });
  await tagged('/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hello' }, 'search');
  await ask('/v1/images/generations', { model: 'doubao-seedream-4-5', prompt: 'a kite' });
  const video = await tagged<{ id: string }>(
    '/v1/videos',
    { model: 'sora-2', prompt: 'a kite', seconds: '4' },
    'films',
  );
  const late = await tagged<{ id: string }>(
    '/v1/responses',
    { model: 'gpt-5.2', input: 'Hello', background: true },
    'late',
  );
  await until(async () => (await ask<{ status: string }>(`/v1/videos/${video.id}`)).status === 'completed');
  await until(async () => (await ask<{ status: string }>(`/v1/responses/${late.id}`)).status === 'completed');
  await admin('/admin/owners/1/topups', { usd: 3 });
  await admin('/admin/owners/1/adjustments', { amount: -123, note: 'a correction' });

  const period = `from=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}&to=${encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString())}`;
  const figures = async () => {
    await gateway.server.own.flush();
    const sum = (rows: readonly Row[]): number => rows.reduce((total, { charged }) => total + charged, 0);
    const [overview, usage, requests, captures, entries, owner] = await Promise.all([
      admin<{ total: Row; data: Row[] }>(`/admin/overview?mode=live&${period}`),
      admin<{ data: Row[] }>(`/admin/usage?mode=live&group_by=model&${period}`),
      admin<{ data: Row[] }>('/admin/requests?mode=live&limit=100'),
      admin<{ data: Row[] }>('/admin/ledger?kind=capture&limit=500'),
      admin<{ data: { amount: number; charged: number; kind: string }[] }>('/admin/ledger?owner_id=1&limit=500'),
      admin<{ balance: number }>('/admin/owners/1'),
    ]);
    return {
      tile: overview.total.charged,
      bars: sum(overview.data),
      usage: sum(usage.data),
      requests: sum(requests.data),
      video: requests.data.find(({ kind }) => kind === 'video')?.charged ?? 0,
      ledger: sum(captures.data),
      balance: owner.balance,
      statement: entries.data.reduce((total, { amount }) => total + amount, 0),
    };
  };
  await until(async () => (await figures()).requests === (await figures()).ledger);
  const said = await figures();
  const { ledger } = said;
  expect(ledger).toBeGreaterThan(0);
  expect(said.video).toBeGreaterThan(ledger / 2);
  expect(said).toMatchObject({ tile: ledger, bars: ledger, usage: ledger, requests: ledger });
  expect(said.balance).toBe(3 * 500_000 - 123 - ledger);
  expect(said.statement).toBe(said.balance);

  const usage = (query: string) =>
    admin<{ data: (Row & { group: JsonObject; names: JsonObject })[]; total: Row }>(`/admin/usage?${query}&${period}`);
  const sumOf = (rows: readonly Row[]): number => rows.reduce((total, { charged }) => total + charged, 0);
  for (const group of [
    'day',
    'model',
    'key',
    'owner',
    'endpoint',
    'account',
    'vendor',
    'tag',
    'default_price',
    'vendor,tag,day',
  ]) {
    const { data, total } = await usage(`group_by=${group}&tag=team`);
    expect({ group, rows: sumOf(data), total: total.charged }).toEqual({ group, rows: ledger, total: ledger });
  }
  const teams = await usage('group_by=tag&tag=team');
  expect(teams.data.map(({ group }) => group['tag'])).toEqual(['', 'films', 'late', 'search']);
  expect(teams.data.find(({ group }) => group['tag'] === 'films')?.charged).toBe(said.video);
  expect((await usage('group_by=vendor')).data.map(({ group }) => group['vendor'])).toEqual(
    expect.arrayContaining(['anthropic', 'openai']),
  );
  expect((await usage('group_by=owner,key')).data[0]?.names).toMatchObject({
    owner: expect.any(String),
    key: expect.any(String),
  });

  interface Statement {
    readonly closing_balance: number;
    readonly closing_reserved: number;
    readonly totals: { readonly charges: { readonly amount: number } };
    readonly lines: readonly { kind: string; model: string | null; amount: number }[];
  }
  const statements = await Promise.all(
    ['detail=days', 'detail=requests', 'holds=true'].map((query) =>
      admin<Statement>(`/admin/owners/1/statement?${query}&${period}`),
    ),
  );
  for (const { totals, closing_balance: closing, closing_reserved: reserved } of statements)
    expect([-totals.charges.amount, closing - reserved]).toEqual([ledger, said.balance]);
  const byModel = (await usage('group_by=model')).data.map(({ group, charged }) => [group['model'], 0 - charged]);
  const lines = statements[0]?.lines.filter(({ kind }) => kind === 'charge') ?? [];
  expect(lines.map(({ model, amount }) => [model, amount])).toEqual(byModel);
});

const PERIOD = `from=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}&to=${encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString())}`;
interface Split {
  readonly data: readonly (Row & { readonly group: JsonObject })[];
  readonly total: Row & { readonly requests: number };
}
const split = (query: string): Promise<Split> => admin<Split>(`/admin/usage?${query}&${PERIOD}`);
const chargedIn = (rows: readonly Row[]): number => rows.reduce((total, { charged }) => total + charged, 0);

/** One request of each kind, each in the session of its name; video, batch and background answer end later. */
async function everyKind(): Promise<readonly string[]> {
  const hello = { messages: [{ role: 'user', content: 'Hello' }] };
  const sent = (session: string, more: Record<string, string> = {}) => ({
    authorization: `Bearer ${gateway.liveKey}`,
    ...{ 'x-gateway-session': session, 'x-gateway-tags': 'project=all-kinds', ...more },
  });
  const post = async (session: string, path: string, body: JsonObject | FormData, user?: string): Promise<void> => {
    const isForm = body instanceof FormData;
    const headers = sent(session, {
      ...(!isForm && { 'content-type': 'application/json' }),
      ...(user !== undefined && { 'x-gateway-user': user }),
    });
    const reply = await fetch(`${gateway.url}${path}`, {
      ...{ method: 'POST', headers, body: isForm ? body : JSON.stringify(body) },
    });
    const text = await reply.text();
    expect({ path, text: reply.ok ? '' : text }).toEqual({ path, text: '' });
  };
  const form = (model: string, file: Blob): FormData => {
    const made = new FormData();
    made.set('model', model);
    made.set('file', file, 'a.wav');
    return made;
  };
  const sound = new Blob([new Uint8Array(wavOf(await spokenSound()))]);
  await post('chat', '/v1/chat/completions', { model: 'gpt-5.2', ...hello, user: 'u-1' });
  await post('messages', '/v1/messages', {
    ...{ model: 'claude-sonnet-5', max_tokens: 100, ...hello },
    metadata: { user_id: JSON.stringify({ device_id: 'u-2', session_id: 'not this one' }) },
  });
  await post('gemini', '/v1beta/models/gemini-3.1-pro:generateContent', { contents: [{ parts: [{ text: 'Hello' }] }] });
  await post('vectors', '/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hello', user: 'u-1' });
  await post('rerank', '/v1/rerank', { model: 'rerank-v3.5', query: 'tide', documents: ['a', 'b'] });
  await post('picture', '/v1/images/generations', { model: 'doubao-seedream-4-5', prompt: 'a kite', user: 'u-1' });
  await post('speech', '/v1/audio/speech', { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'alloy' });
  await post('words', '/v1/audio/transcriptions', form('gpt-4o-mini-transcribe', sound), 'u-3');
  await post('video', '/v1/videos', { model: 'sora-2', prompt: 'a kite', seconds: '4' });
  await post('late', '/v1/responses', { model: 'gpt-5.2', input: 'Hello', background: true, safety_identifier: 'u-2' });
  await post('batch', '/v1/messages/batches', {
    requests: ['gpt-5.2', 'claude-sonnet-5'].map((model) => ({
      custom_id: model.replace('.', '-'),
      params: { model, max_tokens: 100, ...hello, metadata: { user_id: 'u-4' } },
    })),
  });
  const socket = await openSocket(gateway.url, sent('spoken'), '/v1/realtime?model=gpt-realtime-2');
  await socket.until(({ type }) => type === 'session.created');
  const content = [{ type: 'input_text', text: 'Hello' }];
  socket.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  socket.send({ type: 'response.create' });
  await socket.until(({ type }) => type === 'response.done');
  await socket.close();
  return ['chat', 'messages', 'gemini', 'vectors', 'rerank', 'picture', 'speech', 'words', 'video', 'late', 'batch', 'spoken']; // prettier-ignore
}

/** 16 bits, one channel, 24,000 a second. */
function wavOf(pcm: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + pcm.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(24_000, 24);
  head.writeUInt32LE(48_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([head, pcm]);
}

it('by every breakdown equal the ledger to the unit, and whom they are for is known of every kind', async () => {
  await fetch(`${gateway.url}/admin/owners/1`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ organization: 'acme' }),
  });
  const sessions = await everyKind();
  await until(async () => {
    const { data } = await split('group_by=session');
    return sessions.every((session) => data.some(({ group }) => group['session'] === session));
  });
  // Both lines of the batch.
  await until(async () => (await split('group_by=session&session=batch')).total.requests === 2);
  const captures = await admin<{ data: Row[] }>('/admin/ledger?kind=capture&limit=500');
  const ledger = chargedIn(captures.data);
  for (const group of [
    'user',
    'session',
    'run',
    'organization',
    'project',
    'owner,organization',
    'session,user,model',
  ]) {
    const { data, total } = await split(`group_by=${group}`);
    expect({ group, rows: chargedIn(data), total: total.charged }).toEqual({ group, rows: ledger, total: ledger });
  }
  const of = ({ data }: Split, name: string) => data.map(({ group }) => group[name]);
  expect(of(await split('group_by=organization'), 'organization')).toEqual(['acme']);
  expect(of(await split('group_by=user'), 'user')).toEqual(['', 'u-1', 'u-2', 'u-3', 'u-4']);
  expect(of(await split('group_by=run'), 'run')).toEqual(of(await split('group_by=session'), 'session'));
  expect(of(await split('group_by=user,session&user=u-2'), 'session')).toEqual(['late', 'messages']);

  const project = await split('group_by=project');
  const perSession = await split('group_by=session');
  const known = perSession.data.filter(({ group }) => group['session'] !== '');
  expect(project.data.find(({ group }) => group['project'] === 'all-kinds')?.charged).toBe(chargedIn(known));

  const top = await split('group_by=session&top=3');
  const costs = perSession.data.map(({ charged }) => charged).toSorted((a, b) => b - a);
  expect(top.data.map(({ charged }) => charged)).toEqual(costs.slice(0, 3));
  expect(top.total.charged).toBe(ledger);
  const organizations = await split('group_by=organization,vendor&top=1');
  expect([organizations.data.length, organizations.total.charged]).toEqual([1, ledger]);

  // What the log has of a session is what the ledger has.
  for (const session of sessions.filter((each) => each !== 'spoken')) {
    const { data } = await admin<{ data: (Row & { session: string })[] }>(
      `/admin/requests?session=${session}&limit=50`,
    );
    const { total } = await split(`group_by=model&session=${session}`);
    expect({ session, log: chargedIn(data) }).toEqual({ session, log: total.charged });
    expect(new Set(data.map((row) => row.session))).toEqual(new Set([session]));
  }
  const { lines } = await admin<{ lines: { kind: string; amount: number; session: string | null }[] }>(
    `/admin/owners/1/statement?detail=requests&${PERIOD}`,
  );
  const inStatement = new Map<string, number>();
  for (const { kind, amount, session } of lines)
    if (kind === 'charge') inStatement.set(session ?? '', (inStatement.get(session ?? '') ?? 0) - amount);
  expect(inStatement).toEqual(
    new Map(perSession.data.map(({ group, charged }) => [String(group['session']), charged])),
  );

  const own = await ask<Split>(`/v1/usage?group_by=session&top=2&${PERIOD}`);
  expect(own.data).toHaveLength(2);
  await expectStatementsBySplit(ledger);
  await expectMetricsOfSpend(ledger);
});

/** Statements by day, however they are split, have the sums of the same report of usage, group by group. */
async function expectStatementsBySplit(ledger: number): Promise<void> {
  const splits = ['model', 'key', 'project', 'user', 'session', 'run', 'endpoint', 'tag', 'user,session,model', 'day'];
  for (const by of splits) {
    const { lines, totals } = await admin<{
      lines: Record<string, string | number | null>[];
      totals: { charges: { amount: number } };
    }>(`/admin/owners/1/statement?group_by=${by}&tag=team&${PERIOD}`);
    expect({ by, charges: 0 - totals.charges.amount }).toEqual({ by, charges: ledger });
    const groups = by.split(',').filter((group) => group !== 'day');
    const { data } = await split(`group_by=${['day', ...groups].join(',')}&tag=team`);
    const said = new Map(
      lines
        .filter(({ kind }) => kind === 'charge')
        .map((line) => [
          JSON.stringify([line['date'], ...groups.map((group) => line[group === 'key' ? 'key_id' : group] ?? '')]),
          0 - Number(line['amount']),
        ]),
    );
    expect({ by, said }).toEqual({
      by,
      said: new Map(
        data.map(({ group, charged }) => [
          JSON.stringify([group['day'], ...groups.map((name) => group[name] ?? '')]),
          charged,
        ]),
      ),
    });
  }
}

/** Metrics of spend have the sums of the report of usage by their labels. */
async function expectMetricsOfSpend(ledger: number): Promise<void> {
  const report = await split('group_by=organization,owner,project');
  const expected = new Map(
    report.data.map(({ group, charged }) => [
      JSON.stringify([group['organization'], String(group['owner']), group['project']]),
      charged,
    ]),
  );
  const spent = async (): Promise<Map<string, number>> => {
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    return new Map(
      [...page.matchAll(/^gateway_spend_dollars_total\{(.*)\} (\S+)$/gm)]
        .map(([, labels = '', value]) => ({
          labels: Object.fromEntries([...labels.matchAll(/(\w+)="(.*?)"/g)].map(([, name, text]) => [name, text])),
          units: Math.round(Number(value) * 500_000),
        }))
        .filter(({ labels }) => labels['mode'] === 'live')
        .map(({ labels, units }) => [
          JSON.stringify([labels['organization'], labels['owner'], labels['project']]),
          units,
        ]),
    );
  };
  // What was charged before the owner had its organization is counted without one; the ledger knows the owner of today alone.
  const merged = async (): Promise<Map<string, number>> => {
    const sums = new Map<string, number>();
    for (const [name, units] of await spent()) {
      const [, ...rest] = JSON.parse(name) as string[];
      const now = JSON.stringify(['acme', ...rest]);
      sums.set(now, (sums.get(now) ?? 0) + units);
    }
    return sums;
  };
  await until(async () => [...(await merged()).values()].reduce((sum, units) => sum + units, 0) === ledger);
  expect(await merged()).toEqual(expected);
}

it('are not split by a tag without its name', async () => {
  const reply = await fetch(`${gateway.url}/admin/usage?group_by=tag`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: 'tag' } }]);
});
