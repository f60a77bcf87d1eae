/**
 * The guides' and the document's Markdown: markdown-it, and what it has no word for. Links and inline code lead to pages and operations of the
 * portal, headings get anchors, fences that follow each other with `tab="…"` become tabs, pictures that are drawings stand in the page itself.
 */
import MarkdownIt, { type Token } from 'markdown-it';
import { codeTabs, type CodeTab } from './code.ts';
import { escape, slug } from './html.ts';

export interface MarkdownOptions {
  /** Where a link leads; undefined leaves it as it is written. */
  readonly link?: (target: string) => string | undefined;
  /** Where inline code leads, such as an operation: undefined for nowhere. */
  readonly codeLink?: (code: string) => string | undefined;
  /** The SVG of a picture that a page names. */
  readonly drawing?: (target: string) => string | undefined;
  /** Where a picture, film or sound of the portal's lies. */
  readonly medium?: (target: string) => string | undefined;
  /** Headings found, for the table of contents. */
  readonly headings?: Heading[];
  /** Leaves blocks of code out, for who wants nothing but the headings: colouring them takes most of the time. */
  readonly omitsCode?: boolean;
}
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

interface Env {
  readonly options: MarkdownOptions;
  readonly ids: Set<string>;
  /** Inside a link nothing else is one. */
  inLink: boolean;
}

/** A whole text. HTML in it is text. */
export function markdown(text: string, options: MarkdownOptions = {}): string {
  return parser.render(text.replace(/^<!--[\s\S]*?-->$/gm, ''), environment(options));
}

/** One line without a paragraph around it. */
export function inline(text: string, options: MarkdownOptions = {}): string {
  return parser.renderInline(text, environment(options));
}

function environment(options: MarkdownOptions): { [key: string]: unknown } {
  const env: Env = { options, ids: new Set(), inLink: false };
  return env as unknown as { [key: string]: unknown };
}

/** Longer code may break in the middle: a phone's line takes this much. */
const LONGEST_WHOLE = 32;
const MANY_COLUMNS = 4;
const parser = new MarkdownIt({ html: false });
const { rules } = parser.renderer;
const envOf = (env: unknown): Env => env as Env;

parser.core.ruler.push('portal', ({ tokens }) => {
  labelCells(tokens);
  tokens.splice(0, tokens.length, ...withTabs(tokens));
});

/** Cells know what their column is called, and their table how many columns it has: phones show wide tables row by row. */
function labelCells(tokens: readonly Token[]): void {
  let heads: string[] = [];
  let table: Token | undefined;
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'table_open') [heads, table] = [[], token];
    else if (token.type === 'tr_open') column = 0;
    else if (token.type === 'th_open') {
      // Alignment is written as a style, which the pages' policy refuses.
      token.attrs = null;
      heads.push((tokens[index + 1]?.content ?? '').replace(/[`*]/g, ''));
      if (table !== undefined) table.meta = { columns: heads.length };
    } else if (token.type === 'td_open') token.attrs = [['data-label', heads[column++] ?? '']];
  }
}

/** Fences with tabs that follow each other become one token. */
function withTabs(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const token of tokens) {
    const label = token.type === 'fence' ? tabOf(token) : undefined;
    const before = result.at(-1);
    const tabs = before?.type === 'fence' ? tabsOf(before) : undefined;
    if (label !== undefined && tabs !== undefined) tabs.push(codeOf(token));
    else {
      if (label !== undefined) token.meta = { tabs: [codeOf(token)] };
      result.push(token);
    }
  }
  return result;
}

function tabsOf({ meta }: Token): CodeTab[] | undefined {
  return (meta as { readonly tabs?: CodeTab[] } | null)?.tabs;
}

function tabOf({ info }: Token): string | undefined {
  return /tab="([^"]*)"/.exec(info)?.[1];
}

function codeOf(token: Token): CodeTab {
  const language = /^[\w-]*/.exec(token.info.trim())?.[0] ?? '';
  return { label: tabOf(token) ?? '', language, code: token.content.replace(/\n$/, '') };
}

rules['fence'] = (tokens, index, _options, given) => {
  if (envOf(given).options.omitsCode === true) return '';
  const token = tokens[index] as Token;
  return codeTabs(tabsOf(token) ?? [codeOf(token)]);
};
rules['code_inline'] = (tokens, index, _options, given) => {
  const { inLink, options } = envOf(given);
  const code = tokens[index]?.content ?? '';
  const target = inLink ? undefined : options.codeLink?.(code);
  const html = `<code${code.length > LONGEST_WHOLE ? ' class="long"' : ''}>${escape(code)}</code>`;
  return target === undefined ? html : `<a class="code-link" href="${escape(target)}">${html}</a>`;
};
rules['link_open'] = (tokens, index, _options, given) => {
  const env = envOf(given);
  env.inLink = true;
  const target = String(tokens[index]?.attrGet('href') ?? '');
  const resolved = env.options.link?.(target) ?? target;
  return `<a href="${escape(resolved)}"${/^https?:/.test(resolved) ? ' rel="noreferrer"' : ''}>`;
};
rules['link_close'] = (_tokens, _index, _options, given) => {
  envOf(given).inLink = false;
  return '</a>';
};
rules['image'] = (tokens, index, _options, given) => {
  const token = tokens[index] as Token;
  const target = String(token.attrGet('src') ?? '');
  const { options } = envOf(given);
  const about = escape(token.content);
  const svg = options.drawing?.(target);
  if (svg !== undefined) return `<span class="drawing" role="img" tabindex="0" aria-label="${about}">${svg}</span>`;
  const medium = options.medium?.(target);
  return medium === undefined ? about : mediumHtml(medium, about);
};
function mediumHtml(target: string, about: string): string {
  const src = escape(target);
  if (target.endsWith('.mp4'))
    return `<video class="sample" src="${src}" aria-label="${about}" width="160" height="90" controls muted loop playsinline preload="metadata"></video>`;
  if (target.endsWith('.mp3'))
    return `<audio class="sample" src="${src}" aria-label="${about}" controls preload="none"></audio>`;
  return `<img class="sample" src="${src}" alt="${about}" width="160" height="90" loading="lazy">`;
}
rules['heading_open'] = (tokens, index, options, given, renderer) => {
  const { ids, options: ours } = envOf(given);
  const { tag } = tokens[index] as Token;
  const content = tokens[index + 1];
  const base = slug(renderer.renderInline(content?.children ?? [], options, given));
  let id = base;
  for (let copy = 2; ids.has(id); copy++) id = `${base}-${copy}`;
  ids.add(id);
  ours.headings?.push({ level: Number(tag.slice(1)), text: (content?.content ?? '').replace(/[`*]/g, ''), id });
  return `<${tag} id="${id}"><a class="self" href="#${id}" aria-label="Link to this heading"></a>`;
};
rules['table_open'] = (tokens, index) => {
  const { columns = 0 } = (tokens[index]?.meta ?? {}) as { readonly columns?: number };
  return `<div class="table${columns >= MANY_COLUMNS ? ' many' : ''}" tabindex="0"><table>`;
};
rules['table_close'] = () => '</table></div>';
