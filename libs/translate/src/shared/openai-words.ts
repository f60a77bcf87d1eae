/** What chat-completions and Responses write the same way: cache marks, tool schemas, locations, tiers, annotations. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { CacheMark, Citation, Effort, OutputFormat, Tool, ToolResultPart } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { quirk } from './translation.ts';
import type { DroppedList } from './dropped.ts';
import {
  arrayOf,
  at,
  invalid,
  numberOf,
  objectOf,
  objectsOf,
  optional,
  present,
  readArray,
  readString,
  readToolSchema,
  readWord,
  wordOf,
} from './read.ts';

export const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
export const VERBOSITIES = ['low', 'medium', 'high'] as const;

/** A cache mark on a part: OpenAI's own, or the one its relatives took from Anthropic. */
export function readCacheMark(part: JsonObject): CacheMark | undefined {
  const mark = objectOf(part['prompt_cache_breakpoint']) ?? objectOf(part['cache_control']);
  if (mark === undefined) return undefined;
  const ttl = wordOf(mark['ttl']);
  return ttl === undefined ? {} : { ttl };
}

/** Writes cache marks in the way the target takes them, four at most (docs/wire/chat-translation.md#caching). */
export class CacheMarks {
  readonly style: 'prompt_cache_breakpoint' | 'cache_control' | undefined;
  readonly #dropped: DroppedList;
  #left = 4;

  constructor(target: Target, dropped: DroppedList) {
    const style = quirk(target, 'cache_marks');
    this.style = style === 'prompt_cache_breakpoint' || style === 'cache_control' ? style : undefined;
    this.#dropped = dropped;
  }

  /** The field to add to the part; none when the target has no such mark, which is reported under `place`. */
  write(cache: CacheMark | undefined, place: string | undefined): JsonObject {
    if (cache === undefined) return {};
    if (this.style === undefined || this.#left === 0) {
      const reason = this.style === undefined ? 'this model has no cache marks' : 'at most 4 cache marks';
      this.#dropped.add(`${place ?? 'messages'}.cache_control`, reason);
      return {};
    }
    this.#left -= 1;
    if (this.style === 'cache_control') {
      return { cache_control: present({ type: 'ephemeral', ttl: cache.ttl }) };
    }
    return { prompt_cache_breakpoint: present({ mode: 'explicit', ttl: openAiTtl(cache.ttl) }) };
  }
}

/** Anthropic's lifetimes in OpenAI's words, the nearest one (docs/wire/chat-translation.md#caching). */
function openAiTtl(ttl: string | undefined): string | undefined {
  if (ttl === '5m') return '30m';
  if (ttl === '1h') return '12h';
  return ttl;
}

/**
 * A tool's JSON Schema as both wires want it: an object at the root, with `properties`. A schema of another root type is the
 * caller's mistake.
 */
export function objectSchema(parameters: JsonObject, place: string): JsonObject {
  const type = parameters['type'];
  if (type !== undefined && type !== null && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    throw invalid(place, `must be a JSON Schema of type "object", not ${JSON.stringify(type)}`);
  }
  if (type === 'object' && isJsonObject(parameters['properties'])) return parameters;
  return { ...parameters, type: 'object', properties: parameters['properties'] ?? {} };
}

export function readParameters(parent: JsonObject, key: string, place: string): JsonObject | undefined {
  return optional(parent, key, readToolSchema, place);
}

const CONTEXT_SIZES = ['low', 'medium', 'high'] as const;

/** `web_search_options` of chat-completions and the `web_search` tool of Responses. */
export function readWebSearch(options: JsonObject, place: string): Extract<Tool, { type: 'web-search' }> {
  const user = objectOf(options['user_location']);
  const location = user === undefined ? undefined : (objectOf(user['approximate']) ?? without(user, 'type'));
  const filters = objectOf(options['filters']);
  const domains = (key: string): string[] | undefined =>
    filters === undefined
      ? undefined
      : optional(
          filters,
          key,
          (value, where) => readArray(value, where).map((domain, index) => readString(domain, at(where, index))),
          at(place, 'filters'),
        );
  return present({
    type: 'web-search' as const,
    contextSize: optional(
      options,
      'search_context_size',
      (value, where) => readWord(value, CONTEXT_SIZES, where),
      place,
    ),
    allowedDomains: domains('allowed_domains'),
    blockedDomains: domains('blocked_domains'),
    location,
    place,
  });
}

/** The object without some of its fields. */
export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key)));
}

/** `{name, schema, strict, description}`: nested in chat-completions, flat in Responses. */
export function readSchemaFormat(object: JsonObject, place: string): Extract<OutputFormat, { type: 'json-schema' }> {
  return present({
    type: 'json-schema' as const,
    schema: readParameters(object, 'schema', place) ?? {},
    name: optional(object, 'name', readString, place),
    description: optional(object, 'description', readString, place),
    strict: typeof object['strict'] === 'boolean' ? object['strict'] : undefined,
  });
}

const TIERS = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']);
const TIER_WORDS: Readonly<Record<string, string>> = { standard_only: 'default', standard: 'default' };

/** A service tier in OpenAI's words; undefined and reported when it has no such tier. */
export function openAiTier(tier: string | undefined, field: string, dropped: DroppedList): string | undefined {
  if (tier === undefined) return undefined;
  const word = TIER_WORDS[tier.toLowerCase()] ?? tier.toLowerCase();
  if (TIERS.has(word)) return word;
  dropped.add(field, `no tier ${JSON.stringify(tier)}`);
  return undefined;
}

/** The tier a reply tells of; the ordinary one is not worth a word. */
export function readTier(value: Json | undefined): string | undefined {
  const tier = wordOf(value);
  return tier === 'default' || tier === 'auto' ? undefined : tier;
}

/** `url_citation`, nested (chat-completions) or flat (Responses); other annotations keep their raw form. */
export function readAnnotation(annotation: JsonObject): Citation {
  const inner = objectOf(annotation['url_citation']) ?? annotation;
  const url = wordOf(inner['url']);
  if (url === undefined) return present({ title: wordOf(annotation['filename']), raw: annotation });
  return present({
    url,
    title: wordOf(inner['title']),
    start: numberOf(inner['start_index']),
    end: numberOf(inner['end_index']),
  });
}

export function readAnnotations(value: Json | undefined): Citation[] {
  return objectsOf(value).map(readAnnotation);
}

/** The fields of a `url_citation`; `base` is where the citation's text begins in the whole, `length` its own length. */
export function urlCitation(citation: Citation, base: number, length: number): JsonObject | undefined {
  if (citation.url === undefined) return undefined;
  return {
    start_index: base + (citation.start ?? 0),
    end_index: base + (citation.end ?? length),
    title: citation.title ?? '',
    url: citation.url,
  };
}

/** What a citation says of a document, as its own wire has it; undefined for one of a page of the web. */
export function documentOf({ url, title, text, raw }: Citation): JsonObject | undefined {
  if (url !== undefined) return undefined;
  if (raw !== undefined) return Object.keys(raw).length === 0 ? undefined : raw;
  return title === undefined && text === undefined ? undefined : present({ type: 'document', title, cited_text: text });
}

/** The text of a tool result for wires without an error flag (docs/wire/chat-translation.md#tool-calls-and-results). */
export function flaggedText(text: string, isError: boolean): string {
  return isError && !/^\s*error/i.test(text.slice(0, 40)) ? `Error: ${text}` : text;
}

/** The texts of a tool result; its structured form where it has nothing else. */
export function resultTexts(part: ToolResultPart): readonly { readonly text: string }[] {
  const texts = part.content.flatMap((piece) => {
    if (piece.type === 'text') return [{ text: piece.text }];
    if (piece.type === 'document' && piece.source.type === 'text') return [{ text: piece.source.text }];
    return [];
  });
  if (part.content.length === 0 && part.data !== undefined) return [{ text: JSON.stringify(part.data) }];
  return texts;
}

/** What an answer rests on, told beside it: Perplexity's `search_results` (title and address) or `citations` (addresses alone). */
export function sourcesOf(body: JsonObject): readonly Citation[] | undefined {
  const results = objectsOf(body['search_results']).filter((result) => wordOf(result['url']) !== undefined);
  if (results.length > 0) {
    return results.map(({ url, title }) => present({ url: wordOf(url), title: wordOf(title) }));
  }
  const addresses = arrayOf(body['citations']).flatMap((url) => wordOf(url) ?? []);
  return addresses.length === 0 ? undefined : addresses.map((url) => ({ url }));
}
