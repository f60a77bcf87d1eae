/** Replicate's secret for webhooks, and what it signs with it (docs/wire/replicate.md#webhooks). */
import { createHmac, randomBytes } from 'node:crypto';
import type { Exchange } from '../core/exchange.ts';
import { perStage, type Stage } from '../core/stage.ts';

export const SECRET_PATH = '/v1/webhooks/default/secret';

const secretOf = perStage(() => randomBytes(32).toString('base64'));

export function secret(exchange: Exchange): void {
  exchange.reply(200, { key: `whsec_${secretOf(exchange.stage)}` });
}

export function signAsReplicate(
  stage: Stage,
  { body, now, id }: { readonly body: string; readonly now: number; readonly id: string },
): Record<string, string> {
  const time = String(Math.floor(now / 1000));
  const message = `msg_${id}`;
  const key = Buffer.from(secretOf(stage), 'base64');
  const signature = createHmac('sha256', key).update(`${message}.${time}.${body}`).digest('base64');
  return { 'webhook-id': message, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
}
