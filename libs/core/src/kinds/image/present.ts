/** A vendor's picture as the caller wants it, whatever the vendor gave. */
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
  /** Unix milliseconds: a vendor's link that may die sooner is exchanged for one of our own. Absent: links are read at once. */
  readonly readableUntil?: number;
}
/** As an address, as bytes, or as both. */
export interface Picture {
  readonly url?: string;
  readonly bytes?: Uint8Array;
  /** `1024x768`, where it is known. */
  readonly size?: string;
}
export type Present = (file: MediaFile, presenting: Presenting) => Promise<Picture>;

/** Makes the presenter, which fetches and keeps bytes as needed. */
export function createPresenter(keptFiles: KeptFiles): Present {
  const present: Present = async (file, { wanted, tenant, upstream }) => {
    const sized = sizeSaid(file);
    const limits = { maxBytes: LARGEST_PICTURE, types: PICTURES, param: 'the vendor’s picture' };
    const bytes = 'bytes' in file ? file.bytes : (await upstream.fetchMedia(file.url, limits)).bytes;
    const size = sized.size === undefined ? sizeOfBytes(bytes) : sized;
    if (wanted === 'b64_json') return { bytes, ...size };
    const url = await keptFiles.keep({ bytes, mime: file.mime, tenant });
    // Callers of these models' own API read b64_json when they did not say what they want.
    return wanted === 'url' ? { url, ...size } : { url, bytes, ...size };
  };
  return async (file, presenting) => {
    if ('bytes' in file || presenting.wanted === 'b64_json') return present(file, presenting);
    const link = { url: file.url, ...sizeSaid(file) };
    const { readableUntil } = presenting;
    // A link of unknown life is taken for a short one.
    if (readableUntil === undefined || (file.expiresAt ?? 0) * 1000 >= readableUntil) return link;
    // Where it cannot be kept, a link that dies soon is better than a paid picture lost.
    return present(file, presenting).then(
      ({ bytes: _bytes, ...kept }) => kept,
      () => link,
    );
  };
}

function sizeSaid({ width, height }: MediaFile): { readonly size?: string } {
  return width !== undefined && height !== undefined ? { size: `${width}x${height}` } : {};
}

function sizeOfBytes(bytes: Uint8Array): { size?: string } {
  try {
    const { width, height } = imageSize(bytes);
    return { size: `${width}x${height}` };
  } catch {
    return {};
  }
}
