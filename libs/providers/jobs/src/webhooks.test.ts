/** Signatures of vendors' webhooks: checked against other implementations of them, and their keys fetched no more often than needed. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '@model-gateway/contracts';
import type { VendorWebhook } from '@model-gateway/provider-kit';
import { startScriptedVendor, type ScriptedVendor } from '@model-gateway/testing';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAL } from './fal.ts';
import * as vendors from './index.ts';

const START = 1_790_000_000_000;
const BODY = '{"status":"OK","request_id":"764cabcf"}';
let now = START;
let keys: JsonObject;
let vendor: ScriptedVendor;
let status: number;

beforeEach(async () => {
  now = START;
  status = 200;
  vendor = await startScriptedVendor(({ path }) => ({ status, json: { ...keys, path } }));
});
afterEach(() => vendor.close());

type Name = 'fal' | 'replicate';
const signedAt = async (name: Name, webhook: VendorWebhook): Promise<number | undefined> => {
  const adapter = await adapters[name];
  return adapter.videos?.webhooks?.signedAt(webhook, vendor.upstream(adapter, { now: () => now }));
};
const adapters = { fal: vendors.fal.load(), replicate: vendors.replicate.load() };
beforeEach(() => Object.assign(adapters, { fal: vendors.fal.load(), replicate: vendors.replicate.load() }));

interface Signer {
  readonly keys: JsonObject;
  sign(body: string, at?: number): VendorWebhook;
}

function falSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    keys: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'bm8ga2V5' }, publicKey.export({ format: 'jwk' }) as JsonObject] },
    sign: (body, at = now) => {
      const time = String(Math.floor(at / 1000));
      const digest = createHash('sha256').update(body).digest('hex');
      const message = Buffer.from(`764cabcf\nuser-1\n${time}\n${digest}`);
      const headers = {
        'x-fal-webhook-request-id': '764cabcf',
        'x-fal-webhook-user-id': 'user-1',
        'x-fal-webhook-timestamp': time,
        'x-fal-webhook-signature': sign(null, message, privateKey).toString('hex'),
      };
      return { headers, body: Buffer.from(body) };
    },
  };
}

function replicateSigner(): Signer {
  const secret = `whsec_${Buffer.from(`${Math.random()}`.padEnd(32, 'x')).toString('base64')}`;
  return {
    keys: { key: secret },
    sign: (body, at = now) => ({
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': `v1,bm8= ${new Webhook(secret).sign('msg_1', new Date(at), body)}`,
      },
      body: Buffer.from(body),
    }),
  };
}

describe.each([
  { name: 'fal', signer: falSigner, path: '/.well-known/jwks.json' },
  { name: 'replicate', signer: replicateSigner, path: '/webhooks/default/secret' },
] as const)('webhooks of $name', ({ name, signer, path }) => {
  it('say when they were signed', async () => {
    const right = signer();
    ({ keys } = right);
    expect(await signedAt(name, right.sign(BODY))).toBe(START);
    expect(await signedAt(name, right.sign('', START - 61_000))).toBe(START - 61_000);
    expect(vendor.requests.map((request) => request.path)).toEqual([path]);
  });

  it('are refused when anything of them was changed', async () => {
    const right = signer();
    ({ keys } = right);
    const { headers, body } = right.sign(BODY);
    const changed: VendorWebhook[] = Object.keys(headers).flatMap((header) => {
      const value = headers[header] ?? '';
      const other = value.slice(0, -1) + (value.endsWith('1') ? '2' : '1');
      const { [header]: _gone, ...without } = headers;
      return [other, '', `${value}x`]
        .map((each) => ({ headers: { ...headers, [header]: each }, body }))
        .concat([{ headers: without, body }]);
    });
    changed.push({ headers, body: Buffer.from(BODY.replace('OK', 'KO')) }, signer().sign(BODY));
    for (const webhook of changed) {
      await expect(signedAt(name, webhook), JSON.stringify(webhook.headers)).rejects.toMatchObject({
        code: 'unauthenticated',
      });
    }
    expect(await signedAt(name, { headers, body })).toBe(START);
  });

  it('are read with new keys when the vendor has changed them, which is looked at once a minute at most', async () => {
    const before = signer();
    ({ keys } = before);
    await signedAt(name, before.sign(BODY));
    const after = signer();
    ({ keys } = after);
    for (let tries = 0; tries < 3; tries++) {
      await expect(signedAt(name, after.sign(BODY))).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    expect(vendor.requests).toHaveLength(1);
    now += 60_000;
    expect(await signedAt(name, after.sign(BODY))).toBe(now);
    expect(vendor.requests).toHaveLength(2);
    await Promise.all([1, 2, 3].map(() => signedAt(name, after.sign(BODY))));
    expect(vendor.requests).toHaveLength(2);
  });

  it('cost one question each few seconds while the keys cannot be had, however many come', async () => {
    const right = signer();
    ({ keys } = right);
    status = 500;
    const many = () => Promise.allSettled(Array.from({ length: 5 }, () => signedAt(name, right.sign(BODY))));
    for (const outcome of [...(await many()), ...(await many())])
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'upstream_unavailable' } });
    expect(vendor.requests).toHaveLength(1);
    now += 5_000;
    await many();
    expect(vendor.requests).toHaveLength(2);
    status = 200;
    now += 5_000;
    expect((await many()).map((outcome) => outcome.status)).toEqual(Array(5).fill('fulfilled'));
    expect(vendor.requests).toHaveLength(3);
  });

  it('are read with the keys of before while newer ones cannot be had', async () => {
    const right = signer();
    ({ keys } = right);
    await signedAt(name, right.sign(BODY));
    status = 500;
    now += 60_000;
    await expect(signedAt(name, signer().sign(BODY))).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(await signedAt(name, right.sign(BODY))).toBe(now);
    expect(vendor.requests).toHaveLength(2);
  });

  it('are not refused for good when the keys cannot be had', async () => {
    const right = signer();
    keys = {};
    await expect(signedAt(name, right.sign(BODY))).rejects.toMatchObject({ code: 'unauthenticated' });
    ({ keys } = right);
    now += 60_000;
    expect(await signedAt(name, right.sign(BODY))).toBe(now);
  });
});

it('fal’s keys are asked for at its own host, and nobody else’s', () => {
  const keysAt = FAL.webhooks?.signing?.keys;
  expect(keysAt?.('https://queue.fal.run')).toMatchObject({ url: 'https://rest.fal.ai/.well-known/jwks.json' });
  expect(keysAt?.('https://proxy.example/fal')).toEqual({ path: '/.well-known/jwks.json' });
});

it.each([
  [
    'fal',
    'fal-ai/veo3.1/fast',
    '/fal-ai/veo3.1/fast?fal_webhook=https%3A%2F%2Fgateway.example%2Fw%3Fsignature%3Da',
    {},
  ],
  [
    'replicate',
    'kwaivgi/kling-v2.5-turbo-pro',
    '/models/kwaivgi/kling-v2.5-turbo-pro/predictions',
    { webhook: 'https://gateway.example/w?signature=a', webhook_events_filter: ['completed'] },
  ],
  ['luma', 'ray-2', '/generations/video', { callback_url: 'https://gateway.example/w?signature=a' }],
] as const)('%s is given the address where it takes one', async (name, model, path, more) => {
  keys = { request_id: 'a', id: 'a' };
  const adapter = await vendors[name].load();
  const input = {
    shape: 'prompt',
    body: {},
    prompt: 'a fox',
    images: [],
    videos: [],
    audios: [],
    subjects: [],
  } as const;
  const common = { ...input, dedupeKey: 'task_1', extra: {} };
  const upstream = vendor.upstream(adapter, { model });
  await adapter.videos?.start({ ...common, webhookUrl: 'https://gateway.example/w?signature=a' }, upstream);
  await adapter.videos?.start(common, upstream);
  const [given, plain] = vendor.requests;
  expect(given?.path).toBe(path);
  expect(given?.json).toMatchObject(more);
  expect(`${plain?.path ?? ''} ${plain?.text ?? ''}`).not.toMatch(/webhook|callback/);
});
