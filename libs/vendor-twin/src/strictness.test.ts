/** What live vendors take the twin takes, and what they refuse it refuses in their words (docs/wire). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from './index.ts';
import { ask, asker, eventsOf, type Heard } from './test-kit.ts';

let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
});
afterAll(async () => twin.close());

const openai = asker(() => twin, 'openai');
const xai = asker(() => twin, 'xai');
const messages = (body: object, headers: Record<string, string> = {}, path = '/v1/messages'): Promise<Heard> =>
  ask(`${twin.baseUrl('anthropic')}${path}`, {
    body: { model: 'claude-sonnet-5', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }], ...body },
    headers: {
      'x-api-key': TWIN_CREDENTIALS.anthropic['api_key'] ?? '',
      'anthropic-version': '2023-06-01',
      ...headers,
    },
  });
const generate = (body: object): Promise<Heard> =>
  ask(`${twin.baseUrl('gemini')}/v1beta/models/gemini-3.5-flash:generateContent`, {
    body: { contents: [{ parts: [{ text: 'hello' }] }], ...body },
    headers: { 'x-goog-api-key': TWIN_CREDENTIALS.gemini['api_key'] ?? '' },
  });

describe('OpenAI', () => {
  const respond = (body: object): Promise<Heard> =>
    openai('/responses', { body: { model: 'gpt-5.2', input: 'hi', ...body } });

  it.each([
    { client_metadata: { 'x-codex': '1' } },
    { safety_identifier: 'u1', prompt_cache_key: 'k', prompt_cache_retention: '24h' },
    { conversation: null },
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
  ])('Responses take %j', async (body) => {
    expect((await respond(body)).status).toBe(200);
  });

  it('chat takes safety_identifier and prompt_cache_retention', async () => {
    const body = {
      model: 'gpt-5.2',
      messages: [{ role: 'user', content: 'x' }],
      safety_identifier: 'u',
      prompt_cache_retention: '24h',
    };
    expect((await openai('/chat/completions', { body })).status).toBe(200);
  });

  it.each([
    [{ conversation: 'conv_0123456789' }, 404, "Conversation with id 'conv_0123456789' not found."],
    [{ conversation: { id: 'conv_0123456789' } }, 404, "Conversation with id 'conv_0123456789' not found."],
    [{ previous_response_id: 'resp_x' }, 400, "Previous response with id 'resp_x' not found."],
    [{ tools: [{ type: 'code_interpreter', container: 'cntr_x' }] }, 404, "Container with id 'cntr_x' not found."],
    [
      { tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_x' } }] },
      404,
      "Container with id 'cntr_x' not found.",
    ],
    [{ client_meta: {} }, 400, "Unknown parameter: 'client_meta'."],
  ])('Responses refuse %j', async (body, status, message) => {
    const { status: got, json } = await respond(body);
    expect([got, json.error]).toEqual([status, expect.objectContaining({ type: 'invalid_request_error', message })]);
  });

  it.each([0, 1, 2, 5])('an error after %d events has the next number', async (afterEvents) => {
    twin.faults.next('openai', 'responses', { kind: 'error-event', afterEvents });
    const { text } = await respond({ stream: true });
    const numbers = eventsOf(text).map(({ data }) => (data as { sequence_number: number }).sequence_number);
    expect(numbers).toEqual(Array.from({ length: afterEvents + 1 }, (_, index) => index));
    expect(eventsOf(text).at(-1)?.name).toBe('error');
  });
});

describe('xAI', () => {
  const body = { model: 'grok-4', input: 'hi' };
  it('has Responses, whole and streamed', async () => {
    expect((await xai('/responses', { body })).json).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'grok-4',
    });
    const { text } = await xai('/responses', { body: { ...body, stream: true } });
    expect(eventsOf(text).at(-1)?.name).toBe('response.completed');
  });

  it('refuses there in its own words', async () => {
    const { status, json } = await xai('/responses', { body: { ...body, previous_response_id: 'resp_x' } });
    expect([status, json]).toEqual([
      400,
      { code: 'invalid-argument', error: "Previous response with id 'resp_x' not found." },
    ]);
  });
});

describe('Anthropic', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', schema };
  const beta = { 'anthropic-beta': 'other-1, structured-outputs-2025-11-13' };

  it('takes output_format under its beta, and only there', async () => {
    const taken = await messages({ output_format: format }, beta);
    expect(taken.status).toBe(200);
    expect(JSON.parse(taken.json.content.at(-1).text)).toEqual({ a: expect.any(String) });
    const refused = await messages({ output_format: format });
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      'output_format: Extra inputs are not permitted',
    ]);
    expect((await messages({ output_format: format, output_config: { format } }, beta)).status).toBe(400);
  });

  it.each(['container_0123456789', { id: 'container_0123456789' }])(
    'refuses the unknown container %j',
    async (container) => {
      const { status, json } = await messages({ container });
      expect([status, json.error]).toEqual([
        404,
        { type: 'not_found_error', message: 'Container not found: container_0123456789' },
      ]);
    },
  );

  it('takes a container that is only to have skills', async () => {
    expect(
      (await messages({ container: { skills: [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }] } })).status,
    ).toBe(200);
  });

  it.each([{ thread: { type: 'create' } }, { previous_message_id: 'msg_1' }])(
    'refuses %j so that its SDK sends everything',
    async (body) => {
      const { status, json } = await messages(body);
      expect(status).toBe(400);
      expect(json.error).toMatchObject({
        type: 'invalid_request_error',
        details: { error_code: 'thread_unsupported_request' },
      });
    },
  );
});

it('Gemini refuses an unknown cached content', async () => {
  const { status, json } = await generate({ cachedContent: 'cachedContents/nobody' });
  expect([status, json.error]).toEqual([
    403,
    { code: 403, status: 'PERMISSION_DENIED', message: 'CachedContent not found (or permission denied)' },
  ]);
});
