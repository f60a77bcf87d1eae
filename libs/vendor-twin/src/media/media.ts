import { createHash } from 'node:crypto';
import { createDiskCache, type DiskCache } from './disk-cache.ts';
import { nameOf, specOf } from './links.ts';
import type { MediaSpec } from './spec.ts';
import { tinyFile } from './tiny.ts';
import { MediaWorker } from './media-worker.ts';

const CACHE_BYTES = 128 * 1024 * 1024;
const DISK_BYTES = 256 * 1024 * 1024;

export interface MediaOptions {
  /** `tiny`: the smallest valid picture or video, for scale tests. Speech is always real. */
  readonly mode: 'real' | 'tiny';
  readonly cacheFolder?: string;
  /** The most that the folder may hold; 256 MB when absent. */
  readonly cacheBytes?: number;
  /** What links are signed with. */
  readonly secret: string;
  /** The twin's address, once it listens. */
  readonly url: () => string;
}

/** Links and files. Giving out a link costs nothing: the file is made when somebody opens it. */
export class Media {
  readonly #options: MediaOptions;
  readonly #worker = new MediaWorker();
  /** Oldest use first. */
  readonly #cache = new Map<string, Buffer>();
  readonly #making = new Map<string, Promise<Buffer>>();
  readonly #disk: DiskCache | undefined;
  #cached = 0;

  constructor(options: MediaOptions) {
    this.#options = options;
    const { cacheFolder, cacheBytes = DISK_BYTES } = options;
    if (cacheFolder !== undefined) this.#disk = createDiskCache(cacheFolder, cacheBytes);
  }

  /** Where the file can be fetched without a key. */
  link(spec: MediaSpec): string {
    return `${this.#options.url()}/media/${nameOf(this.#options.secret, spec)}`;
  }

  /** The spec of a link's file name; undefined when the twin never gave it out. */
  specOf(name: string): MediaSpec | undefined {
    return specOf(this.#options.secret, name);
  }

  /** Bytes of the file if it is there; nothing is made to find out. */
  async sizeOf(spec: MediaSpec): Promise<number | undefined> {
    if (this.#isTiny(spec)) return tinyFile(spec).length;
    const key = keyOf(spec);
    return this.#cache.get(key)?.length ?? (await this.#disk?.sizeOf(key));
  }

  /** The file. Throws MediaWorkerBusy when too much is being made. */
  async file(spec: MediaSpec): Promise<Buffer> {
    if (this.#isTiny(spec)) return tinyFile(spec);
    const key = keyOf(spec);
    const cached = this.#cache.get(key);
    if (cached !== undefined) {
      this.#cache.delete(key);
      this.#cache.set(key, cached);
      return cached;
    }
    let making = this.#making.get(key);
    if (making === undefined) {
      making = this.#make(key, spec).finally(() => this.#making.delete(key));
      this.#making.set(key, making);
    }
    return making;
  }

  async close(): Promise<void> {
    await this.#worker.close();
    this.#cache.clear();
  }

  #isTiny(spec: MediaSpec): spec is Exclude<MediaSpec, { kind: 'speech' }> {
    return this.#options.mode === 'tiny' && spec.kind !== 'speech';
  }

  async #make(key: string, spec: MediaSpec): Promise<Buffer> {
    const kept = await this.#disk?.read(key);
    const bytes = kept ?? (await this.#worker.make(spec));
    if (kept === undefined) await this.#disk?.write(key, bytes);
    this.#remember(key, bytes);
    return bytes;
  }

  #remember(key: string, bytes: Buffer): void {
    if (bytes.length > CACHE_BYTES / 4) return;
    this.#cache.set(key, bytes);
    this.#cached += bytes.length;
    for (const [oldest, file] of this.#cache) {
      if (this.#cached <= CACHE_BYTES) break;
      this.#cache.delete(oldest);
      this.#cached -= file.length;
    }
  }
}

function keyOf(spec: MediaSpec): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex');
}
