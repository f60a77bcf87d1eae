import { editsBetween, matches } from '@model-gateway/core';
import type { ConfigFault, Path } from './fault.ts';

/** ` (did you mean wire?)` when one of the known words is near enough to what was written, else ''. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const wanted = written.toLowerCase();
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of known) {
    const distance = editsBetween(wanted, word.toLowerCase());
    if (distance <= most && distance < (best?.distance ?? Infinity)) best = { word, distance };
  }
  return best === undefined ? '' : ` (did you mean ${best.word}?)`;
}

/** Groups that are named at a place and that nobody can be of: neither `default` nor one of `groups`. */
export function groupFaults(path: Path, named: readonly string[] = [], groups: readonly string[]): ConfigFault[] {
  const known = ['default', ...groups];
  return named.flatMap((group, place) =>
    known.some((each) => matches(group, each))
      ? []
      : [{ path: [...path, place], message: `there is no group '${group}'${didYouMean(group, known)}` }],
  );
}
