/** Links of our own that work without a key until they expire: `…?expires=…&signature=…` (the document's `signedLink`). */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `webhook`: where a vendor may tell that a task has news. */
export type LinkKind = 'video' | 'file' | 'webhook';

export interface SignedLinks {
  /** Works until `expiresAt` (unix seconds). The same input gives the same link. */
  link(kind: LinkKind, id: string, expiresAt: number): string;
  /** Whether the query of a link is genuine and has not expired. */
  verify(kind: LinkKind, id: string, query: { readonly expires?: unknown; readonly signature?: unknown }): boolean;
}

export interface SignedLinksOptions {
  /** The same in every replica and after a restart; 32 characters or more. */
  readonly secret: string;
  /** The whole address of what a link leads to, without a query. */
  readonly addressOf: (kind: LinkKind, id: string) => string;
  readonly now: () => number;
}

/** Makes and checks the links of a deployment. */
export function createSignedLinks({ secret, addressOf, now }: SignedLinksOptions): SignedLinks {
  const sign = (kind: LinkKind, id: string, expiresAt: number): string =>
    createHmac('sha256', secret).update(`${kind}\n${id}\n${expiresAt}`).digest('hex').slice(0, 40);
  return {
    link(kind, id, expiresAt) {
      return `${addressOf(kind, id)}?expires=${expiresAt}&signature=${sign(kind, id, expiresAt)}`;
    },
    verify(kind, id, { expires, signature }) {
      const expiresAt = Number(expires);
      if (typeof signature !== 'string' || !Number.isSafeInteger(expiresAt) || expiresAt * 1000 <= now()) return false;
      const right = Buffer.from(sign(kind, id, expiresAt));
      const given = Buffer.from(signature);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
