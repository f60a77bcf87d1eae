import { describe, expect, it } from 'vitest';
import type { ChatCall } from './adapter.ts';
import { ANTHROPIC_VERSION, compatibleChat, openAiCompatible } from './openai-compatible.ts';

function call(given: Partial<ChatCall>): ChatCall {
  return {
    dialect: 'openai-chat',
    purpose: 'generate',
    model: 'm',
    stream: false,
    body: Buffer.from('{"model":"m"}'),
    headers: {},
    settings: {},
    ...given,
  };
}
const account = { id: 1, name: 'a', vendor: 'v', baseUrl: 'http://v', credentials: { api_key: 'k-123' }, settings: {} };
const signable = (headers: Record<string, string> = {}) => ({
  method: 'POST',
  url: 'http://v/x',
  headers,
  bodyBytes: Buffer.alloc(0),
});

describe('openAiCompatible', () => {
  it('speaks chat-completions unless told more', () => {
    expect(openAiCompatible({ id: 'x' }).chat.dialects).toEqual(['openai-chat']);
  });

  it('hands the body on as it is', () => {
    const asked = call({ body: Buffer.from('{ "model":"m",  "odd": 1 }') });
    expect(openAiCompatible({ id: 'x' }).chat.request(asked)).toEqual({
      method: 'POST',
      path: '/chat/completions',
      headers: { 'content-type': 'application/json' },
      body: asked.body,
    });
  });

  it.each([
    { dialect: 'openai-responses' as const, path: '/responses', count: '/responses/input_tokens' },
    {
      dialect: 'anthropic-messages' as const,
      path: '/anthropic/v1/messages',
      count: '/anthropic/v1/messages/count_tokens',
    },
  ])('knows where $dialect and its counting live', ({ dialect, path, count }) => {
    const chat = compatibleChat({ 'openai-responses': true, 'anthropic-messages': '/anthropic/v1/messages' });
    expect(chat.request(call({ dialect })).path).toBe(path);
    expect(chat.request(call({ dialect, purpose: 'count' })).path).toBe(count);
  });

  it('says that chat-completions cannot count', () => {
    const { chat } = openAiCompatible({ id: 'x' });
    expect(() => chat.request(call({ purpose: 'count' }))).toThrow(
      expect.objectContaining({ code: 'not_implemented' }),
    );
  });

  it('refuses a dialect it was not given', () => {
    const { chat } = openAiCompatible({ id: 'x' });
    expect(() => chat.request(call({ dialect: 'gemini-generate' }))).toThrow(/does not speak gemini-generate/);
  });

  it.each([
    {
      name: 'the caller’s version',
      headers: { 'anthropic-version': '2026-10-21' },
      settings: { anthropic_version: 'x' },
      version: '2026-10-21',
    },
    { name: 'else the account’s', headers: {}, settings: { anthropic_version: '2026-10-21' }, version: '2026-10-21' },
    { name: 'else the oldest', headers: {}, settings: {}, version: '2023-06-01' },
  ])('sends $name', ({ headers, settings, version }) => {
    const chat = compatibleChat({ 'anthropic-messages': true });
    const request = chat.request(call({ dialect: 'anthropic-messages', headers, settings }));
    expect(request.headers).toEqual({ 'content-type': 'application/json', 'anthropic-version': version });
  });

  it('sends the headers of a call, and the version that Anthropic’s dialect needs', () => {
    const chat = compatibleChat({ 'openai-chat': true, 'anthropic-messages': true });
    const json = { 'content-type': 'application/json' };
    const beta = { 'anthropic-beta': 'a-1,b-2' };
    expect(chat.request(call({ dialect: 'anthropic-messages', headers: beta })).headers).toEqual({
      ...json,
      ...beta,
      'anthropic-version': ANTHROPIC_VERSION,
    });
    const asked = { 'anthropic-version': '2030-01-01' };
    expect(chat.request(call({ dialect: 'anthropic-messages', headers: asked })).headers).toEqual({
      ...json,
      ...asked,
    });
    expect(chat.request(call({ headers: { 'openai-beta': 'x' } })).headers).toEqual({ ...json, 'openai-beta': 'x' });
  });

  it('signs with a bearer key, and for Anthropic’s dialect with its own header too', async () => {
    const adapter = openAiCompatible({ id: 'x' });
    expect(await adapter.authorize(signable(), account, 0)).toEqual({ authorization: 'Bearer k-123' });
    expect(await adapter.authorize(signable({ 'anthropic-version': '1' }), account, 0)).toEqual({
      authorization: 'Bearer k-123',
      'x-api-key': 'k-123',
    });
  });

  it('reads its vendor’s own words', () => {
    const adapter = openAiCompatible({ id: 'x', faultWords: { odd: 'content_refused' } });
    const json = { error: { message: 'no', code: 'odd' } };
    expect(adapter.readFault({ status: 400, headers: {}, body: Buffer.alloc(0), json })).toMatchObject({
      code: 'content_refused',
    });
  });
});
