import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeSpec, encodeSpec, extensionOf, type MediaSpec } from './spec.ts';

/** `<spec>.<signature>.mp4` */
const NAME = /^([\w-]{1,4096})\.([\w-]{22})\.(\w{1,5})$/;
const SIGNATURE_BYTES = 16;

/** The file name of a link: what the file must be, signed, so that only what the twin gave out can be opened. */
export function nameOf(secret: string, spec: MediaSpec): string {
  const encoded = encodeSpec(spec);
  const extension = extensionOf(spec);
  return `${encoded}.${signature(secret, `${encoded}.${extension}`).toString('base64url')}.${extension}`;
}

/** The spec of a link's file name; undefined when this secret never signed it. */
export function specOf(secret: string, name: string): MediaSpec | undefined {
  const [, encoded = '', signed = '', extension = ''] = NAME.exec(name) ?? [];
  const given = Buffer.from(signed, 'base64url');
  if (given.length !== SIGNATURE_BYTES) return undefined;
  if (!timingSafeEqual(given, signature(secret, `${encoded}.${extension}`))) return undefined;
  return decodeSpec(encoded);
}

/** The spec of a whole link that a job of the twin remembers. Its signature may be that of an earlier run, and is not looked at. */
export function specOfLink(link: string): MediaSpec | undefined {
  const encoded = NAME.exec(link.slice(link.lastIndexOf('/') + 1))?.[1];
  return encoded === undefined ? undefined : decodeSpec(encoded);
}

function signature(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest().subarray(0, SIGNATURE_BYTES);
}
