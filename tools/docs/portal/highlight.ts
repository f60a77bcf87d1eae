/** Colours for code: shiki's grammars, written as classes, because the pages' policy allows no styles in them. */
import {
  createCssVariablesTheme,
  createHighlighterCoreSync,
  type GrammarState,
  type HighlighterCore,
} from '@shikijs/core';
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
  let place = beginningOf(lang);
  const lines: string[] = [];
  for (const line of code.split(/\r?\n/)) {
    // Such a line changes nothing.
    const { html, next } = line === '' ? { html: '', next: place } : lineAt(place, line);
    lines.push(html);
    place = next;
  }
  return lines.join('\n');
}

/** Where a line stands, as its grammar sees it: in a string, in a call. */
interface Place {
  readonly lang: string;
  /** Undefined before the first line. */
  readonly state: GrammarState | undefined;
  readonly lines: Map<string, Line>;
}
interface Line {
  readonly html: string;
  readonly next: Place;
}
/** The samples of operations have most of their lines in common, and finding their colours is most of what a page takes: each is kept by its place. */
const places = new Map<string, Place[]>();

function beginningOf(lang: string): Place {
  const [first] = places.get(lang) ?? [];
  if (first !== undefined) return first;
  const made: Place = { lang, state: undefined, lines: new Map() };
  places.set(lang, [made]);
  return made;
}

function lineAt(place: Place, text: string): Line {
  const known = place.lines.get(text);
  if (known !== undefined) return known;
  const { lang, state } = place;
  const from = state === undefined ? {} : { grammarState: state };
  const tokens = grammars().codeToTokensBase(text, { lang, theme: 'css-variables', ...UNTIMED, ...from });
  const html = tokens.map((line) => merged(line).map(tokenHtml).join('')).join('\n');
  const after = grammars().getLastGrammarState(tokens);
  const line = { html, next: after === undefined ? place : placeOf(lang, after) };
  place.lines.set(text, line);
  return line;
}

function placeOf(lang: string, state: GrammarState): Place {
  const known = places.get(lang) ?? [];
  const stack = state.getInternalStack();
  const same = known.find((each) => stack !== undefined && each.state?.getInternalStack()?.equals(stack) === true);
  if (same !== undefined) return same;
  const made: Place = { lang, state, lines: new Map() };
  known.push(made);
  return made;
}

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
