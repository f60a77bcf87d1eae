/** A vendor without kept conversations: told in the word on which Anthropic's SDKs send the whole conversation. */
import { expect, it } from 'vitest';
import { readFault } from './fault.ts';

const refused = (message: string, error_code?: string): ReturnType<typeof readFault> => {
  const error = {
    type: 'invalid_request_error',
    message,
    ...(error_code !== undefined && { details: { error_code } }),
  };
  const json = { type: 'error', error };
  return readFault({ status: 400, headers: {}, json, body: Buffer.from(JSON.stringify(json)) });
};

it.each(['thread', 'previous_message_id'])('%s', (field) => {
  expect(refused(`${field}: Extra inputs are not permitted`)).toMatchObject({
    code: 'invalid_request',
    vendorCode: 'thread_unsupported_request',
    param: field,
  });
});

it.each([
  'thread.type: Input should be create',
  'top_k: Extra inputs are not permitted',
  'metadata.thread: Extra inputs',
])('not for %s', (message) => {
  expect(refused(message)?.vendorCode).not.toBe('thread_unsupported_request');
});

it('the vendor’s own word stays', () => {
  expect(refused('thread: no such thread', 'thread_not_found')?.vendorCode).toBe('thread_not_found');
});
