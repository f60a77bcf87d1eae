/** A stream of server-sent events as the blocks that stand between blank lines, for who holds them back and changes texts in them. */
import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';

/** Text that came and has not ended; blocks are taken off it whole. */
export interface EventBlocks {
  /** What passes at once, because it is no event and keeps a connection open; undefined: it was added. */
  add(chunk: Uint8Array | string): string | undefined;
  /** The next whole block, its blank line included; undefined where there is none yet. */
  next(): string | undefined;
  /** Characters of the block that has begun. */
  readonly begun: () => number;
}

/** Begins with nothing. */
export function createEventBlocks(): EventBlocks {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    add(chunk) {
      const text =
        typeof chunk === 'string'
          ? chunk
          : decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (rest === '' && (text === '\n' || (text.startsWith(':') && text.trimEnd().split('\n').length === 1)))
        return text;
      rest += text;
      return undefined;
    },
    next() {
      const found = /\r?\n\r?\n/.exec(rest);
      if (found === null) return undefined;
      const end = found.index + found[0].length;
      const block = rest.slice(0, end);
      rest = rest.slice(end);
      return block;
    },
    begun: () => rest.length,
  };
}

/** The JSON object of a block; undefined where it has none. */
export function dataOf(block: string): JsonObject | undefined {
  const lines = block.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
  if (lines.length === 0) return undefined;
  try {
    const data: unknown = JSON.parse(lines.join('\n'));
    return isJsonObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a block is the sign that the stream has ended. */
export function isDone(block: string): boolean {
  return /^data: *\[DONE\]/m.test(block);
}

/** A block with other data. Its other lines stay: the event's name, its number. */
export function rewritten(block: string, data: JsonObject): string {
  const others = block.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('data:'));
  return [...others, `data: ${JSON.stringify(data)}`, '', ''].join('\n');
}
