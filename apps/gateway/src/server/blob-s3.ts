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

/** Keeps blobs under `prefix` of the bucket. A file is sent only when it is whole. Faults never quote the bucket's own words. */
export function createBlobS3({ bucket: s3, now, spoolFolder }: BlobS3Options): BlobStore {
  const prefix = (s3.prefix ?? '').replace(/^\/+/, '');
  const root = `${s3.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(s3.bucket)}`;
  const urlOf = (location: string): string => {
    const key = location.split('/');
    // The location comes from our own database; still, it must not climb out of the prefix.
    if (!location.startsWith(prefix) || !NAME.test(location.slice(prefix.length)) || key.includes('..'))
      throw new Error('this is not the key of a stored file');
    return `${root}/${key.map(encodeURIComponent).join('/')}`;
  };

  const ask = async (
    method: 'PUT' | 'GET' | 'DELETE',
    location: string,
    { headers = {}, payloadHash = EMPTY, body, signal }: Asking = {},
  ): Promise<Dispatcher.ResponseData> => {
    const { AwsV4Signer } = await import('aws4fetch');
    const signer = new AwsV4Signer({
      method,
      url: urlOf(location),
      headers: { ...headers, 'x-amz-content-sha256': payloadHash },
      accessKeyId: s3.access_key,
      secretAccessKey: s3.secret_key,
      service: 's3',
      region: s3.region ?? 'us-east-1',
      datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    const signed = await signer.sign();
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
  };

  const locate = (name: string): string => `${prefix}${name}`;

  return {
    locate,
    async put(name, mime, body) {
      const location = locate(name);
      urlOf(location);
      // What a process that was killed left there is removed by the next one.
      const { folder, dispose } = await openFormFolder(spoolFolder);
      const spool = join(folder, name);
      try {
        const { size, payloadHash } = await spoolTo(spool, body);
        const reply = await ask('PUT', location, {
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
    },
    async open(location, { first, last }, signal) {
      const reply = await ask('GET', location, {
        headers: { range: `bytes=${first}-${last}` },
        ...(signal !== undefined && { signal }),
      });
      // A store that ignores Range would send other bytes than the caller was told.
      if (reply.statusCode === 206 && reply.headers['content-length'] === String(last - first + 1)) return reply.body;
      reply.body.on('error', () => undefined).destroy();
      if (reply.statusCode === 404) throw new GatewayError('not_found', 'the kept file is gone');
      throw refused(reply.statusCode);
    },
    async remove(location) {
      const { statusCode, body } = await ask('DELETE', location);
      await body.dump();
      if (statusCode !== 204 && statusCode !== 200 && statusCode !== 404) throw refused(statusCode);
    },
  };
}

interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly payloadHash?: string;
  readonly body?: () => NodeJS.ReadableStream & Dispatcher.DispatchOptions['body'];
  readonly signal?: AbortSignal;
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
