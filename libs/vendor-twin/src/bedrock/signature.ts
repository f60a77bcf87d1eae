import { createHash, createHmac } from 'node:crypto';
import { same } from '../core/auth.ts';
import type { Exchange } from '../core/exchange.ts';
import { refuseAsAws } from './errors.ts';

const FORM =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<day>\d{8})\/(?<region>[^/]+)\/(?<service>[^/]+)\/aws4_request, ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>[0-9a-f]{64})$/;
const LATEST_MS = 300_000;

/** The one access key that the twin knows. */
export const AWS_KEYS = {
  access_key_id: 'AKIATWIN000000000000',
  secret_access_key: 'twin/secret/0123456789abcdefghijklmnopqr',
};

/** A signature of version 4 over this very request, or AWS's refusal. */
export function requireSignature(exchange: Exchange): void {
  const said = exchange.header('authorization');
  if (said === undefined) {
    throw refuseAsAws(403, { name: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' });
  }
  const { id = '', day = '', region = '', service = '', names = '', signature = '' } = FORM.exec(said)?.groups ?? {};
  if (id === '')
    throw refuseAsAws(403, { name: 'IncompleteSignatureException', message: 'Authorization header is malformed.' });
  if (id !== AWS_KEYS.access_key_id) {
    throw refuseAsAws(403, {
      name: 'UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    });
  }
  const at = exchange.header('x-amz-date') ?? '';
  const time = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (service !== 'bedrock' || !at.startsWith(day)) throw refuse('Credential should be scoped to correct service.');
  if (!(Math.abs(time - exchange.stage.now()) <= LATEST_MS)) throw refuse(`Signature expired: ${at}`);
  const list = names.split(';');
  if (!list.includes('host') || !list.includes('x-amz-date')) throw refuse("'Host' must be a 'SignedHeader'");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', at, scope, hashOf(canonical(exchange, list))].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    Buffer.from(`AWS4${AWS_KEYS.secret_access_key}`),
  );
  if (same(signature, createHmac('sha256', key).update(text).digest('hex'))) return;
  throw refuse('The request signature we calculated does not match the signature you provided.');
}

/** Every step of the path encoded once more than it is sent. */
function canonical(exchange: Exchange, names: readonly string[]): string {
  const path = `/bedrock${exchange.path}`;
  const steps = path.split('/').map((step) => encode(step));
  const query = [...exchange.query].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const headers = names.map((name) => `${name}:${(exchange.header(name) ?? '').trim().replace(/ +/g, ' ')}\n`);
  return [
    exchange.request.method ?? '',
    steps.join('/'),
    query.join('&'),
    headers.join(''),
    names.join(';'),
    hashOf(exchange.body),
  ].join('\n');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hashOf(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function refuse(message: string) {
  return refuseAsAws(403, { name: 'InvalidSignatureException', message });
}
