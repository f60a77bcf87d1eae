/** Files, and what is kept at vendors or by their ids. */
import type { Generated } from 'kysely';

export interface FileRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  task_id: string | null;
  mime: string;
  size: number;
  location: string;
  created_at: number;
  expires_at: number;
  /** Of uploaded files, arriving ones and parts; null: made by a vendor. */
  purpose: string | null;
  filename: string | null;
  /** SHA-256, hexadecimal. */
  digest: string | null;
  /** 1 while bytes are still to come, and of parts of an upload. */
  arriving: Generated<number>;
  upload_id: string | null;
}

export interface UploadRow {
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  filename: string;
  purpose: string;
  mime: string;
  size: number | null;
  status: 'pending' | 'completed' | 'cancelled';
  file_id: string | null;
  keep_seconds: number | null;
  created_at: number;
  expires_at: number;
}

export interface CachedContentRow {
  name: string;
  owner_id: number;
  mode: 'live' | 'test';
  key_id: number;
  account_id: number;
  model: string;
  tokens: number;
  about: string;
  created_at: number;
  expires_at: number;
}

/** Something that a vendor keeps, by the hash of its id. */
export interface VendorIdRow {
  hash: string;
  owner_id: number;
  mode: 'live' | 'test';
  account_id: number;
  expires_at: number;
}

export interface VendorFileRow {
  file_id: string;
  account_id: number;
  vendor_id: string;
  name: string;
  created_at: number;
  expires_at: number;
}

/** One hour (UTC) of usage rows and the file that was written of them. */
export interface UsageExportRow {
  /** Its first millisecond since 1970. */
  hour: number;
  /** What the file has: so many rows, and the last entry's id. */
  row_count: number;
  last_entry: number;
  /** Who writes it, and until when nobody else does; null when nobody does. */
  claimed_by: string | null;
  claimed_until: number | null;
  exported_at: number | null;
}

/** The tables by name. */
export interface FileTables {
  readonly files: FileRow;
  readonly uploads: UploadRow;
  readonly vendor_ids: VendorIdRow;
  readonly cached_contents: CachedContentRow;
  readonly usage_exports: UsageExportRow;
  readonly vendor_files: VendorFileRow;
}
