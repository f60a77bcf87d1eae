import { createHmac } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { bearer, same } from '../core/auth.ts';
import { unixSeconds } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import { klingRefusal } from './tasks.ts';

/** Longer lives are refused: the documented token lives half an hour. */
const LONGEST_SECONDS = 1800 + 5;

/** Checks the JWT an account signs with its key pair: HS256, issuer, not before, expiry. */
export function requireToken(exchange: Exchange): void {
  const token = bearer(exchange);
  if (token === undefined) throw klingRefusal(401, 1001, 'Authorization is empty.');
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = decoded(head);
  const claims = decoded(body);
  const { access_key: accessKey, secret_key: secretKey } = CREDENTIALS;
  const expected = createHmac('sha256', secretKey).update(`${head}.${body}`).digest('base64url');
  if (header?.['alg'] !== 'HS256' || claims?.['iss'] !== accessKey || !same(signature, expected)) {
    throw klingRefusal(401, 1002, 'Authorization signature is invalid.');
  }
  const now = unixSeconds(exchange.stage.now());
  const { exp, nbf } = claims;
  if (typeof exp !== 'number' || exp > now + LONGEST_SECONDS)
    throw klingRefusal(401, 1002, 'exp is missing or too late.');
  if (typeof nbf === 'number' && nbf > now) throw klingRefusal(401, 1003, 'Authorization is not yet valid.');
  if (exp <= now) throw klingRefusal(401, 1004, 'Authorization has expired.');
}

function decoded(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const CREDENTIALS = { access_key: 'ak-test', secret_key: 'sk-test' };
