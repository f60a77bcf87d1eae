/** Media by address for models that take bytes only (docs/wire/chat-translation.md#content-parts). */
import type { MediaSource } from '../conversation.ts';
import { mediaFetching } from '../shared/media-fetching.ts';
import { quirk } from '../shared/translation.ts';
import { YOUTUBE } from './parts.ts';

export const media = mediaFetching(
  (_kind, source, target) => quirk(target, 'media_urls') === false && isForeign(source),
);

/** YouTube is Google's own: every model reads it by its address. */
export function isForeign(source: MediaSource): source is Extract<MediaSource, { type: 'url' }> {
  return source.type === 'url' && !YOUTUBE.test(source.url);
}
