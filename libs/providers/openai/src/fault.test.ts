import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vendorReply } from '@model-gateway/testing';
import { openai } from './openai.ts';

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');

describe('OpenAI’s refusals', () => {
  it('tells a picture refused by moderation from a bad request', () => {
    expect(openai.readFault(vendorReply(400, fixture('images-generate.moderation.400.json')))).toMatchObject({
      code: 'content_refused',
      vendorCode: 'moderation_blocked',
    });
  });

  it.each([
    [429, 'insufficient_quota', 'upstream_rejected_key'],
    [429, 'quota_exceeded', 'upstream_rejected_key'],
    [429, 'rate_limit_exceeded', 'upstream_rate_limited'],
    [403, 'organization_must_be_verified', 'upstream_rejected_key'],
    [401, 'invalid_organization', 'upstream_rejected_key'],
    [404, 'model_not_found', 'upstream_rejected_model'],
    [400, 'context_length_exceeded', 'context_length_exceeded'],
    [400, 'unsupported_value', 'invalid_request'],
    [503, 'server_is_overloaded', 'upstream_unavailable'],
  ])('%i %s is %s', (status, code, ours) => {
    const body = { error: { message: 'said', type: 'x', param: null, code } };
    expect(openai.readFault(vendorReply(status, body))).toMatchObject({ code: ours, vendorCode: code });
  });

  it('finds none in an answer', () => {
    expect(openai.readFault(vendorReply(200, { id: 'chatcmpl-1', choices: [] }))).toBeUndefined();
    expect(openai.readFault(vendorReply(200, fixture('images-generate.200.json')))).toBeUndefined();
  });
});

describe('signing', () => {
  const signed = (settings: Record<string, string>) =>
    openai.authorize(
      { method: 'POST', url: 'http://v/x', headers: {}, bodyBytes: new Uint8Array(0) },
      { id: 1, name: 'n', vendor: 'openai', baseUrl: 'http://v', credentials: { api_key: 'k-1' }, settings },
      0,
    );

  it('names organisation and project where the account has them', () => {
    expect(signed({})).toEqual({ authorization: 'Bearer k-1' });
    expect(signed({ organization: 'o', project: 'p' })).toEqual({
      authorization: 'Bearer k-1',
      'openai-organization': 'o',
      'openai-project': 'p',
    });
  });
});
