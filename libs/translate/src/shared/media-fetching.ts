/** Media by address for models that take bytes only (docs/wire/chat-translation.md#content-parts). The gateway fetches; here is what, and where it goes. */
import type { ChatRequest, MediaSource, Turn } from '../conversation.ts';
import type { FetchedMedia, MediaFetching, Target } from '../dialect.ts';
import { mediaFromBase64 } from './media.ts';

type ByUrl = Extract<MediaSource, { type: 'url' }>;
/** Whether this target must be given the bytes of such a part. */
type Wants = (kind: string, source: ByUrl, target: Target) => boolean;

/** Fetching for one wire. What the target does not take at all is not fetched: its encoder says so. */
export function mediaFetching(wants: Wants): MediaFetching {
  return {
    urls: (request, target) => {
      const found = new Set<string>();
      mapSources(request, (source, { kind }) => {
        const takes = target.inputs === undefined || target.inputs.some((input) => input === kind);
        if (source.type === 'url' && takes && wants(kind, source, target)) found.add(source.url);
        return source;
      });
      return [...found];
    },
    inline: (request, fetched) =>
      mapSources(request, (source, { place }) => {
        const bytes = source.type === 'url' ? fetched.get(source.url) : undefined;
        return bytes === undefined ? source : inlined(bytes, source, place);
      }),
  };
}

function inlined({ data, mime }: FetchedMedia, source: MediaSource, place: string): MediaSource {
  return mediaFromBase64(data, mime ?? (source.type === 'url' ? source.mime : undefined), place);
}

type Change = (source: MediaSource, part: { readonly kind: string; readonly place: string }) => MediaSource;

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
  if (source.type === 'text') return part;
  return { ...part, source: change(source, { kind: part.type, place: part.place ?? 'messages' }) };
}
