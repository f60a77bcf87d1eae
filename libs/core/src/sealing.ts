/** Encryption at rest: AES-256-GCM, bound to the place where a value lies, so that no row can be read as another's. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { GatewayError, type Json } from '@model-gateway/contracts';

const VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Characters of a mark: 144 bits. */
const MARK = 24;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

export interface Sealing {
  /** `place` names the row and whose it is; the same is needed to open it. */
  seal(value: Json, place: string): Uint8Array;
  /** Throws GatewayError `unavailable` for what was sealed with a key that is not there, and `internal` for what is damaged or lies elsewhere. */
  open(sealed: Uint8Array, place: string): Json;
  /** Keyed hashes of a text, by which its row can be found and nobody can guess it: that of the first key, and of those that it replaces. */
  marks(text: string): readonly string[];
}

/** Seals with the first key and opens with each of them: a new one is put ahead of those that it replaces. Keys have 32 bytes. */
export function createSealing(keys: readonly Uint8Array[]): Sealing {
  const known = keys.map((key) => {
    if (key.length !== KEY_BYTES) throw new Error(`an encryption key has ${KEY_BYTES} bytes, not ${key.length}`);
    return { key, id: createHash('sha256').update('key id').update(key).digest().subarray(0, KEY_ID_BYTES) };
  });
  const [first] = known;
  if (first === undefined) throw new Error('there is no encryption key');
  return {
    seal(value, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(Buffer.from(place));
      const text = cipher.update(deflateRawSync(JSON.stringify(value), { level: 1 }));
      return Buffer.concat([Buffer.of(VERSION), first.id, nonce, text, cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw damaged();
      const id = bytes.subarray(1, 1 + KEY_ID_BYTES);
      const found = known.find((each) => each.id.equals(id));
      if (found === undefined)
        throw new GatewayError(
          'unavailable',
          'the stored data cannot be read: it was encrypted with a key that this gateway does not have; the operator can add that key to security.encryption_key again',
        );
      const nonce = bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', found.key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      try {
        const packed = decipher.update(bytes.subarray(HEAD_BYTES, bytes.length - TAG_BYTES));
        return JSON.parse(inflateRawSync(Buffer.concat([packed, decipher.final()])).toString()) as Json;
      } catch {
        throw damaged();
      }
    },
    marks: (text) =>
      known.map(({ key }) => createHmac('sha256', key).update('mark ').update(text).digest('base64url').slice(0, MARK)),
  };
}

function damaged(): GatewayError {
  return new GatewayError('internal', 'the stored data cannot be read: it is damaged');
}
