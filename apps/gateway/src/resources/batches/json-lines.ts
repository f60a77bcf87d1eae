/** Lines of JSON, read as their bytes come: no more than one line is held. */
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
