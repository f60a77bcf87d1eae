/** CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it. */
import type { Response } from 'express';
import { pipeBody } from '../http/reply.ts';

export type Cell = string | number | boolean | null | undefined;

/** One line. */
export function csvLine(cells: readonly Cell[]): Uint8Array {
  return csvLines([cells]);
}

/** Lines as they are written. */
export function csvLines(lines: readonly (readonly Cell[])[]): Uint8Array {
  return Buffer.from(lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join(''));
}

function toCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Sends a file for a spreadsheet at the pace of its reader. */
export async function sendCsv(
  response: Response,
  name: string,
  body: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    // A browser takes it for what it says, and for no page.
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="${name}"`,
  });
  await pipeOrCut(response, body);
}

/** A body whose size nobody knows: one that breaks off is cut off. */
export async function pipeOrCut(response: Response, body: AsyncIterable<Uint8Array | string>): Promise<void> {
  try {
    await pipeBody(body, response);
  } catch {
    // The head has gone out: a cut connection is the only honest end.
    response.destroy();
  }
}
