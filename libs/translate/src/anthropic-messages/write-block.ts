/** Parts as content blocks of a reply, whole or as they begin in a stream (docs/wire/chat-translation.md#answers). */
import type { JsonObject } from '@model-gateway/contracts';
import type { Citation, ImagePart, Opaque, ServerToolPart } from '../conversation.ts';
import { toDataUrl } from '../shared/media.ts';
import { wrapOpaque, writeOpaque } from '../shared/opaque-envelope.ts';

/**
 * The signature of thinking that nobody signed: the wire wants one, an empty one would be refused when it comes back. Readers
 * of it find a state without a maker, which fits no model.
 */
const UNSIGNED = wrapOpaque({ provider: 'none', kind: 'signature', value: '' });

export function signatureOf(opaque: Opaque | undefined): string {
  return opaque === undefined || opaque.value === '' ? UNSIGNED : writeOpaque(opaque, 'anthropic');
}

/** State without words: of thinking that is hidden, or of another part, ahead of or behind which it stands. */
export function redactedBlock(opaque: Opaque): JsonObject {
  return { type: 'redacted_thinking', data: writeOpaque(opaque, 'anthropic') };
}

/** Anthropic's own signature without words is `thinking` with empty text; everything else without words is redacted. */
export function isBareSignature(opaque: Opaque): boolean {
  return opaque.provider === 'anthropic' && opaque.kind === 'signature';
}

/** A citation as this wire has it; undefined for one that names nothing. */
export function writeCitation(citation: Citation): JsonObject | undefined {
  const { raw, url, title, text } = citation;
  const type = raw?.['type'];
  if (raw !== undefined && typeof type === 'string' && type.endsWith('_location')) return raw;
  if (url === undefined) {
    if (title === undefined && text === undefined) return undefined;
    // The one form that needs no place in a document that the caller sent.
    const place = { search_result_index: 0, start_block_index: 0, end_block_index: 0 };
    return {
      type: 'search_result_location',
      source: title ?? '',
      title: title ?? null,
      cited_text: text ?? '',
      ...place,
    };
  }
  return {
    type: 'web_search_result_location',
    url,
    title: citation.title ?? null,
    cited_text: citation.text ?? '',
    encrypted_index: '',
  };
}

/** An assistant's image: this wire has no block for it, so it is shown as Markdown text (`picturesByAddress`). */
export function imageText({ source }: ImagePart): string {
  switch (source.type) {
    case 'base64':
      return `![image](${toDataUrl(source.mime, source.data)})`;
    case 'url':
      return `![image](${source.url})`;
    case 'file':
      return `[image: file ${source.id}]`;
  }
}

/** Server tools of another vendor have no form here; their text and citations speak for them. */
export function isOwnServerTool(part: ServerToolPart): boolean {
  return part.provider === 'anthropic';
}
