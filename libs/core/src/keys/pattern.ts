/** Whether a pattern with `*` for any text names this code. The time it takes grows with the code's length and the pattern's, not with their product. */
export function matches(pattern: string, model: string): boolean {
  const pieces = pattern.split('*');
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return pattern === model;
  if (!model.startsWith(first) || !model.endsWith(last)) return false;
  let at = first.length;
  const end = model.length - last.length;
  for (const piece of others) {
    const found = model.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= end;
}
