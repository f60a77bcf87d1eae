/** The twin's Bedrock against AWS's own client: its signatures, its frames, its answers. */
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  CountTokensCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  type BedrockRuntimeClientConfig,
  type ConverseCommandInput,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { ask } from '../test-kit.ts';

let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
});
afterEach(() => twin.faults.clear());
afterAll(async () => twin.close());

const {
  access_key_id: accessKeyId = '',
  secret_access_key: secretAccessKey = '',
  api_key: key = '',
} = TWIN_CREDENTIALS.bedrock;
const client = (more: BedrockRuntimeClientConfig = {}) =>
  new BedrockRuntimeClient({
    region: 'eu-west-1',
    endpoint: twin.baseUrl('bedrock'),
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    // Without it the client speaks HTTP/2.
    requestHandler: new NodeHttpHandler(),
    ...more,
  });
const NOVA = 'eu.amazon.nova-pro-v1:0';
const CLAUDE = 'eu.anthropic.claude-haiku-4-5-20251001-v1:0';
const user = (text: string): ConverseCommandInput['messages'] => [{ role: 'user', content: [{ text }] }];
const refused = async (attempt: Promise<unknown>): Promise<{ readonly name: string; readonly message: string }> =>
  attempt.then(
    () => ({ name: 'nothing', message: '' }),
    (error: unknown) => error as { name: string; message: string },
  );

describe('Converse', () => {
  it('answers, signed by AWS’s client', async () => {
    const answer = await client().send(new ConverseCommand({ modelId: NOVA, messages: user('hi') }));
    expect(answer).toMatchObject({
      output: { message: { role: 'assistant', content: [{ text: 'You said: hi' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: expect.any(Number) as number },
    });
  });

  it('streams in frames that AWS’s decoder reads, usage behind the stop', async () => {
    const tool = {
      toolSpec: { name: 'look', inputSchema: { json: { type: 'object', properties: { at: { type: 'string' } } } } },
    };
    const { stream } = await client().send(
      new ConverseStreamCommand({
        modelId: NOVA,
        messages: user('look'),
        toolConfig: { tools: [tool], toolChoice: { any: {} } },
      }),
    );
    const names: string[] = [];
    let input = '';
    for await (const event of stream ?? []) {
      names.push(...Object.keys(event));
      input += event.contentBlockDelta?.delta?.toolUse?.input ?? '';
    }
    expect([names[0], names.at(-2), names.at(-1)]).toEqual(['messageStart', 'messageStop', 'metadata']);
    expect(JSON.parse(input)).toBeTypeOf('object');
  });

  it('breaks a stream off with an exception', async () => {
    twin.faults.next('bedrock', 'chat', { kind: 'error-event', afterEvents: 2 });
    const { stream } = await client().send(new ConverseStreamCommand({ modelId: NOVA, messages: user('a b c') }));
    const error = await refused(
      (async () => {
        for await (const _event of stream ?? []);
      })(),
    );
    expect(error.name).toBe('ServiceUnavailableException');
  });

  it.each<[string, Partial<ConverseCommandInput>, string]>([
    ['an empty text', { messages: [{ role: 'user', content: [{ text: '' }] }] }, 'is blank'],
    ['two turns of one side', { messages: [...(user('a') ?? []), ...(user('b') ?? [])] }, 'alternate'],
    [
      'a start of the assistant’s',
      { messages: [{ role: 'assistant', content: [{ text: 'a' }] }] },
      'start with a user',
    ],
    [
      'calls without tools',
      {
        messages: [
          { role: 'user', content: [{ text: 'a' }] },
          { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: 'x', input: {} } }] },
          { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: 'r' }] } }] },
        ],
      },
      'toolConfig',
    ],
    ['a model nobody has', { modelId: 'amazon.no-such-model' }, 'identifier is invalid'],
  ])('refuses %s', async (_, given, said) => {
    const error = await refused(client().send(new ConverseCommand({ modelId: NOVA, messages: user('a'), ...given })));
    expect(error).toMatchObject({ message: expect.stringContaining(said) as string });
  });
});

describe('Claude by InvokeModel', () => {
  const body = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };
  const text = (bytes: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(bytes ?? []).toString('utf8'));

  it('answers in Anthropic’s wire, whole and in frames', async () => {
    const whole = await client().send(new InvokeModelCommand({ modelId: CLAUDE, body: JSON.stringify(body) }));
    expect(text(whole.body)).toMatchObject({ type: 'message', content: [{ text: 'You said: hi' }] });
    const streamed = await client().send(
      new InvokeModelWithResponseStreamCommand({ modelId: CLAUDE, body: JSON.stringify(body) }),
    );
    const types: unknown[] = [];
    for await (const { chunk } of streamed.body ?? []) types.push((text(chunk?.bytes) as { type: string }).type);
    expect([types[0], types.at(-1)]).toEqual(['message_start', 'message_stop']);
  });

  it('counts', async () => {
    const invokeModel = { body: Buffer.from(JSON.stringify(body)) };
    expect(
      (await client().send(new CountTokensCommand({ modelId: CLAUDE, input: { invokeModel } }))).inputTokens,
    ).toBeGreaterThan(0);
    const converse = { messages: user('hi') };
    const asked = (modelId: string) => client().send(new CountTokensCommand({ modelId, input: { converse } }));
    expect((await asked(CLAUDE)).inputTokens).toBeGreaterThan(0);
    expect(await refused(asked(NOVA))).toMatchObject({
      message: expect.stringContaining('support counting') as string,
    });
  });

  it.each([
    ['a model in the body', { ...body, model: 'x' }, 'model'],
    ['a stream in the body', { ...body, stream: true }, 'stream'],
    ['no version', { ...body, anthropic_version: undefined }, 'anthropic_version'],
  ])('refuses %s', async (_, given, said) => {
    const error = await refused(
      client().send(new InvokeModelCommand({ modelId: CLAUDE, body: JSON.stringify(given) })),
    );
    expect(error).toMatchObject({ name: 'ValidationException', message: expect.stringContaining(said) as string });
  });
});

describe('who asks', () => {
  const converse = { modelId: NOVA, messages: user('hi') };

  it('a Bedrock API key is a bearer', async () => {
    const reply = await ask(`${twin.baseUrl('bedrock')}/model/${encodeURIComponent(NOVA)}/converse`, {
      body: { messages: user('hi') },
      headers: { authorization: `Bearer ${key}` },
    });
    expect(reply.status).toBe(200);
  });

  it.each([
    ['another secret', { accessKeyId, secretAccessKey: 'wrong' }, 'InvalidSignatureException'],
    ['another key', { accessKeyId: 'AKIAWRONG', secretAccessKey }, 'UnrecognizedClientException'],
  ])('refuses %s', async (_, credentials, name) => {
    expect((await refused(client({ credentials }).send(new ConverseCommand(converse)))).name).toBe(name);
  });

  it('a request without a signature, and one that was changed on its way', async () => {
    const url = `${twin.baseUrl('bedrock')}/model/x/converse`;
    expect((await ask(url, { body: {} })).headers.get('x-amzn-errortype')).toMatch(/^MissingAuthenticationToken/);
    const changed = client();
    changed.middlewareStack.add(
      (next) => async (args) => {
        const request = args.request as { body: Uint8Array };
        request.body = Buffer.from(Buffer.from(Uint8Array.from(request.body)).toString().replace('hi', 'ho'));
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    expect((await refused(changed.send(new ConverseCommand(converse)))).name).toBe('InvalidSignatureException');
  });
});
