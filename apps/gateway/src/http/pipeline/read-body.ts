/** Reads JSON bodies: bounded while they come, kept as bytes for forwarding, parsed once. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { atEndOfTurn } from '@model-gateway/provider-kit';
import { contextOf } from '../context.ts';
import { isForm } from '../form.ts';

const DEEPEST = 256;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Makes the middleware that fills `request.body` and `context.rawBody`. Multipart bodies are left to their routes. */
export function readJsonBody(limit: number): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (
      request.method !== 'POST' &&
      request.method !== 'PUT' &&
      request.method !== 'PATCH' &&
      request.method !== 'DELETE'
    )
      return next();
    const type = request.headers['content-type'];
    if (isForm(request)) {
      if (contextOf(response).match.operation?.form === true) return next();
      throw new GatewayError('unsupported_media_type', 'this path takes no form; send application/json');
    }
    const length = request.headers['content-length'];
    if ((length === undefined || length === '0') && request.headers['transfer-encoding'] === undefined) return next();
    if (type === undefined || !/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
      throw new GatewayError(
        'unsupported_media_type',
        `the content-type is ${type === undefined ? 'missing' : `'${type.slice(0, 80)}'`}; send application/json`,
      );
    }
    if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity') {
      throw new GatewayError('unsupported_media_type', 'compressed bodies are not taken; send the JSON as it is');
    }
    collect(request, limit, (bytes) => {
      if (bytes instanceof GatewayError) {
        next(bytes);
        return;
      }
      contextOf(response).rawBody = bytes;
      try {
        request.body = parseJson(bytes);
      } catch (error) {
        next(error);
        return;
      }
      next();
    });
  };
}

/** The whole body, or why not, once. */
function collect(request: Request, limit: number, done: (bytes: Buffer | GatewayError) => void): void {
  const tooLarge = (): GatewayError =>
    new GatewayError(
      'body_too_large',
      `the body is larger than ${Math.floor(limit / 1024 / 1024)} MB, the most this gateway takes`,
    );
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    done(tooLarge());
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const finish = (bytes: Buffer | GatewayError): void => {
    if (isDone) return;
    isDone = true;
    done(bytes);
  };
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      request.removeAllListeners('data').resume();
      finish(tooLarge());
      return;
    }
    chunks.push(chunk);
  });
  request.once('end', () => {
    const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
    atEndOfTurn(() => finish(bytes));
  });
  request.once('error', () => finish(new GatewayError('invalid_request', 'the body ended before its content-length')));
}

function parseJson(bytes: Buffer): unknown {
  if (isTooDeep(bytes)) throw new GatewayError('invalid_request', `the body is nested deeper than ${DEEPEST} levels`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const where = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw new GatewayError(
      'invalid_request',
      `the body is not JSON${where === undefined ? ' (it ends too early)' : `: it breaks at character ${where}`}`,
    );
  }
}

/** Counts brackets outside strings; strings are skipped by memchr, so megabytes of base64 cost nothing. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

function endOfString(bytes: Buffer, from: number): number {
  let quote = bytes.indexOf(QUOTE, from + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  return bytes.length;
}
