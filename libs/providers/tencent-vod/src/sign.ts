/** TC3-HMAC-SHA256 (docs/wire/tencent-vod.md#signature; Tencent Cloud API 3.0 signature). */
import { createHash, createHmac } from 'node:crypto';

export interface Tc3Input {
  readonly secretId: string;
  readonly secretKey: string;
  /** As the Host header says it. */
  readonly host: string;
  /** Exactly the header that is sent. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Unix seconds. */
  readonly timestamp: number;
}

const ALGORITHM = 'TC3-HMAC-SHA256';
const SERVICE = 'vod';
const SIGNED_HEADERS = 'content-type;host';

/** The value of the Authorization header. */
export function signTc3(input: Tc3Input): string {
  // The day of the scope is the UTC day of the timestamp, whatever the local one is.
  const date = new Date(input.timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${SERVICE}/tc3_request`;
  const toSign = [ALGORITHM, String(input.timestamp), scope, sha256(canonicalRequest(input))].join('\n');
  const signature = createHmac('sha256', signingKey(input.secretKey, date)).update(toSign).digest('hex');
  return `${ALGORITHM} Credential=${input.secretId}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`;
}

export function canonicalRequest({ contentType, host, body }: Tc3Input): string {
  const headers = `content-type:${contentType.trim()}\nhost:${host.trim()}\n`;
  return ['POST', '/', '', headers, SIGNED_HEADERS, sha256(body)].join('\n');
}

export function signingKey(secretKey: string, date: string): Buffer {
  const day = createHmac('sha256', `TC3${secretKey}`).update(date).digest();
  const service = createHmac('sha256', day).update(SERVICE).digest();
  return createHmac('sha256', service).update('tc3_request').digest();
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
