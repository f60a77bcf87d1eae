import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '@model-gateway/contracts';
import { baseUrlOf, textAt, type Account, type ChatCall } from '@model-gateway/provider-kit';
import { describeChatAdapter, describeEmbeddingAdapter, describeImageAdapter } from '@model-gateway/testing';
import { vertex } from './vertex.ts';

const settings = { project: 'twin-project', location: 'europe-west4' };
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const messages = [{ role: 'user', content: 'Hello' }];

describeChatAdapter(vertex, 'vertex', {
  dialect: 'gemini-generate',
  model: 'gemini-2.5-flash',
  modelInBody: false,
  body: { contents },
  streamBody: {},
  answers: (json) => textAt(json as Json, 'candidates', 0, 'content', 'parts', 0, 'text'),
  counted: { body: { generateContentRequest: { model: 'models/x', contents, toolConfig: {} } }, at: 'totalTokens' },
  settings,
});
describeChatAdapter(vertex, 'vertex', {
  dialect: 'anthropic-messages',
  model: 'claude-haiku-4-5@20251001',
  body: { max_tokens: 50, messages },
  answers: (json) => textAt(json as Json, 'content', 0, 'text'),
  counted: { body: { messages }, at: 'input_tokens' },
  settings,
});
describeChatAdapter(vertex, 'vertex', {
  dialect: 'openai-chat',
  model: 'deepseek-ai/deepseek-v3.2-maas',
  body: { messages },
  answers: (json) => textAt(json as Json, 'choices', 0, 'message', 'content'),
  settings,
});
describeEmbeddingAdapter(vertex, 'vertex', { model: 'text-embedding-005', settings });
describeImageAdapter(vertex, 'vertex', {
  model: 'gemini-3.1-flash-image',
  operation: 'chat',
  settings,
  input: { size: '1k' },
  makes: { width: 1024, height: 1024 },
  moderation: { status: 200, body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } } },
});

describe('where Vertex AI has it', () => {
  it.each([
    ['nothing said', {}, 'https://aiplatform.googleapis.com'],
    ['an unset variable', { location: '' }, 'https://aiplatform.googleapis.com'],
    ['a region', { location: 'us-east5' }, 'https://us-east5-aiplatform.googleapis.com'],
    ['a multi-region', { location: 'eu' }, 'https://aiplatform.eu.rep.googleapis.com'],
  ])('its host: %s', (_, said, host) => {
    expect(baseUrlOf(vertex.declares, said)).toBe(host);
  });

  const request = (call: Partial<ChatCall>) =>
    vertex.chat?.request({
      dialect: 'gemini-generate',
      purpose: 'generate',
      model: 'm',
      stream: false,
      body: Buffer.from('{}'),
      headers: {},
      settings: { project: 'p q', location: 'us' },
      ...call,
    });

  it('a key in express mode names no project', () => {
    expect(request({ settings: {} })?.path).toBe('/v1/publishers/google/models/m:generateContent');
    expect(request({})?.path).toBe('/v1/projects/p%20q/locations/us/publishers/google/models/m:generateContent');
  });

  it('Claude’s body is the caller’s bytes but for model and version, and betas stay a header', () => {
    const sent = request({
      dialect: 'anthropic-messages',
      stream: true,
      model: 'claude-haiku-4-5@20251001',
      body: Buffer.from(
        '{ "model":"claude-haiku-4-5@20251001", "max_tokens":1e2,\n"stream":true,"seed":12345678901234567890 }',
      ),
      headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'x-1' },
    });
    expect(sent?.path).toMatch(/\/publishers\/anthropic\/models\/claude-haiku-4-5%4020251001:streamRawPredict$/);
    expect(sent?.headers).toEqual({ 'anthropic-beta': 'x-1', 'content-type': 'application/json' });
    expect(Buffer.from(sent?.body ?? []).toString()).toBe(
      '{"max_tokens":1e2,"stream":true,"seed":12345678901234567890,"anthropic_version":"vertex-2023-10-16"}',
    );
  });
});

describe('what Vertex AI refuses', () => {
  it.each<[number, Json, string]>([
    [
      429,
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Resource exhausted.' } },
      'upstream_rate_limited',
    ],
    [
      404,
      { error: { code: 404, status: 'NOT_FOUND', message: 'Publisher Model `projects/p/x` was not found.' } },
      'upstream_rejected_model',
    ],
    [
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' } },
      'context_length_exceeded',
    ],
    [200, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'upstream_unavailable'],
  ])('%i %j is %s', (status, json, code) => {
    expect(vertex.readFault({ status, headers: {}, body: new Uint8Array(0), json })?.code).toBe(code);
  });
});

describe('Google’s library', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vertex-'));
  let server: Server;
  let url = '';
  let asked: { readonly path: string; readonly headers: Record<string, unknown>; readonly body: string }[] = [];
  let answer: (path: string) => { readonly status?: number; readonly json: unknown };
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const path = request.url ?? '';
        asked.push({ path, headers: request.headers, body });
        const { status = 200, json } = answer(path);
        response.writeHead(status, { 'content-type': 'application/json', 'metadata-flavor': 'Google' });
        response.end(JSON.stringify(json));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  afterEach(() => {
    delete process.env['GCE_METADATA_HOST'];
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const sign = async (given: Partial<Account>) => {
    const account = { id: 1, name: 'v', vendor: 'vertex', baseUrl: '', credentials: {}, settings: {}, ...given };
    return vertex.authorize(
      { method: 'POST', url: '', headers: {}, bodyBytes: new Uint8Array(0) },
      account,
      Date.now(),
    );
  };
  const federation = (name: string) => {
    const subject = join(folder, `${name}-subject`);
    writeFileSync(subject, 'oidc-token');
    const file = join(folder, `${name}.json`);
    writeFileSync(
      file,
      JSON.stringify({
        type: 'external_account',
        audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${url}/v1/token`,
        service_account_impersonation_url: `${url}/v1/projects/-/serviceAccounts/g@p.iam.gserviceaccount.com:generateAccessToken`,
        credential_source: { file: subject },
      }),
    );
    return file;
  };

  it('exchanges a federated identity, once, and speaks as its service account', async () => {
    answer = (path) =>
      path === '/v1/token'
        ? { json: { access_token: 'sts', issued_token_type: 'x', token_type: 'Bearer', expires_in: 3600 } }
        : { json: { accessToken: 'impersonated', expireTime: new Date(Date.now() + 3_600_000).toISOString() } };
    const credentials = { credentials_file: federation('once') };
    const signed = await Promise.all([sign({ credentials }), sign({ credentials })]);
    expect(signed).toEqual(Array(2).fill({ authorization: 'Bearer impersonated' }));
    await sign({ credentials });
    expect(asked.map(({ path }) => path)).toEqual(['/v1/token', expect.stringMatching(/generateAccessToken$/)]);
    expect(new URLSearchParams(asked[0]?.body).get('subject_token')).toBe('oidc-token');
    expect(asked[1]?.headers['authorization']).toBe('Bearer sts');
  });

  it('a refused identity is the gateway’s affair, and nothing of it is told', async () => {
    answer = () => ({ status: 400, json: { error: 'invalid_grant', error_description: 'pool p of project 1' } });
    const error = await sign({ credentials: { credentials_file: federation('refused') } }).then(
      undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'upstream_rejected_key' });
    expect(String(error)).not.toMatch(/pool|project/);
    await expect(sign({ credentials: { credentials_file: join(folder, 'nowhere.json') } })).rejects.toMatchObject({
      code: 'upstream_rejected_key',
    });
  });

  it('asks the metadata server of the machine', async () => {
    process.env['GCE_METADATA_HOST'] = new URL(url).host;
    answer = () => ({ json: { access_token: 'of-the-machine', expires_in: 3600, token_type: 'Bearer' } });
    expect(await sign({ settings: { metadata_server: 'default' } })).toEqual({
      authorization: 'Bearer of-the-machine',
    });
    expect(asked.at(-1)?.headers['metadata-flavor']).toBe('Google');
    expect(asked.at(-1)?.path).toContain('/service-accounts/default/token');
  });

  it('is not needed for a key, nor for a service account', async () => {
    expect(await sign({ credentials: { api_key: 'k' } })).toEqual({ 'x-goog-api-key': 'k' });
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const account: Account = {
      id: 1,
      name: 'v',
      vendor: 'vertex',
      baseUrl: '',
      credentials: { client_email: 'a@p.iam.gserviceaccount.com', private_key },
      settings: {},
    };
    const send = async () => Promise.resolve({ status: 200, json: { access_token: 'sa', expires_in: 3600 } });
    const request = { method: 'POST', url: '', headers: {}, bodyBytes: new Uint8Array(0), send };
    expect(await vertex.authorize(request, account, 0)).toEqual({ authorization: 'Bearer sa' });
  });
});
