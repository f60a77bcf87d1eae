import { timingSafeEqual, createHmac } from 'node:crypto';
import type { Exchange } from './exchange.ts';

/** The token of `Authorization: Bearer …`; undefined without one. */
export function bearer(exchange: Exchange): string | undefined {
  return /^Bearer (.+)$/i.exec(exchange.header('authorization') ?? '')?.[1];
}

/** Whether two texts are equal, in a time that does not tell where they differ. */
export function same(given: string | undefined, known: string): boolean {
  if (given === undefined) return false;
  const left = Buffer.from(given);
  const right = Buffer.from(known);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Not a secret: it only has to be something that no other vendor and no client would sign with. */
const KEY = 'vendor-twin';

/** An opaque text that only the twin can have written about exactly this content. */
export function seal(kind: string, content: string): string {
  const nonce = createHmac('sha256', KEY).update(`${kind} ${content} ${content.length}`).digest().subarray(0, 6);
  return Buffer.concat([Buffer.from(`${kind}:`), nonce, signature(kind, nonce, content)]).toString('base64');
}

/** Whether a sealed text is ours, unharmed, and about this content. */
export function isSealed(kind: string, content: string, sealed: string): boolean {
  const bytes = Buffer.from(sealed, 'base64');
  const start = kind.length + 1;
  if (bytes.toString('base64') !== sealed || bytes.subarray(0, start).toString() !== `${kind}:`) return false;
  const nonce = bytes.subarray(start, start + 6);
  return bytes.subarray(start + 6).equals(signature(kind, nonce, content));
}

function signature(kind: string, nonce: Buffer, content: string): Buffer {
  return createHmac('sha256', KEY).update(kind).update(nonce).update(content).digest();
}
