/** Where results are saved. */
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Of a content type without its parameters, where the subtype is no usual ending. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'video/quicktime': 'mov',
};

/** `png`, `mp4`: what a file of this type is usually called. */
export function endingOf(contentType: string): string {
  const type = contentType.replace(/;.*$/s, '').trim().toLowerCase();
  return ENDINGS[type] ?? /^\w+\/([a-z0-9]{2,5})$/.exec(type)?.[1] ?? 'bin';
}

/**
 * A path for result `index` of `count`: the one that was asked for, numbered when there are several (`cat-2.png`); without one, the first of
 * `name.png`, `name-2.png`, … that is free.
 */
export function pathFor(
  asked: string | undefined,
  name: string,
  ending: string,
  { index, count }: { readonly index: number; readonly count: number } = { index: 0, count: 1 },
): string {
  if (asked !== undefined) return count === 1 ? asked : asked.replace(/(\.\w+)?$/, `-${index + 1}$1`);
  for (let number = 1; ; number++) {
    const path = number === 1 ? `${name}.${ending}` : `${name}-${number}.${ending}`;
    if (!existsSync(path)) return path;
  }
}

/** Writes a file for its owner alone, which appears under its name when it is whole. Resolves with its bytes. */
export async function saveFile(path: string, body: AsyncIterable<Uint8Array | string>): Promise<number> {
  const partial = `${path}.part`;
  try {
    const file = createWriteStream(partial, { mode: 0o600 });
    await pipeline(Readable.from(body), file);
    await rename(partial, path);
    return file.bytesWritten;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
