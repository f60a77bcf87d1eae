/** Finished files: kept by us where the vendor hands over bytes or the operator wants copies, else remembered as links. */
import { Readable } from 'node:stream';
import { GatewayError } from '@model-gateway/contracts';
import { inOnePiece, type MediaFile, type Upstream } from '@model-gateway/provider-kit';
import type { FileRecord, StoredMedia, TaskRecord } from '../ports.ts';
import { messageOf } from './submit.ts';
import type { TaskParts, UpstreamHandle } from './types.ts';

const KEEP_HOURS = 168;
/** A link that nobody can renew and that ends sooner is copied, whether or not the operator wants copies: who comes in an hour finds the file. */
const SHORT_LIFE_SECONDS = 7200;
/** A copy that takes longer is given up, and the vendor's link stands. */
const COPY_MS = 120_000;
const EXPIRED_AT_ONCE = 100;
const MOST_BATCHES = 100;
const ENDINGS: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
};

export interface ResultFiles {
  /** The files as they will be stored with the task. */
  keep(task: TaskRecord, files: readonly MediaFile[], handle: UpstreamHandle): Promise<StoredMedia[]>;
  /** Throws away kept files whose time is over; returns how many. */
  sweep(): Promise<number>;
  /** The longest `keep` may take, milliseconds. */
  readonly longestMs: number;
}

/** Opens a finished file's link: through the account when it needs its key or lies at its address, else as a stranger's. */
export async function openLink(
  parts: Pick<TaskParts, 'untrustedFetcher'>,
  file: { readonly url: string; readonly credentialed?: boolean },
  through: { readonly upstream: Upstream; readonly baseUrl: string } | undefined,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}> {
  if (through !== undefined && (file.credentialed === true || sameOrigin(file.url, through.baseUrl))) {
    return through.upstream.stream({ method: 'GET', path: '', url: file.url, headers: options.headers });
  }
  return parts.untrustedFetcher.open(file.url, options);
}

/** Closes a reply that nobody will read. */
export function discard(body: AsyncIterable<Uint8Array>): void {
  // Closing early counts as an error for the stream; here it is the intention.
  if (body instanceof Readable) body.on('error', () => undefined).destroy();
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** Makes the handler of one process. */
export function createResultFiles(parts: TaskParts): ResultFiles {
  return new KeptResultFiles(parts);
}

class KeptResultFiles implements ResultFiles {
  readonly longestMs: number;
  private readonly parts: TaskParts;
  private readonly copies: boolean;
  private readonly lifeMs: number;

  constructor(parts: TaskParts) {
    const { blobs, settings } = parts;
    this.longestMs = blobs === undefined ? 0 : COPY_MS * 2;
    this.parts = parts;
    this.copies = settings.copyResults === true && blobs !== undefined;
    this.lifeMs = (settings.keepFilesHours ?? KEEP_HOURS) * 3_600_000;
  }

  keep(task: TaskRecord, files: readonly MediaFile[], handle: UpstreamHandle): Promise<StoredMedia[]> {
    return Promise.all(files.map((file) => this.keepOne(task, file, handle)));
  }

  readonly sweep = async (): Promise<number> => {
    const { store, blobs, now } = this.parts;
    if (blobs === undefined) return 0;
    let removed = 0;
    let last: FileRecord | undefined;
    // As many as there are, in bounded batches: an owner may delete thousands at once.
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      const expired = await store.files.expired(now(), EXPIRED_AT_ONCE, last);
      const gone = await this.remove(expired, blobs);
      await store.files.forget(gone);
      removed += gone.length;
      // What could not be removed is tried again by the next sweep; where nothing can be, the place is away.
      if (expired.length < EXPIRED_AT_ONCE || gone.length === 0) break;
      last = expired.at(-1);
    }
    return removed;
  };

  /** The ids of those that are gone. */
  private async remove(files: readonly FileRecord[], blobs: NonNullable<TaskParts['blobs']>): Promise<string[]> {
    const gone: string[] = [];
    for (const file of files) {
      await blobs.remove(file.location).then(
        () => gone.push(file.id),
        (error: unknown) => this.parts.log.warn({ file: file.id, error }, 'an expired file could not be removed'),
      );
    }
    return gone;
  }

  private async keepOne(task: TaskRecord, file: MediaFile, handle: UpstreamHandle): Promise<StoredMedia> {
    if ('bytes' in file) {
      const { bytes, ...rest } = file;
      return { ...rest, fileId: await this.put(task, file.mime, inOnePiece(bytes)) };
    }
    const fileId = this.copies || this.endsSoon(file, handle) ? await this.copy(task, file, handle) : undefined;
    return fileId === undefined ? file : { ...file, fileId };
  }

  private endsSoon({ expiresAt = Infinity }: { readonly expiresAt?: number }, { adapter }: UpstreamHandle): boolean {
    const { blobs, now } = this.parts;
    return (
      blobs !== undefined && adapter.videos?.refresh === undefined && expiresAt - now() / 1000 < SHORT_LIFE_SECONDS
    );
  }

  private async copy(
    task: TaskRecord,
    file: Extract<MediaFile, { url: string }>,
    handle: UpstreamHandle,
  ): Promise<string | undefined> {
    try {
      const through = { upstream: handle.upstream, baseUrl: handle.account.baseUrl };
      const signal = AbortSignal.timeout(COPY_MS);
      const reply = await openLink(this.parts, file, through, { headers: {}, signal });
      if (reply.status !== 200) {
        discard(reply.body);
        throw new GatewayError('upstream_unavailable', `the link answered ${reply.status}`);
      }
      return await this.put(task, file.mime, bounded(reply.body, signal));
    } catch (error) {
      const reason = messageOf(error);
      this.parts.log.warn({ task: task.id, reason }, 'a finished file could not be copied; its link stands');
      return undefined;
    }
  }

  private async put(task: TaskRecord, mime: string, body: AsyncIterable<Uint8Array>): Promise<string> {
    const { store, blobs, now } = this.parts;
    if (blobs === undefined) {
      throw new GatewayError('internal', 'the vendor sent the file itself, and no file storage is configured');
    }
    const id = this.parts.randomId();
    const { location, size } = await blobs.put(`${id}.${ENDINGS[mime] ?? 'bin'}`, mime, body);
    await store.files.create({
      id,
      ownerId: task.ownerId,
      mode: task.mode,
      taskId: task.id,
      mime,
      size,
      location,
      createdAt: now(),
      expiresAt: now() + this.lifeMs,
    });
    return id;
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** Makes what gives the address of a result: the vendor's link, or our own when the file is kept here or its link needs the vendor's key; empty before SUCCESS, and where one beyond the first has no address of its own. */
export function createResultUrls({ links, settings }: Pick<TaskParts, 'links' | 'settings'>) {
  /** Our own address of a finished file; the same for the whole life of the task. */
  const own = (task: TaskRecord): string => {
    const ended = Math.floor((task.finishTime ?? task.createdAt) / 1000);
    const expiresAt = ended + (settings.keepFilesHours ?? KEEP_HOURS) * 3600;
    const copy = settings.copyResults === true ? task.files[0]?.fileId : undefined;
    return copy === undefined ? links.link('video', task.id, expiresAt) : links.link('file', copy, expiresAt);
  };
  return (task: TaskRecord, index = 0): string => {
    const file = task.files[index];
    if (task.state !== 'SUCCESS' || file === undefined) return '';
    const isOpen = file.fileId === undefined && file.credentialed !== true && file.url !== undefined;
    if (isOpen) return file.url;
    return index === 0 ? own(task) : '';
  };
}
