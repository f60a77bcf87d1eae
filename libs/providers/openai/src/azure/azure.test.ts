import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GatewayError, type Json } from '@model-gateway/contracts';
import { textAt, type Account, type SignableRequest } from '@model-gateway/provider-kit';
import {
  describeChatAdapter,
  describeEmbeddingAdapter,
  describeImageAdapter,
  describeSpeechAdapter,
} from '@model-gateway/testing';
import { azurePath } from './addresses.ts';
import { azure } from './azure.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const answers = (json: unknown) => textAt(json as Json, 'choices', 0, 'message', 'content');

describeChatAdapter(azure, 'azure', { dialect: 'openai-chat', model: 'gpt-5.2', body: { messages }, answers });
describeChatAdapter(azure, 'azure', {
  dialect: 'openai-chat',
  model: 'prod-gpt-5.2',
  body: { messages },
  answers,
  settings: { api_version: '2024-10-21' },
});
describeChatAdapter(azure, 'azure', {
  dialect: 'openai-responses',
  operation: 'responses',
  model: 'gpt-5.2',
  body: { input: 'Hello' },
  answers: (json) => textAt(json as Json, 'output', 0, 'content', 0, 'text'),
  settings: { api_version: '2025-04-01-preview' },
});
describeEmbeddingAdapter(azure, 'azure', { model: 'text-embedding-3-small' });
describeImageAdapter(azure, 'azure', {
  model: 'gpt-image-2',
  input: { size: '1024x1024' },
  makes: { width: 1024, height: 1024 },
  moderation: { status: 400, body: { error: { code: 'contentFilter', message: 'Your task failed.' } } },
});
describeSpeechAdapter(azure, 'azure', {
  model: 'gpt-4o-mini-tts',
  input: { shape: 'speech', voice: 'coral' },
  json: false,
  moderation: {
    status: 400,
    body: { error: { message: 'No.', param: 'input', code: 'content_filter' } },
  },
});

describe('where Azure has it', () => {
  it.each([
    ['the wire without dates', '/chat/completions', {}, '/openai/v1/chat/completions'],
    ['an unset variable', '/embeddings', { api_version: '' }, '/openai/v1/embeddings'],
    ['its preview', '/responses', { api_version: 'preview' }, '/openai/v1/responses?api-version=preview'],
    [
      'the dated wire',
      '/images/edits',
      { api_version: '2025-04-01-preview' },
      '/openai/deployments/my%20gpt/images/edits?api-version=2025-04-01-preview',
    ],
    [
      'responses of the dated wire',
      '/responses',
      { api_version: '2025-04-01-preview' },
      '/openai/responses?api-version=2025-04-01-preview',
    ],
  ])('%s', (_, path, settings, where) => {
    expect(azurePath(path, 'my gpt', settings)).toBe(where);
  });
});

describe('what Azure refuses', () => {
  const faultOf = (status: number, error: Json) =>
    azure.readFault({ status, headers: {}, body: new Uint8Array(0), json: { error } });

  it.each([
    [
      400,
      {
        code: 'content_filter',
        message: 'The response was filtered.',
        param: 'prompt',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
      'content_refused',
    ],
    [404, { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' }, 'upstream_rejected_model'],
    [400, { code: 'OperationNotSupported', message: 'It does not work here.' }, 'upstream_rejected_model'],
    [401, { code: '401', message: 'Access denied due to invalid subscription key.' }, 'upstream_rejected_key'],
    [429, { code: '429', message: 'Requests have exceeded the call rate limit.' }, 'upstream_rate_limited'],
    [404, { code: '404', message: 'Resource not found' }, 'upstream_unavailable'],
  ])('%i %j is %s', (status, error, code) => {
    expect(faultOf(status, error)?.code).toBe(code);
  });

  it('a time to wait in milliseconds', () => {
    const fault = azure.readFault({
      status: 429,
      headers: { 'retry-after': '2', 'retry-after-ms': '1500' },
      body: new Uint8Array(0),
      json: { error: { code: '429', message: 'Slow down.' } },
    });
    expect(fault?.retryAfterSeconds).toBe(1.5);
  });
});

describe('Entra ID', () => {
  const folder = mkdtempSync(join(tmpdir(), 'entra-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  type Sent = Parameters<NonNullable<SignableRequest['send']>>[0];

  /** Signs one request; tokens outlive a test, so each names a tenant of its own. */
  const signing = (
    given: Partial<Account>,
    answer: (sent: Sent) => { status?: number; json: Json } | Promise<{ status?: number; json: Json }>,
  ) => {
    const sent: Sent[] = [];
    const account = { id: 1, name: 'azure', vendor: 'azure', baseUrl: '', credentials: {}, settings: {}, ...given };
    const request: SignableRequest = {
      method: 'POST',
      url: 'https://x.openai.azure.com/openai/v1/responses',
      headers: {},
      bodyBytes: new Uint8Array(0),
      send: async (exchange) => {
        sent.push(exchange);
        return { status: 200, ...(await answer(exchange)) };
      },
    };
    return { sent, sign: async (now = 0) => azure.authorize(request, account, now) };
  };
  const token = (value: string, seconds = 3600) => ({ json: { access_token: value, expires_in: seconds } });
  const principal = (tenant_id: string) => ({ tenant_id, client_id: 'app', client_secret: 'hush' });

  it('a key goes before it', async () => {
    const { sent, sign } = signing({ credentials: { api_key: 'k', ...principal('none') } }, () => token('t'));
    expect(await sign()).toEqual({ 'api-key': 'k' });
    expect(sent).toEqual([]);
  });

  it('a client secret is exchanged once, and by one exchange for all who wait', async () => {
    const { sent, sign } = signing({ credentials: principal('once') }, () => token('first'));
    const signed = await Promise.all([sign(), sign(), sign(60_000)]);
    expect(signed).toEqual(Array(3).fill({ authorization: 'Bearer first' }));
    expect(sent.map(({ url }) => url)).toEqual(['https://login.microsoftonline.com/once/oauth2/v2.0/token']);
    expect(Object.fromEntries(new URLSearchParams(sent[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app',
      client_secret: 'hush',
      scope: 'https://cognitiveservices.azure.com/.default',
    });
  });

  it('is renewed before its end, by one exchange, while the old one still serves', async () => {
    let release: (() => void) | undefined;
    let exchanges = 0;
    const { sign } = signing({ credentials: principal('early') }, async () => {
      exchanges += 1;
      if (exchanges > 1) await new Promise<void>((resolve) => (release = resolve));
      return token(`t${exchanges}`);
    });
    expect(await sign(0)).toEqual({ authorization: 'Bearer t1' });
    expect(await sign(2_879_000)).toEqual({ authorization: 'Bearer t1' });
    expect(exchanges).toBe(1);
    expect(await Promise.all([sign(2_881_000), sign(2_882_000)])).toEqual(
      Array(2).fill({ authorization: 'Bearer t1' }),
    );
    expect(exchanges).toBe(2);
    // Whoever comes at its end waits for the renewal that is under way.
    const last = sign(3_600_000);
    release?.();
    expect(await last).toEqual({ authorization: 'Bearer t2' });
    expect(exchanges).toBe(2);
  });

  it('a renewal that fails harms nobody while the token is good', async () => {
    let exchanges = 0;
    const { sign } = signing({ credentials: principal('failing') }, () => {
      exchanges += 1;
      return exchanges === 1 ? token('t1') : { status: 503, json: {} };
    });
    await sign(0);
    expect(await sign(3_000_000)).toEqual({ authorization: 'Bearer t1' });
    expect(await sign(3_001_000)).toEqual({ authorization: 'Bearer t1' });
    expect(exchanges).toBe(2);
    await expect(sign(3_590_000)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('a workload identity shows what its file says now', async () => {
    const file = join(folder, 'token');
    const { client_secret: _secret, ...app } = principal('workload');
    const { sent, sign } = signing({ credentials: { ...app, federated_token_file: file } }, () => token('t', 120));
    await expect(sign()).rejects.toMatchObject({ code: 'upstream_rejected_key' });
    writeFileSync(file, 'projected\n');
    expect(await sign()).toEqual({ authorization: 'Bearer t' });
    expect(new URLSearchParams(sent[0]?.body).get('client_assertion')).toBe('projected');
    writeFileSync(file, 'rotated');
    await sign(90_000);
    expect(new URLSearchParams(sent[1]?.body).get('client_assertion')).toBe('rotated');
  });

  it.each([
    {
      name: 'a virtual machine’s',
      credentials: {},
      identity: 'system',
      asked:
        'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com',
      headers: { metadata: 'true' },
    },
    {
      name: 'an app’s, assigned by its user',
      credentials: { identity_endpoint: 'http://127.0.0.1:41/msi/token', identity_header: 'shown' },
      identity: 'client-7',
      asked:
        'http://127.0.0.1:41/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=client-7',
      headers: { 'x-identity-header': 'shown' },
    },
  ])('a managed identity, $name, ends when the machine says', async ({ credentials, identity, asked, headers }) => {
    const { sent, sign } = signing({ credentials, settings: { managed_identity: identity } }, () => ({
      json: { access_token: 'mi', expires_on: '7200' },
    }));
    expect(await sign()).toEqual({ authorization: 'Bearer mi' });
    expect(sent).toMatchObject([{ method: 'GET', url: asked, headers }]);
    await sign(7_130_000);
    await sign(7_199_000);
    expect(sent.length).toBeGreaterThan(1);
  });

  it('says nothing of Entra’s words', async () => {
    const { sign } = signing({ credentials: principal('wrong') }, () => ({
      status: 401,
      json: { error: 'invalid_client', error_description: 'AADSTS7000215 of tenant wrong' },
    }));
    const error = await sign().then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'upstream_rejected_key' });
    expect(String(error)).not.toMatch(/AADSTS|tenant/);
  });
});
