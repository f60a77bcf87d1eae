/** Files that callers upload, and those that the gateway writes for them. Units and promises as in ports.ts. */
import type { FileRecord } from './files.ts';
import type { Tenant } from './tenant.ts';

/** A file that is whole. */
export interface UploadedFileRecord extends Omit<FileRecord, 'taskId'> {
  /** What it is called by its owner: no path, no control characters. */
  readonly filename: string;
  readonly purpose: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly digest: string;
}
/** A file of which bytes are still to come; `size` is what is set aside for it. */
export interface ArrivingFile extends Tenant {
  readonly id: string;
  readonly location: string;
  readonly size: number;
  readonly createdAt: number;
  /** When the sweep takes it for the leftover of a process that died. */
  readonly expiresAt: number;
  /** The upload it is a part of. */
  readonly uploadId?: string;
}
/** What an owner may have in one mode. */
export interface FileRoom {
  readonly bytes: number;
  readonly files: number;
}
export type RoomFault = 'bytes' | 'files';

export interface UploadedFileQuery {
  readonly purpose?: string;
  readonly order: 'asc' | 'desc';
  /** The page begins behind this file. */
  readonly after?: string;
  /** The page ends before this file: its last ones. */
  readonly before?: string;
  readonly limit: number;
}

/** A file that is sent in parts. */
export interface UploadRecord extends Tenant {
  readonly id: string;
  readonly filename: string;
  readonly purpose: string;
  readonly mime: string;
  /** Bytes that the whole file has; undefined where nobody has said. */
  readonly size?: number;
  readonly status: 'pending' | 'completed' | 'cancelled';
  readonly fileId?: string;
  /** How long the file lives when it is there, seconds; absent: as long as its purpose has it. */
  readonly keepSeconds?: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}
/** The parts of an upload lie in the table of files until they are put together or expire. */
export interface UploadPart {
  readonly id: string;
  /** Where it begins in the file; '' where whoever completes the upload says in which order parts come. */
  readonly position: string;
  readonly size: number;
  readonly location: string;
  readonly createdAt: number;
}

export interface UploadedFileStore {
  /** Sets room aside for a file that comes; resolves with why there is none. */
  begin(file: ArrivingFile, room: FileRoom, now: number): Promise<RoomFault | undefined>;
  /** Sets `size` aside in all, and gives the file until `expiresAt`. */
  grow(file: Omit<ArrivingFile, 'location' | 'createdAt'>, room: FileRoom, now: number): Promise<RoomFault | undefined>;
  /** Makes the file that came visible; false where its row is gone. */
  finish(file: UploadedFileRecord): Promise<boolean>;
  /** A part of an upload has come; false where its row or its upload is gone. */
  finishPart(part: Pick<UploadPart, 'id' | 'size' | 'position'> & { readonly uploadId: string }): Promise<boolean>;
  /** Ends an arriving file; the next sweep removes what came of it. */
  discard(id: string, now: number): Promise<void>;
  find(tenant: Tenant, id: string, now: number): Promise<UploadedFileRecord | undefined>;
  /** One more than the limit where there are more. Undefined where the file that the page begins at is none of theirs. */
  list(tenant: Tenant, query: UploadedFileQuery, now: number): Promise<readonly UploadedFileRecord[] | undefined>;
  /** Ends a file: nobody finds it from now on, and the next sweep removes it. Resolves with what it was. */
  end(tenant: Tenant, id: string, now: number): Promise<UploadedFileRecord | undefined>;
  /** Keeps an upload, provided that the tenant has fewer open ones than `most`. */
  createUpload(upload: UploadRecord, most: number): Promise<boolean>;
  findUpload(tenant: Tenant, id: string): Promise<UploadRecord | undefined>;
  /** The parts that have come, by position and then as they came. */
  parts(uploadId: string, now: number): Promise<readonly UploadPart[]>;
  /** Ends a pending upload and its parts; false where it is not pending any more. */
  endUpload(
    id: string,
    end: { readonly status: 'completed' | 'cancelled'; readonly fileId?: string },
    now: number,
  ): Promise<boolean>;
}
