/** What the pages are made of, as it lies in the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogueMarkdown, readCatalogue, type CatalogueModel } from './catalogue.ts';
import type { Example } from './document.ts';

export interface GuideSource {
  /** Of its page, without an ending: `guides/streaming`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}
export interface GuideGroup {
  readonly name: string;
  readonly pages: readonly GuideSource[];
}

/** The guides of docs/navigation.json. One that is not there is left out: the others can still be read. */
export function readGuides(root: string): readonly GuideGroup[] {
  const docs = join(root, 'docs');
  const { groups } = JSON.parse(readFileSync(join(docs, 'navigation.json'), 'utf8')) as {
    groups: { name: string; pages: (string | { path: string; file: string; title: string })[] }[];
  };
  return groups.map(({ name, pages }) => ({
    name,
    pages: pages.flatMap((page) => {
      const path = typeof page === 'string' ? page : page.path;
      const file = typeof page === 'string' ? join(docs, `${page}.md`) : join(root, page.file);
      if (!existsSync(file)) return [];
      const source = readFileSync(file, 'utf8');
      const text = file.endsWith('.yaml') ? catalogueMarkdown(readCatalogue(source)) : source;
      return [{ path, title: typeof page === 'string' ? (/^# (.+)$/m.exec(text)?.[1] ?? path) : page.title, text }];
    }),
  }));
}

/** The models of the built-in catalogue. */
export function readModels(root: string): readonly CatalogueModel[] {
  const file = join(root, 'apps/gateway/config/catalogue.yaml');
  return existsSync(file) ? readCatalogue(readFileSync(file, 'utf8')) : [];
}

/** Drawings of docs/drawings by their names: `task.svg`. Without their own styles, which the pages' policy refuses: portal.css has them. */
export function readDrawings(root: string): ReadonlyMap<string, string> {
  const folder = join(root, 'docs/drawings');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.svg')) : [];
  const plain = (name: string): string =>
    readFileSync(join(folder, name), 'utf8').replace(/<style>[\s\S]*?<\/style>|<title>.*?<\/title>|\n/g, '');
  return new Map(names.map((name) => [name, plain(name)]));
}

/** Examples of operations without a body: they say parameters only, and the document has no place for them. */
export function readRequests(root: string): ReadonlyMap<string, readonly Example[]> {
  const folder = join(root, 'spec/examples');
  const found = new Map<string, Example[]>();
  if (!existsSync(folder)) return found;
  for (const file of readdirSync(folder).sort()) {
    const [id = ''] = file.split('.');
    const example = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example;
    if (example.value === undefined) found.set(id, [...(found.get(id) ?? []), example]);
  }
  return found;
}
