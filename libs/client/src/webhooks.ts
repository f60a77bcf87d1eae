/** Checking that a webhook comes from the gateway, as the Standard Webhooks describe it; WebCrypto, so it runs everywhere. */
import { bytesOf } from './environment.ts';
import type { Schemas } from './operations.ts';

/** What the gateway sends when a task has ended. */
export type WebhookEvent = Schemas['TaskEnded'];

/** The request is not a webhook of this secret, or it is too old. */
export class WebhookError extends Error {
  override name = 'WebhookError';
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Seconds a timestamp may be off; 300 without it. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970; the clock without it. */
  readonly now?: () => number;
}

/**
 * Gives the event of a webhook whose signature is right. Throws WebhookError otherwise.
 * `body` is the raw body as it came: parsing it and printing it again breaks the signature.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string,
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const age = now() / 1000 - Number(timestamp);
  if (!(Math.abs(age) <= toleranceSeconds)) throw new WebhookError('the timestamp is too far from the present time');

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = checked(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures) {
    const [version, code = ''] = signature.split(',');
    if (version !== 'v1') continue;
    // verify() compares in constant time.
    if (await crypto.subtle.verify('HMAC', key, checked(code), signed)) return JSON.parse(text) as WebhookEvent;
  }
  throw new WebhookError('no signature of this webhook fits the secret');
}

function headerOf(headers: HeaderSource, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`the header ${name} is missing`);
  return value;
}

function checked(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return bytesOf(base64);
  } catch {
    throw new WebhookError('the secret or the signature is not base64');
  }
}
