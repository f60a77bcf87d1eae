/** Clouds' accounts through the whole gateway: every chat format reaches their models, their own words reach callers of their format. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIVE_KEY, openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { openSocket } from './open-socket.ts';
import { silence } from './sound-files.ts';

const SOLD = 'price: { input: 1, output: 2 }, limits: { max_input_tokens: 1000, max_output_tokens: 1000 }';

let twin: VendorTwin;
let gateway: TestGateway;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const { api_key: _key, ...principal } = twin.credentials('azure');
  const { api_key: _bearer, ...accessKey } = twin.credentials('bedrock');
  const text = JSON.stringify;
  gateway = await openTestGateway({
    twin,
    yaml: `extends: none
accounts:
  # The address as people copy it.
  - { name: azure, vendor: azure, base_url: '${twin.baseUrl('azure')}/openai/v1/', credentials: ${text(principal)}, settings: { authority: '${twin.url}/azure/' } }
  - { name: azure-dated, vendor: azure, base_url: '${twin.baseUrl('azure')}', credentials: { api_key: '${twin.credentials('azure')['api_key'] ?? ''}' }, settings: { api_version: '2024-10-21' } }
  - { name: vertex, vendor: vertex, base_url: '${twin.baseUrl('vertex')}', credentials: ${text({ ...twin.credentials('vertex'), private_key: twin.credentials('vertex')['private_key'] })}, settings: { project: twin-project, location: us-east5 } }
  - { name: bedrock, vendor: bedrock, base_url: '${twin.baseUrl('bedrock')}', credentials: { api_key: '${twin.credentials('bedrock')['api_key'] ?? ''}' } }
  - { name: bedrock-signed, vendor: bedrock, base_url: '${twin.baseUrl('bedrock')}', credentials: ${text(accessKey)}, settings: { region: eu-west-1 } }
models:
  - { code: bedrock-nova, kind: chat, offers: [{ account: bedrock-signed, model: 'eu.amazon.nova-pro-v1:0', dialect: anthropic-messages, quirks: { thinking: none } }], ${SOLD} }
  - { code: bedrock-claude, kind: chat, offers: [{ account: bedrock, model: 'eu.anthropic.claude-haiku-4-5-20251001-v1:0', dialect: anthropic-messages, quirks: { thinking: budget } }], ${SOLD} }
  - { code: vertex-gemini, kind: chat, offers: [{ account: vertex, model: gemini-2.5-flash, dialect: gemini-generate }], ${SOLD} }
  - { code: vertex-claude, kind: chat, offers: [{ account: vertex, model: claude-haiku-4-5@20251001, dialect: anthropic-messages, quirks: { thinking: budget } }], ${SOLD} }
  - { code: vertex-partner, kind: chat, offers: [{ account: vertex, model: deepseek-ai/deepseek-v3.2-maas, dialect: openai-chat }], ${SOLD} }
  - { code: azure-v1, kind: chat, offers: [{ account: azure, model: prod-gpt-5.2, dialects: [openai-chat, openai-responses] }], ${SOLD} }
  - { code: azure-dated, kind: chat, offers: [{ account: azure-dated, model: prod-gpt-5.2, dialect: openai-chat }], ${SOLD} }
  - { code: azure-talks, kind: realtime, offers: [{ account: azure, model: gpt-realtime-2 }], price: { input: 4, output: 16 }, limits: { max_input_tokens: 1000, max_output_tokens: 1000 } }
  - { code: azure-talked, kind: realtime, offers: [{ account: azure-dated, model: gpt-realtime-2 }], price: { input: 4, output: 16 } }
  - { code: azure-hears, kind: transcription, offers: [{ account: azure-dated, model: whisper-1 }], price: { second: 0.0001 }, limits: { formats: [json] } }
`,
  });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

const ask = async (path: string, body: object): Promise<Response> =>
  fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const FORMATS = [
  {
    format: 'chat completions',
    path: () => '/v1/chat/completions',
    body: (model: string, text: string) => ({ model, messages: [{ role: 'user', content: text }] }),
    asStream: { stream: true },
    stream: (path: string) => path,
  },
  {
    format: 'responses',
    path: () => '/v1/responses',
    body: (model: string, text: string) => ({ model, input: text }),
    asStream: { stream: true },
    stream: (path: string) => path,
  },
  {
    format: 'messages',
    path: () => '/v1/messages',
    body: (model: string, text: string) => ({ model, max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    asStream: { stream: true },
    stream: (path: string) => path,
  },
  {
    format: 'generateContent',
    path: (model: string) => `/v1beta/models/${model}:generateContent`,
    body: (_model: string, text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    asStream: {},
    stream: (path: string) => `${path.replace(':generateContent', ':streamGenerateContent')}?alt=sse`,
  },
] as const;

describe.each([
  'azure-v1',
  'azure-dated',
  'vertex-gemini',
  'vertex-claude',
  'vertex-partner',
  'bedrock-nova',
  'bedrock-claude',
])('%s', (model) => {
  it.each(FORMATS)('answers $format, whole and streamed', async ({ format, path, body, stream, asStream }) => {
    const whole = await ask(path(model), body(model, 'ship ahoy'));
    expect([whole.status, await whole.text()]).toEqual([200, expect.stringContaining('You said: ship ahoy')]);
    const streamed = await ask(stream(path(model)), { ...body(model, 'ship ahoy'), ...asStream });
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    const text = await streamed.text();
    expect([streamed.status, text]).toEqual([200, expect.stringContaining('ahoy')]);
    // In another format an answer is not called what a report before it says.
    if (format !== 'chat completions') expect(text).not.toMatch(/"id":""|"created(?:_at)?":0\b/);
  });
});

describe('Azure', () => {
  it('tells callers of its format what its filters saw', async () => {
    const { body } = FORMATS[0];
    const whole = await ask('/v1/chat/completions', body('azure-dated', 'hello'));
    expect(await whole.json()).toMatchObject({
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { filtered: false } } }],
      choices: [{ content_filter_results: { violence: { severity: 'safe' } } }],
    });
    const streamed = await ask('/v1/chat/completions', { ...body('azure-dated', 'hello'), stream: true });
    expect(await streamed.text()).toContain('"prompt_filter_results"');
  });

  it('refuses a prompt in its own words where they are the caller’s, and as a refusal everywhere', async () => {
    const { body } = FORMATS[0];
    const own = await ask('/v1/chat/completions', body('azure-v1', '[[twin:moderation]]'));
    expect([own.status, await own.json()]).toMatchObject([
      400,
      { error: { innererror: { content_filter_result: { violence: { filtered: true, severity: 'medium' } } } } },
    ]);
    const other = await ask('/v1/messages', FORMATS[2].body('azure-v1', '[[twin:moderation]]'));
    expect([other.status, await other.text()]).toEqual([400, expect.stringContaining('content management policy')]);
  });

  it('signs in once for many requests', () => {
    expect(twin.requests.list({ vendor: 'azure', operation: 'token' })).toHaveLength(1);
  });

  it.each(['azure-talks', 'azure-talked'])('holds a conversation on the wire without dates (%s)', async (model) => {
    const path = `/v1/realtime?model=${model}`;
    const socket = await openSocket(gateway.url, { authorization: `Bearer ${LIVE_KEY}` }, path);
    await socket.until(({ type }) => type === 'session.created');
    const content = [{ type: 'input_text', text: 'hello' }];
    socket.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    socket.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    const events = await socket.until(({ type }) => type === 'response.done');
    expect(JSON.stringify(events.at(-1))).toContain('You said: hello');
    await socket.close();
    expect(twin.requests.last('azure', 'realtime')?.path).toBe('/openai/v1/realtime?model=gpt-realtime-2');
  });

  it('transcribes at a deployment', async () => {
    const form = new FormData();
    form.append('model', 'azure-hears');
    form.append('file', new Blob([Uint8Array.from(silence(1))]), 'a.wav');
    const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LIVE_KEY}` },
      body: form,
    });
    expect([reply.status, await reply.json()]).toMatchObject([200, { text: expect.any(String) as string }]);
    expect(twin.requests.last('azure')?.path).toBe(
      '/openai/deployments/whisper-1/audio/transcriptions?api-version=2024-10-21',
    );
  });
});

describe('Vertex AI', () => {
  it('counts for callers of Claude’s and of Gemini’s format', async () => {
    const messages = [{ role: 'user', content: 'hello there' }];
    const claude = await ask('/v1/messages/count_tokens', { model: 'vertex-claude', messages });
    expect([claude.status, await claude.json()]).toEqual([200, { input_tokens: expect.any(Number) as number }]);
    expect(twin.requests.last('vertex')?.path).toContain('/publishers/anthropic/models/count-tokens:rawPredict');
    const gemini = await ask('/v1/messages/count_tokens', { model: 'vertex-gemini', messages });
    expect([gemini.status, await gemini.json()]).toEqual([200, { input_tokens: expect.any(Number) as number }]);
    expect(twin.requests.last('vertex')?.path).toContain('gemini-2.5-flash:countTokens');
  });

  it('signs in once for many requests', () => {
    expect(twin.requests.list({ vendor: 'vertex', operation: 'token' })).toHaveLength(1);
  });
});

describe.each(['bedrock-nova', 'bedrock-claude'])('%s', (model) => {
  const tools = [
    {
      type: 'function',
      function: { name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
    },
  ];
  const asked = { model, tools, tool_choice: 'required', messages: [{ role: 'user', content: 'look' }] };

  it('calls a tool, whole and streamed, and is told its result', async () => {
    const whole = await ask('/v1/chat/completions', asked);
    const { choices } = (await whole.json()) as {
      choices: { message: { tool_calls: { id: string }[] }; finish_reason: string }[];
    };
    expect(choices).toMatchObject([
      { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'look' } }] } },
    ]);
    const streamed = await (await ask('/v1/chat/completions', { ...asked, stream: true })).text();
    expect(streamed).toContain('"name":"look"');
    expect(streamed).toContain('"finish_reason":"tool_calls"');
    const call = choices[0]?.message;
    const told = { role: 'tool', tool_call_id: call?.tool_calls[0]?.id, content: 'a tree' };
    const after = await ask('/v1/chat/completions', {
      model,
      tools,
      messages: [...asked.messages, call, told, { role: 'user', content: 'well?' }],
    });
    expect([after.status, await after.text()]).toEqual([200, expect.stringContaining('well?')]);
  });

  it('is billed what the vendor counted, streamed too', async () => {
    const body = {
      model,
      messages: [{ role: 'user', content: 'count these words' }],
      stream: true,
      stream_options: { include_usage: true },
    };
    const text = await (await ask('/v1/chat/completions', body)).text();
    const billed = twin.ledger.answers('bedrock').at(-1)?.billed;
    expect(text).toContain(
      `"prompt_tokens":${billed?.inputTokens ?? 0},"completion_tokens":${billed?.outputTokens ?? 0}`,
    );
  });

  it('shows the caller what broke a stream off, and answers throttling as a rate limit', async () => {
    twin.faults.next('bedrock', 'chat', { kind: 'error-event', afterEvents: 3 });
    const broken = await ask('/v1/chat/completions', {
      model,
      stream: true,
      messages: [{ role: 'user', content: 'a b c d e f' }],
    });
    expect(await broken.text()).toMatch(/"error":\{/);
    twin.faults.always('bedrock', 'chat', { kind: 'status', status: 429 });
    const limited = await ask('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'a' }] });
    expect([limited.status, await limited.text()]).toEqual([
      expect.toSatisfy((status) => status === 429 || status === 503),
      expect.stringMatching(/rate|busy|limit/i),
    ]);
    twin.faults.clear('bedrock');
  });

  it('counts, and where the model cannot the gateway estimates', async () => {
    const counted = await ask('/v1/messages/count_tokens', {
      model,
      messages: [{ role: 'user', content: 'hello there' }],
    });
    expect([counted.status, await counted.json()]).toEqual([200, { input_tokens: expect.any(Number) as number }]);
    expect(twin.requests.last('bedrock')?.path).toMatch(/\/count-tokens$/);
    expect(twin.requests.last('bedrock')?.status).toBe(model === 'bedrock-claude' ? 200 : 400);
  });
});
