/** The twin's Azure against OpenAI's own client for it: what it takes is what Azure has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AzureOpenAI, APIError } from 'openai';
import OpenAI from 'openai';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { ask } from '../test-kit.ts';

let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
});
afterAll(async () => twin.close());

const apiKey = TWIN_CREDENTIALS.azure['api_key'] ?? '';
const client = (apiVersion: string, more: object = {}) =>
  new AzureOpenAI({ endpoint: twin.baseUrl('azure'), apiKey, apiVersion, maxRetries: 0, ...more });
const messages = [{ role: 'user' as const, content: 'hi' }];
const refusal = async (attempt: Promise<unknown>): Promise<APIError> => {
  const error = await attempt.then(undefined, (thrown: unknown) => thrown);
  if (!(error instanceof APIError)) throw new Error('not refused', { cause: error });
  return error;
};

describe('AzureOpenAI', () => {
  it('chats with a deployment, whose answer names its model', async () => {
    const answer = await client('2024-10-21').chat.completions.create({ model: 'prod-gpt-5.2', messages });
    expect(answer).toMatchObject({
      model: 'gpt-5.2',
      choices: [
        {
          message: { content: 'You said: hi' },
          content_filter_results: { hate: { filtered: false, severity: 'safe' } },
        },
      ],
      prompt_filter_results: [{ prompt_index: 0 }],
    });
  });

  it('streams, the prompt’s filters first', async () => {
    const stream = await client('2024-10-21').chat.completions.create({ model: 'gpt-5.2', messages, stream: true });
    const chunks: { readonly choices: readonly { readonly delta: { readonly content?: string | null } }[] }[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]).toMatchObject({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('You said: hi');
  });

  it('makes embeddings, pictures, speech and responses', async () => {
    const azure = client('2025-04-01-preview');
    const embedded = await azure.embeddings.create({ model: 'text-embedding-3-small', input: 'a' });
    expect(embedded.data[0]?.embedding).toHaveLength(1536);
    const drawn = await azure.images.generate({ model: 'gpt-image-2', prompt: 'a kite' });
    expect(drawn.data?.[0]?.b64_json).toBeTruthy();
    const spoken = await azure.audio.speech.create({ model: 'gpt-4o-mini-tts', voice: 'coral', input: 'hello' });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(0);
    const response = await azure.responses.create({ model: 'gpt-5.2', input: 'hi' });
    expect(response.output_text).toBe('You said: hi');
  });

  it('is told what the filter found', async () => {
    const error = await refusal(
      client('2024-10-21').chat.completions.create({
        model: 'gpt-5.2',
        messages: [{ role: 'user', content: '[[twin:moderation]]' }],
      }),
    );
    expect(error).toMatchObject({
      status: 400,
      code: 'content_filter',
      error: { innererror: { content_filter_result: { violence: { filtered: true, severity: 'medium' } } } },
    });
  });

  it('signs in with an Entra token', async () => {
    const { tenant_id: tenant, client_id, client_secret } = TWIN_CREDENTIALS.azure;
    const given = await ask(`${twin.url}/azure/${tenant ?? ''}/oauth2/v2.0/token`, {
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client_id ?? '',
        client_secret: client_secret ?? '',
        scope: 'https://cognitiveservices.azure.com/.default',
      }),
    });
    const azure = new AzureOpenAI({
      endpoint: twin.baseUrl('azure'),
      apiVersion: '2024-10-21',
      azureADTokenProvider: async () => Promise.resolve((given.json as { access_token: string }).access_token),
    });
    const answer = await azure.chat.completions.create({ model: 'gpt-5.2', messages });
    expect(answer.choices[0]?.message.content).toBe('You said: hi');
  });

  it.each([
    ['a deployment that is not there', { model: 'no-such-deployment' }, {}, 404, 'DeploymentNotFound'],
    ['a key that is not its own', { model: 'gpt-5.2' }, { apiKey: 'wrong' }, 401, '401'],
    ['a version that is no date', { model: 'gpt-5.2' }, { apiVersion: 'v1' }, 404, '404'],
  ])('is refused %s', async (_, { model }, more, status, code) => {
    const error = await refusal(client('2024-10-21', more).chat.completions.create({ model, messages }));
    expect(error).toMatchObject({ status, code });
  });

  it('has responses from the version on that has them', async () => {
    const error = await refusal(client('2024-10-21').responses.create({ model: 'gpt-5.2', input: 'hi' }));
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('2025-03-01-preview') as string });
  });
});

describe('the wire without dates', () => {
  it('takes OpenAI’s own client, its key as a bearer', async () => {
    const plain = new OpenAI({ baseURL: `${twin.baseUrl('azure')}/openai/v1`, apiKey, maxRetries: 0 });
    const answer = await plain.chat.completions.create({ model: 'prod-gpt-5.2', messages });
    expect(answer).toMatchObject({ model: 'gpt-5.2', choices: [{ message: { content: 'You said: hi' } }] });
    const dated = new OpenAI({
      baseURL: `${twin.baseUrl('azure')}/openai/v1`,
      apiKey,
      maxRetries: 0,
      defaultQuery: { 'api-version': '2024-10-21' },
    });
    expect(await refusal(dated.chat.completions.create({ model: 'gpt-5.2', messages }))).toMatchObject({ status: 404 });
  });
});
