import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createDiskCache, type DiskCache } from './disk-cache.ts';
import {
  type MediaSpec,
  type ImageFormat,
  type ImageSpec,
  type VideoSpec,
  decodeSpec,
  encodeSpec,
  extensionOf,
} from './spec.ts';
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

/** One black-ish frame of 16×16 in H.264, and single pixels: made once by the twin's own encoders. */
const FILES: Readonly<Record<'mp4' | ImageFormat, string>> = {
  mp4: [
    'AAAAHGZ0eXBpc29tAAACAGlzb21hdmMxbXA0MQAAAoptb292AAAAbG12aGQAAAAA5ydO1ucnTtYAAOEAAAAJYAABAAABAAAAAAAAAAAAAAAAAQ',
    'AAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAACFnRyYWsAAABcdGtoZAAAAAPn',
    'J07W5ydO1gAAAAEAAAAAAAAJYAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAEAAAABAAAAAAAb',
    'JtZGlhAAAAIG1kaGQAAAAA5ydO1ucnTtYAAAAYAAAAAVXEAAAAAAA3aGRscgAAAABtaGxydmlkZQAAAAAAAAAAAAAAAE1lZGlhYnVubnlWaWRl',
    'b0hhbmRsZXIAAAABU21pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAARNzdGJsAA',
    'AAq3N0c2QAAAAAAAAAAQAAAJthdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAABAAEABIAAAASAAAAAAAAAABEk1lZGlhYnVubnkgdjEuNjEu',
    'MAAAAAAAAAAAAAAAAAAAGP//AAAAHmF2Y0MBQgAK/+EAB2dCAAqmnkABAARozgRyAAAAE2NvbHJuY2x4AAIAAgACAAAAABRidHJ0AAAAAAAAAk',
    'AAADYAAAAAGHN0dHMAAAAAAAAAAQAAAAEAAAABAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAABAAAAAQAAABhzdHN6AAAAAAAAAAAAAAABAAAASAAA',
    'ABRzdGNvAAAAAAAAAAEAAAKuAAAAUG1kYXQAAABEZbgRWOIwnGB42BFbAHXTqhHEIisiysAbVm+S+YHWSJXd4kfPdbNFGF1gqLlrF8dlx6vdYg',
    'UQ6QaYwYBwoeEyvGEJn8A=',
  ].join(''),
  png: [
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWPg4lcCAABiADzgf1ZfAAAAAE',
    'lFTkSuQmCC',
  ].join(''),
  jpeg: [
    '/9j/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEYGh0dHx8fExciJCIeJBweHx7/2wBDAQUFBQcGBw',
    '4ICA4eFBEUHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh7/wAARCAABAAEDASIAAhEBAxEB/8QAFQAB',
    'AQAAAAAAAAAAAAAAAAAAAAj/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwX/xAAUEQEAAAAAAAAAAAAAAAAAAA',
    'AA/9oADAMBAAIRAxEAPwCTAFAL/9k=',
  ].join(''),
  webp: ['UklGRi4AAABXRUJQVlA4ICIAAABQAQCdASoBAAEAAUAmJYwABDOAAP78do/4Mttoffcn6IwA'].join(''),
};

/** The smallest valid file of a kind, whatever was asked: for tests that count files and never look into them. */
export function tinyFile(spec: ImageSpec | VideoSpec): Buffer {
  return Buffer.from(FILES[spec.kind === 'video' ? 'mp4' : spec.format], 'base64');
}

/** `<spec>.<signature>.mp4` */
const NAME = /^([\w-]{1,4096})\.([\w-]{22})\.(\w{1,5})$/;
const SIGNATURE_BYTES = 16;

/** The file name of a link: what the file must be, signed, so that only what the twin gave out can be opened. */
export function nameOf(secret: string, spec: MediaSpec): string {
  const encoded = encodeSpec(spec);
  const extension = extensionOf(spec);
  return `${encoded}.${signature(secret, `${encoded}.${extension}`).toString('base64url')}.${extension}`;
}

/** The spec of a link's file name; undefined when this secret never signed it. */
export function specOf(secret: string, name: string): MediaSpec | undefined {
  const [, encoded = '', signed = '', extension = ''] = NAME.exec(name) ?? [];
  const given = Buffer.from(signed, 'base64url');
  if (given.length !== SIGNATURE_BYTES) return undefined;
  if (!timingSafeEqual(given, signature(secret, `${encoded}.${extension}`))) return undefined;
  return decodeSpec(encoded);
}

/** The spec of a whole link that a job of the twin remembers. Its signature may be that of an earlier run, and is not looked at. */
export function specOfLink(link: string): MediaSpec | undefined {
  const encoded = NAME.exec(link.slice(link.lastIndexOf('/') + 1))?.[1];
  return encoded === undefined ? undefined : decodeSpec(encoded);
}

function signature(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest().subarray(0, SIGNATURE_BYTES);
}
