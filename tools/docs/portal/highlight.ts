/** Colours for code: shiki's grammars, written as classes, because the pages' policy allows no styles in them. */
import { createCssVariablesTheme, createHighlighterCoreSync, type HighlighterCore } from '@shikijs/core';
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import json from '@shikijs/langs/json';
import python from '@shikijs/langs/python';
import shellscript from '@shikijs/langs/shellscript';
import typescript from '@shikijs/langs/typescript';
import yaml from '@shikijs/langs/yaml';
import { escape } from './html.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  json: 'json',
  js: 'typescript',
  ts: 'typescript',
  javascript: 'typescript',
  typescript: 'typescript',
  python: 'python',
  sh: 'shellscript',
  bash: 'shellscript',
  yaml: 'yaml',
};
/** `var(--shiki-token-string-expression)` */
const TOKEN = /--shiki-token-([\w-]+)\)/;

/** Half a second for a line is its default: on a busy machine the first line of a page would lose its colours. */
const UNTIMED = { tokenizeTimeLimit: 0 };

let highlighter: HighlighterCore | undefined;
/** Reading the grammars takes a moment: it waits for the first piece of code. */
function grammars(): HighlighterCore {
  return (highlighter ??= createHighlighterCoreSync({
    themes: [createCssVariablesTheme()],
    langs: [json, python, shellscript, typescript, yaml],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  }));
}

/** Code as HTML; an unknown language is only escaped. */
export function highlight(code: string, language: string): string {
  const lang = LANGUAGES[language];
  if (lang === undefined) return escape(code);
  const known = kept.get(`${lang} ${code}`);
  if (known !== undefined) return known;
  const lines = grammars().codeToTokensBase(code, { lang, theme: 'css-variables', ...UNTIMED });
  const html = lines.map((line) => merged(line).map(tokenHtml).join('')).join('\n');
  kept.set(`${lang} ${code}`, html);
  return html;
}
/** Pages are made for readers and read again for the search; the code in them is the same. */
const kept = new Map<string, string>();

interface Run {
  readonly content: string;
  readonly kind: string | undefined;
}

/** Neighbours of one colour become one. */
function merged(line: readonly { readonly content: string; readonly color?: string }[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { content, color = '' } of line) {
    const kind = TOKEN.exec(color)?.[1];
    const before = runs.at(-1);
    if (before !== undefined && (before.kind === kind || content.trim() === ''))
      runs[runs.length - 1] = { content: before.content + content, kind: before.kind };
    else runs.push({ content, kind });
  }
  return runs;
}

function tokenHtml({ content, kind }: Run): string {
  return kind === undefined || kind === 'punctuation' ? escape(content) : `<i class="h-${kind}">${escape(content)}</i>`;
}
