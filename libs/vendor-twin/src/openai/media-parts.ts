import { badRequest } from './errors.ts';

const IMAGE_DATA = /^data:image\/(png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** An image is an http(s) link or base64 of a type the vendor reads. */
export function requireImageUrl(url: string, param: string): void {
  if (/^https?:\/\/.+/.test(url)) return;
  // Long pictures are not walked through character by character: the head says enough.
  if (IMAGE_DATA.test(url.length > 4096 ? url.slice(0, url.indexOf(',') + 1 + 1024) : url)) return;
  const message = url.startsWith('data:')
    ? `Invalid image data in '${param}': expected base64 of a PNG, JPEG, GIF or WebP image.`
    : `Invalid value for '${param}': expected a URL or a data URL with base64 data.`;
  throw badRequest(message, param, url.startsWith('data:') ? 'invalid_base64' : 'invalid_image_url');
}
