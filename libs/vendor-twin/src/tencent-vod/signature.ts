import { createHash, createHmac } from 'node:crypto';
import { same } from '../core/auth.ts';
import type { Exchange } from '../core/exchange.ts';
import { unixSeconds } from '../core/values.ts';
import { tencentRefusal } from './errors.ts';

const FORM =
  /^TC3-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<date>\d{4}-\d\d-\d\d)\/(?<service>[^/]+)\/tc3_request, ?SignedHeaders=(?<signed>[a-z0-9;-]+), ?Signature=(?<signature>[0-9a-f]{64})$/;
const TOLERANCE_SECONDS = 300;

/** Checks a TC3-HMAC-SHA256 signature as the vendor does (https://cloud.tencent.com/document/api/266/31760). */
export function requireSignature(exchange: Exchange): void {
  const { id, date, service, signed, signature } = FORM.exec(exchange.header('authorization') ?? '')?.groups ?? {};
  if (id === undefined || date === undefined || signed === undefined) {
    throw tencentRefusal('AuthFailure.InvalidAuthorization', 'The `Authorization` in the request header is invalid.');
  }
  const { secret_id: secretId, secret_key: secretKey } = CREDENTIALS;
  if (id !== secretId) throw tencentRefusal('AuthFailure.SecretIdNotFound', 'The SecretId is not found.');
  const timestamp = exchange.header('x-tc-timestamp') ?? '';
  if (!/^\d{10}$/.test(timestamp)) throw tencentRefusal('MissingParameter', 'The request is missing `X-TC-Timestamp`.');
  const now = unixSeconds(exchange.stage.now());
  if (Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw tencentRefusal('AuthFailure.SignatureExpire', `The signature is expired: the server's time is ${now}.`);
  }
  // The day of the scope is UTC, whatever the clock of the wall says.
  const day = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10);
  const names = signed.split(';');
  const complete = names.includes('content-type') && names.includes('host');
  if (
    date !== day ||
    service !== 'vod' ||
    !complete ||
    !same(signature, expected(exchange, names, { date, secretKey, timestamp }))
  ) {
    throw tencentRefusal(
      'AuthFailure.SignatureFailure',
      'The provided credentials could not be validated. Please check your signature is correct.',
    );
  }
}

function expected(
  exchange: Exchange,
  names: readonly string[],
  { date, secretKey, timestamp }: { readonly date: string; readonly secretKey: string; readonly timestamp: string },
): string {
  const headers = names.map((name) => `${name}:${(exchange.header(name) ?? '').trim()}\n`).join('');
  const request = ['POST', '/', '', headers, names.join(';'), sha256(exchange.body)].join('\n');
  const text = ['TC3-HMAC-SHA256', timestamp, `${date}/vod/tc3_request`, sha256(request)].join('\n');
  const key = ['vod', 'tc3_request'].reduce((last, part) => hmac(last, part), hmac(`TC3${secretKey}`, date));
  return hmac(key, text).toString('hex');
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

export const CREDENTIALS = {
  secret_id: 'AKIDtest0000000000000000000000000000',
  secret_key: 'testSecretKey0123456789',
  sub_app_id: '1500000001',
};
