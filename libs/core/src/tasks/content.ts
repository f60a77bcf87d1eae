/** Streams a finished file to a caller: from our store, through the vendor's account, or from a stranger's address. */
import { GatewayError } from '@model-gateway/contracts';
import type { MediaFile } from '@model-gateway/provider-kit';
import type { StoredMedia, TaskRecord } from '../ports.ts';
import { discard, openLink } from './results.ts';
import type { Content, ContentOptions, TaskParts } from './types.ts';

/** A single part of a file, as players ask for it. */
const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;
/** Nothing else of a stranger's reply reaches the caller. */
const COPIED = ['content-length', 'content-range', 'accept-ranges', 'etag'] as const;
const MEDIA = /^(?:video|image|audio)\/[\w.+-]+$/;
/** A link that answers so has probably died. */
const DEAD = new Set([401, 403, 404, 410]);

export interface ContentOpener {
  open(task: TaskRecord, options: ContentOptions, signal: AbortSignal): Promise<Content>;
  openFile(fileId: string, range: string | undefined, signal: AbortSignal): Promise<Content>;
}

/** Makes the opener of one process. */
export function createContentOpener(parts: TaskParts): ContentOpener {
  const { store, now } = parts;

  const openFile = async (fileId: string, range: string | undefined, signal: AbortSignal): Promise<Content> => {
    const file = await store.files.get(fileId);
    if (file === undefined || file.expiresAt <= now() || parts.blobs === undefined) {
      throw noFile();
    }
    const headers = { 'content-type': mediaType(file.mime), 'accept-ranges': 'bytes', etag: `"${file.id}"` };
    const part = rangeOf(range, file.size);
    if (part === 'unsatisfiable') {
      return {
        status: 416,
        headers: { ...headers, 'content-range': `bytes */${file.size}`, 'content-length': '0' },
        body: nothing(),
      };
    }
    const { first, last } = part ?? { first: 0, last: file.size - 1 };
    return {
      status: part === undefined ? 200 : 206,
      headers: {
        ...headers,
        'content-length': String(last - first + 1),
        ...(part !== undefined && { 'content-range': `bytes ${first}-${last}/${file.size}` }),
      },
      body: file.size === 0 ? nothing() : await parts.blobs.open(file.location, { first, last }, signal),
    };
  };

  const openUrl = async (task: TaskRecord, at: number, options: ContentOptions, signal: AbortSignal) => {
    const account = parts.catalogue().accounts.find(({ id, on }) => id === task.accountId && on);
    const handle = account === undefined ? undefined : parts.openAccount(account, task.upstreamModel, signal);
    const through =
      account === undefined || handle === undefined
        ? undefined
        : { upstream: handle.upstream, baseUrl: account.baseUrl };
    const headers = options.range !== undefined && ONE_RANGE.test(options.range) ? { range: options.range } : {};

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
        const kept = await openFile(file.fileId, options.range, signal).catch((error: unknown) => {
          if (file.url !== undefined && error instanceof GatewayError && error.code === 'not_found') return undefined;
          throw error;
        });
        if (kept !== undefined) return kept;
      }
      const reply = await openUrl(task, at, options, signal);
      if (reply.status !== 200 && reply.status !== 206 && reply.status !== 416) {
        discard(reply.body);
        throw new GatewayError('upstream_unavailable', `the vendor's file answered ${reply.status}`);
      }
      const headers: Record<string, string> = { 'content-type': mediaType(file.mime) };
      for (const name of COPIED) {
        const value = reply.headers[name];
        if (value !== undefined) headers[name] = value;
      }
      return { status: reply.status, headers, body: reply.body };
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

function rangeOf(
  header: string | undefined,
  size: number,
): { readonly first: number; readonly last: number } | 'unsatisfiable' | undefined {
  const match = header === undefined ? null : ONE_RANGE.exec(header);
  if (match === null) return undefined;
  const [, from = '', to = '', suffix] = match;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first >= size) return 'unsatisfiable';
  return last < first ? undefined : { first, last };
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
