/** Uploaded files that lie with vendors, too. Units and promises as in ports.ts. */

export interface VendorFileRecord {
  readonly fileId: string;
  readonly accountId: number;
  /** What the vendor deletes it by. */
  readonly vendorId: string;
  /** What requests call it. */
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface VendorFileStore {
  /** The upload of a file to an account that is still there then. */
  find(fileId: string, accountId: number, now: number): Promise<VendorFileRecord | undefined>;
  /** False where there is one already that is still there then: somebody else has uploaded the file meanwhile. */
  add(record: VendorFileRecord, now: number): Promise<boolean>;
  remove(record: Pick<VendorFileRecord, 'fileId' | 'accountId' | 'vendorId'>): Promise<void>;
  /** Those whose own time or whose file's is over, again and again until they are removed. */
  over(now: number, limit: number): Promise<readonly VendorFileRecord[]>;
}
