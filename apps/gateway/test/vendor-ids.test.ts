/** What a vendor keeps for one owner is nobody else's, though all of them share the vendor's account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

const UNKNOWN = 'resp_0123456789abcdef';
let database: TestDatabase;
let twin: VendorTwin;
let gateway: TestGateway;

/** Two accounts of one vendor, equally good; both are the twin. */
const configOf = (more = ''): string => {
  const account = (id: number): string =>
    `  - { id: ${id}, name: openai-${id}, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai')['api_key'] ?? ''}' } }`;
  const offers = (model: string): string =>
    `[{ account: openai-1, model: ${model}, dialects: [openai-responses, openai-chat] }, { account: openai-2, model: ${model}, dialects: [openai-responses, openai-chat] }]`;
  return `${more}
extends: none
accounts:
${account(1)}
${account(2)}
  - { id: 3, name: anthropic, vendor: anthropic, base_url: '${twin.baseUrl('anthropic')}', credentials: { api_key: '${twin.credentials('anthropic')['api_key'] ?? ''}' } }
  - { id: 4, name: gemini, vendor: gemini, base_url: '${twin.baseUrl('gemini')}', credentials: { api_key: '${twin.credentials('gemini')['api_key'] ?? ''}' } }
models:
  - { code: gpt, kind: chat, offers: ${offers('gpt-5.2')}, price: { input: 1 } }
  - { code: other, kind: chat, offers: [{ account: openai-1, model: gpt-4o, dialects: [openai-responses] }], price: { input: 1 } }
  - { code: audio, kind: chat, offers: [{ account: openai-1, model: gpt-audio-mini, dialects: [openai-chat] }], price: { input: 1 } }
  - { code: claude, kind: chat, offers: [{ account: anthropic, model: claude-sonnet-5, dialects: [anthropic-messages] }], price: { input: 1 } }
  - { code: flash, kind: chat, offers: [{ account: gemini, model: gemini-3.5-flash, dialects: [gemini-generate] }], price: { input: 1 } }`;
};

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  twin = await startVendorTwin({ media: 'tiny' });
  gateway = await openTestGateway({ twin, databaseUrl: database.url, yaml: configOf() });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
  await database.close();
});

interface Answer {
  readonly status: number;
  readonly account: string | null;
  readonly text: string;
  readonly json: JsonObject;
}
async function post(key: string, path: string, body: JsonObject, at = gateway): Promise<Answer> {
  const reply = await fetch(`${at.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  const json = (text.startsWith('{') ? JSON.parse(text) : {}) as JsonObject;
  return { status: reply.status, account: reply.headers.get('x-gateway-account'), text, json };
}
const respond = (key: string, more: JsonObject = {}, at = gateway): Promise<Answer> =>
  post(key, '/v1/responses', { model: 'gpt', input: 'My boat is blue.', ...more }, at);
const idOf = ({ text }: Answer): string => /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? 'no id';
const refused = (param: string): object => ({ status: 404, json: { error: { param, code: 'not_found' } } });

describe('a response', () => {
  it.each([false, true])('is its owner’s, in its mode (streamed: %s)', async (stream) => {
    const made = await respond(gateway.liveKey, { stream });
    const previous_response_id = idOf(made);
    expect((await respond(gateway.liveKey, { previous_response_id })).status).toBe(200);
    const others = await respond(gateway.otherKey, { previous_response_id });
    expect(others).toMatchObject(refused('previous_response_id'));
    expect(await respond(gateway.testKey, { previous_response_id })).toMatchObject(refused('previous_response_id'));
    // Nobody learns that it exists.
    const nobodys = await respond(gateway.otherKey, { previous_response_id: UNKNOWN });
    expect(nobodys.text.replace(UNKNOWN, previous_response_id)).toBe(others.text);
    // The owner's own goes on working after an attempt on it.
    expect((await respond(gateway.liveKey, { previous_response_id, stream })).status).toBe(200);
  });

  it('goes back to the account that made it', async () => {
    const made = await respond(gateway.liveKey);
    const accounts = new Set<string | null>();
    for (let count = 0; count < 12; count++)
      accounts.add((await respond(gateway.liveKey, { previous_response_id: idOf(made) })).account);
    expect([...accounts]).toEqual([made.account]);
    const without = new Set<string | null>();
    for (let count = 0; count < 20; count++) without.add((await respond(gateway.liveKey)).account);
    expect(without.size).toBe(2);
  });

  it('things of two accounts cannot be used together', async () => {
    const made = new Map<string | null, string>();
    for (let count = 0; made.size < 2 && count < 60; count++) {
      const answer = await respond(gateway.liveKey);
      made.set(answer.account, idOf(answer));
    }
    const [one = '', other = ''] = [...made.values()];
    const input = [
      { type: 'item_reference', id: other },
      { role: 'user', content: 'go on' },
    ];
    expect(await respond(gateway.liveKey, { previous_response_id: one, input })).toMatchObject(refused('input[0].id'));
  });

  it('that was not to be stored is not found', async () => {
    const made = await respond(gateway.liveKey, { store: false });
    expect(await respond(gateway.liveKey, { previous_response_id: idOf(made) })).toMatchObject(
      refused('previous_response_id'),
    );
  });

  it('its items are its owner’s too', async () => {
    const made = await respond(gateway.liveKey, { model: 'other' });
    const item = /"id":"(msg_[^"]+)"/.exec(made.text)?.[1] ?? '';
    const input = [
      { type: 'item_reference', id: item },
      { role: 'user', content: 'go on' },
    ];
    expect(await respond(gateway.otherKey, { model: 'other', input })).toMatchObject(refused('input[0].id'));
    expect((await respond(gateway.liveKey, { model: 'other', input })).json).not.toMatchObject({
      error: { code: 'not_found', param: 'input[0].id' },
    });
  });

  it('is remembered over a restart, by a hash', async () => {
    const made = await respond(gateway.liveKey);
    const again = await openTestGateway({ twin, databaseUrl: database.url, yaml: configOf() }).catch(() => undefined);
    // One process has a SQLite file.
    expect(again).toBeUndefined();
    await gateway.close();
    gateway = await openTestGateway({ twin, databaseUrl: database.url, yaml: configOf() });
    const previous_response_id = idOf(made);
    expect(await respond(gateway.otherKey, { previous_response_id })).toMatchObject(refused('previous_response_id'));
    expect(await respond(gateway.liveKey, { previous_response_id })).toMatchObject({
      status: 200,
      account: made.account,
    });
  });
});

describe('what no answer brought', () => {
  const user = (content: JsonObject[]): JsonObject[] => [{ role: 'user', content }];
  const cases: readonly (readonly [param: string, path: string, body: JsonObject])[] = [
    ['conversation', '/v1/responses', { model: 'gpt', input: 'x', conversation: 'conv_0123456789' }],
    ['conversation.id', '/v1/responses', { model: 'gpt', input: 'x', conversation: { id: 'conv_0123456789' } }],
    [
      'input[0].content[0].file_id',
      '/v1/responses',
      { model: 'gpt', input: user([{ type: 'input_file', file_id: 'file-x' }]) },
    ],
    [
      'tools[0].vector_store_ids[0]',
      '/v1/responses',
      { model: 'gpt', input: 'x', tools: [{ type: 'file_search', vector_store_ids: ['vs_x'] }] },
    ],
    [
      'tools[0].container',
      '/v1/responses',
      { model: 'gpt', input: 'x', tools: [{ type: 'code_interpreter', container: 'cntr_x' }] },
    ],
    [
      'tools[0].container.file_ids[0]',
      '/v1/responses',
      {
        model: 'gpt',
        input: 'x',
        tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-x'] } }],
      },
    ],
    [
      'messages[0].content[0].file.file_id',
      '/v1/chat/completions',
      { model: 'gpt', messages: user([{ type: 'file', file: { file_id: 'file-x' } }]) },
    ],
    [
      'messages[1].audio.id',
      '/v1/chat/completions',
      {
        model: 'audio',
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', audio: { id: 'audio_x' } },
          { role: 'user', content: 'y' },
        ],
      },
    ],
  ];
  it.each(cases)('%s of %s is refused', async (param, path, body) => {
    expect(await post(gateway.liveKey, path, body)).toMatchObject(refused(param));
  });

  const message = { model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };
  it.each<readonly [string, string, JsonObject]>([
    ['container', '/v1/messages', { ...message, container: 'container_0123456789' }],
    ['container.id', '/v1/messages', { ...message, container: { id: 'container_0123456789' } }],
    [
      'messages[0].content[0].source.file_id',
      '/v1/messages',
      { ...message, messages: user([{ type: 'document', source: { type: 'file', file_id: 'file_x' } }]) },
    ],
    [
      'messages[0].content[0].source.file_id',
      '/v1/messages/count_tokens',
      { model: 'claude', messages: user([{ type: 'image', source: { type: 'file', file_id: 'file_x' } }]) },
    ],
  ])('%s of %s is refused in Anthropic’s words', async (param, path, body) => {
    const { status, json } = await post(gateway.liveKey, path, body);
    expect({ status, json }).toMatchObject({
      status: 404,
      json: { type: 'error', error: { type: 'not_found_error' } },
    });
    expect(JSON.stringify(json)).toContain(`${param}: `);
  });

  const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
  const file = (fileUri: string): JsonObject => ({
    contents: [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'image/png' } }] }],
  });
  it.each<readonly [string, string, JsonObject]>([
    ['cachedContent', 'generateContent', { contents, cachedContent: 'cachedContents/nobody' }],
    [
      'contents[0].parts[0].fileData.fileUri',
      'generateContent',
      file('https://generativelanguage.googleapis.com/v1beta/files/abc'),
    ],
    ['contents[0].parts[0].fileData.fileUri', 'countTokens', file('gs://bucket/secret.pdf')],
  ])('%s of %s is refused in Google’s words', async (param, method, body) => {
    const { status, json } = await post(gateway.liveKey, `/v1beta/models/flash:${method}`, body);
    expect({ status, json }).toMatchObject({ status: 404, json: { error: { status: 'NOT_FOUND' } } });
    expect(JSON.stringify(json)).toContain(`${param}: `);
  });

  it('an address that everybody may read is no such thing', async () => {
    const { status } = await post(
      gateway.liveKey,
      '/v1beta/models/flash:generateContent',
      file('https://pictures.example/files/a.png'),
    );
    expect(status).toBe(200);
  });
});

describe('a deployment', () => {
  const single = (yaml: string): Promise<TestGateway> => openTestGateway({ twin, yaml: configOf(yaml) });

  it('may pass on what no answer brought; another owner’s is refused all the same', async () => {
    const open = await single('security: { unknown_vendor_ids: pass }');
    try {
      // The vendor's own words.
      const { text } = await respond(open.liveKey, { previous_response_id: UNKNOWN }, open);
      expect(text).toContain('Previous response with id');
      const made = await respond(open.liveKey, {}, open);
      expect(await respond(open.otherKey, { previous_response_id: idOf(made) }, open)).toMatchObject(
        refused('previous_response_id'),
      );
    } finally {
      await open.close();
    }
  });
});
