/** A model whose vendor has no such memory says so: an id that it was given itself is not called unknown. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

async function post(path: string, body: JsonObject): Promise<{ readonly status: number; readonly text: string }> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, text: await reply.text() };
}

const messages = [{ role: 'user', content: 'x' }];
const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
const UNKNOWN = 'resp_0123456789abcdef';

describe('through a translation', () => {
  it('the gateway’s own id of a response is refused with what to send instead, and any other in the same words', async () => {
    const asked = { model: 'claude-sonnet-5', input: 'My boat is blue.' };
    const id = /"id":"(resp_[^"]+)"/.exec((await post('/v1/responses', asked)).text)?.[1] ?? 'no id';
    const own = await post('/v1/responses', { ...asked, previous_response_id: id });
    expect(own.status).toBe(400);
    expect(own.text).toContain('this model does not keep earlier responses; send the whole conversation in input');
    expect(JSON.parse(own.text)).toMatchObject({ error: { param: 'previous_response_id' } });
    expect(await post('/v1/responses', { ...asked, previous_response_id: UNKNOWN })).toEqual(own);
  });

  it.each<readonly [field: string, path: string, body: JsonObject]>([
    ['conversation', '/v1/responses', { model: 'gemini-3.1-pro', input: 'x', conversation: { id: 'conv_1' } }],
    ['prompt', '/v1/responses', { model: 'claude-sonnet-5', input: 'x', prompt: { id: 'pmpt_1' } }],
    ['conversation_id', '/v1/chat/completions', { model: 'claude-sonnet-5', messages, conversation_id: 'c1' }],
    ['container', '/v1/messages', { model: 'gpt-5.2', max_tokens: 9, messages, container: 'container_1' }],
    ['cachedContent', '/v1beta/models/gpt-5.2:generateContent', { contents, cachedContent: 'cachedContents/a' }],
    ['cachedContent', '/v1beta/models/gpt-5.2:generateContent', { contents, cached_content: 'cachedContents/a' }],
  ])('%s is a 400 that says what this model lacks', async (field, path, body) => {
    const { status, text } = await post(path, body);
    expect({ status, text }).toMatchObject({ status: 400 });
    expect(text).toContain(field);
    expect(text).toMatch(/this model|for this model/);
  });

  it('the refusal of a kept message is the one that Anthropic’s SDK goes on after', async () => {
    const body = { model: 'gpt-5.2', max_tokens: 9, messages, previous_message_id: 'msg_1' };
    const { status, text } = await post('/v1/messages', body);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { details: { error_code: 'thread_unsupported_request' } } });
  });

  it('a file of nobody’s is refused all the same, before a translation could carry it over', async () => {
    const content = [{ type: 'input_file', file_id: 'file-x' }];
    const { status, text } = await post('/v1/responses', {
      model: 'claude-sonnet-5',
      input: [{ role: 'user', content }],
    });
    expect(status).toBe(404);
    expect(text).toContain('input[0].content[0].file_id');
  });
});
