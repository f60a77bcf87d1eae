/** Media by address for models that take bytes only (docs/wire/chat-translation.md#content-parts). The gateway fetches; here is what, and where it goes. */
import type { ChatRequest, MediaSource, Turn } from '../conversation.ts';
import type { FetchedMedia, MediaFetching, Target } from '../dialect.ts';
import { quirk } from '../shared/translation.ts';
import { mediaFromBase64 } from '../shared/media.ts';
import { YOUTUBE } from './parts.ts';

export const media: MediaFetching = {
  urls: (request, target) => {
    if (!wantsBytes(target)) return [];
    const found = new Set<string>();
    mapSources(request, (source) => {
      if (isForeign(source)) found.add(source.url);
      return source;
    });
    return [...found];
  },
  inline: (request, fetched) =>
    mapSources(request, (source, place) => {
      const bytes = isForeign(source) ? fetched.get(source.url) : undefined;
      return bytes === undefined ? source : inlined(bytes, source, place);
    }),
};

function wantsBytes(target: Target): boolean {
  return quirk(target, 'media_urls') === false;
}

/** YouTube is Google's own: every model reads it by its address. */
export function isForeign(source: MediaSource): source is Extract<MediaSource, { type: 'url' }> {
  return source.type === 'url' && !YOUTUBE.test(source.url);
}

function inlined({ data, mime }: FetchedMedia, source: MediaSource, place: string): MediaSource {
  return mediaFromBase64(data, mime ?? source.mime, place);
}

type Change = (source: MediaSource, place: string) => MediaSource;

function mapSources(request: ChatRequest, change: Change): ChatRequest {
  return { ...request, turns: request.turns.map((turn) => mapTurn(turn, change)) };
}

function mapTurn(turn: Turn, change: Change): Turn {
  const parts = turn.parts.map((part) => {
    if (part.type === 'tool-result') return { ...part, content: part.content.map((inner) => mapPart(inner, change)) };
    return mapPart(part, change);
  });
  return { ...turn, parts } as Turn;
}

function mapPart<P extends { readonly type: string; readonly place?: string }>(part: P, change: Change): P {
  if (!('source' in part)) return part;
  const source = part.source as MediaSource | { readonly type: 'text' };
  return source.type === 'text' ? part : { ...part, source: change(source, part.place ?? 'contents') };
}
