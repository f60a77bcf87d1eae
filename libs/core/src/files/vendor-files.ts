/** Uploaded files that are uploaded once more, to a vendor, and named in requests from then on: at most one upload for each account. */
import type { FileAdapter, Upstream } from '@model-gateway/provider-kit';
import type { GatewayAccount, Catalogue } from '../catalogue.ts';
import type { OpenAccount, Parts } from '../parts.ts';
import type { UploadedFileRecord, VendorFileRecord } from '../ports.ts';
import { NEVER } from './uploaded-files.ts';

/** Nothing is named that is about to go: the vendor reads it while it answers. */
const MARGIN_MS = 3_600_000;
const UPLOAD_MS = 600_000;
/** An account that refused an upload is not asked for another for so long: its server may have no files. */
const REFUSED_MS = 600_000;
const SWEEP_EVERY_MS = 60_000;
const SWEPT_AT_ONCE = 100;

export interface VendorFilesOptions extends Pick<Parts, 'store' | 'now' | 'log'> {
  readonly catalogue: () => Pick<Catalogue, 'accounts'>;
  readonly openAccount: OpenAccount;
}

/** A file and its bytes, which are read when they are uploaded. */
export interface Uploading {
  readonly file: Pick<UploadedFileRecord, 'id' | 'filename' | 'mime' | 'expiresAt'>;
  readonly bytes: () => Uint8Array;
}

export class VendorFiles {
  private readonly options: VendorFilesOptions;
  private readonly underWay = new Map<string, Promise<VendorFileRecord | undefined>>();
  private readonly refusedAt = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: VendorFilesOptions) {
    this.options = options;
  }

  /** The file as the account's vendor has it, uploaded where it is not yet. Undefined where the vendor takes none now: then it goes inline. */
  find(account: GatewayAccount, uploading: Uploading): Promise<VendorFileRecord | undefined> {
    const name = `${uploading.file.id} ${account.id}`;
    let finding = this.underWay.get(name);
    if (finding === undefined) {
      finding = this.findOrUpload(account, uploading).finally(() => this.underWay.delete(name));
      this.underWay.set(name, finding);
    }
    return finding;
  }

  /** For one that its vendor says is gone: it is uploaded anew when it is next needed. */
  async forget(record: VendorFileRecord): Promise<void> {
    await this.options.store.vendorFiles.remove(record);
  }

  /** From now on it deletes by itself, at vendors, what is deleted or over here. */
  start(): void {
    const sweep = (): void =>
      void this.sweep().catch((error: unknown) =>
        this.options.log.warn({ err: error }, 'files at vendors stay for now'),
      );
    this.timer ??= setInterval(sweep, SWEEP_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Deletes at their vendors the uploads of files that are over. Resolves with how many. */
  async sweep(): Promise<number> {
    const { store, now, catalogue, log } = this.options;
    const accounts = new Map(catalogue().accounts.map((account) => [account.id, account]));
    let removed = 0;
    for (const record of await store.vendorFiles.over(now(), SWEPT_AT_ONCE)) {
      const account = accounts.get(record.accountId);
      try {
        // An account that is no longer there cannot be asked; what the vendor has ended itself need not be.
        if (account !== undefined && record.expiresAt > now()) {
          const { files, upstream } = this.open(account);
          await files?.remove(record.vendorId, upstream);
        }
        await store.vendorFiles.remove(record);
        removed += 1;
      } catch (error) {
        log.warn(
          { account: record.accountId, err: error },
          'a file could not be deleted at its vendor; it is tried again',
        );
      }
    }
    return removed;
  }

  private open(account: GatewayAccount): { readonly files: FileAdapter | undefined; readonly upstream: Upstream } {
    const { adapter, upstream } = this.options.openAccount(account, '', AbortSignal.timeout(UPLOAD_MS));
    return { files: adapter.files, upstream };
  }

  private async findOrUpload(
    account: GatewayAccount,
    { file, bytes }: Uploading,
  ): Promise<VendorFileRecord | undefined> {
    const { store, now, log } = this.options;
    const kept = await store.vendorFiles.find(file.id, account.id, now());
    if (kept !== undefined && kept.expiresAt > now() + MARGIN_MS) return kept;
    if (now() - (this.refusedAt.get(account.id) ?? -Infinity) < REFUSED_MS) return undefined;
    const { files, upstream } = this.open(account);
    if (files === undefined) return undefined;
    try {
      if (kept !== undefined) await this.forget(kept);
      const { filename, mime } = file;
      const uploaded = await files.upload({ filename, mime, bytes: bytes() }, upstream);
      const record: VendorFileRecord = {
        ...{ fileId: file.id, accountId: account.id, vendorId: uploaded.id, name: uploaded.name },
        ...{ createdAt: now(), expiresAt: uploaded.expiresAt ?? NEVER },
      };
      if (await store.vendorFiles.add(record, now())) return record;
      // Another process was first.
      await files.remove(uploaded.id, upstream);
      return await store.vendorFiles.find(file.id, account.id, now());
    } catch (error) {
      this.refusedAt.set(account.id, now());
      log.warn({ account: account.id, err: error }, 'a file could not be uploaded to its vendor; it goes in requests');
      return undefined;
    }
  }
}
