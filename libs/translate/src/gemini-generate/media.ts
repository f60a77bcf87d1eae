/** Media by address for models that take bytes only (docs/wire/chat-translation.md#content-parts). */
import type { MediaSource } from '../conversation.ts';
import { mediaFetching } from '../shared/media-fetching.ts';
import { quirk } from '../shared/translation.ts';
import { YOUTUBE } from './parts.ts';
import { isKeptFile } from './vendor-ids.ts';

export const media = mediaFetching((_kind, source, target) => isForeign(source, quirk(target, 'media_urls') !== false));

/**
 * Whether this model is not to be told the address. YouTube is Google's own: every model reads it. What it would read with the account's
 * credentials (a file that another tenant may have put there) is read as everybody reads it, or not at all.
 */
export function isForeign(source: MediaSource, takesUrls: boolean): boolean {
  if (source.type !== 'url') return false;
  return takesUrls ? isKeptFile(source.url) : !YOUTUBE.test(source.url);
}
