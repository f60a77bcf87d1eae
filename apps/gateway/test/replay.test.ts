/** Recorded requests of a key on another model: the estimate, a sample within a budget, answers side by side. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { answerOf, differences, repeated, verdictOf } from '../src/resources/replay/answers.ts';
import { runCommand } from './run-command.ts';

let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;
let keyId = 0;
let secret = '';

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const account = (name: string, vendor: 'anthropic' | 'openai'): string =>
    `  - { name: ${name}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor)['api_key'] ?? ''}' } }`;
  gateway = await openTestGateway({
    twin,
    yaml: `extends: none
config: { source: database }
requests: { log: bodies }
security: { encryption_key: '${Buffer.alloc(32, 7).toString('base64')}' }
accounts:
${[account('claude', 'anthropic'), account('openai', 'openai')].join('\n')}
models:
  - { code: dear, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: { input: 1000, output: 4000 } }
  - { code: cheap, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: claude, model: claude-sonnet-4-5, dialect: anthropic-messages }], price: { input: 100, output: 400 } }
  - { code: deaf, kind: embedding, offers: [{ account: openai, model: text-embedding-3-small }], price: { input: 1 } }
`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
  const made = await admin.keys.create({ name: 'bot', owner_id: 1, keep_bodies: true });
  keyId = made.key.id;
  secret = made.secret;
  const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } }];
  const say = (content: unknown, more: JsonObject = {}): JsonObject => ({ model: 'dear', max_completion_tokens: 50, messages: [{ role: 'user', content: content as string }], ...more }); // prettier-ignore
  const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(40)}AA==`;
  for (const body of [
    say([{ type: 'image_url', image_url: { url: image } }]),
    say('Tell me of the harbour', { user: 'jane', safety_identifier: 'jane' }),
    say('Tell me of the sea', { stream: true, stream_options: { include_usage: true } }),
    say('Find the ship', { tools, tool_choice: 'required' }),
  ])
    await send('/v1/chat/completions', body);
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

async function send(path: string, body: JsonObject): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const reply = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await reply.text();
}
const asksOfOther = (): number => twin.requests.list({ vendor: 'anthropic', operation: 'chat' }).length;
const replay = (...options: readonly string[]) =>
  runCommand(['replay', '--key', String(keyId), '--url', gateway.url, ...options], { env: { GATEWAY_ADMIN_KEY: gateway.adminKey } }); // prettier-ignore

it('estimates by the recorded tokens, at the prices of the other model', async () => {
  const found = await admin.estimateReplay({ key_id: keyId, model: 'cheap' });
  expect(found.requests).toBeGreaterThanOrEqual(3);
  expect(found).toMatchObject({ has_more: false, asked: [{ model: 'dear', requests: found.requests }], model_latency: null }); // prettier-ignore
  expect(found.latency?.count).toBe(found.requests);
  expect(found.estimated_usd).toBeCloseTo((found.input_tokens * 100 + found.output_tokens * 400) / 1e6, 4);
  expect(found.charged_usd).toBeCloseTo(found.estimated_usd * 10, 3);
  const two = await admin.estimateReplay({ key_id: keyId, model: 'cheap', limit: 2 });
  expect(two).toMatchObject({ requests: 2, has_more: true });
  await expect(admin.estimateReplay({ key_id: keyId, model: 'nobody' })).rejects.toMatchObject({ status: 400 });
  expect((await replay('-m', 'cheap')).out).toMatch(/cost on cheap +\$\d.*estimated/);
});

it('prepares a request for another model, and says how an answer of it differs', async () => {
  const { items } = await admin.requests.list({ key_id: keyId, limit: 50 });
  const prepared = await Promise.all(items.map(({ id }) => admin.requests.prepareReplay(id, { model: 'cheap' })));
  const ship = prepared.find(({ asked }) => asked === 'Find the ship');
  expect(ship).toMatchObject({ reason: null, model: 'cheap', after: null, differences: [] });
  expect(ship?.send).toMatchObject({ path: '/v1/chat/completions', body: { model: 'cheap', tool_choice: 'required' } });
  expect(ship?.before?.calls).toEqual([expect.stringMatching(/^find\(/)]);
  // Streamed requests are answered whole; a picture is not kept.
  const sea = prepared.find(({ asked }) => asked === 'Tell me of the sea');
  expect(sea?.send?.body).not.toHaveProperty('stream');
  expect(prepared.filter(({ reason }) => reason === 'incomplete')).toHaveLength(1);
  const id = ship?.request_id ?? '';
  const message = { role: 'assistant', content: null, refusal: 'I will not look for it' };
  const answer = { id: 'c', object: 'chat.completion', created: 1, model: 'cheap', choices: [{ index: 0, message, finish_reason: 'stop' }] }; // prettier-ignore
  const found = await admin.requests.prepareReplay(id, { model: 'cheap', answer });
  expect(found.after).toEqual({ text: 'I will not look for it', calls: [], refused: true });
  expect(found.differences).toEqual(['refuses', 'calls no tool instead of find']);
  expect(asksOfOther()).toBe(0);
  const audit = await admin.audit.list({ action: 'request.read' }).all();
  expect(audit.filter(({ subject }) => subject === `request ${id}`)).toHaveLength(2);
  await expect(admin.requests.prepareReplay(id, { model: 'cheap', answer: {} })).rejects.toMatchObject({ status: 400, param: 'answer' }); // prettier-ignore
  await expect(admin.requests.prepareReplay(id, { model: 'deaf' })).rejects.toMatchObject({ status: 400, param: 'model' }); // prettier-ignore
  const { key, secret: other } = await admin.keys.create({ name: 'not kept', owner_id: 1 });
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'dear', max_completion_tokens: 50, messages: [{ role: 'user', content: 'secret' }] }),
  });
  const [unkept] = (await admin.requests.list({ key_id: key.id })).items;
  expect(await admin.requests.prepareReplay(unkept?.id ?? '', { model: 'cheap' })).toMatchObject({ reason: 'no_content', asked: '', send: null, before: null }); // prettier-ignore
});

it('sends a sample with a key that can spend the budget and no more, and shows both answers', async () => {
  const before = asksOfOther();
  const { out, code } = await replay('-m', 'cheap', '--sample', '9', '--budget', '2', '--judge', 'cheap', '--json');
  expect(code).toBe(0);
  const { sample } = JSON.parse(out) as { sample: { compared: { asked: string; replay_id: string; after: { text: string }; usd: { after: number }; opinion: string }[]; incomplete: number; stopped: string } }; // prettier-ignore
  expect(sample.compared.map(({ asked }) => asked).toSorted()).toEqual(['Find the ship', 'Tell me of the harbour', 'Tell me of the sea']); // prettier-ignore
  expect(sample).toMatchObject({ stopped: 'there are no more requests that can be sent again', without_content: 0 });
  for (const { usd, opinion } of sample.compared) {
    expect(usd.after).toBeGreaterThan(0);
    expect(['before', 'after', 'tie']).toContain(opinion);
  }
  // One answer and two opinions each.
  expect(asksOfOther() - before).toBe(9);
  const audit = (await admin.audit.list({}).all()).filter(({ after, subject }) => JSON.stringify([after, subject]).includes('replay of bot') || subject.startsWith('key ')); // prettier-ignore
  const made = audit.find(({ action }) => action === 'key.create');
  expect(made?.after).toMatchObject({ owner_id: 1, mode: 'live', limits: { spend_total: 2 } });
  expect(audit.some(({ action, subject }) => action === 'key.revoke' && subject === made?.subject)).toBe(true);
});

it('ends when the budget is used, and spends nothing with --twin', async () => {
  const small = await replay('-m', 'cheap', '--sample', '3', '--budget', '0.0001');
  expect(small.out).toMatch(/Compared: 0 requests[\s\S]*Stopped: the budget is used\./);
  // What is left lets the first request begin; its charge uses it up, and the overdraft of the owner covers the rest.
  const some = JSON.parse((await replay('-m', 'cheap', '--sample', '3', '--budget', '0.006', '--json')).out) as { sample: { compared: object[]; stopped: string } }; // prettier-ignore
  expect([some.sample.stopped, some.sample.compared.length]).toEqual(['the budget is used', 1]);
  const simulated = JSON.parse((await replay('-m', 'cheap', '--sample', '1', '--twin', '--json')).out) as { sample: { compared: { replay_id: string }[] } }; // prettier-ignore
  const { request } = await admin.requests.get(simulated.sample.compared[0]?.replay_id ?? '');
  expect(request).toMatchObject({ mode: 'test', model: 'cheap', status: 200 });
  expect((await replay('-m', 'cheap', '--sample', '1')).error).toContain('--budget');
  const local = await runCommand(['replay', '--key', '1', '-m', 'cheap', '--sample', '1', '--budget', '1'], { env: { DATABASE_URL: gateway.databaseUrl } }); // prettier-ignore
  expect(local.error).toContain('--url');
});

it('says whose money ended it where it is not the budget', async () => {
  const poor = await admin.owners.create({ name: 'poor' });
  const empty = await replay('-m', 'cheap', '--sample', '3', '--budget', '2', '--owner', String(poor.id));
  expect(empty.out).toMatch(/Compared: 0 requests[\s\S]*Stopped: the owner’s balance does not cover another request\./);
  const rich = await admin.owners.create({ name: 'rich' });
  await admin.owners.topUp(rich.id, { usd: 9 });
  await admin.configEntries.put('budgets', 'tight', { value: { scope: 'owner', values: ['rich'], window: 'day', limit: 0.000002 } }); // prettier-ignore
  const tight = await replay('-m', 'cheap', '--sample', '3', '--budget', '2', '--owner', String(rich.id));
  expect(tight.out).toContain('Stopped: another limit does not cover another request: budget:tight.');
});

it('keeps what was paid for when an opinion or another answer fails, and is nobody’s request', async () => {
  const { out } = await replay('-m', 'cheap', '--sample', '3', '--budget', '2', '--judge', 'deaf', '--json');
  const { sample } = JSON.parse(out) as { sample: { compared: { replay_id: string; opinion: null; ms: { after: number }; usd: { after: number } }[]; refused: string[] } }; // prettier-ignore
  expect([sample.compared.length, sample.refused.length]).toEqual([3, 3]);
  expect(sample.refused.every((each) => /its opinion: 4\d\d/.test(each))).toBe(true);
  for (const { replay_id: id, opinion, ms, usd } of sample.compared) {
    const { request } = await admin.requests.get(id);
    expect([opinion, usd.after]).toEqual([null, request.charged_usd]);
    expect(ms.after).toBeGreaterThan(0);
    expect(request).toMatchObject({ user: 'replay', session: 'replay', run: 'replay' });
  }
});

it('says that content is not kept', async () => {
  const made = await admin.keys.create({ name: 'quiet', owner_id: 1 });
  secret = made.secret;
  await send('/v1/chat/completions', { model: 'dear', messages: [{ role: 'user', content: 'Hello' }] });
  const { out } = await runCommand(['replay', '--key', String(made.key.id), '--url', gateway.url, '-m', 'cheap', '--sample', '1', '--budget', '1'], { env: { GATEWAY_ADMIN_KEY: gateway.adminKey } }); // prettier-ignore
  expect(out).toMatch(/1 request without content: set requests\.log to bodies/);
  expect((await admin.keys.list().all()).filter(({ name }) => name.startsWith('replay of quiet'))).toEqual([]);
});

const said = (text: string, calls: readonly string[] = [], refused = false) => ({ text, calls, refused });

it.each([
  ['nothing', said('The sea'), said('A sea'), []],
  ['another tool', said('', ['find({})']), said('', ['open({})']), ['calls open instead of find']],
  ['no tool', said('', ['find({})']), said('I cannot'), ['calls no tool instead of find']],
  [
    'other arguments',
    said('', ['find({})']),
    said('', ['find({"a":1})']),
    ['calls the same tools with other arguments'],
  ],
  ['a refusal', said('Here'), said('No', [], true), ['refuses']],
  ['a long answer', said('x'.repeat(50)), said('x'.repeat(500)), ['500 characters instead of 50']],
])('tells what differs: %s', (_, before, after, found) => {
  expect(differences(before, after)).toEqual(found);
});

it('takes the opinion of a judge who says the same in both orders alone', () => {
  expect([verdictOf('A', 'B'), verdictOf('The better is B.', 'a'), verdictOf('A', 'A'), verdictOf('B', 'B'), verdictOf('?', 'A')]).toEqual(['before', 'after', 'tie', 'tie', 'tie']); // prettier-ignore
});

it('sends again what was kept whole, and nothing else', () => {
  const chat = { model: 'a', stream: true, stream_options: {}, messages: [{ role: 'user', content: 'Hi' }] };
  expect(repeated('createChatCompletion', chat, 'b')).toEqual({ path: '/v1/chat/completions', dialect: 'openai-chat', body: { model: 'b', messages: chat.messages } }); // prettier-ignore
  expect(repeated('streamGenerateContent', { contents: [] }, 'b')).toMatchObject({ path: '/v1beta/models/b:generateContent', body: { contents: [] } }); // prettier-ignore
  expect(repeated('createResponse', { model: 'a', input: 'x', previous_response_id: 'resp_1' }, 'b')).toBeUndefined();
  expect(repeated('createChatCompletion', { messages: ['[cut: 3 earlier ones]'] }, 'b')).toBeUndefined();
  expect(repeated('createChatCompletion', { messages: [{ content: '[image/png, 1024 bytes]' }] }, 'b')).toBeUndefined();
  expect(repeated('createResponse', { model: 'a', input: 'x', background: true, store: true }, 'b')?.body).toEqual({ model: 'b', input: 'x', store: false }); // prettier-ignore
  expect(repeated('createResponse', { model: 'a', input: 'x', tools: [{ type: 'mcp', server_label: 's', server_url: 'https://s.example' }] }, 'b')).toBeUndefined(); // prettier-ignore
  expect(repeated('createMessage', { messages: [], mcp_servers: [{ type: 'url', name: 's', url: 'https://s.example' }] }, 'b')).toBeUndefined(); // prettier-ignore
  expect(repeated('countMessageTokens', chat, 'b')).toBeUndefined();
  expect(repeated('createEmbedding', chat, 'b')).toBeUndefined();
  expect(answerOf('openai-chat', { hello: 1 })?.text ?? '').toBe('');
});
