/** The first so many UTF-16 units of a text, never half a character. */
export function head(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.isWellFormed() || !text.isWellFormed() ? part : part.slice(0, -1);
}

/** The text of a JSON value that should be one; empty when it is not. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
