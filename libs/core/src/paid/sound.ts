/** What sound is billed by when its vendor has not said. */

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
