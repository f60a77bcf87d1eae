/** Tool ids on the Anthropic wire: letters, digits, `_` and `-` only (docs/wire/anthropic-messages.md#content-blocks). */
import { fittingId } from '../shared/ids.ts';

const TAKEN = /^[A-Za-z0-9_-]+$/;
const MARK = 'mgwid_';
/** Longest id sent to a vendor. */
const MAX_LENGTH = 64;

/** An id as an Anthropic client may see it: kept when it fits, else written so that `restoreId` gives it back. */
export function showId(id: string): string {
  return TAKEN.test(id) && !id.startsWith(MARK) ? id : MARK + Buffer.from(id, 'utf8').toString('base64url');
}

/** The id that `showId` wrote; any other as it is. */
export function restoreId(id: string): string {
  if (!id.startsWith(MARK)) return id;
  const original = Buffer.from(id.slice(MARK.length), 'base64url').toString('utf8');
  return showId(original) === id ? original : id;
}

/** An id as a vendor takes it; calls and results of one request go through the same function. */
export function sendId(id: string): string {
  return fittingId(id, MAX_LENGTH);
}
