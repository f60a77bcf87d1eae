/** Files that callers upload, and those that the gateway writes for them: one owner's in one mode, under an id, until they are deleted or expire. */
import { createHash } from 'node:crypto';
import { GatewayError } from '@model-gateway/contracts';
import type { Parts } from '../parts.ts';
import type {
  FileRoom,
  RoomFault,
  Tenant,
  UploadedFileQuery,
  UploadedFileRecord,
  UploadPart,
  UploadRecord,
} from '../ports.ts';
import type { BlobStore } from '../tasks/types.ts';
import { filenameOf, HEAD_BYTES, mimeOf } from './file-facts.ts';

/** The expiry of what is kept until it is deleted. */
export const NEVER = Number.MAX_SAFE_INTEGER;
/** An arriving file that has not been heard of for so long is the leftover of a process that died. */
const ARRIVING_MS = 3_600_000;
/** Room is set aside in such steps where nobody has said how many bytes will come. */
const STEP_BYTES = 16 * 1024 * 1024;
/** Upload, conversion and list know the same file by `file-gw…` (OpenAI), `file_gw…` (Anthropic) and `files/gw…` (Google). */
const ID = /^(?:file[-_]|(?:https?:\/\/[^\s?#]{1,500}\/v1(?:beta|alpha)?\/)?files\/)?(gw[a-z0-9]{20,40})$/;

/** What is said of a file when its last byte has come. */
export interface FileFacts {
  readonly filename: string;
  readonly purpose: string;
  /** What its owner calls its type: believed of texts, which cannot be recognised by their bytes. */
  readonly mime?: string;
  /** Milliseconds since 1970; absent: it is kept until it is deleted. */
  readonly expiresAt?: number;
}
export interface NewFile {
  /** Its bytes, as they come: never more than a chunk of them is in memory. At least one chunk must come in half an hour. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Asked for when the last byte has come: in a form the fields may stand behind the file. */
  readonly facts: FileFacts | (() => FileFacts | Promise<FileFacts>);
  /** At most so many bytes come, where that is known. */
  readonly announced?: number | undefined;
  /** It is made of files that have their room and go when it is there: it takes none. */
  readonly isCopy?: boolean | undefined;
}
type Receiving = Pick<NewFile, 'body' | 'announced' | 'isCopy'>;
const BOUNDLESS: FileRoom = { bytes: Number.MAX_SAFE_INTEGER, files: Number.MAX_SAFE_INTEGER };

export interface UploadedFilesOptions extends Pick<Parts, 'store' | 'now' | 'randomId' | 'log'> {
  readonly blobs: BlobStore;
  /** Bytes of one file. */
  readonly largest: number;
  /** Of one owner and mode. */
  readonly room: FileRoom;
}

/** The canonical id, of any of its spellings; undefined for what can be no id of the gateway's. */
export function uploadedFileId(text: string): string | undefined {
  const [, own] = ID.exec(text) ?? [];
  return own === undefined ? undefined : `file-${own}`;
}

export class UploadedFiles {
  private readonly options: UploadedFilesOptions;

  constructor(options: UploadedFilesOptions) {
    this.options = options;
  }

  /** Bytes that one file may have. */
  get largest(): number {
    return this.options.largest;
  }

  /**
   * Keeps a file. Throws `body_too_large`, `insufficient_quota` where the owner's files fill their room, and what `body` throws, with nothing
   * left behind; what a killed process leaves goes with the next sweep but an hour.
   */
  create(tenant: Tenant, { body, facts, announced, isCopy }: NewFile): Promise<UploadedFileRecord> {
    const { store } = this.options;
    return this.receive(tenant, { body, announced, isCopy }, async ({ id, createdAt }, written) => {
      const { filename, purpose, mime, expiresAt = NEVER } = await (typeof facts === 'function' ? facts() : facts);
      const file: UploadedFileRecord = {
        ...{ id, createdAt, expiresAt, purpose },
        ...{ ownerId: tenant.ownerId, mode: tenant.mode },
        ...{ size: written.size, digest: written.digest, location: written.location },
        filename: filenameOf(filename),
        mime: await mimeOf(written.head, { declared: mime, filename }),
      };
      return (await store.uploadedFiles.finish(file)) ? file : undefined;
    });
  }

  /** Keeps a part of an upload, which goes with it. Throws as `create`. */
  createPart(
    upload: Pick<UploadRecord, 'id' | 'ownerId' | 'mode'>,
    { body, announced, position }: Pick<NewFile, 'body' | 'announced'> & Pick<UploadPart, 'position'>,
  ): Promise<UploadPart> {
    const { store } = this.options;
    return this.receive(upload, { body, announced }, async ({ id, createdAt }, { size, location }) => {
      const part = { id, createdAt, size, location, position };
      return (await store.uploadedFiles.finishPart({ ...part, uploadId: upload.id })) ? part : undefined;
    });
  }

  private async receive<Kept>(
    tenant: Tenant,
    { body, announced = 0, isCopy = false }: Receiving,
    finish: (arriving: Arriving, written: Written) => Promise<Kept | undefined>,
  ): Promise<Kept> {
    const room = isCopy ? BOUNDLESS : this.options.room;
    const arriving = await this.beginArrival(tenant, announced, room);
    try {
      const kept = await finish(arriving, await this.write(arriving, body, room));
      if (kept !== undefined) return kept;
      throw new GatewayError('unavailable', 'the upload took too long and was cancelled; send the file again');
    } catch (error) {
      await this.discard(arriving);
      throw error;
    }
  }

  /** Throws `not_found`, for another owner's too. */
  async get(tenant: Tenant, id: string): Promise<UploadedFileRecord> {
    const own = uploadedFileId(id);
    const found =
      own === undefined ? undefined : await this.options.store.uploadedFiles.find(tenant, own, this.options.now());
    if (found === undefined) throw noSuchFile(id);
    return found;
  }

  /** A page of them. Throws `invalid_request` where it begins at a file that is none of theirs. */
  async list(
    tenant: Tenant,
    { after, before, ...query }: UploadedFileQuery,
  ): Promise<{ readonly files: readonly UploadedFileRecord[]; readonly hasMore: boolean }> {
    const given = after ?? before;
    const found = await this.options.store.uploadedFiles.list(
      tenant,
      {
        ...query,
        ...(after !== undefined && { after: uploadedFileId(after) ?? '' }),
        ...(before !== undefined && { before: uploadedFileId(before) ?? '' }),
      },
      this.options.now(),
    );
    if (found === undefined)
      throw new GatewayError('invalid_request', `there is no file '${String(given).slice(0, 100)}' to start from`, {
        param: after === undefined ? 'before' : 'after',
      });
    const isBackwards = before !== undefined && after === undefined;
    const { limit } = query;
    return {
      files: isBackwards ? found.slice(-limit) : found.slice(0, limit),
      hasMore: found.length > limit,
    };
  }

  /** The bytes of a file, or those of the range. */
  async open(
    { location, size }: Pick<UploadedFileRecord, 'location' | 'size'>,
    { signal, ...range }: { readonly first?: number; readonly last?: number; readonly signal?: AbortSignal } = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    if (size === 0) return nothing();
    return this.options.blobs.open(location, { first: range.first ?? 0, last: range.last ?? size - 1 }, signal);
  }

  /** Deletes a file: it is gone at once. Throws `not_found`. */
  async remove(tenant: Tenant, id: string): Promise<UploadedFileRecord> {
    const { store, now } = this.options;
    const own = uploadedFileId(id);
    const file = own === undefined ? undefined : await store.uploadedFiles.end(tenant, own, now());
    if (file === undefined) throw noSuchFile(id);
    await this.removeBytes(file.location);
    return file;
  }

  private async beginArrival(tenant: Tenant, announced: number, room: FileRoom): Promise<Arriving> {
    const { store, now, randomId, blobs, largest } = this.options;
    if (announced > largest) throw tooLarge(largest);
    const own = randomId().toLowerCase();
    const file: Arriving = {
      ...{ id: `file-gw${own}`, location: blobs.locate(`upload_${own}.bin`), name: `upload_${own}.bin` },
      ...{ ownerId: tenant.ownerId, mode: tenant.mode, size: announced },
      ...{ createdAt: now(), expiresAt: now() + ARRIVING_MS },
    };
    const fault = await store.uploadedFiles.begin(file, room, now());
    if (fault !== undefined) throw noRoom(fault, room);
    return file;
  }

  private async write(arriving: Arriving, body: AsyncIterable<Uint8Array>, room: FileRoom): Promise<Written> {
    const { store, now, blobs, largest } = this.options;
    const hash = createHash('sha256');
    const head: Uint8Array[] = [];
    let headSize = 0;
    let size = 0;
    let aside = arriving.size;
    let renewAt = now() + ARRIVING_MS / 2;
    const { id, ownerId, mode } = arriving;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of body) {
        size += chunk.byteLength;
        if (size > largest) throw tooLarge(largest);
        if (size > aside || now() > renewAt) {
          if (size > aside) aside = Math.min(size + STEP_BYTES, Math.max(size, largest));
          const expiresAt = now() + ARRIVING_MS;
          const fault = await store.uploadedFiles.grow({ id, ownerId, mode, size: aside, expiresAt }, room, now());
          if (fault !== undefined) throw noRoom(fault, room);
          renewAt = now() + ARRIVING_MS / 2;
        }
        hash.update(chunk);
        if (headSize < HEAD_BYTES) head.push(Uint8Array.from(chunk.subarray(0, HEAD_BYTES - headSize)));
        headSize += chunk.byteLength;
        yield chunk;
      }
    }
    const { location } = await blobs.put(arriving.name, 'application/octet-stream', counted());
    return { location, size, digest: hash.digest('hex'), head: Buffer.concat(head) };
  }

  private async discard({ id, location }: Pick<Arriving, 'id' | 'location'>): Promise<void> {
    const { store, now, log } = this.options;
    await this.removeBytes(location);
    await store.uploadedFiles
      .discard(id, now())
      .catch((error: unknown) => log.warn({ file: id, err: error }, 'an upload that broke off is removed later'));
  }

  /** The bytes of what is over. What fails is done by the sweep. */
  async removeBytes(location: string): Promise<void> {
    await this.options.blobs
      .remove(location)
      .catch((error: unknown) => this.options.log.warn({ err: error }, 'a deleted file is removed later'));
  }
}

interface Arriving extends Tenant {
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly size: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}
interface Written {
  readonly location: string;
  readonly size: number;
  readonly digest: string;
  readonly head: Buffer;
}

/** The same words for another's and for nobody's. */
export function noSuchFile(id: string, param = 'file_id'): GatewayError {
  return new GatewayError(
    'not_found',
    `there is no file '${id.slice(0, 100)}'; it was deleted, has expired, or belongs to another owner`,
    { param, taken: 'no' },
  );
}

function tooLarge(largest: number): GatewayError {
  return new GatewayError('body_too_large', `the file is larger than ${Math.floor(largest / 1024 / 1024)} MB`, {
    param: 'file',
  });
}

function noRoom(fault: RoomFault, { bytes, files }: FileRoom): GatewayError {
  const bound = fault === 'files' ? `${files} files` : `${Math.floor(bytes / 1024 / 1024)} MB of files`;
  return new GatewayError(
    'insufficient_quota',
    `your account may keep ${bound} here, and this one does not fit; delete files that you no longer need`,
  );
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty file has no chunks.
}
