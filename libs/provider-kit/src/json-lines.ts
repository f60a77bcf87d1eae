/** Lines of JSON, read as their bytes come: no more than one line is held. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';

const END_OF_LINE = 0x0a;

export interface JsonLine {
  /** Counted from 1, empty lines too. */
  readonly number: number;
  /** Undefined where the line has more bytes than are taken; those are read and not kept. */
  readonly text: string | undefined;
}

/** Lines that are not empty, in their order. */
export async function* readJsonLines(bytes: AsyncIterable<Uint8Array>, largest: number): AsyncGenerator<JsonLine> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  const add = (piece: Uint8Array): void => {
    size += piece.length;
    // A chunk may be memory that its source uses again.
    if (size <= largest) pieces.push(Buffer.from(piece));
    else pieces = [];
  };
  const take = (): JsonLine | undefined => {
    number++;
    const text = size > largest ? undefined : Buffer.concat(pieces).toString('utf8').trim();
    pieces = [];
    size = 0;
    return text === '' ? undefined : { number, text };
  };
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(END_OF_LINE); end !== -1; end = chunk.indexOf(END_OF_LINE, from)) {
      add(chunk.subarray(from, end));
      const line = take();
      if (line !== undefined) yield line;
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  const last = take();
  if (last !== undefined) yield last;
}

/** Bytes of a line that is read as an object. */
const LARGEST_OBJECT = 96 * 1024 * 1024;

/** Each line that is a JSON object; others are passed over, and so are larger ones. Throws nothing of its own. */
export async function* readJsonObjects(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject> {
  for await (const { text } of readJsonLines(bytes, LARGEST_OBJECT)) {
    const json = text === undefined ? undefined : parsed(text);
    if (isJsonObject(json)) yield json;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
