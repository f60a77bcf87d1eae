/** Names near to one that was written, for the hint in a refusal. */

/** Letters to add, take out or change (Levenshtein), two neighbours in the wrong order counting as one. */
export function editsBetween(left: string, right: string): number {
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

const SHORTEST_FAMILY = 3;
const LONGEST_FAMILY = 5;
const MOST_OF_A_FAMILY = 3;

/**
 * The codes that may have been meant, the nearest first: those few letters away, or written with a date or a variant behind them;
 * where there are none, up to three whose first letters are the same. `names` are pairs of a name and the code it stands for.
 */
export function nearestCodes(written: string, names: Iterable<readonly [name: string, code: string]>): string[] {
  const wanted = written.toLowerCase();
  const distances = new Map<string, number>();
  const family = new Set<string>();
  for (const [name, code] of names) {
    const known = name.toLowerCase();
    const edits = isVariant(wanted, known) ? 1 : editsBetween(wanted, known);
    distances.set(code, Math.min(edits, distances.get(code) ?? Infinity));
    if (wanted.length >= SHORTEST_FAMILY && known.startsWith(wanted.slice(0, LONGEST_FAMILY))) family.add(code);
  }
  const ordered = [...distances].toSorted(([, left], [, right]) => left - right);
  const [first] = ordered;
  if (first !== undefined && first[1] <= Math.max(1, Math.floor(wanted.length / 3)))
    return ordered.filter(([, edits]) => edits === first[1]).map(([code]) => code);
  return ordered
    .map(([code]) => code)
    .filter((code) => family.has(code))
    .slice(0, MOST_OF_A_FAMILY);
}

/** `claude-haiku-4-5-20251001`, `claude-sonnet-5[1m]`, `gemini-3.1-pro-preview`: a name and something behind it. */
function isVariant(written: string, name: string): boolean {
  return written.startsWith(name) && /^[-[@:]/.test(written.slice(name.length));
}
