/** Content blocks of the Anthropic wire read into parts; the same in requests and replies (docs/wire/anthropic-messages.md#content-blocks, #answer). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type {
  AssistantPart,
  CacheMark,
  Citation,
  DocumentPart,
  ImagePart,
  MediaSource,
  Opaque,
  ReasoningPart,
  ServerToolPart,
  TextPart,
  ToolCallPart,
} from '../conversation.ts';
import { mediaFromBase64, mediaFromUrl } from '../shared/media.ts';
import { readOpaque } from '../shared/opaque-envelope.ts';
import {
  at,
  invalid,
  objectOf,
  objectsOf,
  present,
  readArray,
  readName,
  readObject,
  readString,
  textOf,
  wordOf,
} from '../shared/read.ts';
import { restoreId } from './ids.ts';

/** Whose native state is read, and where nested fields without a middle word are noted. */
export interface BlockContext {
  readonly provider: string;
  readonly model?: string | undefined;
  readonly nested: string[];
}

/** Notes every field of a block that is not in `known`: the translation reports it. */
export function noteUnknown(block: JsonObject, known: readonly string[], place: string, context: BlockContext): void {
  for (const [key, value] of Object.entries(block)) {
    if (value !== null && !known.includes(key)) context.nested.push(at(place, key));
  }
}

/** `cache_control`; only `ephemeral` exists. */
export function readCacheMark(value: Json | undefined): CacheMark | undefined {
  const mark = objectOf(value);
  return mark === undefined ? undefined : present({ ttl: wordOf(mark['ttl']) });
}

export function readTextBlock(block: JsonObject, place: string, context: BlockContext): TextPart {
  noteUnknown(block, ['type', 'text', 'cache_control', 'citations'], place, context);
  const citations = objectsOf(block['citations']).map(readCitation);
  return present({
    type: 'text' as const,
    text: readString(block['text'], at(place, 'text')),
    citations: citations.length === 0 ? undefined : citations,
    cache: readCacheMark(block['cache_control']),
    place,
  });
}

/** Any of the five citation shapes; the whole is kept for its own wire. */
export function readCitation(raw: JsonObject): Citation {
  const source = wordOf(raw['source']);
  const url = wordOf(raw['url']) ?? (source?.includes('://') === true ? source : undefined);
  return present({
    url,
    title: wordOf(raw['title']) ?? wordOf(raw['document_title']),
    text: wordOf(raw['cited_text']),
    raw,
  });
}

export function readImageBlock(block: JsonObject, place: string, context: BlockContext): ImagePart {
  noteUnknown(block, ['type', 'source', 'cache_control'], place, context);
  const where = at(place, 'source');
  const source = readSource(readObject(block['source'], where), where, context);
  return present({ type: 'image' as const, source, cache: readCacheMark(block['cache_control']), place });
}

function readSource(source: JsonObject, place: string, context: BlockContext): MediaSource {
  const type = readString(source['type'], at(place, 'type'));
  if (type === 'base64') {
    const data = readString(source['data'], at(place, 'data'));
    return mediaFromBase64(data, textOf(source['media_type']), at(place, 'data'));
  }
  if (type === 'url') return mediaFromUrl(readName(source['url'], at(place, 'url')), at(place, 'url'));
  if (type === 'file') {
    return { type: 'file', provider: context.provider, id: readName(source['file_id'], at(place, 'file_id')) };
  }
  throw invalid(at(place, 'type'), `must be "base64", "url" or "file", not ${JSON.stringify(type.slice(0, 40))}`);
}

/** A document, and the images that stood among its text. */
export function readDocumentBlock(
  block: JsonObject,
  place: string,
  context: BlockContext,
): readonly (DocumentPart | ImagePart)[] {
  noteUnknown(block, ['type', 'source', 'cache_control', 'title'], place, context);
  const where = at(place, 'source');
  const source = readObject(block['source'], where);
  const common = present({
    title: wordOf(block['title']),
    cache: readCacheMark(block['cache_control']),
    place,
  });
  if (source['type'] === 'text') {
    const text = readString(source['data'], at(where, 'data'));
    return [{ type: 'document', source: { type: 'text', text }, ...common }];
  }
  if (source['type'] === 'content') {
    const { texts, images } = readMixed(source['content'], at(where, 'content'), context);
    return [{ type: 'document', source: { type: 'text', text: texts.join('\n\n') }, ...common }, ...images];
  }
  return [{ type: 'document', source: readSource(source, where, context), ...common }];
}

/** `search_result`: a text document named by its title and address. */
export function readSearchResult(block: JsonObject, place: string, context: BlockContext): DocumentPart {
  noteUnknown(block, ['type', 'source', 'title', 'content', 'cache_control'], place, context);
  const { texts } = readMixed(block['content'], at(place, 'content'), context);
  const head = wordOf(block['source']);
  return present({
    type: 'document' as const,
    source: { type: 'text' as const, text: [...(head === undefined ? [] : [head]), ...texts].join('\n\n') },
    title: wordOf(block['title']),
    cache: readCacheMark(block['cache_control']),
    place,
  });
}

function readMixed(
  value: Json | undefined,
  place: string,
  context: BlockContext,
): { readonly texts: string[]; readonly images: ImagePart[] } {
  if (typeof value === 'string') return { texts: [value], images: [] };
  const texts: string[] = [];
  const images: ImagePart[] = [];
  for (const [index, item] of readArray(value, place).entries()) {
    const where = at(place, index);
    const block = readObject(item, where);
    if (block['type'] === 'image') images.push(readImageBlock(block, where, context));
    else texts.push(readString(block['text'], at(where, 'text')));
  }
  return { texts, images };
}

/** A block of an assistant message. What only Anthropic's own servers know becomes a server tool part, whole. */
export function readAssistantBlock(block: JsonObject, place: string, context: BlockContext): AssistantPart {
  switch (block['type']) {
    case 'text':
      return readTextBlock(block, place, context);
    case 'thinking':
      return readThinking(block, place, context);
    case 'redacted_thinking':
      return readRedacted(block, place, context);
    case 'tool_use':
      return readToolUse(block, place, context);
    case 'image':
      return readImageBlock(block, place, context);
    case 'compaction':
      // The summary stands for the history before it: whoever answers must read it.
      if (typeof block['content'] !== 'string') return readServerBlock(block, place, context);
      return { type: 'text', text: block['content'], place };
    case 'document':
    case 'tool_result':
      throw invalid(place, `a ${block['type']} block belongs in a user message`);
    default:
      return readServerBlock(block, place, context);
  }
}

function readThinking(block: JsonObject, place: string, context: BlockContext): ReasoningPart {
  const opaque = readOpaque(textOf(block['signature']), nativeState(context, 'signature'));
  return present({ type: 'reasoning' as const, text: textOf(block['thinking']) ?? '', opaque, place });
}

function readRedacted(block: JsonObject, place: string, context: BlockContext): ReasoningPart {
  const data = readString(block['data'], at(place, 'data'));
  return present({
    type: 'reasoning' as const,
    text: '',
    opaque: readOpaque(data, nativeState(context, 'redacted')),
    place,
  });
}

/** The state a signature holds, when it is Anthropic's own. */
export function nativeState(
  context: Pick<BlockContext, 'provider' | 'model'>,
  kind: 'signature' | 'redacted',
): Omit<Opaque, 'value'> {
  return present({ provider: context.provider, model: context.model, kind });
}

function readToolUse(block: JsonObject, place: string, context: BlockContext): ToolCallPart {
  const caller = objectOf(block['caller']);
  const known = ['type', 'id', 'name', 'input', 'cache_control'];
  noteUnknown(block, caller?.['type'] === 'direct' ? [...known, 'caller'] : known, place, context);
  return present({
    type: 'tool-call' as const,
    id: restoreId(readName(block['id'], at(place, 'id'))),
    name: readName(block['name'], at(place, 'name')),
    kind: 'function' as const,
    arguments: JSON.stringify(block['input'] === undefined ? {} : block['input']),
    cache: readCacheMark(block['cache_control']),
    place,
  });
}

/** `server_tool_use`, `*_tool_result` and whatever comes next year. */
export function readServerBlock(
  block: JsonObject,
  place: string,
  context: Pick<BlockContext, 'provider'>,
): ServerToolPart {
  const type = readName(block['type'], at(place, 'type'));
  const call = type.endsWith('_use');
  const name = call ? (textOf(block['name']) ?? type) : type.replace(/_tool_result$/, '');
  return present({
    type: 'server-tool' as const,
    provider: context.provider,
    name,
    phase: call ? ('call' as const) : ('result' as const),
    id: wordOf(block['id']) ?? wordOf(block['tool_use_id']),
    query: wordOf(objectOf(block['input'])?.['query']),
    raw: block,
    place,
  });
}

/** The content of a tool result as parts. */
export function readResultContent(
  value: Json | undefined,
  place: string,
  context: BlockContext,
): (TextPart | ImagePart | DocumentPart)[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value, place }];
  return readArray(value, place).flatMap((item, index): readonly (TextPart | ImagePart | DocumentPart)[] => {
    const where = at(place, index);
    const block = readObject(item, where);
    switch (block['type']) {
      case 'text':
        return [readTextBlock(block, where, context)];
      case 'image':
        return [readImageBlock(block, where, context)];
      case 'document':
        return readDocumentBlock(block, where, context);
      case 'search_result':
        return [readSearchResult(block, where, context)];
      case 'tool_reference':
      case 'browser_state':
        context.nested.push(where);
        return [];
      default:
        throw unknownBlock(block, where);
    }
  });
}

/** The error for a block that has no meaning here. */
export function unknownBlock(block: JsonObject, place: string): Error {
  const type = block['type'];
  return invalid(
    at(place, 'type'),
    typeof type === 'string' ? `${JSON.stringify(type.slice(0, 60))} has no meaning here` : 'must be a string',
  );
}
