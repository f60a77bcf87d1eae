/** Rows of a vendor's cost export, however large: CSV or JSON, a piece at a time. */
import { GatewayError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** One row: its columns by name. JSON rows are as they are. */
export type ExportRow = Readonly<Record<string, Json | undefined>>;

/** A row is no file. */
const LONGEST_ROW = 4 * 1024 * 1024;
/** Answers of APIs come as one value. */
const LARGEST_JSON = 128 * 1024 * 1024;

/** Reads the rows of a text that comes in pieces. Throws `invalid_request` for what is neither CSV nor JSON. */
export async function* rowsOf(pieces: AsyncIterator<string> & AsyncIterable<string>): AsyncGenerator<ExportRow> {
  const head = await pieces.next();
  const first = head.done === true ? '' : head.value;
  const start = first.trimStart();
  const rest = joined(first, pieces);
  if (!start.startsWith('{') && !start.startsWith('[')) yield* csvRows(rest);
  else if (start.startsWith('[') || !isLine(start)) yield* jsonRows(await wholeOf(rest));
  else for await (const line of linesOf(rest)) yield* jsonRows(line);
}

async function* joined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Whether the first line is a JSON value by itself: one value a line. */
function isLine(start: string): boolean {
  const end = start.indexOf('\n');
  if (end < 0) return false;
  try {
    JSON.parse(start.slice(0, end));
    return true;
  } catch {
    return false;
  }
}

async function wholeOf(pieces: AsyncIterable<string>): Promise<string> {
  const kept: string[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > LARGEST_JSON)
      throw new GatewayError('invalid_request', 'The JSON is larger than 128 MB: export one value per line, or CSV.');
    kept.push(piece);
  }
  return kept.join('');
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let open = '';
  for await (const piece of pieces) {
    const lines = (open + piece).split('\n');
    open = bounded(lines.pop() ?? '');
    for (const line of lines) if (line.trim() !== '') yield line;
  }
  if (open.trim() !== '') yield open;
}

/** Rows of a JSON value: of pages of an API each result with the times of its bucket, of lists each member. */
function* jsonRows(text: string): Generator<ExportRow> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GatewayError('invalid_request', 'The file begins like JSON and is none.');
  }
  yield* rowsIn(value as Json);
}

function* rowsIn(value: Json): Generator<ExportRow> {
  if (Array.isArray(value)) for (const each of value) yield* rowsIn(each);
  else if (!isJsonObject(value)) return;
  else if (Array.isArray(value['data'])) yield* rowsIn(value['data']);
  else if (Array.isArray(value['results']))
    for (const each of value['results'].filter(isJsonObject)) yield { ...timesOf(value), ...each };
  else yield value;
}

function timesOf({ start_time: start, starting_at: starting }: JsonObject): ExportRow {
  return {
    ...(start !== undefined && { start_time: start }),
    ...(starting !== undefined && { starting_at: starting }),
  };
}

async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<ExportRow> {
  let names: readonly string[] | undefined;
  for await (const cells of csvCells(pieces)) {
    if (names === undefined) names = cells.map((cell) => cell.replace(/^\uFEFF/, '').trim());
    else if (cells.length > 1 || cells[0] !== '') yield Object.fromEntries(names.map((name, at) => [name, cells[at]]));
  }
}

/** What means nothing by itself, within quotes and outside of them: it is taken at once. */
const PLAIN_QUOTED = /[^"]+/y;
const PLAIN = /[^",\n]+/y;

function plainAt(piece: string, at: number, isQuoted: boolean): string {
  const plain = isQuoted ? PLAIN_QUOTED : PLAIN;
  plain.lastIndex = at;
  return plain.exec(piece)?.[0] ?? '';
}

/** RFC 4180: quoted cells may have line breaks and doubled quotes. */
async function* csvCells(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let cells: string[] = [];
  let cell = '';
  let size = 0;
  let isQuoted = false;
  /** A quote within quotes: the end of them, or the first of two. */
  let wasQuote = false;
  for await (const piece of pieces)
    for (let at = 0; at < piece.length;) {
      const plain = wasQuote ? '' : plainAt(piece, at, isQuoted);
      const part = plain === '' ? piece.charAt(at) : plain;
      at += part.length;
      // Commas and quotes, too: they are cells.
      size += part.length;
      if (size > LONGEST_ROW)
        throw new GatewayError('invalid_request', 'A row of the file is longer than 4 MB: it is no CSV.');
      if (wasQuote) {
        wasQuote = false;
        if (part === '"') {
          cell += part;
          continue;
        }
        isQuoted = false;
      }
      if (isQuoted && part === '"') wasQuote = true;
      else if (!isQuoted && part === '"' && cell === '') isQuoted = true;
      else if (!isQuoted && part === ',') {
        cells.push(cell);
        cell = '';
      } else if (!isQuoted && part === '\n') {
        cells.push(cell.replace(/\r$/, ''));
        yield cells;
        [cells, cell, size] = [[], '', 0];
      } else cell += part;
    }
  if (cell !== '' || cells.length > 0) yield [...cells, cell.replace(/\r$/, '')];
}

function bounded(text: string): string {
  if (text.length > LONGEST_ROW) throw new GatewayError('invalid_request', 'A line of the file is longer than 4 MB.');
  return text;
}
