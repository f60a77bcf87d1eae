/** State that one vendor keeps carries content: across formats it is refused by the caller's own name, never dropped. */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, GatewayError, type ChatFormat, type JsonObject } from '@model-gateway/contracts';
import { dialects } from './dialects.ts';

const PLAIN: Readonly<Record<ChatFormat, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'and then?' }] },
  'openai-responses': { model: 'm', input: 'and then?' },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'and then?' }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'and then?' }] }] },
};

const STATE: readonly { from: ChatFormat; field: string; value: JsonObject[string]; code?: string }[] = [
  { from: 'openai-chat', field: 'previous_response_id', value: 'resp_1' },
  { from: 'openai-chat', field: 'conversation', value: 'conv_1' },
  { from: 'openai-chat', field: 'conversation_id', value: 'conv_1' },
  { from: 'openai-chat', field: 'documents', value: [{ text: 'the contract' }] },
  { from: 'openai-chat', field: 'data_sources', value: [{ type: 'azure_search' }] },
  { from: 'openai-responses', field: 'previous_response_id', value: 'resp_1' },
  { from: 'openai-responses', field: 'conversation', value: { id: 'conv_1' } },
  { from: 'openai-responses', field: 'prompt', value: { id: 'pmpt_1' } },
  { from: 'openai-responses', field: 'background', value: true },
  { from: 'anthropic-messages', field: 'thread', value: { type: 'create' }, code: 'thread_unsupported_request' },
  { from: 'anthropic-messages', field: 'previous_message_id', value: 'msg_1', code: 'thread_unsupported_request' },
  { from: 'anthropic-messages', field: 'container', value: 'cont_1' },
  { from: 'anthropic-messages', field: 'compaction', value: { type: 'summarize' } },
  { from: 'gemini-generate', field: 'cachedContent', value: 'cachedContents/1' },
  { from: 'gemini-generate', field: 'previousInteractionId', value: 'i_1' },
];

const encoded = (from: ChatFormat, to: ChatFormat, fields: JsonObject) =>
  dialects[to].encodeRequest(
    dialects[from].decodeRequest({ ...PLAIN[from], ...fields }, { model: 'm', stream: false }),
    { model: 'x', provider: 'x' },
  );

describe.each(STATE)('$field of $from', ({ from, field, value, code }) => {
  const others = DIALECT_NAMES.filter((name) => name !== from);

  it.each(others)('is refused towards %s', (to) => {
    let refusal: unknown;
    try {
      encoded(from, to, { [field]: value });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(GatewayError);
    expect(refusal).toMatchObject({ code: 'invalid_request', details: { param: field } });
    expect((refusal as GatewayError).details.vendorCode).toBe(code);
  });

  it.each(others)('says nothing towards %s when it is null or empty', (to) => {
    for (const nothing of [null, false, []]) {
      if (field === 'cachedContent' && nothing === false) continue;
      expect(() => encoded(from, to, { [field]: nothing })).not.toThrow();
    }
  });
});

it('a refused thread tells the SDK’s tool runner to send the whole conversation', () => {
  try {
    encoded('anthropic-messages', 'openai-chat', { thread: { type: 'create' } });
    throw new Error('was taken');
  } catch (error) {
    expect(dialects['anthropic-messages'].encodeError(error as GatewayError, 'req_1', 400)).toMatchObject({
      type: 'error',
      request_id: 'req_1',
      error: { type: 'invalid_request_error', details: { error_code: 'thread_unsupported_request' } },
    });
  }
});

it('the summary of a compacted history goes along as text', () => {
  const messages = [
    {
      role: 'assistant',
      content: [{ type: 'compaction', content: 'We chose the blue boat.', encrypted_content: 'E' }],
    },
    { role: 'user', content: 'Which boat?' },
  ];
  const { body } = encoded('anthropic-messages', 'openai-chat', { messages });
  expect(JSON.stringify(body)).toContain('We chose the blue boat.');
});

it.each(['computer_call_output', 'local_shell_call_output', 'shell_call_output', 'apply_patch_call_output'])(
  '%s of the caller is refused with its place',
  (type) => {
    const input = [
      { role: 'user', content: 'go' },
      { type, call_id: 'c', output: 'done' },
    ];
    expect(() => encoded('openai-responses', 'anthropic-messages', { input })).toThrow(/^input\[1\]: /);
  },
);
