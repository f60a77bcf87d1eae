/** What the search finds: pages, their headings, operations; as a script, because pages opened from a folder cannot fetch. */
import type { Operation } from './document.ts';
import { jsonForScript } from './html.ts';
import type { Heading } from './markdown.ts';

export interface SearchEntry {
  /** Page and anchor: `guides/streaming#breaks`. */
  readonly to: string;
  readonly title: string;
  /** Where it is: the page, or a method and path. */
  readonly place: string;
  /** Words it is also found by. */
  readonly text: string;
}

const LONGEST_TEXT = 400;

/** Entries of a page: itself and each part under a heading. */
export function pageEntries(path: string, title: string, source: string, headings: readonly Heading[]): SearchEntry[] {
  const parts = source.split(/^#{1,4} .*$/m);
  return headings.map(({ level, text, id }, index) => ({
    to: level === 1 ? path : `${path}#${id}`,
    title: text,
    place: level === 1 ? '' : title,
    text: plain(parts[index + 1] ?? ''),
  }));
}

/** The entry of an operation. */
export function operationEntry({ id, object, method, path, webhook }: Operation, page: string): SearchEntry {
  return {
    to: `${page}#${id}`,
    title: object.summary,
    place: webhook ? 'webhook' : `${method.toUpperCase()} ${path}`,
    text: `${id} ${plain(object.description ?? '')}`.slice(0, LONGEST_TEXT),
  };
}

/** The file that the pages load. */
export function searchScript(entries: readonly SearchEntry[]): string {
  return `window.SEARCH=${jsonForScript(entries.map(({ to, title, place, text }) => [to, title, place, text]))};\n`;
}

function plain(text: string): string {
  return text
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/[`*|#>]|\]\([^)]*\)|\[|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
}
