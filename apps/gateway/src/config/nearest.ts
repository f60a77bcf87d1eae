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

/** Letters to add, take out or change (Levenshtein), two neighbours in the wrong order counting as one. */
function editsBetween(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const cells = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      cells.push(
        Math.min(
          (rows[row - 1]?.[column] ?? 0) + 1,
          (cells[column - 1] ?? 0) + 1,
          (rows[row - 1]?.[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    rows.push(cells);
  }
  return rows[left.length]?.[right.length] ?? 0;
}
