/** Kling's access token: a JWT of HS256 made from the key pair (docs/wire/kling.md#address-and-token). */
import { createHmac } from 'node:crypto';

const LIFE_SECONDS = 1800;
/** Clocks differ: valid a little before now. */
const EARLY_SECONDS = 5;

/**
 * A token for the half hour from `now` (Unix seconds). Made anew for every request: that is cheaper than a cache is complicated, and a
 * token that is never old is never refused as expired.
 */
export function signKlingToken(accessKey: string, secretKey: string, now: number): string {
  // The order of the keys is part of the vendor's example.
  const header = encode({ alg: 'HS256', typ: 'JWT' });
  const payload = encode({ iss: accessKey, exp: now + LIFE_SECONDS, nbf: now - EARLY_SECONDS });
  const signature = createHmac('sha256', secretKey).update(`${header}.${payload}`).digest('base64url');
  return `${header}.${payload}.${signature}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
