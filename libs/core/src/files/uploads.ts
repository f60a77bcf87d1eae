/** Files that are sent in parts: begun, sent, put together or given up. What is left open goes after an hour. */
import { createHash } from 'node:crypto';
import { GatewayError } from '@model-gateway/contracts';
import type { Parts } from '../parts.ts';
import type { Tenant, UploadedFileRecord, UploadedFileStore, UploadPart, UploadRecord } from '../ports.ts';
import { filenameOf } from './file-facts.ts';
import type { FileFacts, NewFile, UploadedFiles } from './uploaded-files.ts';

const OPEN_MS = 3_600_000;
const MOST_OPEN = 100;
const POSITION_DIGITS = 16;

export type NewUpload = Pick<UploadRecord, 'filename' | 'purpose' | 'mime' | 'size' | 'keepSeconds'>;
/** How an upload becomes a file. */
export interface Completion {
  /** The parts in their order; absent: by the position that they were sent for. */
  readonly partIds?: readonly string[];
  /** Of the whole file, hexadecimal. */
  readonly md5?: string;
  readonly facts: FileFacts;
}

export class Uploads {
  private readonly parts: Pick<Parts, 'store' | 'now' | 'randomId'>;
  private readonly files: UploadedFiles;
  /** Those that are being put together: twice at once would take the room of two. */
  private readonly completing = new Set<string>();

  constructor(parts: Pick<Parts, 'store' | 'now' | 'randomId'>, files: UploadedFiles) {
    this.parts = parts;
    this.files = files;
  }

  /** Begins an upload. Throws `body_too_large`, and `rate_limited` where the owner has left too many open. */
  async create({ ownerId, mode }: Tenant, upload: NewUpload): Promise<UploadRecord> {
    const { store, now, randomId } = this.parts;
    if ((upload.size ?? 0) > this.files.largest)
      throw new GatewayError('body_too_large', `a file may have ${this.files.largest} bytes`, { param: 'bytes' });
    const record: UploadRecord = {
      ...upload,
      filename: filenameOf(upload.filename),
      ...{ id: `upload_gw${randomId().toLowerCase()}`, ownerId, mode, status: 'pending' },
      ...{ createdAt: now(), expiresAt: now() + OPEN_MS },
    };
    if (await store.uploadedFiles.createUpload(record, MOST_OPEN)) return record;
    throw new GatewayError(
      'rate_limited',
      `your account has ${MOST_OPEN} uploads open; complete or cancel some, or wait until they expire`,
      { retryAfterSeconds: 60 },
    );
  }

  /** Throws `not_found`, for another owner's too. */
  async get(tenant: Tenant, id: string): Promise<UploadRecord> {
    const found = /^upload_gw\w{1,100}$/.test(id)
      ? await this.parts.store.uploadedFiles.findUpload(tenant, id)
      : undefined;
    if (found !== undefined && (found.status !== 'pending' || found.expiresAt > this.parts.now())) return found;
    throw new GatewayError(
      'not_found',
      `there is no upload '${id.slice(0, 100)}'; it has expired, or belongs to another owner`,
      { param: 'upload_id' },
    );
  }

  /** Adds a part; `position`: where it begins, where parts have an order of their own. */
  async addPart(
    tenant: Tenant,
    id: string,
    { body, announced, position }: Pick<NewFile, 'body' | 'announced'> & { readonly position?: number },
  ): Promise<UploadPart> {
    const upload = await this.pending(tenant, id);
    const most = upload.size ?? this.files.largest;
    if ((announced ?? 0) > most) throw partTooLarge(most);
    const placed = position === undefined ? '' : String(position).padStart(POSITION_DIGITS, '0');
    return this.files.createPart(upload, { body: atMost(body, most), announced, position: placed });
  }

  /** Bytes that have come in a row from the beginning on. */
  async received(id: string): Promise<number> {
    return inARow(await this.partsOf(id)).reduce((sum, { size }) => sum + size, 0);
  }

  /** Puts the parts together. Throws `invalid_request` where they are not the file that was announced. */
  async complete(tenant: Tenant, id: string, completion: Completion): Promise<UploadedFileRecord> {
    const upload = await this.pending(tenant, id);
    if (this.completing.has(id)) throw new GatewayError('conflict', 'this upload is being completed');
    this.completing.add(id);
    try {
      return await this.putTogether(upload, completion);
    } finally {
      this.completing.delete(id);
    }
  }

  /** Gives it up. Throws `invalid_request` where it has ended. */
  async cancel(tenant: Tenant, id: string): Promise<UploadRecord> {
    const upload = await this.pending(tenant, id);
    if (await this.end(id, { status: 'cancelled' })) return { ...upload, status: 'cancelled' };
    throw ended(await this.get(tenant, id));
  }

  private async pending(tenant: Tenant, id: string): Promise<UploadRecord> {
    const upload = await this.get(tenant, id);
    if (upload.status === 'pending') return upload;
    throw ended(upload);
  }

  /** The bytes of its parts go at once: their room is given to others. False where it has ended already. */
  private async end(id: string, how: Parameters<UploadedFileStore['endUpload']>[1]): Promise<boolean> {
    const { store, now } = this.parts;
    const parts = await this.partsOf(id);
    if (!(await store.uploadedFiles.endUpload(id, how, now()))) return false;
    for (const { location } of parts) await this.files.removeBytes(location);
    return true;
  }

  private partsOf(id: string): Promise<readonly UploadPart[]> {
    return this.parts.store.uploadedFiles.parts(id, this.parts.now());
  }

  private async putTogether(upload: UploadRecord, { partIds, md5, facts }: Completion): Promise<UploadedFileRecord> {
    const come = await this.partsOf(upload.id);
    const chosen = partIds === undefined ? inARow(come) : named(partIds, come);
    const size = chosen.reduce((sum, part) => sum + part.size, 0);
    if (upload.size !== undefined && size !== upload.size)
      throw new GatewayError(
        'invalid_request',
        `the parts have ${size} bytes, but the upload was created for ${upload.size}`,
        {
          param: 'bytes',
        },
      );
    const file = await this.files.create(upload, {
      body: this.joined(chosen, md5),
      facts,
      announced: size,
      isCopy: true,
    });
    if (await this.end(upload.id, { status: 'completed', fileId: file.id })) return file;
    await this.files.remove(upload, file.id);
    throw new GatewayError('conflict', 'the upload was completed or cancelled meanwhile');
  }

  private async *joined(parts: readonly UploadPart[], md5: string | undefined): AsyncGenerator<Uint8Array> {
    const hash = md5 === undefined ? undefined : createHash('md5');
    for (const part of parts)
      for await (const chunk of await this.files.open(part)) {
        hash?.update(chunk);
        yield chunk;
      }
    if (hash !== undefined && hash.digest('hex') !== md5?.toLowerCase())
      throw new GatewayError('invalid_request', 'md5 does not match the parts', { param: 'md5' });
  }
}

/** Those that follow each other from the beginning on: what was sent twice counts once. */
function inARow(parts: readonly UploadPart[]): readonly UploadPart[] {
  let end = 0;
  return parts.filter(({ position, size }) => {
    if (Number(position) !== end) return false;
    end += size;
    return true;
  });
}

function named(ids: readonly string[], come: readonly UploadPart[]): readonly UploadPart[] {
  const byId = new Map(come.map((part) => [part.id, part]));
  const chosen = ids.flatMap((id) => byId.get(id) ?? []);
  if (chosen.length === ids.length && new Set(ids).size === ids.length) return chosen;
  throw new GatewayError('invalid_request', 'part_ids must name each part once, and only parts of this upload', {
    param: 'part_ids',
  });
}

function ended({ status }: UploadRecord): GatewayError {
  return new GatewayError('invalid_request', `the upload is ${status}`, { param: 'upload_id' });
}

async function* atMost(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) throw partTooLarge(most);
    yield chunk;
  }
}

function partTooLarge(most: number): GatewayError {
  return new GatewayError('body_too_large', `this part is larger than ${most} bytes`, { param: 'data' });
}
