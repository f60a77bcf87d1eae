/** The twin's Vertex AI against Google's own client for it. */
import { GoogleGenAI } from '@google/genai';
import { OAuth2Client } from 'google-auth-library';
import { importPKCS8, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask, eventsOf, type Heard } from '../test-kit.ts';

let twin: VendorTwin;
let token = '';
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const { client_email: email = '', private_key: key = '', token_uri: audience = '' } = twin.credentials('vertex');
  const assertion = await new SignJWT({ scope: 'https://www.googleapis.com/auth/cloud-platform' })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(email)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importPKCS8(key, 'RS256'));
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  token = ((await ask(audience, { body: new URLSearchParams(grant) })).json as { access_token: string }).access_token;
});
afterAll(async () => twin.close());

const PLACE = '/v1/projects/twin-project/locations/global';
const call = async (path: string, body: unknown, place = PLACE): Promise<Heard> =>
  ask(`${twin.baseUrl('vertex')}${place}${path}`, { body, headers: { authorization: `Bearer ${token}` } });
const claude = { anthropic_version: 'vertex-2023-10-16', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };

describe('@google/genai in its Vertex mode', () => {
  const client = () => {
    const authClient = new OAuth2Client();
    authClient.setCredentials({ access_token: token, expiry_date: Date.now() + 3_000_000 });
    return new GoogleGenAI({
      vertexai: true,
      project: 'twin-project',
      location: 'global',
      apiVersion: 'v1',
      httpOptions: { baseUrl: twin.baseUrl('vertex') },
      googleAuthOptions: { authClient },
    });
  };

  it('generates, streams and counts', async () => {
    const asked = { model: 'gemini-2.5-flash', contents: 'hi' };
    expect((await client().models.generateContent(asked)).text).toBe('You said: hi');
    let text = '';
    for await (const chunk of await client().models.generateContentStream(asked)) text += chunk.text ?? '';
    expect(text).toBe('You said: hi');
    expect((await client().models.countTokens(asked)).totalTokens).toBeGreaterThan(0);
  });
});

describe('Claude by rawPredict', () => {
  it('answers, streams and counts in Anthropic’s wire', async () => {
    const whole = await call('/publishers/anthropic/models/claude-haiku-4-5:rawPredict', claude);
    expect(whole).toMatchObject({ status: 200, json: { content: [{ text: 'You said: hi' }] } });
    const path = '/publishers/anthropic/models/claude-haiku-4-5:streamRawPredict';
    const streamed = eventsOf((await call(path, { ...claude, stream: true })).text);
    expect(streamed.map(({ name }) => name)).toContain('message_stop');
    const { max_tokens: _cap, ...counted } = claude;
    const count = await call('/publishers/anthropic/models/count-tokens:rawPredict', {
      ...counted,
      model: 'claude-sonnet-5',
    });
    expect(count).toMatchObject({ status: 200, json: { input_tokens: expect.any(Number) as number } });
  });

  it.each([
    ['a model in the body', { ...claude, model: 'claude-sonnet-5' }, 'model: Extra inputs'],
    ['no version', { ...claude, anthropic_version: undefined }, 'anthropic_version'],
    ['a stream of the method without one', { ...claude, stream: true }, 'stream'],
  ])('refuses %s', async (_, body, said) => {
    const refused = await call('/publishers/anthropic/models/claude-haiku-4-5:rawPredict', body);
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(said) as string });
  });
});

describe('what differs from the Gemini API', () => {
  const GEMINI = '/publishers/google/models/gemini-2.5-flash';

  it.each<[string, string, unknown, number]>([
    ['contents need a role', `${GEMINI}:generateContent`, { contents: [{ parts: [{ text: 'a' }] }] }, 400],
    [
      'a count has no request as a whole',
      `${GEMINI}:countTokens`,
      { generateContentRequest: { contents: [{ role: 'user', parts: [{ text: 'a' }] }] } },
      400,
    ],
    [
      'newer embeddings take one text',
      '/publishers/google/models/gemini-embedding-001:predict',
      { instances: [{ content: 'a' }, { content: 'b' }] },
      400,
    ],
    [
      'a partner’s model names its maker',
      '/endpoints/openapi/chat/completions',
      { model: 'glm-5', messages: [{ role: 'user', content: 'a' }] },
      400,
    ],
    [
      'a model nobody has',
      '/publishers/google/models/no-such-model:generateContent',
      { contents: [{ role: 'user', parts: [{ text: 'a' }] }] },
      404,
    ],
  ])('%s', async (_, path, body, status) => {
    expect((await call(path, body)).status).toBe(status);
  });

  it('another project is not the account’s', async () => {
    const body = { contents: [{ role: 'user', parts: [{ text: 'a' }] }] };
    const refused = await call(`${GEMINI}:generateContent`, body, '/v1/projects/other/locations/global');
    expect(refused.status).toBe(403);
  });

  it('a key in express mode needs no project', async () => {
    const reply = await ask(`${twin.baseUrl('vertex')}/v1${GEMINI}:generateContent`, {
      body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      headers: { 'x-goog-api-key': 'sk-twin-vertex-0123456789' },
    });
    expect(reply.status).toBe(200);
  });
});
