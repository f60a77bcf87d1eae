import { describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookError } from './index.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"type":"video.task.succeeded","timestamp":"2026-11-21T09:02:20Z","data":{"task_id":"task_ünï"}}';
const NOW = 1_790_000_140_000;
const oracle = new Webhook(SECRET);

function signed(body = BODY, at = NOW, id = 'msg_1'): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': oracle.sign(id, new Date(at), body),
  };
}
const now = (): number => NOW;

describe('a webhook', () => {
  it.each([
    { name: 'a plain object', headers: signed() },
    { name: 'Headers', headers: new Headers(signed()) },
    {
      name: 'names in capitals',
      headers: {
        'Webhook-Id': 'msg_1',
        'Webhook-Timestamp': '1790000140',
        'Webhook-Signature': signed()['webhook-signature'],
      },
    },
    {
      name: 'several signatures, ours among them',
      headers: {
        ...signed(),
        'webhook-signature': `v1a,xx v1,${btoa('x'.repeat(32))} ${signed()['webhook-signature'] ?? ''}`,
      },
    },
    { name: 'a timestamp five minutes old', headers: signed(BODY, NOW - 300_000) },
    { name: 'a timestamp five minutes ahead', headers: signed(BODY, NOW + 300_000) },
  ])('signed by the reference library is taken with $name', async ({ headers }) => {
    expect(await verifyWebhook(BODY, headers, SECRET, { now })).toEqual(JSON.parse(BODY));
  });

  it('is taken as bytes, and with a secret without its prefix', async () => {
    const bytes = new TextEncoder().encode(BODY);
    expect((await verifyWebhook(bytes, signed(), SECRET.slice(6), { now })).type).toBe('video.task.succeeded');
  });

  it.each([
    { name: 'another body', body: BODY.replace('succeeded', 'failed'), headers: signed(), says: 'no signature' },
    { name: 'another id', body: BODY, headers: { ...signed(), 'webhook-id': 'msg_2' }, says: 'no signature' },
    {
      name: 'another time',
      body: BODY,
      headers: { ...signed(), 'webhook-timestamp': '1790000141' },
      says: 'no signature',
    },
    { name: 'too old', body: BODY, headers: signed(BODY, NOW - 301_000), says: 'timestamp' },
    { name: 'too far ahead', body: BODY, headers: signed(BODY, NOW + 301_000), says: 'timestamp' },
    { name: 'no time', body: BODY, headers: { ...signed(), 'webhook-timestamp': 'soon' }, says: 'timestamp' },
    { name: 'no signature', body: BODY, headers: { ...signed(), 'webhook-signature': '' }, says: 'webhook-signature' },
    {
      name: 'an unknown version',
      body: BODY,
      headers: { ...signed(), 'webhook-signature': (signed()['webhook-signature'] ?? '').replace('v1', 'v2') },
      says: 'no signature',
    },
    {
      name: 'a signature that is no base64',
      body: BODY,
      headers: { ...signed(), 'webhook-signature': 'v1,%%%' },
      says: 'base64',
    },
    { name: 'no headers', body: BODY, headers: {}, says: 'webhook-id' },
  ])('with $name is refused', async ({ body, headers, says }) => {
    const call = verifyWebhook(body, headers, SECRET, { now });
    await expect(call).rejects.toBeInstanceOf(WebhookError);
    await expect(call).rejects.toThrow(says);
  });

  it('of another secret is refused', async () => {
    const other = `whsec_${btoa('y'.repeat(24))}`;
    await expect(verifyWebhook(BODY, signed(), other, { now })).rejects.toThrow('no signature');
  });

  it('may be older when the reader says so', async () => {
    const headers = signed(BODY, NOW - 3_600_000);
    await expect(verifyWebhook(BODY, headers, SECRET, { now, toleranceSeconds: 3600 })).resolves.toBeDefined();
    await expect(verifyWebhook(BODY, headers, SECRET, { now, toleranceSeconds: 3599 })).rejects.toThrow('timestamp');
  });
});
