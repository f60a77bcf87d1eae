/** Bytes a vendor handed over, kept for a while and served under an address of our own that expires. */
import { LRUCache } from 'lru-cache';
import { inOnePiece } from '@model-gateway/provider-kit';
import { atMost } from '../bounded.ts';
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
  /** Bytes of one owner and mode; beyond, the oldest give way. */
  readonly most: number;
}

/** The database is asked again when so large a part of the bound has come, so that most pictures cost it nothing more. */
const LOOK_AT_SHARE = 1 / 16;
const MOST_REMEMBERED = 10_000;

/** Makes the store of kept pictures. */
export function createKeptFiles({ store, now, randomId, blobs, links, hours, most }: KeptFilesOptions): KeptFiles {
  /** Bytes kept here since the database was last asked, by owner and mode. */
  const since = new LRUCache<string, number>(atMost(MOST_REMEMBERED));

  const makeRoom = async (tenant: Tenant, bytes: number): Promise<void> => {
    const name = `${tenant.ownerId} ${tenant.mode}`;
    const come = since.get(name);
    if (come !== undefined && come + bytes <= most * LOOK_AT_SHARE) {
      since.set(name, come + bytes);
      return;
    }
    since.set(name, bytes);
    await store.files.endOldest(tenant, Math.max(0, most - bytes), now());
  };

  return {
    async keep({ bytes, mime, tenant }) {
      const { ownerId, mode } = tenant;
      await makeRoom(tenant, bytes.byteLength);
      const id = `file_${randomId()}`;
      const expiresAt = now() + hours * 3_600_000;
      const { location, size } = await blobs.put(`${id}.${ENDINGS[mime] ?? 'bin'}`, mime, inOnePiece(bytes));
      await store.files.create({ id, ownerId, mode, mime, size, location, createdAt: now(), expiresAt });
      return links.link('file', id, Math.floor(expiresAt / 1000));
    },
  };
}
