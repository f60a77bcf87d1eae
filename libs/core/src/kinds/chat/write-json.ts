/** JSON.stringify for large bodies, without holding the event loop up while megabytes of text are written. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';

/** Characters of a string that are written at once. */
const PIECE = 512 * 1024;
/** Strings of at least this length are written by themselves; what is around them at once. */
const LONG = 64 * 1024;

/** The body as the bytes of `JSON.stringify`; `expected` is about how many they will be. */
export async function writeJsonInTurns(body: JsonObject, expected: number): Promise<Buffer> {
  const long: string[] = [];
  // What came before and what is written here each take tens of milliseconds where there are very many values.
  await nextTurn();
  const around = textAround(body, long);
  await nextTurn();
  let bytes = Buffer.allocUnsafeSlow(expected + PIECE);
  let size = 0;
  const write = (text: string): void => {
    const needed = size + text.length * 3;
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 1.5));
      bytes.copy(larger, 0, 0, size);
      bytes = larger;
    }
    size += bytes.write(text, size);
  };
  for (const [index, text] of around.entries()) {
    write(text);
    const next = long[index];
    if (next === undefined) continue;
    write('"');
    for (let from = 0; from < next.length;) {
      const to = pieceEnd(next, from);
      write(JSON.stringify(next.slice(from, to)).slice(1, -1));
      from = to;
      await nextTurn();
    }
    write('"');
  }
  return bytes.subarray(0, size);
}

/** The JSON between long strings; those are added to the list. */
function textAround(body: JsonObject, long: string[]): readonly string[] {
  const parts: string[] = [];
  let text = '';
  const add = (value: Json | undefined): void => {
    if (typeof value === 'string' && value.length >= LONG) {
      long.push(value);
      parts.push(text);
      text = '';
    } else if (Array.isArray(value)) {
      text += '[';
      for (const [index, each] of value.entries()) {
        if (index > 0) text += ',';
        add(each);
      }
      text += ']';
    } else if (isJsonObject(value)) {
      text += '{';
      let isFirst = true;
      for (const [name, member] of Object.entries(value)) {
        if ((member as Json | undefined) === undefined) continue;
        text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
        isFirst = false;
        add(member);
      }
      text += '}';
    } else text += JSON.stringify(value ?? null);
  };
  add(body);
  parts.push(text);
  return parts;
}

/** Not between the halves of a character beyond the first plane: alone they would be written as escapes. */
function pieceEnd(text: string, from: number): number {
  const to = Math.min(text.length, from + PIECE);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd800 && last <= 0xdbff ? to - 1 : to;
}
