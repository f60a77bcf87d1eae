/** fal's own client against the twin (docs/wire/fal.md). */
import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { createFalClient, ValidationError, type FalClient } from '@fal-ai/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { ask, listen } from '../test-kit.ts';

let twin: VendorTwin;
let fal: FalClient;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', seconds: { image: 0.2, video: 0.4 } });
  fal = createFalClient({
    credentials: TWIN_CREDENTIALS.fal['api_key'] ?? '',
    requestMiddleware: (request) =>
      Promise.resolve({ ...request, url: request.url.replace('https://queue.fal.run', twin.baseUrl('fal')) }),
  });
});
afterAll(async () => twin.close());

it('fal’s client draws two pictures, and is told what they are billed as', async () => {
  const input = { prompt: 'a fox', num_images: 2, image_size: 'square' } as const;
  const { data, requestId } = await fal.subscribe('fal-ai/flux/dev', { input, pollInterval: 50 });
  expect(data.images).toMatchObject([{ width: 512, content_type: 'image/jpeg' }, { height: 512 }]);
  expect((await ask(data.images[0]?.url ?? '')).status).toBe(200);
  const result = await ask(`${twin.baseUrl('fal')}/fal-ai/flux/requests/${requestId}`, {
    headers: { authorization: `Key ${TWIN_CREDENTIALS.fal['api_key'] ?? ''}` },
  });
  expect(result.headers.get('x-fal-billable-units')).toBe('2');
});

it('a wrong input is taken into the queue, and refused by the model in its result', async () => {
  const asked = fal.subscribe('fal-ai/kling-video/v2.5-turbo/pro/text-to-video', {
    input: { prompt: 'a fox', duration: '7' as '5' },
    pollInterval: 50,
  });
  const error: unknown = await asked.catch((reason: unknown) => reason);
  if (!(error instanceof ValidationError)) throw new Error('not refused');
  expect(error.getFieldErrors('duration')).toMatchObject([{ type: 'value_error' }]);
});

it.each([
  ['[[twin:refuse]]', 'content_policy_violation'],
  ['[[twin:moderation]]', 'content_policy_violation'],
])('%s is a failure with a type', async (prompt, type) => {
  const asked = fal.subscribe('fal-ai/flux/dev', { input: { prompt }, pollInterval: 50 });
  await expect(asked).rejects.toMatchObject({ status: 422, body: { detail: [{ type }] } });
});

it('a queued request is taken out, a running one only told', async () => {
  const { request_id: requestId } = await fal.queue.submit('fal-ai/flux/dev', {
    input: { prompt: 'a fox [[twin:seconds=60]]' },
  });
  await fal.queue.cancel('fal-ai/flux/dev', { requestId });
  await expect(fal.queue.status('fal-ai/flux/dev', { requestId })).rejects.toMatchObject({ status: 404 });
  expect(twin.ledger.jobs('fal').find(({ id }) => id === requestId)?.state).toBe('cancelled');
});

it('a webhook is sent when a request is done, signed with the key that fal publishes', async () => {
  const heard = await listen();
  const { request_id: requestId } = await fal.queue.submit('fal-ai/flux/dev', {
    input: { prompt: 'a fox' },
    webhookUrl: `${heard.url}/hook?a=b`,
  });
  const { headers, body, path } = await heard.first;
  expect(path).toBe('/hook?a=b');
  expect(JSON.parse(body)).toMatchObject({ request_id: requestId, status: 'OK', payload: { images: [{}] } });
  const { keys } = (await ask(`${twin.baseUrl('fal')}/.well-known/jwks.json`)).json as { readonly keys: JsonWebKey[] };
  const key = createPublicKey({ key: keys[0] ?? {}, format: 'jwk' });
  const signed = ['request-id', 'user-id', 'timestamp'].map((name) => headers[`x-fal-webhook-${name}`]);
  const message = [...signed, createHash('sha256').update(body).digest('hex')].join('\n');
  const signature = Buffer.from(String(headers['x-fal-webhook-signature']), 'hex');
  expect(verify(null, Buffer.from(message), key, signature)).toBe(true);
  await heard.close();
});
