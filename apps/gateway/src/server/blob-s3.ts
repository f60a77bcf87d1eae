/** Kept files in a bucket that speaks S3's REST API (AWS, MinIO, R2, …), addressed by path. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '@model-gateway/contracts';
import type { BlobStore } from '@model-gateway/core';
import { request, type Dispatcher } from 'undici';
import type { Config } from '../config/config.ts';
import { openFormFolder } from '../http/form.ts';

const NAME = /^[A-Za-z0-9._-]{1,200}$/;
/** SHA-256 of nothing: the payload of GET and DELETE. */
const EMPTY = createHash('sha256').digest('hex');
const HEADERS_MS = 60_000;
const BODY_MS = 60_000;

export interface BlobS3Options {
  readonly bucket: NonNullable<Config['files']['s3']>;
  /** Milliseconds since 1970: requests are signed with it. */
  readonly now: () => number;
  /** Where a file waits until its length and hash are known; the system's folder for temporary files. */
  readonly spoolFolder?: string;
}

interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly payloadHash?: string;
  readonly body?: () => NodeJS.ReadableStream & Dispatcher.DispatchOptions['body'];
  readonly signal?: AbortSignal;
}

/** Keeps blobs under `prefix` of the bucket. A file is sent only when it is whole. Faults never quote the bucket's own words. */
export function createBlobS3(options: BlobS3Options): BlobStore {
  return new BlobS3(options);
}

class BlobS3 implements BlobStore {
  private readonly s3: BlobS3Options['bucket'];
  private readonly now: () => number;
  private readonly spoolFolder: string | undefined;
  private readonly prefix: string;
  private readonly root: string;

  constructor({ bucket, now, spoolFolder }: BlobS3Options) {
    this.s3 = bucket;
    this.now = now;
    this.spoolFolder = spoolFolder;
    this.prefix = (bucket.prefix ?? '').replace(/^\/+/, '');
    this.root = `${bucket.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket.bucket)}`;
  }

  locate(name: string): string {
    return `${this.prefix}${name}`;
  }

  async put(
    name: string,
    mime: string,
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly location: string; readonly size: number }> {
    const location = this.locate(name);
    this.checkKey(location);
    // What a process that was killed left there is removed by the next one.
    const { folder, dispose } = await openFormFolder(this.spoolFolder);
    const spool = join(folder, name);
    try {
      const { size, payloadHash } = await spoolTo(spool, body);
      const reply = await this.ask('PUT', location, {
        headers: { 'content-type': mime, 'content-length': String(size) },
        payloadHash,
        body: () => createReadStream(spool),
      });
      await reply.body.dump();
      if (reply.statusCode !== 200) throw refused(reply.statusCode);
      return { location, size };
    } finally {
      await dispose();
    }
  }

  async open(
    location: string,
    { first, last }: { readonly first: number; readonly last: number },
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData['body']> {
    const reply = await this.ask('GET', location, {
      headers: { range: `bytes=${first}-${last}` },
      ...(signal !== undefined && { signal }),
    });
    // A store that ignores Range would send other bytes than the caller was told.
    if (reply.statusCode === 206 && reply.headers['content-length'] === String(last - first + 1)) return reply.body;
    reply.body.on('error', () => undefined).destroy();
    if (reply.statusCode === 404) throw new GatewayError('not_found', 'the kept file is gone');
    throw refused(reply.statusCode);
  }

  async remove(location: string): Promise<void> {
    const { statusCode, body } = await this.ask('DELETE', location);
    await body.dump();
    if (statusCode !== 204 && statusCode !== 200 && statusCode !== 404) throw refused(statusCode);
  }

  private async ask(
    method: 'PUT' | 'GET' | 'DELETE',
    location: string,
    asking: Asking = {},
  ): Promise<Dispatcher.ResponseData> {
    const { body, signal } = asking;
    const signed = await this.sign(method, location, asking);
    try {
      return await request(signed.url, {
        method,
        headers: Object.fromEntries(signed.headers),
        headersTimeout: HEADERS_MS,
        bodyTimeout: BODY_MS,
        ...(body !== undefined && { body: body() }),
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      throw new GatewayError('upstream_unavailable', 'the file storage could not be reached', { cause: error });
    }
  }

  private async sign(
    method: string,
    location: string,
    { headers = {}, payloadHash = EMPTY }: Asking,
  ): Promise<{ readonly url: URL; readonly headers: Headers }> {
    const { AwsV4Signer } = await import('aws4fetch');
    const signer = new AwsV4Signer({
      method,
      url: this.urlOf(location),
      headers: { ...headers, 'x-amz-content-sha256': payloadHash },
      accessKeyId: this.s3.access_key,
      secretAccessKey: this.s3.secret_key,
      service: 's3',
      region: this.s3.region ?? 'us-east-1',
      datetime: new Date(this.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    return signer.sign();
  }

  private urlOf(location: string): string {
    this.checkKey(location);
    return `${this.root}/${location.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** The location comes from our own database; still, it must not climb out of the prefix. */
  private checkKey(location: string): void {
    const { prefix } = this;
    const isBelow = location.startsWith(prefix) && NAME.test(location.slice(prefix.length));
    if (!isBelow || location.split('/').includes('..')) throw new Error('this is not the key of a stored file');
  }
}

/** S3 wants the length, and the signature the hash, before the first byte. */
async function spoolTo(
  path: string,
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly size: number; readonly payloadHash: string }> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      await file.writeFile(chunk);
      size += chunk.byteLength;
    }
  } finally {
    await file.close();
  }
  return { size, payloadHash: hash.digest('hex') };
}

function refused(status: number): GatewayError {
  return new GatewayError('upstream_unavailable', `the file storage answered ${status}`);
}
