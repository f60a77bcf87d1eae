/** Parts of files: the Range header, and how a file or a part of it is sent. */
import type { Request, Response } from 'express';
import type { AskedPart, Content, FilePart } from '@model-gateway/core';
import parseRange from 'range-parser';
import { pipeBody } from './reply.ts';

const BOUNDLESS = Number.MAX_SAFE_INTEGER;

/** The one part of a file that a request asks for. A header that is not understood, or names several parts, is no header (RFC 9110 §14.2). */
export function partAskedBy(request: Request): AskedPart | undefined {
  const { range } = request.headers;
  const ofBoundless = range === undefined ? undefined : onePart(range, BOUNDLESS);
  if (range === undefined || ofBoundless === undefined) return undefined;
  // The last N bytes of a shorter file are all of it; the parser has no part for that.
  const isSuffix = ofBoundless.first > BOUNDLESS / 2 && ofBoundless.last === BOUNDLESS - 1;
  return {
    range,
    of: (size) => onePart(range, size) ?? (isSuffix && size > 0 ? { first: 0, last: size - 1 } : undefined),
  };
}

function onePart(range: string, size: number): FilePart | undefined {
  const parts = parseRange(size, range);
  if (typeof parts === 'number' || parts.type !== 'bytes' || parts.length !== 1) return undefined;
  const [part] = parts;
  return part === undefined ? undefined : { first: part.start, last: part.end };
}

/** Sends a file or the part of it that was asked for: 200, 206 or 416. */
export async function sendFile(response: Response, content: Content): Promise<void> {
  const { part } = content;
  response.writeHead(part === undefined ? 200 : part === 'outside' ? 416 : 206, headersOf(content));
  try {
    await pipeBody(content.body, response);
  } catch {
    // The head has gone out: a cut connection is the only honest end.
    response.destroy();
  }
}

function headersOf({ mime, size, part, seekable, etag }: Content): Record<string, string> {
  const length = part === undefined ? size : part === 'outside' ? 0 : part.last - part.first + 1;
  const place = part === undefined || part === 'outside' ? '*' : `${part.first}-${part.last}`;
  return {
    'content-type': mime,
    // A browser takes it for what it says, and for no page.
    'x-content-type-options': 'nosniff',
    ...(length !== undefined && { 'content-length': String(length) }),
    ...(part !== undefined && { 'content-range': `bytes ${place}/${size ?? '*'}` }),
    ...(seekable !== undefined && { 'accept-ranges': seekable ? 'bytes' : 'none' }),
    ...(etag !== undefined && { etag }),
  };
}
