/** Cohere against the twin (docs/wire/cohere.md). */
import { expect, it } from 'vitest';
import type { Json } from '@model-gateway/contracts';
import { textAt } from '@model-gateway/provider-kit';
import { describeChatAdapter, describeEmbeddingAdapter, describeRerankAdapter } from '@model-gateway/testing';
import { cohere } from './cohere.ts';

describeChatAdapter(cohere, 'cohere', {
  dialect: 'openai-chat',
  model: 'command-a-03-2025',
  body: { messages: [{ role: 'user', content: 'Hello' }] },
  answers: (json) => textAt(json as Json, 'choices', 0, 'message', 'content'),
});
describeEmbeddingAdapter(cohere, 'cohere', { model: 'embed-v4.0' });
describeRerankAdapter(cohere, 'cohere', { model: 'rerank-v4.0-pro' });

it.each<readonly [status: number, message: string, code: string]>([
  [498, 'The request was blocked.', 'content_refused'],
  [401, 'invalid api token', 'upstream_rejected_key'],
  [402, 'Please add or update your payment method.', 'upstream_rejected_key'],
  [404, "model 'x' not found, make sure the correct model ID was used", 'upstream_rejected_model'],
  [422, 'invalid request', 'invalid_request'],
  [400, 'invalid request: texts must not be empty', 'invalid_request'],
  [503, 'service unavailable', 'upstream_unavailable'],
])('a %s is told as %s', (status, message, code) => {
  expect(cohere.readFault({ status, headers: {}, body: Buffer.alloc(0), json: { id: 'a', message } })).toMatchObject({
    code,
    message,
  });
});

it('an address that is copied with its version is the vendor’s', () => {
  const { baseUrlTail } = cohere.declares;
  for (const tail of ['/v2', '/v1', '/compatibility/v1'])
    expect(`https://api.cohere.com${tail}`.replace(baseUrlTail!, '')).toBe('https://api.cohere.com');
});
