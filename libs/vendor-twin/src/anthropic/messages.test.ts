import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';

let twin: VendorTwin;
let client: Anthropic;
const OLD = 'claude-haiku-4-5-20251001';
const NEW = 'claude-opus-5';
const KEY = TWIN_CREDENTIALS.anthropic['api_key']!;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  client = new Anthropic({ apiKey: KEY, baseURL: twin.baseUrl('anthropic'), maxRetries: 0 });
});
afterAll(async () => twin.close());
beforeEach(() => twin.ledger.clear());

const user = (content: string | ContentBlockParam[]): MessageParam => ({ role: 'user', content });
const WEATHER = {
  name: 'get_weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};
const CLOCK = { name: 'clock', input_schema: { type: 'object' as const, properties: {} } };
const base = { model: OLD, max_tokens: 4000 };

const refused = async (body: object, version = '2023-06-01'): Promise<string> => {
  const error: unknown = await client.messages
    .create({ ...base, messages: [user('a')], ...body } as MessageCreateParamsNonStreaming, {
      headers: { 'anthropic-version': version },
      timeout: 5000,
    })
    .catch((caught: unknown) => caught);
  if (!(error instanceof APIError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  expect(error.status).toBe(400);
  expect(error.error).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  return (error.error as { error: { message: string } }).error.message;
};

describe('messages', () => {
  it('answers with what it was told and shown', async () => {
    const message = await client.messages.create({
      ...base,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        user([
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'pages' } },
        ]),
      ],
    });
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: OLD,
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
    expect(message.content).toEqual([
      { type: 'text', text: 'You said: Look\nMy instructions: Be brief.\nImages seen: 1.\nDocuments read: 1.' },
    ]);
    expect(message.usage).toMatchObject({ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 });
    expect(twin.ledger.totals('anthropic').inputTokens).toBe(message.usage.input_tokens);
  });

  it('streams text, thinking and parallel calls through the official accumulator', async () => {
    const stream = client.messages.stream({
      ...base,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: [user('[[twin:tools]]')],
      tools: [WEATHER, CLOCK],
    });
    let pings = 0;
    stream.on('streamEvent', (event) => {
      if ((event.type as string) === 'ping') pings += 1;
    });
    const message = await stream.finalMessage();
    expect(message.content.map((block) => block.type)).toEqual(['thinking', 'tool_use', 'tool_use']);
    expect(message.content[2]).toMatchObject({ name: 'clock', input: {} });
    expect(message.stop_reason).toBe('tool_use');
    expect(message.usage.output_tokens).toBe(twin.ledger.totals('anthropic').outputTokens);
    expect(pings).toBe(0);
  });

  it('takes its thinking back, whole and unharmed', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
    const question = user('weather in Rome?');
    const first = await client.messages.create({ ...base, thinking, messages: [question], tools: [WEATHER] });
    const call = first.content.find((block) => block.type === 'tool_use')!;
    const result = user([
      { type: 'tool_result', tool_use_id: call.id, content: [{ type: 'text', text: 'hot' }], is_error: false },
    ]);
    const again = (content: ContentBlockParam[]): object => ({
      thinking,
      tools: [WEATHER],
      messages: [question, { role: 'assistant', content }, result],
    });
    const second = await client.messages.create({
      ...base,
      ...again(first.content),
    } as MessageCreateParamsNonStreaming);
    expect(JSON.stringify(second.content)).toContain('get_weather answered: hot');
    expect(await refused(again([call]))).toContain('Expected `thinking` or `redacted_thinking`, but found `tool_use`');
    const altered = first.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'other' } : block));
    expect(await refused(again(altered))).toContain('messages.1.content.0: Invalid `signature` in `thinking` block');
    const foreign = first.content.map((block) => (block.type === 'thinking' ? { ...block, signature: 'abcd' } : block));
    expect(await refused(again(foreign))).toContain('Invalid `signature`');
  });

  it('hides thinking on new models unless asked, and signs it all the same', async () => {
    const silent = await client.messages.create({ ...base, model: NEW, messages: [user('hi')] });
    expect(silent.content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    expect((silent.content[0] as { signature: string }).signature).not.toBe('');
    const spoken = await client.messages.create({
      ...base,
      model: NEW,
      thinking: { type: 'adaptive', display: 'summarized' },
      messages: [user('hi')],
    });
    expect((spoken.content[0] as { thinking: string }).thinking).toContain('hi');
    const none = await client.messages.create({
      ...base,
      model: NEW,
      thinking: { type: 'disabled' },
      messages: [user('hi')],
    });
    expect(none.content.map((block) => block.type)).toEqual(['text']);
    const replay = await client.messages.create({
      ...base,
      model: NEW,
      messages: [user('hi'), { role: 'assistant', content: silent.content }, user('and?')],
    });
    expect(JSON.stringify(replay.content)).toContain('Turns so far: 3.');
  });

  it('searches the web, pauses when told, and goes on', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' } as const];
    const found = await client.messages.create({ ...base, tools, messages: [user('latest news')] });
    expect(found.content.map((block) => block.type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text']);
    expect(found.usage.server_tool_use!.web_search_requests).toBe(1);
    expect((found.content[2] as { citations: unknown[] }).citations).toHaveLength(1);
    const paused = await client.messages.create({ ...base, tools, messages: [user('[[twin:pause]] search')] });
    expect(paused.stop_reason).toBe('pause_turn');
    const resumed = await client.messages.create({
      ...base,
      tools,
      messages: [user('[[twin:pause]] search'), { role: 'assistant', content: paused.content }],
    });
    expect(resumed.content.map((block) => block.type)).toEqual(['web_search_tool_result', 'text']);
    expect(resumed.stop_reason).toBe('end_turn');
    const spoilt = found.content.map((block) =>
      block.type === 'web_search_tool_result'
        ? { ...block, content: [{ type: 'web_search_result', url: 'https://a.b', title: 'x', encrypted_content: 'y' }] }
        : block,
    );
    expect(
      await refused({ tools, messages: [user('a'), { role: 'assistant', content: spoilt }, user('b')] }),
    ).toContain('encrypted_content');
  });

  it('writes and reads its cache, each counted apart', async () => {
    const text = 'long '.repeat(1500);
    const ask = async (): Promise<Anthropic.Usage> =>
      (
        await client.messages.create({
          ...base,
          system: [{ type: 'text', text, cache_control: { type: 'ephemeral', ttl: '1h' } }],
          messages: [user('hi')],
        })
      ).usage;
    const written = await ask();
    expect(written.cache_creation_input_tokens).toBeGreaterThan(1024);
    expect(written.cache_creation!.ephemeral_1h_input_tokens).toBe(written.cache_creation_input_tokens);
    const read = await ask();
    expect(read).toMatchObject({
      cache_read_input_tokens: written.cache_creation_input_tokens,
      cache_creation_input_tokens: 0,
      input_tokens: written.input_tokens,
    });
  });

  it('stops, refuses and fills schemas in its own words', async () => {
    const stopped = await client.messages.create({ ...base, stop_sequences: ['END'], messages: [user('one END two')] });
    expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' });
    const declined = await client.messages.create({ ...base, messages: [user('[[twin:refuse]]')] });
    expect(declined).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } });
    const capped = await client.messages.create({ ...base, max_tokens: 3, messages: [user('[[twin:long=90]]')] });
    expect(capped.stop_reason).toBe('max_tokens');
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const shaped = await client.messages.create({
      ...base,
      output_config: { format: { type: 'json_schema', schema } },
      messages: [user('n?')],
    });
    expect(JSON.parse((shaped.content[0] as { text: string }).text)).toEqual({ n: 1 });
    const redacted = await client.messages.create({ ...base, messages: [user('[[twin:redacted]]')] });
    expect(redacted.content[0]!.type).toBe('redacted_thinking');
  });

  it('counts tokens without a cap', async () => {
    const counted = await client.messages.countTokens({ model: OLD, messages: [user('x'.repeat(400))] });
    expect(counted.input_tokens).toBeGreaterThanOrEqual(100);
  });

  it('lists models with what they can do', async () => {
    const page = await client.models.list({ limit: 2 });
    expect(page.data).toHaveLength(2);
    expect(page.has_more).toBe(true);
    expect(page.data[0]).toMatchObject({ type: 'model', id: 'claude-opus-5', max_tokens: 128_000 });
    const all: string[] = [];
    for await (const model of client.models.list({ limit: 2 })) all.push(model.id);
    expect(all).toHaveLength(7);
  });

  it('takes the key in both headers, and wants a version it knows', async () => {
    const ask = async (headers: Record<string, string>): Promise<[number, string]> => {
      const reply = await fetch(`${twin.baseUrl('anthropic')}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ ...base, messages: [user('a')] }),
      });
      const json = (await reply.json()) as { error?: { type: string } };
      return [reply.status, json.error?.type ?? ''];
    };
    const version = { 'anthropic-version': '2023-06-01' };
    expect(await ask({ 'x-api-key': KEY, ...version })).toEqual([200, '']);
    expect(await ask({ authorization: `Bearer ${KEY}`, 'anthropic-version': '2026-10-21' })).toEqual([200, '']);
    expect(await ask({ 'x-api-key': 'x', ...version })).toEqual([401, 'authentication_error']);
    expect(await ask(version)).toEqual([401, 'authentication_error']);
    expect(await ask({ 'x-api-key': KEY })).toEqual([400, 'invalid_request_error']);
    expect(await ask({ 'x-api-key': KEY, 'anthropic-version': '2024-01-01' })).toEqual([400, 'invalid_request_error']);
  });

  it('overloads with 529, before a stream and inside it', async () => {
    await expect(client.messages.create({ ...base, messages: [user('[[twin:529]]')] })).rejects.toMatchObject({
      status: 529,
      error: { error: { type: 'overloaded_error' } },
    });
    const stream = client.messages.stream({ ...base, messages: [user('[[twin:error-event=4]]')] });
    await expect(stream.finalMessage()).rejects.toThrow('Overloaded');
  });

  const call = (id: string): MessageParam => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'f', input: {} }],
  });
  const result = (id: string): ContentBlockParam => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });

  it.each<[string, object, string, string?]>([
    ['no cap', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['a cap above the model', { max_tokens: 100_000 }, '100000 > 64000'],
    ['an unknown field', { n: 2 }, 'n: Extra inputs are not permitted'],
    [
      'an assistant first',
      { messages: [{ role: 'assistant', content: 'a' }, user('b')] },
      'first message must use the "user" role',
    ],
    ['empty text', { messages: [user([{ type: 'text', text: '' }])] }, 'text content blocks must be non-empty'],
    ['blank text', { messages: [user([{ type: 'text', text: ' \n' }])] }, 'non-whitespace'],
    ['an empty message', { messages: [user('')] }, 'must have non-empty content'],
    [
      'a call without a result',
      { messages: [user('a'), call('t1'), user('b')] },
      'were found without `tool_result` blocks immediately after: t1',
    ],
    [
      'a result behind text',
      { messages: [user('a'), call('t1'), user([{ type: 'text', text: 'x' }, result('t1')])] },
      'without `tool_result` blocks',
    ],
    ['a result nobody asked for', { messages: [user('a'), user([result('t9')])] }, 'unexpected `tool_use_id`'],
    [
      'results over two turns',
      {
        messages: [
          user('a'),
          {
            role: 'assistant',
            content: [...(call('t1').content as ContentBlockParam[]), ...(call('t2').content as ContentBlockParam[])],
          },
          user([result('t1')]),
          { role: 'assistant', content: 'hm' },
          user([result('t2')]),
        ],
      },
      'immediately after: t2',
    ],
    ['an id with a dot', { messages: [user('a'), call('t.1'), user([result('t.1')])] }, 'should match pattern'],
    [
      'arguments as text',
      {
        messages: [
          user('a'),
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: '{}' }] },
          user([result('t')]),
        ],
      },
      'messages.1.content.0.input',
    ],
    [
      'a tool without a typed schema',
      { tools: [{ name: 'f', input_schema: { properties: {} } }] },
      'tools.0.custom.input_schema.type: Field required',
    ],
    ['two tools of one name', { tools: [CLOCK, CLOCK] }, 'Tool names must be unique'],
    ['a choice without tools', { tool_choice: { type: 'auto' } }, 'only be specified while providing tools'],
    [
      'forcing while thinking',
      { tools: [CLOCK], tool_choice: { type: 'any' }, thinking: { type: 'enabled', budget_tokens: 1024 } },
      'forces tool use',
    ],
    ['a small budget', { thinking: { type: 'enabled', budget_tokens: 512 } }, 'greater than or equal to 1024'],
    [
      'a budget above the cap',
      { thinking: { type: 'enabled', budget_tokens: 4000 } },
      'must be greater than `thinking.budget_tokens`',
    ],
    ['adaptive on an old model', { thinking: { type: 'adaptive' } }, 'adaptive thinking is not supported'],
    [
      'temperature while thinking',
      { temperature: 0.5, thinking: { type: 'enabled', budget_tokens: 1024 } },
      'only be set to 1 when thinking',
    ],
    ['both samplers', { temperature: 0.5, top_p: 0.9 }, 'cannot both be specified'],
    ['temperature on a new model', { model: NEW, temperature: 0.5 }, 'only be set to 1 on this model'],
    ['any temperature in the new version', { temperature: 1 }, 'temperature: Extra inputs', '2026-10-21'],
    [
      'an assistant document in the new version',
      {
        messages: [
          user('a'),
          {
            role: 'assistant',
            content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }],
          },
          user('b'),
        ],
      },
      'document blocks are not permitted',
      '2026-10-21',
    ],
    [
      'user citations in the new version',
      {
        messages: [
          user([
            {
              type: 'text',
              text: 'a',
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'x',
                  document_index: 0,
                  document_title: null,
                  start_char_index: 0,
                  end_char_index: 1,
                },
              ],
            },
          ]),
        ],
      },
      'citations are not permitted',
      '2026-10-21',
    ],
    [
      'prefill on a new model',
      { model: NEW, messages: [user('a'), { role: 'assistant', content: 'b' }] },
      'does not support assistant message prefill',
    ],
    [
      'five cache marks',
      { system: Array.from({ length: 5 }, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })) },
      'Found 5',
    ],
    [
      'a picture of another kind',
      {
        messages: [
          user([
            { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'iVBORw0KGgoAAAANSUhEUg==' } },
          ]),
        ],
      },
      'does not match the provided media type',
    ],
    [
      'an open schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object', properties: {} } } } },
      'additionalProperties',
    ],
    [
      'bounds in a schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'string', minLength: 2 } } } },
      "property 'minLength' is not supported",
    ],
    ['a blank stop text', { stop_sequences: ['\n'] }, 'non-whitespace'],
    ['foreign metadata', { metadata: { team: 'a' } }, 'metadata.team: Extra inputs'],
  ])('refuses %s', async (_, body, message, ...[version]) => {
    expect(await refused(body, version)).toContain(message);
  });
});
