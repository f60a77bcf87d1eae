import { randomUUID } from 'node:crypto';
import type { Json } from '@model-gateway/contracts';
import type { UpstreamRequest } from './adapter.ts';

/** A file that is read while it is sent. */
export interface SentFile {
  /** Bytes; exactly as many as `open` gives. */
  readonly size: number;
  /** Opened once per attempt. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/**
 * Files inside a JSON body, for vendors that want them as base64: each stands in the JSON as a name nobody can guess, and is read and turned
 * into base64 while the body is sent. However many and large they are, none is held.
 */
export class StreamedFiles {
  readonly #files = new Map<string, SentFile>();

  /** The text to put where the file's base64 belongs. */
  add(file: SentFile): string {
    const name = `file-${randomUUID()}`;
    this.#files.set(name, file);
    return name;
  }

  /** The body of a request: plain JSON when there are no files. */
  body(json: Json): Pick<UpstreamRequest, 'json' | 'source' | 'headers'> {
    if (this.#files.size === 0) return { json };
    const pieces = this.#pieces(JSON.stringify(json));
    const size = pieces.reduce(
      (sum, piece) => sum + (piece instanceof Uint8Array ? piece.byteLength : base64Length(piece.size)),
      0,
    );
    return {
      headers: { 'content-type': 'application/json' },
      source: {
        size,
        open: async function* () {
          for (const piece of pieces) {
            if (piece instanceof Uint8Array) yield piece;
            else yield* base64Pieces(piece.open());
          }
        },
      },
    };
  }

  /** The JSON text cut at its files. */
  #pieces(text: string): (Uint8Array | SentFile)[] {
    const pieces: (Uint8Array | SentFile)[] = [];
    for (const part of text.split(/(file-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/)) {
      const file = this.#files.get(part);
      if (file !== undefined) pieces.push(file);
      else if (part !== '') pieces.push(Buffer.from(part));
    }
    return pieces;
  }
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Base64 of bytes as they come. Three bytes are four letters: what is left over of a chunk waits for the next one. */
export async function* base64Pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = left.byteLength === 0 ? chunk : Buffer.concat([left, chunk]);
    const whole = bytes.byteLength - (bytes.byteLength % 3);
    left = bytes.subarray(whole);
    if (whole > 0) yield lettersOf(bytes.subarray(0, whole));
  }
  if (left.byteLength > 0) yield lettersOf(left);
}

function lettersOf(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), 'latin1');
}
