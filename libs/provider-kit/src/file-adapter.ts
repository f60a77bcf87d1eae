/** A vendor's own files, which requests name in place of their bytes (docs/wire/files.md). */
import type { Upstream } from './adapter.ts';

export interface FileUpload {
  readonly filename: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

export interface VendorFile {
  /** What it is deleted by. */
  readonly id: string;
  /** What requests call it. */
  readonly name: string;
  /** Milliseconds since 1970; absent: it is kept until it is deleted. */
  readonly expiresAt?: number;
}

export interface FileAdapter {
  /** Keeps the file with the vendor; when this resolves requests may name it. */
  upload(file: FileUpload, upstream: Upstream): Promise<VendorFile>;
  /** Deletes it; one that is gone already is no fault. */
  remove(id: string, upstream: Upstream): Promise<void>;
}
