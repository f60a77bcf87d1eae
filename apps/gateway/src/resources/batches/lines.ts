/** What the three forms of batches share. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { BatchRecord, KeyRecord } from '@model-gateway/core';
import type { Exchange } from '../../http/exchange.ts';

/** Bytes of one line: what a process holds of a batch at a time is bounded by it. */
export const LARGEST_LINE = 16 * 1024 * 1024;
export const MOST_LINES = 100_000;

/** The key that makes a batch. Throws for browsers' sessions: lines run long after a session is over. */
export function makerOf({ caller, session }: Exchange): KeyRecord {
  if (session !== undefined)
    throw new GatewayError('forbidden', 'create batches with a key; a browser session can end before its batch');
  return caller.key;
}

/** Members with which a request is answered in parts, or later than its response. An `async` picture is refused where it is made. */
const NOT_IN_BATCHES = {
  stream: 'batches do not stream',
  background: 'a batch waits for the answer itself',
} as const;

/** The bytes of a line's body. Throws what a batch cannot run. */
export function lineBody(body: JsonObject, place: string): Uint8Array {
  for (const [name, why] of Object.entries(NOT_IN_BATCHES)) {
    const param = `${place}.${name}`;
    if (body[name] === true) throw new GatewayError('invalid_request', `${param} must not be true: ${why}`, { param });
  }
  const bytes = Buffer.from(JSON.stringify(body));
  if (bytes.length > LARGEST_LINE)
    throw new GatewayError(
      'invalid_request',
      `${place} has ${bytes.length} bytes; one request of a batch may have ${LARGEST_LINE}`,
      { param: place },
    );
  return bytes;
}

/** JSON as it was answered, on one line. Ends of lines are never within its strings. */
export function onOneLine(json: Uint8Array | undefined): string {
  return json === undefined
    ? 'null'
    : Buffer.from(json)
        .toString('utf8')
        .replace(/[\r\n]+/g, ' ');
}

/** How many lines a batch has. */
export function totalOf({ counts }: BatchRecord): number {
  return counts.waiting + counts.succeeded + counts.errored + counts.cancelled + counts.expired;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
