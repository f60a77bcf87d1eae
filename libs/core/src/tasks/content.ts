/** Streams a finished file to a caller: from our store, through the vendor's account, or from a stranger's address. */
import { GatewayError } from '@model-gateway/contracts';
import type { MediaFile } from '@model-gateway/provider-kit';
import type { StoredMedia, TaskRecord } from '../ports.ts';
import { discard, openLink } from './results.ts';
import type { AskedPart, Content, ContentOptions, FilePart, TaskParts } from './types.ts';

/** A vendor's word for what it sends of a file: `bytes 0-3/10`; the size may be unknown. */
const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/;
const SIZE_ONLY = /^bytes \*\/(\d{1,15})$/;
/** Asked for to learn a file's size. */
const FIRST_BYTE = 'bytes=0-0';
const MEDIA = /^(?:video|image|audio)\/[\w.+-]+$/;
/** A link that answers so has probably died. */
const DEAD = new Set([401, 403, 404, 410]);

export interface ContentOpener {
  open(task: TaskRecord, options: ContentOptions, signal: AbortSignal): Promise<Content>;
  openFile(fileId: string, part: AskedPart | undefined, signal: AbortSignal): Promise<Content>;
}

/** Makes the opener of one process. */
export function createContentOpener(parts: TaskParts): ContentOpener {
  const { store, now } = parts;

  const openFile = async (fileId: string, asked: AskedPart | undefined, signal: AbortSignal): Promise<Content> => {
    const file = await store.files.get(fileId);
    if (file === undefined || file.expiresAt <= now() || parts.blobs === undefined) {
      throw noFile();
    }
    const about = { mime: mediaType(file.mime), size: file.size, seekable: true, etag: `"${file.id}"` };
    const part = asked?.of(file.size);
    if (asked !== undefined && part === undefined) return { ...about, part: 'outside', body: nothing() };
    const bytes = part ?? { first: 0, last: file.size - 1 };
    const body = file.size === 0 ? nothing() : await parts.blobs.open(file.location, bytes, signal);
    return { ...about, ...(part !== undefined && { part }), body };
  };

  const openUrl = async (task: TaskRecord, at: number, range: string | undefined, signal: AbortSignal) => {
    const account = parts.catalogue().accounts.find(({ id, on }) => id === task.accountId && on);
    const handle = account === undefined ? undefined : parts.openAccount(account, task.upstreamModel, signal);
    const through =
      account === undefined || handle === undefined
        ? undefined
        : { upstream: handle.upstream, baseUrl: account.baseUrl };
    const headers = range === undefined ? {} : { range };

    const refreshed = async (): Promise<StoredMedia | undefined> => {
      const videos = handle?.adapter.videos;
      if (videos?.refresh === undefined || task.ticket === undefined || handle === undefined) return undefined;
      const fresh = (await videos.refresh(task.ticket, handle.upstream)).filter(isLink);
      if (fresh.length === 0) return undefined;
      const files = task.files.map((file, index) => (file.fileId === undefined ? (fresh[index] ?? file) : file));
      await store.tasks.saveFiles(task.id, files);
      return files[at];
    };
    const attempt = async (file: StoredMedia | undefined) => {
      if (file?.url === undefined) throw gone();
      const link = { url: file.url, ...(file.credentialed === true && { credentialed: true }) };
      return openLink(parts, link, through, { headers, signal });
    };

    const file = task.files[at];
    const expired = file?.expiresAt !== undefined && file.expiresAt * 1000 <= now();
    const early = expired ? await refreshed() : undefined;
    const reply = await attempt(early ?? file).catch((error: unknown) => {
      if (isDeadLink(error)) return undefined;
      throw unreachable(error);
    });
    if (reply !== undefined && !DEAD.has(reply.status)) return reply;
    if (reply !== undefined) discard(reply.body);
    const late = early === undefined ? await refreshed() : undefined;
    if (late === undefined) throw gone();
    return attempt(late);
  };

  /** The size of a vendor's file, asked for by its first byte; undefined when it cannot be had. */
  const sizeOf = async (task: TaskRecord, at: number, signal: AbortSignal): Promise<number | undefined> => {
    const reply = await openUrl(task, at, FIRST_BYTE, signal).catch(() => undefined);
    if (reply === undefined) return undefined;
    discard(reply.body);
    return sentPart(reply.headers)?.size;
  };

  const fromVendor = async (
    task: TaskRecord,
    at: number,
    asked: AskedPart | undefined,
    signal: AbortSignal,
  ): Promise<Content> => {
    const mime = mediaType(task.files[at]?.mime ?? '');
    const outside = (size: number): Content => ({ mime, size, part: 'outside', seekable: true, body: nothing() });
    const refused = async (error: GatewayError, known?: number): Promise<Content> => {
      // Some vendors have no word of their own for a part that lies outside.
      const size = asked === undefined ? undefined : (known ?? (await sizeOf(task, at, signal)));
      if (asked === undefined || size === undefined || asked.of(size) !== undefined) throw error;
      return outside(size);
    };
    let reply;
    try {
      reply = await openUrl(task, at, asked?.range, signal);
    } catch (error) {
      if (error instanceof GatewayError) return refused(error);
      throw error;
    }
    const { status, headers, body } = reply;
    if (status !== 200 && status !== 206) {
      discard(body);
      const size = SIZE_ONLY.exec(headers['content-range'] ?? '')?.[1];
      const error = new GatewayError('upstream_unavailable', `the vendor's file answered ${status}`);
      return refused(error, status === 416 && size !== undefined ? Number(size) : undefined);
    }
    const sent = status === 206 ? sentPart(headers) : undefined;
    if (status === 206 && sent === undefined) {
      discard(body);
      throw new GatewayError('upstream_malformed', "the vendor's file does not say which part of it was sent");
    }
    const { etag, 'content-length': length, 'accept-ranges': ranges } = headers;
    const size = sent === undefined ? wholeNumber(length) : sent.size;
    return {
      mime,
      ...(size !== undefined && { size }),
      ...(sent !== undefined && { part: sent.part }),
      ...((ranges !== undefined || sent !== undefined) && { seekable: ranges !== 'none' }),
      ...(etag !== undefined && { etag }),
      body,
    };
  };

  return {
    openFile,
    async open(task, options, signal) {
      if (task.state !== 'SUCCESS') {
        throw new GatewayError('invalid_request', `the video is not there: the task is ${task.state}`);
      }
      const at = indexOf(task.files, options.variant ?? 'video');
      const file = task.files[at];
      if (file === undefined) {
        throw new GatewayError('not_found', `the task has no ${options.variant ?? 'video'}`, { param: 'variant' });
      }
      if (file.fileId !== undefined) {
        const kept = await openFile(file.fileId, options.part, signal).catch((error: unknown) => {
          if (file.url !== undefined && error instanceof GatewayError && error.code === 'not_found') return undefined;
          throw error;
        });
        if (kept !== undefined) return kept;
      }
      return fromVendor(task, at, options.part, signal);
    },
  };
}

/** The answer for a kept file that is not there, or not any more. */
export function noFile(): GatewayError {
  return new GatewayError('not_found', 'there is no such file, or its time is over');
}

function isLink(file: MediaFile): file is Extract<MediaFile, { url: string }> {
  return 'url' in file;
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
  return new GatewayError('not_found', "the vendor's link to the video has died, and no copy was kept");
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty file has no chunks.
}
