/** The pages of the portal: what there is, where it is, what leads where. */
import type { ApiDocument, Operation } from './document.ts';
import { escape, slug } from './html.ts';
import type { Heading } from './markdown.ts';

/** Every page, by the group it is listed in. */
export interface Navigation {
  readonly groups: readonly { readonly name: string; readonly pages: readonly PageEntry[] }[];
}
export interface PageEntry {
  /** Without its ending: `guides/streaming`. */
  readonly path: string;
  readonly title: string;
  /** What is listed under it while it is open. */
  readonly sections?: readonly { readonly id: string; readonly title: string; readonly method?: string }[];
}

/** A page before it is wrapped. */
export interface Content {
  readonly title: string;
  readonly description: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly wide: boolean;
}

/** The reference pages, one per tag, in the groups of the document. */
export function referenceEntries(document: ApiDocument, operations: readonly Operation[]): Navigation['groups'] {
  const groups = document['x-tagGroups'] ?? [{ name: 'Reference', tags: document.tags.map(({ name }) => name) }];
  return groups.map(({ name, tags }) => ({
    name: `Reference: ${name}`,
    pages: tags.map((tag) => ({
      path: `reference/${slug(tag)}`,
      title: document.tags.find((each) => each.name === tag)?.['x-displayName'] ?? tag,
      sections: operations
        .filter((operation) => operation.tag === tag)
        .map(({ id, object, method, webhook }) => ({ id, title: object.summary, method: webhook ? 'hook' : method })),
    })),
  }));
}

export interface LayoutOptions {
  readonly navigation: Navigation;
  readonly path: string;
  readonly version: string;
  /** How a page is addressed from this one: `../guides/streaming.html`. */
  readonly href: (path: string) => string;
  /** The same for a file of the portal: `assets/portal.css`. */
  readonly file: (path: string) => string;
}

/** A whole HTML page. */
export function layout(content: Content, options: LayoutOptions): string {
  const { href, file, path, navigation, version } = options;
  const flat = navigation.groups.flatMap(({ pages }) => pages);
  const at = flat.findIndex((page) => page.path === path);
  const toc = content.headings.filter(({ level }) => level === 2 || level === 3);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(content.title)} · Unified Model Gateway</title>
<meta name="description" content="${escape(content.description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${file('assets/icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${file('assets/portal.css')}">
<script src="${file('assets/theme.js')}"></script>
</head>
<body data-root="${escape(file(''))}" data-here="${escape(path)}">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button type="button" class="icon menu" aria-label="Menu" aria-expanded="false" aria-controls="nav"><svg viewBox="0 0 20 20" width="20" height="20"><path d="M3 5h14M3 10h14M3 15h14" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/></svg></button>
<a class="brand" href="${href('index')}"><img src="${file('assets/icon.svg')}" alt="" width="24" height="24"><span>Model Gateway</span></a>
<button type="button" class="search" aria-keyshortcuts="Control+K Meta+K /"><svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><path d="M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3Zm4.5 10.5L17 17" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/></svg><span>Search</span><kbd>Ctrl K</kbd></button>
<span class="version">v${escape(version)}</span>
<details class="fill"><summary>Your key</summary><div><label>Key, for the samples and for trying<input type="password" data-key="key" autocomplete="off" spellcheck="false" placeholder="sk-test-…"></label><p class="quiet">It stays in this tab.</p></div></details>
<button type="button" class="icon theme" aria-label="Switch between light and dark"><svg viewBox="0 0 20 20" width="20" height="20"><path d="M10 2a8 8 0 1 0 8 8 6.2 6.2 0 0 1-8-8Z" fill="currentColor"/></svg></button>
</header>
<div class="shell${content.wide ? ' wide' : ''}">
<nav id="nav" aria-label="Pages">${navigation.groups.map((group) => navGroup(group, path, href)).join('')}</nav>
<main id="content">
<p class="page-tools"><button type="button" class="copy-page" data-page="${file(`${path}.md`)}">Copy page as Markdown</button> <a href="${file(`${path}.md`)}">View it</a></p>
${content.html}
${content.wide ? '' : pager(flat[at - 1], flat[at + 1], href)}
</main>
${content.wide ? '' : `<aside class="toc" aria-label="On this page">${toc.length < 2 ? '' : `<p>On this page</p><ul>${toc.map(({ level, text, id }) => `<li class="l${level}"><a href="#${id}">${escape(text)}</a></li>`).join('')}</ul>`}</aside>`}
</div>
<dialog id="search" aria-label="Search"><input type="search" role="combobox" aria-expanded="true" aria-controls="results" aria-label="Search pages, operations, fields and codes" placeholder="Pages, operations, fields, codes of errors" autocomplete="off" spellcheck="false"><div id="results" role="listbox" aria-label="What was found"></div></dialog>
<script src="${file('assets/portal.js')}" defer></script>
<script src="${file('assets/fill.js')}" defer></script>
<script src="${file('assets/search.js')}" defer></script>
${content.wide ? ['try-form', 'try-answer', 'try'].map((name) => `<script src="${file(`assets/${name}.js`)}" defer></script>`).join('\n') : ''}
</body>
</html>
`;
}

function navGroup({ name, pages }: Navigation['groups'][number], here: string, href: LayoutOptions['href']): string {
  const items = pages.map((page) => {
    const open = page.path === here;
    const sections =
      open && page.sections !== undefined
        ? `<ul>${page.sections
            .map(
              ({ id, title, method }) =>
                `<li><a href="#${escape(id)}">${method === undefined ? '' : `<span class="method small ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span>`}<span>${escape(title)}</span></a></li>`,
            )
            .join('')}</ul>`
        : '';
    return `<li><a href="${escape(href(page.path))}"${open ? ' aria-current="page"' : ''}>${escape(page.title)}</a>${sections}</li>`;
  });
  return `<p>${escape(name)}</p><ul>${items.join('')}</ul>`;
}

function pager(before: PageEntry | undefined, after: PageEntry | undefined, href: LayoutOptions['href']): string {
  const link = (page: PageEntry | undefined, word: string, side: string): string =>
    page === undefined
      ? '<span></span>'
      : `<a class="${side}" href="${escape(href(page.path))}"><small>${word}</small>${escape(page.title)}</a>`;
  return `<div class="pager">${link(before, 'Before', 'before')}${link(after, 'Next', 'after')}</div>`;
}
