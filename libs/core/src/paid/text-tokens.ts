/** Tokens of plain texts, before anybody has counted them and where no vendor does. */
import { estimateTokenCount } from 'tokenx';

/** Characters that are counted: some hundredths of a second. */
const MOST_COUNTED = 256 * 1024;

/** About how many tokens texts have. Of very long ones a part is counted and the rest reckoned by it. */
export function tokensOfTexts(texts: readonly string[]): number {
  let counted = 0;
  let length = 0;
  let tokens = 0;
  for (const text of texts) {
    length += text.length;
    const part = text.slice(0, MOST_COUNTED - counted);
    if (part === '') continue;
    counted += part.length;
    tokens += Math.max(1, estimateTokenCount(part));
  }
  return counted < length ? Math.ceil((tokens * length) / counted) : tokens;
}

/** The most tokens that a text can have, as any tokenizer counts; no more than the model reads of one, where that is known. */
export function mostTokensOf(text: string, longest: number | undefined): number {
  return Math.min(Buffer.byteLength(text), longest ?? Infinity);
}
