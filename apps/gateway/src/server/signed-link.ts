/** Links of our own that a player opens without a key. */
import type { SignedLinks } from '@model-gateway/core';
import type { SignedLink } from '../http/auth.ts';

const VIDEO_CONTENT = /^\/v1\/videos\/([^/]+)\/content$/;
const KEPT_FILE = /^\/(?:v1\/)?files\/([^/]+)$/;

/** Makes the check of a request's link. */
export function signedLinkOf(links: SignedLinks): SignedLink {
  return (request) => {
    // Parsing the query of every request only to find none costs more than this look.
    if (!request.url.includes('signature=') || request.query['signature'] === undefined) return false;
    const video = VIDEO_CONTENT.exec(request.path)?.[1];
    if (video !== undefined) return links.verify('video', decodeURIComponent(video), request.query);
    const file = KEPT_FILE.exec(request.path)?.[1];
    return file !== undefined && links.verify('file', decodeURIComponent(file), request.query);
  };
}
