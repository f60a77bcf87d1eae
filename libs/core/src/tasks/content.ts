/** Streams a finished file to a caller: from our store, through the vendor's account, or from a stranger's address. */
import { GatewayError } from '@model-gateway/contracts';
import type { StoredMedia, TaskRecord } from '../ports.ts';
import { discard, openLink } from './results.ts';
import type { AskedPart, Content, ContentOptions, FilePart, TaskParts, UpstreamHandle } from './types.ts';

/** A vendor's word for what it sends of a file: `bytes 0-3/10`; the size may be unknown. */
const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/;
const SIZE_ONLY = /^bytes \*\/(\d{1,15})$/;
/** Asked for to learn a file's size. */
const FIRST_BYTE = 'bytes=0-0';
const MEDIA = /^(?:video|image|audio)\/[\w.+-]+$/;
/** A link that answers so has probably died. */
const DEAD = new Set([401, 403, 404, 410]);

type Reply = Awaited<ReturnType<typeof openLink>>;

/** Opens finished files. */
export class ContentOpener {
  private readonly parts: TaskParts;

  constructor(parts: TaskParts) {
    this.parts = parts;
  }

  /** A file of an ended task; throws `invalid_request` before its end, `not_found` where it has no such file. */
  async open(task: TaskRecord, options: ContentOptions, signal: AbortSignal): Promise<Content> {
    if (task.state !== 'SUCCESS') {
      throw new GatewayError('invalid_request', `there is no video: the task is ${task.state}`);
    }
    const at = options.video === undefined ? indexOf(task.files, options.variant ?? 'video') : options.video;
    const file = task.files[at];
    if (file === undefined) {
      throw new GatewayError('not_found', `the task has no ${options.variant ?? 'video'}`, { param: 'variant' });
    }
    if (file.fileId !== undefined) {
      const kept = await this.openFile(file.fileId, options.part, signal).catch((error: unknown) => {
        if (file.url !== undefined && error instanceof GatewayError && error.code === 'not_found') return undefined;
        throw error;
      });
      if (kept !== undefined) return kept;
    }
    return new VendorFile(this.parts, task, at, signal).open(options.part);
  }

  /** A file that is kept here; `not_found` where it is not, any more. */
  async openFile(fileId: string, asked: AskedPart | undefined, signal: AbortSignal): Promise<Content> {
    const { store, now, blobs } = this.parts;
    const file = await store.files.get(fileId);
    if (file === undefined || file.expiresAt <= now() || blobs === undefined) throw noFile();
    const about = { mime: mediaType(file.mime), size: file.size, seekable: true, etag: `"${file.id}"` };
    const part = asked?.of(file.size);
    if (asked !== undefined && part === undefined) return { ...about, part: 'outside', body: nothing() };
    const bytes = part ?? { first: 0, last: file.size - 1 };
    const body = file.size === 0 ? nothing() : await blobs.open(file.location, bytes, signal);
    return { ...about, ...(part !== undefined && { part }), body };
  }
}

/** A file that its vendor keeps, for one caller. */
class VendorFile {
  private readonly parts: TaskParts;
  private readonly task: TaskRecord;
  private readonly index: number;
  private readonly signal: AbortSignal;

  constructor(parts: TaskParts, task: TaskRecord, index: number, signal: AbortSignal) {
    this.parts = parts;
    this.task = task;
    this.index = index;
    this.signal = signal;
  }

  async open(asked: AskedPart | undefined): Promise<Content> {
    let reply: Reply;
    try {
      reply = await this.request(asked?.range);
    } catch (error) {
      if (error instanceof GatewayError) return this.outsideOrThrow(error, asked);
      throw error;
    }
    const { status, headers, body } = reply;
    if (status !== 200 && status !== 206) {
      discard(body);
      const size = SIZE_ONLY.exec(headers['content-range'] ?? '')?.[1];
      const error = new GatewayError('upstream_unavailable', `the vendor's file answered ${status}`);
      return this.outsideOrThrow(error, asked, status === 416 && size !== undefined ? Number(size) : undefined);
    }
    const sent = status === 206 ? sentPart(headers) : undefined;
    if (status === 206 && sent === undefined) {
      discard(body);
      throw new GatewayError('upstream_malformed', "the vendor's file does not say which part of it was sent");
    }
    const { etag, 'content-length': length, 'accept-ranges': ranges } = headers;
    const size = sent === undefined ? wholeNumber(length) : sent.size;
    return {
      mime: this.mime(),
      ...(size !== undefined && { size }),
      ...(sent !== undefined && { part: sent.part }),
      ...((ranges !== undefined || sent !== undefined) && { seekable: ranges !== 'none' }),
      ...(etag !== undefined && { etag }),
      body,
    };
  }

  private mime(): string {
    return mediaType(this.task.files[this.index]?.mime ?? '');
  }

  /** Some vendors have no word of their own for a part that lies outside. */
  private async outsideOrThrow(error: GatewayError, asked: AskedPart | undefined, known?: number): Promise<Content> {
    const size = asked === undefined ? undefined : (known ?? (await this.size()));
    if (asked === undefined || size === undefined || asked.of(size) !== undefined) throw error;
    return { mime: this.mime(), size, part: 'outside', seekable: true, body: nothing() };
  }

  /** The size of the file, asked for by its first byte; undefined when it cannot be had. */
  private async size(): Promise<number | undefined> {
    const reply = await this.request(FIRST_BYTE).catch(() => undefined);
    if (reply === undefined) return undefined;
    discard(reply.body);
    return sentPart(reply.headers)?.size;
  }

  /** Asks at the file's link, and at a new one where that has died and the vendor gives another. */
  private async request(range: string | undefined): Promise<Reply> {
    const { parts, task, signal } = this;
    const account = parts.catalogue().accounts.find(({ id, on }) => id === task.accountId && on);
    const handle =
      account === undefined ? undefined : { account, ...parts.openAccount(account, task.upstreamModel, signal) };
    const file = task.files[this.index];
    const isExpired = file?.expiresAt !== undefined && file.expiresAt * 1000 <= parts.now();
    const early = isExpired ? await this.refresh(handle) : undefined;
    const reply = await this.follow(early ?? file, handle, range).catch((error: unknown) => {
      if (isDeadLink(error)) return undefined;
      throw unreachable(error);
    });
    if (reply !== undefined && !DEAD.has(reply.status)) return reply;
    if (reply !== undefined) discard(reply.body);
    const late = early === undefined ? await this.refresh(handle) : undefined;
    if (late === undefined) throw gone();
    return this.follow(late, handle, range);
  }

  private follow(
    file: StoredMedia | undefined,
    handle: VendorHandle | undefined,
    range: string | undefined,
  ): Promise<Reply> {
    if (file?.url === undefined) return Promise.reject(gone());
    const link = { url: file.url, ...(file.credentialed === true && { credentialed: true }) };
    const through = handle && { upstream: handle.upstream, baseUrl: handle.account.baseUrl };
    const headers = range === undefined ? {} : { range };
    return openLink(this.parts, link, through, { headers, signal: this.signal });
  }

  /** Asks the vendor for new links, and keeps them. Undefined where it has none to give. */
  private async refresh(handle: VendorHandle | undefined): Promise<StoredMedia | undefined> {
    const { task } = this;
    const videos = handle?.adapter.videos;
    if (videos?.refresh === undefined || task.ticket === undefined || handle === undefined) return undefined;
    const fresh = (await videos.refresh(task.ticket, handle.upstream)).filter((file) => 'url' in file);
    if (fresh.length === 0) return undefined;
    const files = task.files.map((file, index) => (file.fileId === undefined ? (fresh[index] ?? file) : file));
    await this.parts.store.tasks.saveFiles(task.id, files);
    return files[this.index];
  }
}

type VendorHandle = Omit<UpstreamHandle, 'ticket'>;

/** The answer for a kept file that is not there, or not any more. */
export function noFile(): GatewayError {
  return new GatewayError('not_found', 'there is no such file, or it has expired');
}

/** Which of the files a variant names: the video is the first one, a thumbnail the first picture. */
function indexOf(files: readonly StoredMedia[], variant: string): number {
  if (variant === 'video') return 0;
  return files.findIndex(({ mime }, index) => index > 0 && mime.startsWith('image/') && variant === 'thumbnail');
}

/** The vendor's word for the type is not passed on: a file must not become a page on our address. */
function mediaType(mime: string): string {
  return MEDIA.test(mime) && mime !== 'image/svg+xml' ? mime : 'application/octet-stream';
}

/** Which part of a file a vendor sends. */
function sentPart(
  headers: Readonly<Record<string, string>>,
): { readonly part: FilePart; readonly size: number | undefined } | undefined {
  const [, first, last, size] = CONTENT_RANGE.exec(headers['content-range'] ?? '') ?? [];
  if (first === undefined || last === undefined) return undefined;
  return { part: { first: Number(first), last: Number(last) }, size: wholeNumber(size) };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function isDeadLink(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  return ['upstream_rejected_key', 'task_not_exist', 'not_found', 'invalid_request'].includes(error.code);
}

function unreachable(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('upstream_unavailable', "the vendor's file could not be opened", { cause: error });
}

function gone(): GatewayError {
  return new GatewayError('not_found', "the vendor's link to the video has expired, and no copy was kept");
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty file has no chunks.
}
