/** Signatures of vendors' webhooks. The vendor's keys are fetched when a webhook comes, and kept for a while. */
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { GatewayError, type Json } from '@model-gateway/contracts';
import type { Upstream, UpstreamRequest, VendorWebhook, WebhookReader } from '@model-gateway/provider-kit';

export interface WebhookSigning {
  /** Where the vendor gives its keys, for an account of this address. */
  readonly keys: (baseUrl: string) => Pick<UpstreamRequest, 'path' | 'url'>;
  readonly keysIn: (answer: Json) => readonly string[];
  /** The header that says when a webhook was signed, in seconds since 1970. */
  readonly timeHeader: string;
  readonly isGenuine: (webhook: VendorWebhook, key: string) => boolean;
}

const MOST_KEYS_BYTES = 64 * 1024;
const KEEP_MS = 3_600_000;
/** Vendors change their keys: a signature that fits none has them fetched again, at most so often. */
const AGAIN_AFTER_MS = 60_000;
/** Keys that could not be had are not asked for again before. */
const FAILED_MS = 5_000;
const MOST_ACCOUNTS = 1_000;

/** What is known of the keys of an account. Those of before are kept when newer ones cannot be had. */
interface Known {
  readonly fetched?: { readonly keys: readonly string[]; readonly at: number };
  readonly failed?: { readonly error: unknown; readonly at: number };
}

/** Reads the webhooks of a vendor: undefined where it signs none. */
export function webhookReader(signing: WebhookSigning | undefined): WebhookReader {
  return signing === undefined ? { signedAt: () => Promise.resolve(undefined) } : new WebhookChecker(signing);
}

/** Checks the webhooks of one vendor. */
class WebhookChecker implements WebhookReader {
  private readonly signing: WebhookSigning;
  /** By account. */
  private readonly known = new Map<string, Known>();
  /** Under way, by account. */
  private readonly fetching = new Map<string, Promise<readonly string[]>>();

  constructor(signing: WebhookSigning) {
    this.signing = signing;
  }

  /** When it was signed, in milliseconds. Throws `unauthenticated` where no key of the vendor signed it. */
  async signedAt(webhook: VendorWebhook, upstream: Upstream): Promise<number> {
    const { timeHeader } = this.signing;
    const time = webhook.headers[timeHeader] ?? '';
    if (!/^\d{1,12}$/.test(time)) {
      throw new GatewayError('unauthenticated', `the webhook has no time of signing in ${timeHeader}`);
    }
    if (!(await this.isGenuine(webhook, upstream))) {
      throw new GatewayError('unauthenticated', 'the webhook was not signed with a key of the vendor');
    }
    return Number(time) * 1000;
  }

  private async isGenuine(webhook: VendorWebhook, upstream: Upstream): Promise<boolean> {
    const isSignedBy = (key: string): boolean => this.signing.isGenuine(webhook, key);
    const known = await this.keysOf(upstream, KEEP_MS);
    if (known.some(isSignedBy)) return true;
    const fresh = await this.keysOf(upstream, AGAIN_AFTER_MS);
    return fresh !== known && fresh.some(isSignedBy);
  }

  /** Keys that are not older. Whoever comes while they are fetched waits for the same answer. */
  private async keysOf(upstream: Upstream, oldestMs: number): Promise<readonly string[]> {
    const name = `${upstream.account.id} ${upstream.account.baseUrl}`;
    const { fetched, failed } = this.known.get(name) ?? {};
    if (fetched !== undefined && upstream.now() - fetched.at < oldestMs) return fetched.keys;
    if (failed !== undefined && upstream.now() - failed.at < FAILED_MS) throw failed.error;
    const underWay = this.fetching.get(name);
    if (underWay !== undefined) return underWay;
    const fetching = this.fetch(name, upstream).finally(() => this.fetching.delete(name));
    this.fetching.set(name, fetching);
    return fetching;
  }

  private async fetch(name: string, upstream: Upstream): Promise<readonly string[]> {
    const { keys: at, keysIn } = this.signing;
    try {
      const { json } = await upstream.send({
        method: 'GET',
        maxReplyBytes: MOST_KEYS_BYTES,
        ...at(upstream.account.baseUrl),
      });
      const keys = json === undefined ? [] : keysIn(json);
      this.remember(name, { fetched: { keys, at: upstream.now() } });
      return keys;
    } catch (error) {
      this.remember(name, { ...this.known.get(name), failed: { error, at: upstream.now() } });
      throw error;
    }
  }

  private remember(name: string, known: Known): void {
    if (this.known.size >= MOST_ACCOUNTS) this.known.clear();
    this.known.set(name, known);
  }
}

/** By an Ed25519 key of a JWKS, whose `x` is `key`: a signature in hexadecimal. */
export function isSignedByEd25519(message: string, signature: string, key: string): boolean {
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false;
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    return verify(null, Buffer.from(message), publicKey, Buffer.from(signature, 'hex'));
  } catch {
    return false; // no Ed25519 key
  }
}

/** By the Standard Webhooks specification: one of the `v1` signatures is that of the secret. */
export function isSignedByStandard({ headers, body }: VendorWebhook, secret: string): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers;
  if (id === '') return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const right = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
  // As texts: what base64 reads the same is not the same signature.
  const expected = Buffer.from(`v1,${right}`);
  return signatures.split(' ').some((each) => {
    const given = Buffer.from(each);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

export function sha256(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
