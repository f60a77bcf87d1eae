/** Formats text that a tool writes, as `npm run format` would. */
import { readFileSync } from 'node:fs';
import { format, type FormatConfig } from 'oxfmt';

const { singleQuote, printWidth, trailingComma, sortPackageJson } = JSON.parse(
  readFileSync(new URL('../../.oxfmtrc.json', import.meta.url), 'utf8'),
) as Required<FormatConfig>;

/** `path` tells the language by its ending. Throws an Error that names the path for text that cannot be read. */
export async function formatted(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, { singleQuote, printWidth, trailingComma, sortPackageJson });
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
