/** Operators' patterns: regular expressions, run by an engine whose time grows with the text and with nothing else (docs/decisions/0029-guardrails.md). */
import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

/** The engine takes a megabyte: it is loaded with the first pattern, which is read where nothing can be awaited. */
const require = createRequire(import.meta.url);
const engine = () => (require('re2js') as typeof Re2).RE2JS;

/** Characters of the longest match that is found. */
export const LONGEST_MATCH = 512;
const LONGEST_PATTERN = 1000;
/** Steps of a compiled pattern: each character of a text may cost as many. */
const MOST_STEPS = 1100;
/** With more of them a text is never looked through in the thread that serves. */
export const SLOW_STEPS = 150;

const SMALLER = `use smaller repetitions ({1,20}): a match has at most ${LONGEST_MATCH} characters`;

/** A pattern of an operator's, compiled. */
export type CompiledPattern = ReturnType<typeof Re2.RE2JS.compile>;

/** Why a pattern is refused, and what would be right; undefined when it is taken. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `has ${pattern.length} characters; at most ${LONGEST_PATTERN} are taken`;
  try {
    if (new RegExp(pattern, 'u').test('')) return 'matches an empty text, and so everything';
  } catch (error) {
    return `is no regular expression: ${wordsOf(error)}`;
  }
  const outside = pattern.replace(/\\\\/g, '');
  if (/\\[1-9]|\\k</.test(outside))
    return 'refers back to a group (\\1, \\k<name>), which takes any time on a hostile text; write out what is repeated, such as (?:aa|bb)';
  if (/(?<!\\)\(\?<?[=!]/.test(outside))
    return 'looks ahead or behind ((?=…), (?!…), (?<=…), (?<!…)); write what is to be found itself, and \\b for the edge of a word';
  try {
    const steps = compilePattern(pattern).programSize();
    if (steps > MOST_STEPS)
      return `takes ${steps} steps for each character, at most ${MOST_STEPS} are taken; ${SMALLER}`;
  } catch (error) {
    const words = wordsOf(error);
    if (words.includes('repeat count')) return `repeats more than 1000 times: ${words}; ${SMALLER}`;
    return `is outside of RE2's syntax: ${words}; see https://github.com/google/re2/wiki/Syntax`;
  }
  return undefined;
}

/** Throws where RE2 has no such form. */
export function compilePattern(pattern: string): CompiledPattern {
  const scripts = pattern.replace(/(\\[pP]\{)(?:Script|sc|Script_Extensions|scx|General_Category|gc)=/g, '$1');
  const RE2JS = engine();
  return RE2JS.compile(RE2JS.translateRegExp(scripts));
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^.*?: /, '') : String(error);
}
