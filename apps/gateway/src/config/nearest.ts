import { editsBetween } from '@model-gateway/core';

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
