/** fal's keys for webhooks, and what it signs with them (docs/wire/fal.md#webhooks). */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { Exchange } from '../core/exchange.ts';
import { perStage, type Stage } from '../core/stage.ts';

export const KEYS_PATH = '/.well-known/jwks.json';
const USER = 'github|twin';

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const keysOf = perStage<Keys>(() => generateKeyPairSync('ed25519'));

export function keys(exchange: Exchange): void {
  const { kty = '', crv = '', x = '' } = keysOf(exchange.stage).publicKey.export({ format: 'jwk' });
  exchange.reply(200, { keys: [{ kty, crv, x, use: 'sig' }] });
}

export function signAsFal(
  stage: Stage,
  { body, now, requestId }: { readonly body: string; readonly now: number; readonly requestId: string },
): Record<string, string> {
  const time = String(Math.floor(now / 1000));
  const digest = createHash('sha256').update(body).digest('hex');
  const message = [requestId, USER, time, digest].join('\n');
  return {
    'x-fal-webhook-request-id': requestId,
    'x-fal-webhook-user-id': USER,
    'x-fal-webhook-timestamp': time,
    'x-fal-webhook-signature': sign(null, Buffer.from(message), keysOf(stage).privateKey).toString('hex'),
  };
}
