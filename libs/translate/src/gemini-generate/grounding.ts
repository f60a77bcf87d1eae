/**
 * Where an answer got what it says: Google's grounding and citations, and ours (docs/wire/gemini-generate.md#answer,
 * docs/wire/chat-translation.md#answers). Google counts UTF-8 bytes.
 */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { Citation, ServerToolPart } from '../conversation.ts';
import { arrayOf, numberOf, objectOf, objectsOf, present, wordOf } from '../shared/read.ts';

/** A citation and the part it belongs to, counted over the candidate's parts. */
export interface PlacedCitation {
  readonly part: number | undefined;
  readonly citation: Citation;
}

/** All citations of a candidate; `textOfPart` gives the text that byte offsets count in. */
export function readCitations(
  candidate: JsonObject,
  textOfPart: (part: number | undefined) => string,
): PlacedCitation[] {
  return [...readGrounding(candidate, textOfPart), ...readSources(candidate, textOfPart)];
}

function readGrounding(candidate: JsonObject, textOfPart: (part: number | undefined) => string): PlacedCitation[] {
  const grounding = objectOf(candidate['groundingMetadata']);
  const pages = arrayOf(grounding?.['groundingChunks']).map(readPage);
  const supported = new Set<number>();
  const placed = objectsOf(grounding?.['groundingSupports']).flatMap((support) => {
    const segment = objectOf(support['segment']) ?? {};
    const part = numberOf(segment['partIndex']);
    const range = readRange(segment, textOfPart(part));
    return arrayOf(support['groundingChunkIndices']).flatMap((item): PlacedCitation[] => {
      const page = typeof item === 'number' ? pages[item] : undefined;
      if (page === undefined || typeof item !== 'number') return [];
      supported.add(item);
      return [{ part, citation: present({ text: wordOf(segment['text']), ...page, ...range }) }];
    });
  });
  const rest = pages.flatMap((page, index) =>
    page === undefined || supported.has(index) ? [] : [{ part: undefined, citation: page }],
  );
  return [...placed, ...rest];
}

const KINDS_OF_PAGE = ['web', 'retrievedContext', 'maps', 'image'];

function readPage(chunk: Json): Citation | undefined {
  const kinds = objectOf(chunk) ?? {};
  const page = KINDS_OF_PAGE.map((kind) => objectOf(kinds[kind])).find((found) => found !== undefined);
  // Of a picture that was found: the page it stands on.
  const [url, title] = [wordOf(page?.['uri']) ?? wordOf(page?.['sourceUri']), wordOf(page?.['title'])];
  if (url !== undefined) return present({ url, title });
  const text = wordOf(page?.['text']);
  return title === undefined && text === undefined ? undefined : present({ title, text });
}

/** Recitations: sources the answer repeats word by word. */
function readSources(candidate: JsonObject, textOfPart: (part: number | undefined) => string): PlacedCitation[] {
  const metadata = objectOf(candidate['citationMetadata']);
  return objectsOf(metadata?.['citations'] ?? metadata?.['citationSources']).flatMap((source) => {
    const url = wordOf(source['uri']);
    if (url === undefined) return [];
    const citation = present({ url, title: wordOf(source['title']), ...readRange(source, textOfPart(undefined)) });
    return [{ part: undefined, citation }];
  });
}

function readRange(segment: JsonObject, text: string): { readonly start?: number; readonly end?: number } {
  const end = numberOf(segment['endIndex']);
  if (end === undefined || text === '') return {};
  // proto leaves a zero out.
  return { start: charsAt(text, numberOf(segment['startIndex']) ?? 0), end: charsAt(text, end) };
}

/** The character offset of a byte offset. */
function charsAt(text: string, bytes: number): number {
  return Buffer.from(text, 'utf8').subarray(0, bytes).toString('utf8').length;
}

/** The search that stands behind grounding; its raw data means something to Google only. */
export function readSearch(candidate: JsonObject, provider: string): ServerToolPart | undefined {
  const grounding = objectOf(candidate['groundingMetadata']);
  const queries = arrayOf(grounding?.['webSearchQueries']).filter((query) => typeof query === 'string');
  if (grounding === undefined || queries.length === 0) return undefined;
  return present({
    type: 'server-tool' as const,
    provider,
    name: 'web_search',
    phase: 'call' as const,
    query: queries[0],
    raw: { groundingMetadata: grounding },
  });
}

/** How often the web was asked. */
export function countSearches(candidate: JsonObject): number | undefined {
  const queries = objectOf(candidate['groundingMetadata'])?.['webSearchQueries'];
  return Array.isArray(queries) && queries.length > 0 ? queries.length : undefined;
}

/** A text of the answer with its citations. */
export interface CitedText {
  readonly part: number;
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** `groundingMetadata` for a candidate; undefined when nothing is cited. */
export function writeGrounding(texts: readonly CitedText[]): JsonObject | undefined {
  const chunks: JsonObject[] = [];
  const numbers = new Map<string, number>();
  const supports: JsonObject[] = [];
  for (const { part, text, citations } of texts) {
    for (const citation of citations) {
      const { start, end } = citation;
      const chunk = chunkOf(citation);
      if (chunk === undefined) continue;
      const name = citation.url ?? JSON.stringify(chunk);
      let number = numbers.get(name);
      if (number === undefined) {
        number = chunks.length;
        numbers.set(name, number);
        chunks.push(chunk);
      }
      if (start !== undefined && end !== undefined) supports.push(writeSupport(part, text, [start, end], number));
    }
  }
  if (chunks.length === 0) return undefined;
  return { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) };
}

/** A page of the web, or a passage of a document; undefined for a citation that names neither. */
function chunkOf({ url, title, text, raw }: Citation): JsonObject | undefined {
  if (url !== undefined) return { web: present({ uri: url, title }) };
  if (title === undefined && text === undefined) return undefined;
  const [first, end] = [numberOf(raw?.['start_page_number']), numberOf(raw?.['end_page_number'])];
  // Anthropic names the page behind the last one.
  const pageSpan = first === undefined || end === undefined ? undefined : { firstPage: first, lastPage: end - 1 };
  const ragChunk = pageSpan === undefined ? undefined : present({ text, pageSpan });
  return { retrievedContext: present({ title, text, ragChunk }) };
}

function writeSupport(part: number, text: string, [start, end]: readonly [number, number], chunk: number): JsonObject {
  const bytes = (chars: number): number => Buffer.byteLength(text.slice(0, chars), 'utf8');
  const segment = {
    ...(part > 0 && { partIndex: part }),
    startIndex: bytes(start),
    endIndex: bytes(end),
    text: text.slice(start, end),
  };
  return { segment, groundingChunkIndices: [chunk] };
}
