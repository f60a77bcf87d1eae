import { describe, expect, it } from 'vitest';
import { startScriptedVendor, vendorReply } from '@model-gateway/testing';
import { anthropic } from './adapter.ts';

const refusal = (status: number, type: string, message = 'said', details?: Record<string, string>) =>
  anthropic.readFault(
    vendorReply(status, { type: 'error', error: { type, message, ...(details && { details }) }, request_id: 'req_1' }),
  );

describe('Anthropic’s refusals', () => {
  it.each([
    [400, 'invalid_request_error', 'invalid_request'],
    [401, 'authentication_error', 'upstream_rejected_key'],
    [402, 'billing_error', 'upstream_rejected_key'],
    [403, 'permission_error', 'upstream_rejected_key'],
    [404, 'not_found_error', 'upstream_unavailable'],
    [409, 'conflict_error', 'upstream_unavailable'],
    [413, 'request_too_large', 'invalid_request'],
    [429, 'rate_limit_error', 'upstream_rate_limited'],
    [500, 'api_error', 'upstream_unavailable'],
    [504, 'timeout_error', 'upstream_timeout'],
    [529, 'overloaded_error', 'upstream_unavailable'],
    // The first event of a stream.
    [200, 'overloaded_error', 'upstream_unavailable'],
    [200, 'rate_limit_error', 'upstream_rate_limited'],
    [200, 'invalid_request_error', 'invalid_request'],
  ])('%i %s is %s', (status, type, code) => {
    expect(refusal(status, type)).toMatchObject({ code });
  });

  it.each([
    ['credit used up', 400, 'invalid_request_error', 'Your credit balance is too low to access the API.', undefined],
    [
      'a limit of the workspace',
      400,
      'invalid_request_error',
      'You have reached your specified API usage limits.',
      undefined,
    ],
    ['a spend limit told as a rate', 429, 'rate_limit_error', 'Limit.', { error_code: 'workspace_spend_limit' }],
  ])('%s is the gateway’s affair', (_name, status, type, message, details) => {
    expect(refusal(status, type, message, details)?.code).toBe('upstream_rejected_key');
  });

  it.each([
    ['messages.2.content.0.text: text content blocks must be non-empty', 'messages[2].content[0].text'],
    ['max_tokens: Field required', 'max_tokens'],
    ['tools.0.custom.input_schema: JSON schema is invalid', 'tools[0].custom.input_schema'],
    ['This model does not support assistant prefill.', undefined],
  ])('finds the place in %j', (message, param) => {
    expect(refusal(400, 'invalid_request_error', message)?.param).toBe(param);
  });

  it('a prompt too long is said as such', () => {
    const message = 'prompt is too long: 208310 tokens > 200000 maximum';
    expect(refusal(400, 'invalid_request_error', message)?.code).toBe('context_length_exceeded');
  });

  it('a file of the caller’s is not a model of the vendor’s', () => {
    expect(refusal(404, 'not_found_error', 'File not found: file_011')?.code).toBe('invalid_request');
    expect(refusal(404, 'not_found_error', 'model: claude-x')?.code).toBe('upstream_rejected_model');
  });

  it('a word of the details that says more is passed on', () => {
    expect(refusal(400, 'invalid_request_error', 'x', { error_code: 'prefill_unsupported' })).toMatchObject({
      vendorCode: 'prefill_unsupported',
    });
  });
});

describe('what is sent', () => {
  it('has the account’s key and version, and the caller’s betas', async () => {
    const vendor = await startScriptedVendor(() => ({ json: { type: 'message' } }));
    try {
      const request = anthropic.chat!.request({
        dialect: 'anthropic-messages',
        purpose: 'generate',
        model: 'm',
        stream: false,
        body: Buffer.from('{"model":"m"}'),
        headers: { 'anthropic-beta': 'a-1' },
        settings: { anthropic_version: '2026-10-21' },
      });
      await vendor.upstream(anthropic).send(request);
      expect(vendor.requests[0]).toMatchObject({ method: 'POST', path: '/v1/messages', text: '{"model":"m"}' });
      expect(vendor.requests[0]?.headers).toMatchObject({
        'x-api-key': 'vendor-key-0123456789',
        'anthropic-version': '2026-10-21',
        'anthropic-beta': 'a-1',
        'content-type': 'application/json',
      });
      expect(vendor.requests[0]?.headers).not.toHaveProperty('authorization');
    } finally {
      await vendor.close();
    }
  });
});
