/**
 * What the search finds: pages and their parts, operations, fields, codes of errors. A script, because pages opened from a folder cannot fetch;
 * `search.js` gives it to MiniSearch when the search is first opened.
 */
import type { CatalogueModel } from './catalogue.ts';
import type { Operation } from './document.ts';
import { jsonForScript } from './html.ts';
import type { Heading } from './markdown.ts';

export type SearchKind = 'page' | 'operation' | 'field' | 'error' | 'model';
export interface SearchEntry {
  readonly kind: SearchKind;
  /** Page and anchor: `guides/streaming#breaks`. */
  readonly to: string;
  readonly title: string;
  /** Where it is: the page, or a method and path. */
  readonly place: string;
  /** Words it is also found by. */
  readonly text: string;
}
/** A field as the reference shows it. */
export interface ShownField {
  /** Its anchor: `createVideoTask.content.role`. */
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

const LONGEST_TEXT = 1200;
const LONGEST_FIELD = 160;

/** Entries of a page: itself and each part under a heading, code included. */
export function pageEntries(path: string, title: string, source: string, headings: readonly Heading[]): SearchEntry[] {
  const parts = source.split(/^#{1,4} .*$/m);
  return headings.map(({ level, text, id }, index) => ({
    kind: 'page',
    to: level === 1 ? path : `${path}#${id}`,
    title: text,
    place: level === 1 ? '' : title,
    text: plain(parts[index + 1] ?? '', LONGEST_TEXT),
  }));
}

/** The entry of an operation. */
export function operationEntry({ id, object, method, path, webhook }: Operation, page: string): SearchEntry {
  return {
    kind: 'operation',
    to: `${page}#${id}`,
    title: object.summary,
    place: webhook ? 'webhook' : `${method.toUpperCase()} ${path}`,
    text: `${id} ${plain(object.description ?? '', LONGEST_FIELD * 2)}`,
  };
}

/** The entry of a field: found by its name, shown with the operation that takes it. */
export function fieldEntry({ id, name, text }: ShownField, page: string, operation: Operation): SearchEntry {
  const path = id.slice(operation.id.length + 1);
  return {
    kind: 'field',
    to: `${page}#${id}`,
    title: name,
    place: `${operation.object.summary}${path === name ? '' : ` · ${path}`}`,
    text: plain(text, LONGEST_FIELD),
  };
}

/** Entries of the codes that a table of the error page explains: "| `code` | status | meaning |". */
export function errorEntries(path: string, source: string, codes: readonly string[]): SearchEntry[] {
  return codes.flatMap((code) => {
    const row = source.split('\n').find((line) => line.startsWith(`| \`${code}\``));
    if (row === undefined) return [];
    const [, , status = '', meaning = ''] = row.split('|').map((cell) => plain(cell, LONGEST_FIELD));
    const heading =
      source
        .slice(0, source.indexOf(row))
        .match(/^#+ .+$/gm)
        ?.at(-1) ?? '';
    return [{ kind: 'error', to: path, title: code, place: `Error ${status} · ${plain(heading, 80)}`, text: meaning }];
  });
}

/** Entries of the catalogue's models. */
export function modelEntries(path: string, models: readonly CatalogueModel[]): SearchEntry[] {
  const parts: Readonly<Record<string, string>> = { image: 'images', 'image-edit': 'images' };
  return models.map(({ code, kind, description = '' }) => ({
    kind: 'model',
    to: `${path}#${parts[kind] ?? kind}`,
    title: code,
    place: description,
    text: kind,
  }));
}

/** The file that the search loads. */
export function searchScript(entries: readonly SearchEntry[]): string {
  return `window.SEARCH=${jsonForScript(entries.map(({ kind, to, title, place, text }) => [kind, to, title, place, text]))};\n`;
}

function plain(text: string, longest: number): string {
  return text
    .replace(/[`*|#>]|\]\([^)]*\)|\[|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longest);
}
