import { createHmac } from 'node:crypto';

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
