/** The portal: every page by its path, made when it is first asked for and kept. Works from a folder, offline, and behind the gateway. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operationsOf, type ApiDocument, type Example, type Operation } from './document.ts';
import { escape } from './html.ts';
import { markdown, type Heading, type MarkdownOptions } from './markdown.ts';
import { layout, referenceEntries, type Content, type Navigation, type PageEntry } from './pages.ts';
import { operationHtml, type ReferenceContext } from './reference.ts';
import { operationEntry, pageEntries, searchScript, type SearchEntry } from './search-index.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ASSETS = fileURLToPath(new URL('./assets/', import.meta.url));

export interface PortalOptions {
  readonly document: ApiDocument;
  /** The repository; its docs/, spec/examples and libs/client/README.md are read. */
  readonly root?: string;
}

export interface PortalFile {
  readonly type: string;
  readonly body: string;
}

export interface Portal {
  /** Every file there is: `index.html`, `guides/streaming.html`, `assets/portal.css`. */
  readonly paths: readonly string[];
  /** One file. `at` is the address it is served under when that is not its path: `/docs` for `index.html`. */
  file(path: string, at?: string): PortalFile | undefined;
}

interface GuideSource {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** Reads what the pages are made of. A guide of docs/navigation.json that is not there is left out: the others can still be read. */
export function createPortal({ document, root = ROOT }: PortalOptions): Portal {
  const operations = operationsOf(document);
  const guides = readGuides(root);
  const navigation: Navigation = {
    groups: [
      ...guides.groups.map(({ name, pages }) => ({
        name,
        pages: pages.map(({ path, title }): PageEntry => ({ path, title })),
      })),
      ...referenceEntries(document, operations),
    ],
  };
  const requests = readRequests(root);
  const pagePaths = navigation.groups.flatMap(({ pages }) => pages.map(({ path }) => path));
  const sources = new Map(guides.groups.flatMap(({ pages }) => pages).map((guide) => [guide.path, guide]));
  const assets = readdirSync(ASSETS);
  const pageOf = new Map(operations.map((operation) => [operation.id, pageOfTag(operation.tag)]));
  const known = new Map(
    operations.map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation]),
  );
  const kept = new Map<string, PortalFile>();

  const optionsFor = (path: string, headings: Heading[]): MarkdownOptions => ({
    headings,
    link: (target) => linkFrom(path, target, pageOf, sources),
    codeLink: (code) => {
      const operation = known.get(code);
      return operation === undefined
        ? undefined
        : relative(path, `${pageOfTag(operation.tag)}.html`) + `#${operation.id}`;
    },
  });
  const contentOf = (path: string): Content | undefined => {
    const guide = sources.get(path);
    if (guide !== undefined) return guideContent(guide, optionsFor);
    const tag = document.tags.find(({ name }) => pageOfTag(name) === path);
    return tag === undefined
      ? undefined
      : referenceContent(document, tag.name, operations, { path, requests, optionsFor });
  };
  const make = (path: string): PortalFile | undefined => {
    if (path === 'assets/search-index.js')
      return { type: 'text/javascript; charset=utf-8', body: searchScript(entries()) };
    const asset = /^assets\/([\w.-]+)$/.exec(path)?.[1];
    if (asset !== undefined) return assets.includes(asset) ? assetFile(asset) : undefined;
    if (path === 'openapi.json') return { type: 'application/json; charset=utf-8', body: JSON.stringify(document) };
    if (!path.endsWith('.html')) return undefined;
    const page = path.slice(0, -'.html'.length);
    const content = pagePaths.includes(page) ? contentOf(page) : undefined;
    if (content === undefined) return undefined;
    const file = (target: string): string => (target === '' ? relative(page, '') : relative(page, target));
    const body = layout(content, {
      navigation,
      path: page,
      version: document.info.version,
      href: (to) => file(`${to}.html`),
      file,
    });
    return { type: 'text/html; charset=utf-8', body };
  };
  const entries = (): SearchEntry[] => [
    ...guides.groups.flatMap(({ pages }) =>
      pages.flatMap(({ path, title, text }) => {
        const headings: Heading[] = [];
        markdown(text, { headings });
        return pageEntries(path, title, text, headings);
      }),
    ),
    ...operations.map((operation) => operationEntry(operation, pageOfTag(operation.tag))),
  ];

  return {
    paths: [
      ...pagePaths.map((path) => `${path}.html`),
      ...assets.map((name) => `assets/${name}`),
      'assets/search-index.js',
      'openapi.json',
    ],
    file(path, at) {
      const found = kept.get(path) ?? make(path);
      if (found === undefined) return undefined;
      kept.set(path, found);
      return at === undefined ? found : { ...found, body: under(found.body, at) };
    },
  };
}

function pageOfTag(tag: string): string {
  return `reference/${tag}`;
}

/** From one page to a file, both from the portal's root. */
function relative(page: string, target: string): string {
  return '../'.repeat(page.split('/').length - 1) + target;
}

/** The start page is served at an address without its folder: its links begin with that folder's name. */
function under(html: string, at: string): string {
  const folder = `${at.split('/').at(-1) ?? ''}/`;
  return html
    .replace(/(\s(?:href|src)=")(?!https?:|mailto:|#|\/|data:)/g, `$1${folder}`)
    .replace('data-root=""', `data-root="${folder}"`);
}

/** `<guide>.md#<heading>` → `<guide>.html#<heading>`; `ref:createVideoTask` → the operation. */
function linkFrom(
  page: string,
  target: string,
  pageOf: ReadonlyMap<string, string>,
  sources: ReadonlyMap<string, GuideSource>,
): string | undefined {
  const operation = /^ref:(\w+)$/.exec(target)?.[1];
  if (operation !== undefined) {
    const found = pageOf.get(operation);
    if (found === undefined) throw new Error(`${page} links to ${target}, which the document does not have`);
    return `${relative(page, `${found}.html`)}#${operation}`;
  }
  const [, file, hash = ''] = /^([\w./-]+)\.md(#[\w-]+)?$/.exec(target) ?? [];
  if (file === undefined) return undefined;
  const name = file.split('/').at(-1) ?? file;
  const found = [...sources.keys()].find((path) => path === name || path.endsWith(`/${name}`));
  if (found === undefined) throw new Error(`${page} links to ${target}, which is no guide`);
  return `${relative(page, `${found}.html`)}${hash}`;
}

function guideContent(guide: GuideSource, optionsFor: (path: string, headings: Heading[]) => MarkdownOptions): Content {
  const headings: Heading[] = [];
  const html = markdown(guide.text, optionsFor(guide.path, headings));
  const description = /^(?!#|```|\||>|-)\S.*$/m.exec(guide.text)?.[0] ?? guide.title;
  return {
    title: guide.title,
    description: description.replace(/[`*[\]]/g, ''),
    html: `<article>${html}</article>`,
    headings,
    wide: false,
  };
}

function referenceContent(
  document: ApiDocument,
  tag: string,
  operations: readonly Operation[],
  {
    path,
    requests,
    optionsFor,
  }: {
    path: string;
    requests: ReferenceContext['requests'];
    optionsFor: (path: string, headings: Heading[]) => MarkdownOptions;
  },
): Content {
  const { description = '', 'x-displayName': title = tag } = document.tags.find(({ name }) => name === tag) ?? {};
  const options = optionsFor(path, []);
  const context: ReferenceContext = { document, markdown: options, requests };
  const sections = operations
    .filter((operation) => operation.tag === tag)
    .map((operation) => operationHtml(operation, context));
  const html = `<header class="tag-head"><h1>${escape(title)}</h1>${markdown(description, options)}</header>${sections.join('')}`;
  return {
    title,
    description: (description.split('\n')[0] ?? title).replace(/[`*]/g, ''),
    html,
    headings: [],
    wide: true,
  };
}

function readGuides(root: string): {
  readonly groups: readonly { readonly name: string; readonly pages: readonly GuideSource[] }[];
} {
  const docs = join(root, 'docs');
  const { groups } = JSON.parse(readFileSync(join(docs, 'navigation.json'), 'utf8')) as {
    groups: { name: string; pages: (string | { path: string; file: string; title: string })[] }[];
  };
  return {
    groups: groups.map(({ name, pages }) => ({
      name,
      pages: pages.flatMap((page) => {
        const path = typeof page === 'string' ? page : page.path;
        const file = typeof page === 'string' ? join(docs, `${page}.md`) : join(root, page.file);
        if (!existsSync(file)) return [];
        const text = readFileSync(file, 'utf8');
        return { path, title: typeof page === 'string' ? (/^# (.+)$/m.exec(text)?.[1] ?? path) : page.title, text };
      }),
    })),
  };
}

/** Examples of operations without a body: they say parameters only, and the document has no place for them. */
function readRequests(root: string): ReadonlyMap<string, readonly Example[]> {
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

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

function assetFile(name: string): PortalFile {
  return {
    type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    body: readFileSync(join(ASSETS, name), 'utf8'),
  };
}
