/** A vendor whose prompt cache must be asked for keeps conversations that are translated for it, where that pays; nothing else is changed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const PRICE = 'input: 3, cached_input: 0.3, cache_write: 3.75, output: 15';
const ORDERS = 'You answer in one sentence, and you know the sea. '.repeat(120);

let twin: VendorTwin;
let gateway: TestGateway;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const model = (code: string, more: string, price = PRICE): string =>
    `  - { code: ${code}, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: claude, model: claude-sonnet-5, dialect: anthropic-messages }], price: { ${price} }${more} }`;
  gateway = await openTestGateway({
    twin,
    yaml: `extends: none
accounts:
  - { name: claude, vendor: anthropic, base_url: '${twin.baseUrl('anthropic')}', credentials: { api_key: '${twin.credentials('anthropic')['api_key'] ?? ''}' } }
models:
${[
  model('usual', ''),
  model('off', ', prompt_cache: none'),
  model('unpriced', '', 'input: 3, output: 15'),
  model('dear', '', 'input: 3, cached_input: 2.5, cache_write: 6, output: 15'),
  model('continued', ', on_break: continue, fallbacks: { on_error: [usual] }'),
  '  - { code: routed, kind: chat, routes: [{ model: usual }] }',
].join('\n')}
`,
  });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

const says = (role: string, content: string): JsonObject => ({ role, content });
/** A conversation in its so-manieth turn. */
const talk = (turns: number, orders = ORDERS): JsonObject[] => [
  says('system', orders),
  ...Array.from({ length: turns - 1 }, (_, index) => [
    says('user', `Question ${index}: how deep is it?`),
    says('assistant', `Answer ${index}: very deep.`),
  ]).flat(),
  says('user', `Question ${turns - 1}: how deep is it?`),
];

async function ask(path: string, body: JsonObject) {
  const { text, sent, route } = await askText(path, body);
  return { json: JSON.parse(text) as JsonObject, sent, route };
}
async function askText(path: string, body: JsonObject) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  expect(reply.status, text).toBe(200);
  const sent = JSON.parse(twin.requests.last('anthropic', 'chat')?.body ?? '{}') as JsonObject;
  return { text, sent, route: reply.headers.get('x-gateway-route') };
}
const chat = (model: string, messages: readonly JsonObject[], more: JsonObject = {}) =>
  ask('/v1/chat/completions', { model, messages: [...messages], ...more });

/** Where in a body the vendor is asked to keep something. */
const marksIn = (body: JsonObject): string[] => placesIn(body, '').toSorted();
function placesIn(value: Json, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => placesIn(each, `${place}[${index}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'cache_control' ? [place] : placesIn(each, place === '' ? name : `${place}.${name}`),
  );
}

it('a first turn is sent as it is, later ones ask for what all have in common and for all up to now', async () => {
  const first = await chat('usual', talk(1));
  expect(marksIn(first.sent)).toEqual([]);
  expect(first.route).toBeNull();
  const second = await chat('usual', talk(2));
  expect(marksIn(second.sent)).toEqual(['messages[2].content[0]', 'system[0]']);
  expect(second.route).toBe('usual; prompt cache: auto');
});

it('the vendor reads what it kept, which is a tenth of the price, and the caller’s usage says so', async () => {
  const orders = `${ORDERS} Third talk.`;
  const second = await chat('usual', talk(2, orders));
  expect(second.json['usage']).toMatchObject({ prompt_tokens_details: { cached_tokens: 0 } });
  const third = await chat('usual', talk(3, orders));
  const usage = third.json['usage'] as { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
  expect(usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(usage.prompt_tokens * 0.8);
});

it('tools are what conversations without orders have in common, and results of tools are kept', async () => {
  const tool = { type: 'function', function: { name: 'depth', description: 'x '.repeat(2_500), parameters: {} } };
  const call = { id: 'call_1', type: 'function', function: { name: 'depth', arguments: '{}' } };
  const { sent } = await chat(
    'usual',
    [
      says('user', 'How deep is it?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '11 km' },
    ],
    { tools: [tool] },
  );
  expect(marksIn(sent)).toEqual(['messages[2].content[0]', 'tools[0]']);
});

it.each([
  ['responses', '/v1/responses', { model: 'usual', input: talk(2) }],
  [
    'gemini',
    '/v1beta/models/usual:generateContent',
    {
      systemInstruction: { parts: [{ text: ORDERS }] },
      contents: [
        { role: 'user', parts: [{ text: 'How deep?' }] },
        { role: 'model', parts: [{ text: 'Very.' }] },
        { role: 'user', parts: [{ text: 'How deep?' }] },
      ],
    },
  ],
])('callers of %s have it, too', async (_name, path, body) => {
  const { sent, route } = await ask(path, body);
  expect(marksIn(sent)).toHaveLength(2);
  expect(route).toContain('prompt cache: auto');
});

it.each([
  ['it is switched off', 'off', talk(2)],
  ['the row has no price for it', 'unpriced', talk(2)],
  ['it does not pay by the prices', 'dear', talk(2)],
  ['vendors keep nothing so short', 'usual', talk(2, 'You know the sea.')],
])('nothing is asked for where %s', async (_why, model, messages) => {
  const { sent, route } = await chat(model, messages);
  expect(marksIn(sent)).toEqual([]);
  expect(route).toBeNull();
});

it('a caller’s own marks are the only ones', async () => {
  const [system, ...rest] = talk(2);
  const content = [{ type: 'text', text: ORDERS, cache_control: { type: 'ephemeral' } }];
  const { sent } = await chat('usual', [{ ...system, content }, ...rest]);
  expect(marksIn(sent)).toEqual(['system[0]']);
});

it('on the vendor’s own wire nothing is added', async () => {
  const [system, ...messages] = talk(2);
  const body = { model: 'usual', max_tokens: 100, system: system?.['content'] ?? '', messages };
  const { sent } = await ask('/v1/messages', body);
  expect(marksIn(sent)).toEqual([]);
});

it('nor where a stream is read and written anew so that another model can go on with it', async () => {
  const [system, ...messages] = talk(2);
  const orders = system?.['content'] ?? '';
  const own = await askText('/v1/messages', {
    model: 'continued',
    max_tokens: 100,
    stream: true,
    system: orders,
    messages,
  });
  expect(own.text).toContain('message_stop');
  expect(marksIn(own.sent)).toEqual([]);
  expect(own.route).not.toContain('prompt cache');
  // The same row for a caller of another wire, where it is added.
  const other = await askText('/v1/chat/completions', { model: 'continued', stream: true, messages: talk(2) });
  expect(marksIn(other.sent)).toHaveLength(2);
});

it('a route is named beside it', async () => {
  const { route } = await chat('routed', talk(2));
  expect(route).toBe('usual; route; weighted; prompt cache: auto');
});
