import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nameOf, type MediaSpec } from './spec.ts';
import { tinyFile } from './tiny.ts';
import { MediaWorker } from './media-worker.ts';

const CACHE_BYTES = 128 * 1024 * 1024;

export interface MediaOptions {
  /** `tiny`: the smallest valid picture or video, for scale tests. Speech is always real. */
  readonly mode: 'real' | 'tiny';
  readonly cacheFolder?: string;
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
  #cached = 0;

  constructor(options: MediaOptions) {
    this.#options = options;
  }

  /** Where the file can be fetched without a key. */
  link(spec: MediaSpec): string {
    return `${this.#options.url()}/media/${nameOf(spec)}`;
  }

  /** The file. Throws MediaWorkerBusy when too much is being made. */
  async file(spec: MediaSpec): Promise<Buffer> {
    if (this.#options.mode === 'tiny' && spec.kind !== 'speech') return tinyFile(spec);
    const key = createHash('sha256').update(JSON.stringify(spec)).digest('hex');
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

  async #make(key: string, spec: MediaSpec): Promise<Buffer> {
    const kept = await this.#fromDisk(key);
    const bytes = kept ?? (await this.#worker.make(spec));
    if (kept === undefined) await this.#toDisk(key, bytes);
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

  async #fromDisk(key: string): Promise<Buffer | undefined> {
    if (this.#options.cacheFolder === undefined) return undefined;
    return readFile(join(this.#options.cacheFolder, key)).catch(() => undefined);
  }

  /** Best effort: a full or read-only disk only costs the time to make the file again. */
  async #toDisk(key: string, bytes: Buffer): Promise<void> {
    const folder = this.#options.cacheFolder;
    if (folder === undefined) return;
    const draft = join(folder, `${key}.${process.pid}`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, bytes, { mode: 0o600 });
      await rename(draft, join(folder, key));
    } catch {
      // see above
    }
  }
}
