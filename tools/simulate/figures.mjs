/** What tables are made of: figures in the way people read them. */

/** The value below which a share of them are. */
export function quantile(values, share) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

export const secondsOf = (ms) => `${(ms / 1000).toFixed(1)} s`;
export const percent = (part, whole, digits = 1) => `${((100 * part) / whole).toFixed(digits)} %`;
export const perThousand = (dollars, requests) => ((1000 * dollars) / requests).toFixed(2);
export const sumOf = (list, valueOf) => list.reduce((sum, each) => sum + valueOf(each), 0);

/** A table of Markdown; figures stand right, the first `texts` columns left. */
export function tableOf(head, texts, rows) {
  return [head, head.map((_, column) => (column < texts ? '---' : '--:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
