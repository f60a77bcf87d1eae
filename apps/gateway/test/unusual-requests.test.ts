/** Requests that generated clients and fuzzers send: each has an answer that the document has, and none is our fault. */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: JsonObject;
}
interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly key?: 'test' | 'admin' | 'none';
}
/** By node:http: fetch sends no TRACE, and mends addresses and content types. */
function ask(method: string, path: string, { headers = {}, body, key = 'test' }: Sent = {}): Promise<Answer> {
  const token = key === 'admin' ? gateway.adminKey : gateway.testKey;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    const sent = { ...(key !== 'none' && { authorization: `Bearer ${token}` }), ...headers };
    const request = httpRequest({ hostname, port, method, path, headers: sent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const isJson = String(response.headers['content-type']).startsWith('application/json');
        const json = (isJson && text !== '' ? JSON.parse(text) : {}) as JsonObject;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
const errorOf = ({ json }: Answer): JsonObject => json['error'] as JsonObject;
const FORM = { 'content-type': 'multipart/form-data' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a form where JSON is read', () => {
  it.each([
    ['POST', '/v1/audio/speech', 'test'],
    ['POST', '/v1/chat/completions', 'test'],
    ['POST', '/v1/messages', 'test'],
    ['POST', '/v1beta/models/gemini-3.1-pro:generateContent', 'test'],
    ['POST', '/v1/estimate', 'test'],
    ['POST', '/v1/general/advanced-custom-elements', 'test'],
    ['POST', '/v1/images/generations', 'test'],
    ['POST', '/admin/keys', 'admin'],
    ['PATCH', '/admin/keys/1', 'admin'],
    ['POST', '/admin/keys/1/rotate', 'admin'],
    ['POST', '/admin/owners', 'admin'],
    ['PATCH', '/admin/owners/1', 'admin'],
    ['POST', '/admin/owners/1/adjustments', 'admin'],
  ] as const)('%s %s is a 415', async (method, path, key) => {
    for (const headers of [FORM, { 'content-type': 'multipart/form-data; boundary=x' }]) {
      const answer = await ask(method, path, { headers, body: '{"model":"gpt-5.2"}', key });
      expect([answer.status, answer.text]).toEqual([415, expect.stringContaining('application/json')]);
    }
  });

  it.each(['/v1/images/edits', '/v1/videos'])('where one is read, %s misses its boundary', async (path) => {
    const answer = await ask('POST', path, { headers: FORM, body: '{}' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('boundary');
  });
});

it.each([{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }, {}])(
  'a body that is announced as JSON and empty is a 400 (%j)',
  async (how) => {
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/images/generations']) {
      const answer = await ask('POST', path, { headers: { ...JSON_TYPE, ...how } });
      expect([path, answer.status]).toEqual([path, 400]);
    }
  },
);

describe('what there is not', () => {
  it.each([
    ['TRACE', '/v1/images/edits', 405],
    ['POST', '/v1/nothing', 404],
    ['PROPFIND', '/v1/chat/completions', 405],
  ])('%s %s with a form is an error in JSON', async (method, path, status) => {
    const answer = await ask(method, path, { headers: { ...FORM, 'content-length': '2' }, body: '{}' });
    expect(answer.status).toBe(status);
    expect(errorOf(answer)['message']).toEqual(expect.stringContaining(method));
  });

  it.each(['/v1beta/models/veo-3.1-fast:tuneModel', '/v1/models/gemini-3.1-pro:tuneModel'])(
    'POST %s is a 404 that says what there is',
    async (path) => {
      const answer = await ask('POST', path, { headers: JSON_TYPE, body: '{}' });
      expect(answer.status).toBe(404);
      expect(answer.text).toContain(':generateContent, :streamGenerateContent, :countTokens');
      expect(errorOf(answer)['message']).toEqual(expect.stringContaining(path));
    },
  );
});

describe('the admin API', () => {
  const HUGE = ['14347570073575317504', '9223372036854775808', '-137248921520324153966592'];
  it.each([
    ...HUGE.flatMap((id) => [`/admin/keys?after=${id}`, `/admin/keys?owner_id=${id}`, `/admin/ledger?key_id=${id}`]),
    ...HUGE.flatMap((id) => [`/admin/audit?after=${id}`, `/admin/owners?after=${id}`, `/admin/tasks?owner_id=${id}`]),
    ...HUGE.flatMap((id) => [`/admin/usage?owner_id=${id}`, `/admin/keys/${id}`, `/admin/owners/${id}`]),
  ])('GET %s is a 400: no id is so large', async (path) => {
    expect((await ask('GET', path, { key: 'admin' })).status).toBe(400);
  });
  it('the largest there may be is nobody', async () => {
    expect((await ask('GET', '/admin/keys/9007199254740991', { key: 'admin' })).status).toBe(404);
  });

  it.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00'],
    ['2026-01-01T00%3A00%3A00Z', '2026-01-01T00:00:00'],
    ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00'],
    ['2026-01-01T02:00:00%2B02:00', '2026-01-01T00:00:00'],
  ])('from=%s is a time', async (from, start) => {
    const answer = await ask('GET', `/admin/usage?from=${from}`, { key: 'admin' });
    expect(answer.status).toBe(200);
    expect(answer.json['from']).toEqual(expect.stringContaining(start));
  });
  it("what RFC 3986 lets stand in a query is no fault: : / @ ' ;", async () => {
    const answer = await ask('GET', "/admin/tasks?task_id=a:b/c@d'e;f", { key: 'admin' });
    expect(answer.status).toBe(200);
  });
});

describe('the form of a list of models', () => {
  const goog = (): Record<string, string> => ({ 'x-goog-api-key': gateway.testKey });
  const all = (): Record<string, string> => ({ ...goog(), 'x-api-key': gateway.testKey });
  it('follows the most usual credential that came', async () => {
    expect((await ask('GET', '/v1/models', { headers: goog(), key: 'none' })).json).toHaveProperty('models');
    expect((await ask('GET', '/v1/models', { headers: all() })).json['object']).toBe('list');
    expect((await ask('GET', '/v1/models', { headers: all(), key: 'none' })).json['object']).toBe('list');
    const headers = { ...all(), 'anthropic-version': '2023-06-01' };
    expect((await ask('GET', '/v1/models', { headers })).json).toHaveProperty('first_id');
  });
  it.each([
    ['openai', 'object'],
    ['anthropic', 'first_id'],
    ['gemini', 'models'],
  ])('format=%s decides, whoever asks', async (format, member) => {
    for (const headers of [goog(), { 'x-api-key': gateway.testKey, 'anthropic-version': '2023-06-01' }]) {
      const answer = await ask('GET', `/v1/models?format=${format}`, { headers, key: 'none' });
      expect(answer.json).toHaveProperty(member);
    }
  });
  it('another format is a 400, and a single model follows it too', async () => {
    expect((await ask('GET', '/v1/models?format=xml')).status).toBe(400);
    expect((await ask('GET', '/v1/models/gpt-5.2?format=gemini')).json['name']).toBe('models/gpt-5.2');
  });
});

it('messages carry the id under the name that the SDK of the wire reads, refused or not', async () => {
  for (const [key, status] of [
    ['none', 401],
    ['test', 400],
  ] as const) {
    const answer = await ask('POST', '/v1/messages', { headers: JSON_TYPE, body: '{}', key });
    expect(answer.status).toBe(status);
    expect(answer.headers['request-id']).toBe(answer.headers['x-request-id']);
  }
  expect((await ask('GET', '/v1/models')).headers['request-id']).toBeUndefined();
});

it('a wrong key is told in the words by which clients of OpenAI know it', async () => {
  const answer = await ask('GET', '/v1/models', { headers: { authorization: 'Bearer sk-nobody' }, key: 'none' });
  expect(answer.status).toBe(401);
  expect(errorOf(answer)['message']).toMatch(/^Incorrect API key provided: /);
});

it.each([
  [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: 7 }] },
    'messages[0].content must be a string, an array or null',
  ],
  [
    '/v1/messages',
    { max_tokens: 5, messages: [{ role: 'user', content: 7 }] },
    'messages[0].content must be a string or an array',
  ],
  ['/v1/chat/completions', { messages: 7 }, 'messages must be an array'],
])('%s: a field of the wrong type is told every type it may have', async (path, body, told) => {
  const answer = await ask('POST', path, { headers: JSON_TYPE, body: JSON.stringify({ model: 'gpt-5.2', ...body }) });
  expect([answer.status, errorOf(answer)['message']]).toEqual([400, told]);
});
