/** Tokens of sound and of texts, where no vendor has counted them. */
import { estimateTokenCount } from 'tokenx';

/** Vendors bill 20 to 25 tokens for a second of sound. */
const TOKENS_PER_SECOND = 25;
/** 16 bits at 24 kHz, which streams are made of where no format is asked for. */
const PCM_BYTES_PER_SECOND = 48_000;
/** The least that speech has in these formats: where a vendor spends more bytes, it is fewer seconds than this says. */
const BYTES_PER_SECOND: ReadonlyMap<unknown, number> = new Map([
  ['mp3', 8_000],
  ['aac', 8_000],
  ['opus', 4_000],
  ['ogg', 4_000],
  ['flac', 24_000],
]);

/** Seconds of sound that so many bytes are, of a format by its name. */
export function secondsOfSound(bytes: number, format: unknown): number {
  return bytes / (BYTES_PER_SECOND.get(format) ?? PCM_BYTES_PER_SECOND);
}

/** Tokens of so much sound. */
export function tokensOfSound(seconds: number): number {
  return Math.ceil(seconds * TOKENS_PER_SECOND);
}

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

/** What tokenizers put around a text. */
const TOKENS_AROUND_TEXT = 8;

/** The most tokens that a text can have, as any tokenizer counts; no more than the model reads of one, where that is known. */
export function mostTokensOf(text: string, longest: number | undefined): number {
  return mostOfTokens(Buffer.byteLength(text), longest);
}

/** As `mostTokensOf`, of a text that is so many tokens already. */
export function mostOfTokens(tokens: number, longest: number | undefined): number {
  return Math.min(tokens + TOKENS_AROUND_TEXT, longest ?? Infinity);
}

/** What vendors write around a request that is no chat: a prompt of their own, marks of roles. */
export const TOKENS_AROUND_REQUEST = 64;
