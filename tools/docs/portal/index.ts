/** The portal: every page by its path, made when it is first asked for and kept. Works from a folder, offline, and behind the gateway. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkFrom, pageOfTag, relative, under, type Targets } from './addresses.ts';
import { guideMarkdown, llmsText, tagMarkdown } from './as-markdown.ts';
import { operationsOf, type ApiDocument, type Operation } from './document.ts';
import { escape } from './html.ts';
import { markdown, type Heading, type MarkdownOptions } from './markdown.ts';
import { layout, referenceEntries, type Content, type Navigation, type PageEntry } from './pages.ts';
import { fieldsOf, operationHtml } from './reference.ts';
import {
  errorEntries,
  fieldEntry,
  modelEntries,
  operationEntry,
  pageEntries,
  searchScript,
  type SearchEntry,
} from './search-index.ts';
import { mediaOf, type MediumFile } from './media.ts';
import { readDrawings, readGuides, readModels, readRequests, type GuideSource } from './sources.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ASSETS = fileURLToPath(new URL('./assets/', import.meta.url));
/** The search's library, as its package brings it for browsers. */
const MINISEARCH = new URL('../umd/index.js', import.meta.resolve('minisearch'));
const ERRORS_PAGE = 'guides/errors';
const CATALOGUE_PAGE = 'catalogue';

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
  /** Every file there is: `index.html`, `guides/streaming.html` and its Markdown, `assets/portal.css`. */
  readonly paths: readonly string[];
  /** One file. `at` is the address it is served under when that is not its path: `/docs` for `index.html`. */
  file(path: string, at?: string): PortalFile | undefined;
  /** Pictures, films and sounds of the pages: `media/veo-3.1.mp4`. They are made when they are asked for. */
  readonly mediaPaths: readonly string[];
  medium(path: string): Promise<MediumFile> | undefined;
}

/** Reads what the pages are made of. */
export function createPortal({ document, root = ROOT }: PortalOptions): Portal {
  const operations = operationsOf(document);
  const groups = readGuides(root);
  const drawings = readDrawings(root);
  const requests = readRequests(root);
  const models = readModels(root);
  const media = mediaOf(models);
  const guides = new Map(groups.flatMap(({ pages }) => pages).map((guide) => [guide.path, guide]));
  const navigation: Navigation = {
    groups: [
      ...groups.map(({ name, pages }) => ({
        name,
        pages: pages.map(({ path, title }): PageEntry => ({ path, title })),
      })),
      ...referenceEntries(document, operations),
    ],
  };
  const pages = navigation.groups.flatMap((group) => group.pages.map(({ path }) => path));
  const assets = readdirSync(ASSETS);
  const targets: Targets = {
    operations: new Map(operations.map((operation) => [operation.id, pageOfTag(operation.tag)])),
    guides: [...guides.keys()],
  };
  const byRoute = new Map(operations.map((each) => [`${each.method.toUpperCase()} ${each.path}`, each]));
  const tagOf = (path: string): ApiDocument['tags'][number] | undefined =>
    document.tags.find(({ name }) => pageOfTag(name) === path);
  const operationsAt = (path: string): readonly Operation[] => operations.filter(({ tag }) => pageOfTag(tag) === path);

  const optionsFor = (path: string, headings: Heading[] = []): MarkdownOptions => ({
    headings,
    link: (target) => linkFrom(path, target, targets),
    medium: (target) => (media.has(target) ? relative(path, target) : undefined),
    drawing: (target) => drawings.get(target.split('/').at(-1) ?? ''),
    codeLink: (code) => {
      const operation = byRoute.get(code);
      return operation === undefined
        ? undefined
        : relative(path, `${pageOfTag(operation.tag)}.html`) + `#${operation.id}`;
    },
  });
  const referenceAt = (path: string): Content => {
    const { description = '', name = path, 'x-displayName': title = name } = tagOf(path) ?? {};
    const options = optionsFor(path);
    const sections = operationsAt(path).map((operation) =>
      operationHtml(operation, { document, markdown: options, requests }),
    );
    return {
      title,
      description: (description.split('\n')[0] ?? title).replace(/[`*]/g, ''),
      html: `<header class="tag-head"><h1>${escape(title)}</h1>${markdown(description, options)}</header>${sections.join('')}`,
      headings: [],
      wide: true,
    };
  };
  const contentOf = (path: string): Content => {
    const guide = guides.get(path);
    return guide === undefined ? referenceAt(path) : guideContent(guide, optionsFor);
  };
  const markdownOf = (path: string): string => {
    const guide = guides.get(path);
    if (guide !== undefined) return guideMarkdown(guide, targets);
    const { description = '', name = path, 'x-displayName': title = name } = tagOf(path) ?? {};
    return tagMarkdown(document, { title, description, operations: operationsAt(path), requests });
  };
  const html = (path: string): string => {
    const file = (target: string): string => relative(path, target);
    const href = (to: string): string => file(`${to}.html`);
    return layout(contentOf(path), { navigation, path, version: document.info.version, href, file });
  };
  const entries = (): SearchEntry[] => {
    const fields: SearchEntry[] = [];
    for (const path of new Set(operations.map(({ tag }) => pageOfTag(tag))))
      for (const operation of operationsAt(path))
        fields.push(...fieldsOf(operation, document).map((field) => fieldEntry(field, path, operation)));
    const { ErrorCode } = (document.components['schemas'] ?? {}) as { ErrorCode?: { enum: readonly string[] } };
    return [
      ...[...guides.values()].flatMap(({ path, title, text }) => {
        const headings: Heading[] = [];
        markdown(text, { headings, omitsCode: true });
        return pageEntries(path, title, text, headings);
      }),
      ...operations.map((operation) => operationEntry(operation, pageOfTag(operation.tag))),
      ...errorEntries(ERRORS_PAGE, guides.get(ERRORS_PAGE)?.text ?? '', ErrorCode?.enum ?? []),
      ...modelEntries(CATALOGUE_PAGE, models),
      ...fields,
    ];
  };
  const listed = (): Parameters<typeof llmsText>[0] =>
    navigation.groups.map(({ name, pages: inGroup }) => ({
      name,
      pages: inGroup.map(({ path, title }) => ({ path, title, description: contentOf(path).description })),
    }));
  const special: Readonly<Record<string, () => string>> = {
    'assets/search-index.js': () => searchScript(entries()),
    'assets/minisearch.js': () => readFileSync(MINISEARCH, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''),
    'openapi.json': () => JSON.stringify(document),
    'llms.txt': () => llmsText(listed()),
    'llms-full.txt': () => pages.map((path) => `<!-- ${path}.md -->\n\n${markdownOf(path).trim()}\n`).join('\n'),
  };
  const bodyOf = (path: string): string | undefined => {
    if (Object.hasOwn(special, path)) return special[path]?.();
    const asset = /^assets\/([\w.-]+)$/.exec(path)?.[1];
    if (asset !== undefined) return assets.includes(asset) ? readFileSync(join(ASSETS, asset), 'utf8') : undefined;
    const [, page = '', ending] = /^(.+)\.(html|md)$/.exec(path) ?? [];
    if (!pages.includes(page)) return undefined;
    return ending === 'md' ? markdownOf(page) : html(page);
  };

  const kept = new Map<string, PortalFile>();
  const keptMedia = new Map<string, Promise<MediumFile>>();
  return {
    mediaPaths: [...media.keys()],
    medium(path) {
      const found = keptMedia.get(path) ?? media.get(path)?.();
      if (found !== undefined) keptMedia.set(path, found);
      return found;
    },
    paths: [
      ...pages.flatMap((path) => [`${path}.html`, `${path}.md`]),
      ...assets.map((name) => `assets/${name}`),
      ...Object.keys(special),
    ],
    file(path, at) {
      let found = kept.get(path);
      if (found === undefined) {
        const body = bodyOf(path);
        if (body === undefined) return undefined;
        found = { type: TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream', body };
        kept.set(path, found);
      }
      return at === undefined ? found : { ...found, body: under(found.body, at) };
    },
  };
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
};

function guideContent(guide: GuideSource, optionsFor: (path: string, headings: Heading[]) => MarkdownOptions): Content {
  const headings: Heading[] = [];
  const html = markdown(guide.text, optionsFor(guide.path, headings));
  const description = /^(?!#|```|\||>|-|<!--|!)\S.*$/m.exec(guide.text)?.[0] ?? guide.title;
  return {
    title: guide.title,
    description: description.replace(/\]\([^)]*\)/g, '').replace(/[`*[\]]/g, ''),
    html: `<article>${html}</article>`,
    headings,
    wide: false,
  };
}
