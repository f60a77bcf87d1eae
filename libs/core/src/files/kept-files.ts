/** Bytes a vendor handed over, kept for a while and served under an address of our own that expires. */
import type { Parts } from '../parts.ts';
import type { Tenant } from '../ports.ts';
import type { SignedLinks } from '../tasks/links.ts';
import type { BlobStore } from '../tasks/types.ts';

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
};

export interface KeptFiles {
  /** Keeps the bytes and gives their address. */
  keep(file: { readonly bytes: Uint8Array; readonly mime: string; readonly tenant: Tenant }): Promise<string>;
}

export interface KeptFilesOptions extends Pick<Parts, 'store' | 'now' | 'randomId'> {
  readonly blobs: BlobStore;
  readonly links: SignedLinks;
  readonly hours: number;
}

/** Makes the store of kept pictures. */
export function createKeptFiles({ store, now, randomId, blobs, links, hours }: KeptFilesOptions): KeptFiles {
  return {
    async keep({ bytes, mime, tenant: { ownerId, mode } }) {
      const id = `file_${randomId()}`;
      const expiresAt = now() + hours * 3_600_000;
      const { location, size } = await blobs.put(`${id}.${ENDINGS[mime] ?? 'bin'}`, mime, once(bytes));
      await store.files.create({ id, ownerId, mode, mime, size, location, createdAt: now(), expiresAt });
      return links.link('file', id, Math.floor(expiresAt / 1000));
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
