/** A vendor's picture as the caller wants it, whatever the vendor gave. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCreate, MediaFile, Upstream } from '@model-gateway/provider-kit';
import imageSize from 'image-size';
import type { Tenant } from '../../ports.ts';
import type { KeptFiles } from '../../files/kept-files.ts';

const LARGEST_PICTURE = 64 * 1024 * 1024;
const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

export interface Presenting {
  readonly wanted: ImageCreate['responseFormat'];
  readonly tenant: Tenant;
  readonly upstream: Pick<Upstream, 'fetchMedia'>;
}
export type Present = (file: MediaFile, presenting: Presenting) => Promise<JsonObject>;

/** Makes the presenter: `url`, `b64_json` or both, and `size` where it is known. Fetches and keeps bytes as needed. */
export function createPresenter(keptFiles: KeptFiles): Present {
  return async (file, { wanted, tenant, upstream }) => {
    const sized = file.width !== undefined && file.height !== undefined ? { size: `${file.width}x${file.height}` } : {};
    if ('url' in file && wanted !== 'b64_json') return { url: file.url, ...sized };
    const limits = { maxBytes: LARGEST_PICTURE, types: PICTURES, param: 'the vendor’s picture' };
    const bytes = 'bytes' in file ? file.bytes : (await upstream.fetchMedia(file.url, limits)).bytes;
    const size = sized.size === undefined ? sizeOfBytes(bytes) : sized;
    const b64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    if (wanted === 'b64_json') return { b64_json: b64, ...size };
    const url = await keptFiles.keep({ bytes, mime: file.mime, tenant });
    // Callers of these models' own API read b64_json when they did not say what they want.
    return wanted === 'url' ? { url, ...size } : { url, b64_json: b64, ...size };
  };
}

function sizeOfBytes(bytes: Uint8Array): { size?: string } {
  try {
    const { width, height } = imageSize(bytes);
    return { size: `${width}x${height}` };
  } catch {
    return {};
  }
}
