/** Texts that only who has a secret can read, and nobody can change. */
import { hkdfSync } from 'node:crypto';
import { createSealing, type Sealing } from '@model-gateway/core';

const KEY_BYTES = 32;

/** Seals a text with a key made of the secret for one purpose: URL-safe base64. */
export function sealText(text: string, secret: string, purpose: string): string {
  return Buffer.from(sealingOf(secret, purpose).seal(text, purpose)).toString('base64url');
}

/** The text; undefined where it was sealed otherwise, or changed. */
export function openText(sealed: string, secret: string, purpose: string): string | undefined {
  try {
    const text = sealingOf(secret, purpose).open(Buffer.from(sealed, 'base64url'), purpose);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

function sealingOf(secret: string, purpose: string): Sealing {
  return createSealing([new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES))]);
}
