/**
 * The Markdown the guides and the document use: headings, paragraphs, lists, tables, quotes, fenced code, rules, and inline code,
 * emphasis and links. HTML in it is text. Fences that follow each other with `tab="…"` become tabs.
 */
import { highlight } from './highlight.ts';
import { escape, slug } from './html.ts';

export interface MarkdownOptions {
  /** Where a link leads; undefined leaves it as it is written. */
  readonly link?: (target: string) => string | undefined;
  /** Where inline code leads, such as an operation: undefined for nowhere. */
  readonly codeLink?: (code: string) => string | undefined;
  /** Headings found, for the table of contents. */
  readonly headings?: Heading[];
}
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

/** A whole text. */
export function markdown(text: string, options: MarkdownOptions = {}): string {
  const plain = text.replace(/\r\n?/g, '\n').replace(/^<!--[\s\S]*?-->$/gm, '');
  return blocks(plain.split('\n'), options, new Set());
}

/** One line without a paragraph around it. */
export function inline(text: string, options: MarkdownOptions = {}): string {
  const pattern =
    /(`+)([\s\S]*?[^`])\1(?!`)|\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)|<(https?:\/\/[^>\s]+)>|\*\*([\s\S]+?)\*\*|(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?!\w)|\\([\\`*_{}[\]()#+.!|<>-])/g;
  let html = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, , code, label, target, address, strong, emphasis, escaped] = match;
    html += escape(text.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) html += inlineCode(code.trim(), options);
    else if (label !== undefined && target !== undefined) html += anchor(target, inline(label, options), options);
    else if (address !== undefined) html += anchor(address, escape(address), options);
    else if (strong !== undefined) html += `<strong>${inline(strong, options)}</strong>`;
    else if (emphasis !== undefined) html += `<em>${inline(emphasis, options)}</em>`;
    else html += escape(escaped ?? '');
  }
  return html + escape(text.slice(at));
}

const LONGEST_WHOLE = 32;

function inlineCode(code: string, { codeLink }: MarkdownOptions): string {
  const target = codeLink?.(code);
  // Short names stay whole; a phone's line takes this much.
  const long = code.length > LONGEST_WHOLE ? ' class="long"' : '';
  const html = `<code${long}>${escape(code)}</code>`;
  return target === undefined ? html : `<a class="code-link" href="${escape(target)}">${html}</a>`;
}

function anchor(target: string, html: string, { link }: MarkdownOptions): string {
  const resolved = link?.(target) ?? target;
  if (!/^(https?:|mailto:|#|\.{0,2}\/|[\w-]+(\/|\.html|$))/.test(resolved)) return html;
  const outside = /^https?:/.test(resolved) ? ' rel="noreferrer"' : '';
  return `<a href="${escape(resolved)}"${outside}>${html}</a>`;
}

const LIST_ITEM = /^(\s*)([-*]|\d+\.)\s+(.*)$/;
const FENCE = /^\s*(`{3,})\s*([\w-]*)\s*(.*)$/;

function blocks(lines: readonly string[], options: MarkdownOptions, ids: Set<string>): string {
  let html = '';
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line);
    if (line.trim() === '') at++;
    else if (fence !== null) {
      const [next, code] = fences(lines, at);
      html += code;
      at = next;
    } else if (/^#{1,6}\s/.test(line)) html += heading(lines[at++] ?? '', options, ids);
    else if (/^(-{3,}|\*{3,})$/.test(line.trim())) {
      html += '<hr>';
      at++;
    } else if (/^>/.test(line)) {
      const from = at;
      while (at < lines.length && /^>/.test(lines[at] ?? '')) at++;
      const quoted = lines.slice(from, at).map((each) => each.replace(/^> ?/, ''));
      html += `<blockquote>${blocks(quoted, options, ids)}</blockquote>`;
    } else if (isTable(lines, at)) {
      const from = at;
      while (at < lines.length && (lines[at] ?? '').trim().startsWith('|')) at++;
      html += table(lines.slice(from, at), options);
    } else if (LIST_ITEM.test(line)) {
      const from = at;
      at++;
      while (at < lines.length && belongsToList(lines, at)) at++;
      html += list(lines.slice(from, at), options, ids);
    } else {
      const from = at;
      at++;
      while (at < lines.length && isParagraph(lines, at)) at++;
      html += `<p>${inline(lines.slice(from, at).join('\n').trim(), options)}</p>`;
    }
  }
  return html;
}

function isParagraph(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  return !(
    line.trim() === '' ||
    /^(#{1,6}\s|>)/.test(line) ||
    FENCE.test(line) ||
    LIST_ITEM.test(line) ||
    isTable(lines, at)
  );
}

function heading(line: string, options: MarkdownOptions, ids: Set<string>): string {
  const level = /^#+/.exec(line)?.[0].length ?? 1;
  const text = line.slice(level).trim();
  const html = inline(text, options);
  let id = slug(html);
  for (let copy = 2; ids.has(id); copy++) id = `${slug(html)}-${copy}`;
  ids.add(id);
  options.headings?.push({ level, text: text.replace(/[`*]/g, ''), id });
  return `<h${level} id="${id}"><a class="self" href="#${id}" aria-label="Link to this heading"></a>${html}</h${level}>`;
}

function isTable(lines: readonly string[], at: number): boolean {
  return /^\s*\|/.test(lines[at] ?? '') && /^\s*\|[\s:|-]+\|?\s*$/.test(lines[at + 1] ?? '');
}

function table(lines: readonly string[], options: MarkdownOptions): string {
  const [head = '', , ...body] = lines;
  const cells = (line: string, tag: string): string =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => `<${tag}>${inline(cell.trim().replace(/\\\|/g, '|'), options)}</${tag}>`)
      .join('');
  return `<div class="table"><table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body
    .map((line) => `<tr>${cells(line, 'td')}</tr>`)
    .join('')}</tbody></table></div>`;
}

function belongsToList(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (line.trim() === '') return LIST_ITEM.test(lines[at + 1] ?? '') || /^\s{2,}\S/.test(lines[at + 1] ?? '');
  return LIST_ITEM.test(line) || /^\s+\S/.test(line) || (isParagraph(lines, at) && (lines[at - 1] ?? '').trim() !== '');
}

function list(lines: readonly string[], options: MarkdownOptions, ids: Set<string>): string {
  const [, indent = '', marker = ''] = LIST_ITEM.exec(lines[0] ?? '') ?? [];
  const items: string[][] = [];
  for (const line of lines) {
    const item = LIST_ITEM.exec(line);
    if (item !== null && (item[1] ?? '').length <= indent.length) items.push([item[3] ?? '']);
    else items.at(-1)?.push(line);
  }
  const html = items.map((item) => {
    const [first = '', ...rest] = item;
    const depth = Math.min(
      ...rest.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0),
    );
    const inner = [first, ...rest.map((line) => line.slice(Number.isFinite(depth) ? depth : 0))];
    const nested = inner.findIndex(
      (line, index) => index > 0 && (line.trim() === '' || LIST_ITEM.test(line) || FENCE.test(line)),
    );
    if (nested === -1) return `<li>${inline(inner.join('\n'), options)}</li>`;
    return `<li>${inline(inner.slice(0, nested).join('\n'), options)}${blocks(inner.slice(nested), options, ids)}</li>`;
  });
  const tag = /\d/.test(marker) ? 'ol' : 'ul';
  return `<${tag}>${html.join('')}</${tag}>`;
}

export interface CodeTab {
  readonly label: string;
  readonly language: string;
  readonly code: string;
}

function fences(lines: readonly string[], from: number): [number, string] {
  const tabs: CodeTab[] = [];
  let at = from;
  for (;;) {
    let start = at;
    while (tabs.length > 0 && (lines[start] ?? '').trim() === '' && start < lines.length) start++;
    const opening = FENCE.exec(lines[start] ?? '');
    const label = /tab="([^"]*)"/.exec(opening?.[3] ?? '')?.[1];
    if (opening === null || (tabs.length > 0 && label === undefined)) break;
    const indent = /^\s*/.exec(lines[start] ?? '')?.[0].length ?? 0;
    let end = start + 1;
    while (end < lines.length && !(lines[end] ?? '').trim().startsWith(opening[1] ?? '```')) end++;
    const code = lines
      .slice(start + 1, end)
      .map((line) => line.slice(Math.min(indent, /^\s*/.exec(line)?.[0].length ?? 0)));
    tabs.push({ label: label ?? '', language: opening[2] ?? '', code: code.join('\n') });
    at = end + 1;
    if (label === undefined) break;
  }
  return [at, codeTabs(tabs)];
}

/** One block of code, or several behind tabs. The tab one chooses is chosen everywhere. */
export function codeTabs(tabs: readonly CodeTab[]): string {
  const [first] = tabs;
  if (first === undefined) return '';
  if (tabs.length === 1 && first.label === '') return codeBlock(first);
  const buttons = tabs.map(
    ({ label }, index) =>
      `<button type="button" role="tab" aria-selected="${index === 0 ? 'true' : 'false'}" data-tab="${escape(label)}">${escape(label)}</button>`,
  );
  const panels = tabs.map(
    (tab, index) =>
      `<div role="tabpanel" data-tab="${escape(tab.label)}"${index === 0 ? '' : ' hidden'}>${codeBlock(tab)}</div>`,
  );
  return `<div class="tabs"><div class="tab-row" role="tablist">${buttons.join('')}</div>${panels.join('')}</div>`;
}

function codeBlock({ code, language }: CodeTab): string {
  return `<div class="code"><button type="button" class="copy">Copy</button><pre><code class="language-${escape(language)}">${highlight(code, language)}</code></pre></div>`;
}
