/** Prepared conversations with one fault each, and clean ones, against vendors whose prompt caches the twin has: what the gateway says of them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { openStore } from '@model-gateway/store';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { runCommand } from './run-command.ts';

const MINUTE_MS = 60_000;
const PRICE = 'price: { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 }';
let now = Date.UTC(2026, 10, 22, 10);
let cases = 0;
let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', clock: () => now });
  const account = (name: string, vendor: 'anthropic' | 'openai' | 'gemini'): string =>
    `  - { name: ${name}, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor)['api_key'] ?? ''}' } }`;
  const model = (code: string, offer: string, more = ''): string => `  - { code: ${code}, kind: chat, limits: { max_output_tokens: 4096 }, offers: [${offer}], ${PRICE}${more} }`; // prettier-ignore
  const sonnet = (name: string): string =>
    `{ account: ${name}, model: claude-sonnet-4-5, dialect: anthropic-messages }`;
  gateway = await openTestGateway({
    twin,
    clock: () => now,
    yaml: `extends: none
accounts:
${[account('claude', 'anthropic'), account('openai', 'openai'), account('openai-2', 'openai'), account('google', 'gemini')].join('\n')}
  - { name: down, vendor: anthropic, base_url: 'http://127.0.0.1:1', credentials: { api_key: sk-none-0123456789 } }
models:
${[
  model('claude', sonnet('claude')),
  model('claude-marked', sonnet('claude'), ', body_fields: { cache_control: { type: ephemeral } }'),
  model('claude-unkept', sonnet('claude'), ', prompt_cache: none'),
  model('claude-down', sonnet('down'), ', fallbacks: { on_error: [claude-unkept] }'),
  model('claude-old', '{ account: claude, model: claude-opus-4-1, dialect: anthropic-messages }'),
  model('gpt', '{ account: openai, model: gpt-5.2, dialects: [openai-chat, openai-responses] }'),
  model('gpt-2', '{ account: openai-2, model: gpt-5.2, dialects: [openai-chat, openai-responses] }'),
  model('gemini', '{ account: google, model: gemini-2.5-flash, dialect: gemini-generate }'),
].join('\n')}
`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

/** A text of about 2,000 tokens in the twin's count; another name is another text from its first word on. */
const long = (name: string): string => `${name} tells of the sea and of ships. `.repeat(230);
const names = ['read', 'write', 'list', 'run'];

/** One request: its path, its body, and minutes after the one before. */
interface Step {
  readonly path: string;
  readonly body: JsonObject;
  readonly after?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests with a key of their own, one after another; the id of the last one. */
async function run(steps: readonly Step[]): Promise<{ readonly id: string; readonly keyId: number }> {
  // No vendor remembers what the case before sent.
  now += 180 * MINUTE_MS;
  cases++;
  const { key, secret } = await admin.keys.create({ name: `agent ${cases}`, owner_id: 1, mode: 'live' });
  let id = '';
  for (const { path, body, after = 0.5, headers = {} } of steps) {
    now += after * MINUTE_MS;
    const reply = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    expect([reply.status, text]).toEqual([200, expect.any(String)]);
    id = reply.headers.get('x-request-id') ?? '';
  }
  return { id, keyId: key.id };
}

const MARK = { cache_control: { type: 'ephemeral' } };
interface Prompt {
  readonly system?: string;
  readonly tools?: readonly string[];
  readonly said?: readonly string[];
  readonly more?: JsonObject;
}

const claude = ({ system = 'Rules', tools = names, said = ['Q'], more = MARK }: Prompt, model = 'claude'): Step => ({
  path: '/v1/messages',
  body: {
    ...{ model, max_tokens: 50 },
    tools: tools.map((name) => ({ name, description: long(name).slice(0, 900), input_schema: { type: 'object', properties: {} } })), // prettier-ignore
    system: [{ type: 'text', text: long(system) }],
    messages: said.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text: long(text) }] })), // prettier-ignore
    ...more,
  },
});

const gpt = ({ system = 'Rules', tools = names, said = ['Q'], more = {} }: Prompt, model = 'gpt'): Step => ({
  path: '/v1/chat/completions',
  body: {
    model,
    ...(tools.length > 0 && { tools: tools.map((name) => ({ type: 'function', function: { name, description: 'x', parameters: { type: 'object', properties: { [name]: { type: 'string', description: long(name) } } } } })) }), // prettier-ignore
    messages: [
      { role: 'system', content: long(system) },
      ...said.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: long(text) })),
    ],
    ...more,
  },
});

const responses = ({ system = 'Rules', said = ['Q'] }: Prompt): Step => ({
  path: '/v1/responses',
  body: {
    ...{ model: 'gpt', store: false, instructions: long(system) },
    input: said.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: long(text) })),
  },
});

const gemini = ({ system = 'Rules', said = ['Q'] }: Prompt): Step => ({
  path: '/v1beta/models/gemini:generateContent',
  body: {
    systemInstruction: { parts: [{ text: long(system) }] },
    contents: said.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'model', parts: [{ text: long(text) }] })),
  },
});

const SAID = ['Q', 'A', 'Q2'];
const later = (step: Step, after: number): Step => ({ ...step, after });
const SYSTEM_MARK = (step: Step): Step => ({
  ...step,
  body: { ...step.body, system: [{ type: 'text', text: long('Rules'), ...MARK }] },
});

it.each<readonly [string, readonly Step[], string, string | null]>([
  ['Anthropic: the time in the instructions', [claude({ system: 'At 10:00' }), claude({ system: 'At 10:01', said: SAID })], 'changed', 'system[0]'], // prettier-ignore
  ['Anthropic: a tool that is described anew', [claude({}), claude({ tools: ['read', 'write', 'show', 'run'], said: SAID })], 'changed', 'tools[2]'], // prettier-ignore
  ['Anthropic: tools in another order', [claude({}), claude({ tools: names.toReversed(), said: SAID })], 'tools_reordered', 'tools[0]'], // prettier-ignore
  ['Anthropic: no marks', [claude({ more: {} }), claude({ said: SAID, more: {} })], 'not_requested', null],
  ['Anthropic: another choice of tools', [claude({ said: SAID }), claude({ said: [...SAID, 'A2', 'Q3'], more: { ...MARK, tool_choice: { type: 'any' } } })], 'changed', 'tool_choice'], // prettier-ignore
  ['Anthropic: ten minutes of silence', [claude({}), later(claude({ said: SAID }), 10)], 'expired', null],
  ['Anthropic: ten minutes of silence, with the mark of the operator', [claude({ more: {} }, 'claude-marked'), later(claude({ said: SAID, more: {} }, 'claude-marked'), 10)], 'expired', null], // prettier-ignore
  ['Anthropic, translated: kept by an account that is down, and not by the one that answers', [gpt({ said: SAID }, 'claude-down'), gpt({ said: [...SAID, 'A2', 'Q3'] }, 'claude-down')], 'not_requested', null], // prettier-ignore
  ['Anthropic: another model', [claude({}), claude({ said: SAID }, 'claude-old')], 'other_model', null],
  ['Anthropic: a mark on the instructions alone', [SYSTEM_MARK(claude({ said: SAID, more: {} })), SYSTEM_MARK(claude({ said: [...SAID, 'A2', 'Q3'], more: {} }))], 'marked_early', null], // prettier-ignore
  ['OpenAI: the time in the instructions', [gpt({ system: 'At 10:00' }), gpt({ system: 'At 10:01', said: SAID })], 'changed', 'messages[0]'], // prettier-ignore
  ['OpenAI: a tool that is gone', [gpt({}), gpt({ tools: names.slice(0, 3), said: SAID })], 'changed', 'tools[3]'],
  ['OpenAI: an earlier message that is written anew', [gpt({ said: SAID }), gpt({ said: ['Q', 'A again', 'Q2', 'A2', 'Q3'] })], 'changed', 'messages[2]'], // prettier-ignore
  ['OpenAI: a conversation without its first messages', [gpt({ said: ['Q', 'A', 'Q2', 'A2', 'Q3'], tools: [] }), gpt({ said: ['Q2', 'A2', 'Q3', 'A3', 'Q4'], tools: [] })], 'history_trimmed', 'messages[1]'], // prettier-ignore
  ['OpenAI, Responses: instructions', [responses({}), responses({ system: 'Other', said: SAID })], 'changed', 'instructions'], // prettier-ignore
  ['Gemini: instructions', [gemini({}), gemini({ system: 'Other', said: SAID })], 'changed', 'systemInstruction.parts[0]'], // prettier-ignore
  ['Gemini: an earlier message', [gemini({ said: SAID }), gemini({ said: ['Q', 'A again', 'Q2', 'A2', 'Q3'] })], 'changed', 'contents[1].parts[0]'], // prettier-ignore
])('%s', async (_, steps, cause, changed) => {
  const { id } = await run(steps);
  const found = await admin.requests.cache(id);
  expect(found).toMatchObject({ examined: true, cause, changed, explanation: expect.any(String) as unknown });
  expect(found.advice).not.toBeNull();
  const { lost_tokens: lost, could_tokens: could, read_tokens: read } = found;
  expect([lost, lost === 0]).toEqual([(could ?? 0) - (read ?? 0), false]);
  // The row's prices: $3 without the cache, $0.30 with it.
  expect(found.lost_usd).toBeCloseTo(((lost ?? 0) * 2.7) / 1e6, 5);
});

const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const movedMark = (said: readonly string[]): Step => {
  const step = claude({ said, more: {} });
  const messages = step.body['messages'] as JsonObject[];
  const last = messages.at(-1) ?? {};
  const content = [{ type: 'text', text: long(said.at(-1) ?? ''), ...MARK }];
  return { ...step, body: { ...step.body, messages: [...messages.slice(0, -1), { ...last, content }] } };
};

it.each<readonly [string, readonly Step[]]>([
  ['Anthropic: a first request', [claude({})]],
  ['Anthropic: a conversation', [claude({}), claude({ said: SAID }), claude({ said: [...SAID, 'A2', 'Q3'] })]],
  ['Anthropic: a mark that moves with the conversation', [movedMark(['Q']), movedMark(SAID)]],
  ['Anthropic: an hour that was asked for', [claude({ more: HOUR }), later(claude({ said: SAID, more: HOUR }), 30)]],
  ['Anthropic: two conversations that begin alike', [SYSTEM_MARK(claude({ said: ['One'], more: {} })), SYSTEM_MARK(claude({ said: ['Two'], more: {} }))]], // prettier-ignore
  ['Anthropic, translated: the second turn, from which on the gateway marks', [gpt({}, 'claude'), gpt({ said: SAID }, 'claude'), gpt({ said: [...SAID, 'A2', 'Q3'] }, 'claude')]], // prettier-ignore
  ['OpenAI: a conversation', [gpt({}), gpt({ said: SAID }), gpt({ said: [...SAID, 'A2', 'Q3'] })]],
  ['OpenAI: single questions with the same instructions', [gpt({ said: ['One'] }), gpt({ said: ['Two'] }), gpt({ said: ['Three'] })]], // prettier-ignore
  ['OpenAI: other instructions, another question', [gpt({}), gpt({ system: 'Other', said: ['Else'], tools: [] })]],
  ['OpenAI: below the minimum', [gpt({ system: 'a', tools: [], said: [] }), gpt({ system: 'b', tools: [], said: [] })].map((step) => ({ ...step, body: { model: 'gpt', messages: [{ role: 'user', content: 'Hello '.repeat(600) }] } }))], // prettier-ignore
  ['OpenAI, Responses: a conversation', [responses({}), responses({ said: SAID })]],
  ['Gemini: a conversation', [gemini({}), gemini({ said: SAID })]],
])('is silent: %s', async (_, steps) => {
  const { id, keyId } = await run(steps);
  expect(await admin.requests.cache(id)).toMatchObject({ examined: true, cause: null, changed: null, lost_tokens: 0 });
  const { data } = await admin.cacheReport({ key_id: keyId });
  expect(data).toMatchObject([{ requests: steps.length, lost_tokens: 0, lost_usd: 0, causes: [] }]);
});

it('sums up the losses of a key by cause, in the report and by commands, and keeps no word of what was said', async () => {
  const turns = ['At 10:00', 'At 10:01', 'At 10:02'].map((system, turn) => gpt({ system, said: [...SAID, 'A2', 'Q3'].slice(0, 1 + 2 * turn) })); // prettier-ignore
  const { id, keyId } = await run(turns);
  const { data } = await admin.cacheReport({ key_id: keyId });
  const [key] = data;
  expect(key).toMatchObject({ key_name: `agent ${cases}`, requests: 3, causes: [{ cause: 'changed', requests: 2 }] });
  expect(key?.lost_usd).toBeGreaterThan(0);
  expect(key?.charged_usd).toBeGreaterThan(key?.lost_usd ?? Infinity);
  expect((await admin.cacheReport({ key_id: keyId, to: '2026-11-01T00:00:00Z' })).data).toEqual([]);
  const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
  const told = await runCommand(['cache', 'explain', id, '--url', gateway.url], { env });
  expect(told.out).toMatch(/Read [\d,]+ of [\d,]+ input tokens.*\nchanged: messages\[0\] is not what/);
  const report = await runCommand(['cache', 'report', '--key', String(keyId), '--url', gateway.url], { env });
  expect(report.out).toMatch(/agent \d+ \(\d+\): \$0\.\d+ of \$0\.\d+ would have been saved/);
  const store = await openStore(gateway.databaseUrl, { beside: true });
  const kept = JSON.stringify(await store.requests.cacheTurns({ keyId, from: 0, to: now + 1, limit: 10 }));
  await store.close();
  expect(kept).not.toMatch(/sea|ships|At 10/);
  await expect(admin.requests.cache('req_01JD8X9A7K5QG4T9W2N7V3B1MD')).rejects.toMatchObject({ status: 404 });
});
