/** Reads JSON bodies: bounded while they come, kept as bytes for forwarding, parsed once. */
import { isUtf8 } from 'node:buffer';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { atEndOfTurn, inSlices } from '@model-gateway/provider-kit';
import type { BodyBudget, BodyHold } from './body-budget.ts';
import { notJson, parseJsonInSlices, tooDeep } from './parse-json.ts';
import { isForm } from '../form.ts';

const DEEPEST = 256;
/**
 * Values of one body: an agent's history of a million tokens with a megabyte of tool schemas has some 80,000. Whatever looks at a body after it was
 * parsed takes time by its values.
 */
const MOST_VALUES = 200_000;
/** Smaller bodies are parsed at once; they cannot have so many values. */
export const SLICED_FROM = 256 * 1024;
const LIMITS = { deepest: DEEPEST, mostValues: MOST_VALUES };
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Makes the middleware that fills `request.body` and `exchange.rawBody`. Multipart bodies are left to their routes, which count them in `exchange.bodyHold`. */
export function readJsonBody(limit: number, budget: BodyBudget): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (response.locals.exchange.match.operation?.rawBody === true) return next();
    if (isForm(request)) {
      if (response.locals.exchange.match.operation?.form !== true) {
        throw new GatewayError('unsupported_media_type', 'this path takes no form; send application/json');
      }
      response.locals.exchange.bodyHold = budget.open(response, response.locals.exchange.key?.ownerId);
      return next();
    }
    const type = request.headers['content-type'];
    const length = request.headers['content-length'];
    if ((length === undefined || length === '0') && request.headers['transfer-encoding'] === undefined) {
      // Handlers and the validator's words are made for objects: what is missing in it is said.
      if (request.method !== 'DELETE') request.body = {};
      return next();
    }
    if (type === undefined || !/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
      throw new GatewayError(
        'unsupported_media_type',
        `the content-type is ${type === undefined ? 'missing' : `'${type.slice(0, 80)}'`}; send application/json`,
      );
    }
    if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity') {
      throw new GatewayError('unsupported_media_type', 'compressed bodies are not accepted; send plain JSON');
    }
    const exchange = response.locals.exchange;
    const hold = (exchange.bodyHold = budget.open(response, exchange.key?.ownerId));
    collect(request, { limit, hold }, (bytes) => {
      if (bytes instanceof GatewayError) {
        next(bytes);
        return;
      }
      const misread = encodingFault(bytes);
      if (misread !== undefined) {
        next(misread);
        return;
      }
      exchange.rawBody = bytes;
      if (bytes.length >= SLICED_FROM) {
        inSlices(parseJsonInSlices(bytes, LIMITS)).then((value) => {
          request.body = value;
          next();
        }, next);
        return;
      }
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

/** JSON is UTF-8 (RFC 8259, 8.1). Other bytes would be replaced, and a model paid for reading something else than was sent. */
function encodingFault(bytes: Buffer): GatewayError | undefined {
  if (!isUtf8(bytes)) return new GatewayError('invalid_request', 'the body is not UTF-8; JSON must be UTF-8');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return new GatewayError('invalid_request', 'the body begins with a byte order mark; send JSON without one');
  return undefined;
}

interface Collecting {
  /** Bytes of the largest body that is taken. */
  readonly limit: number;
  readonly hold: BodyHold;
}
type Collected = (bytes: Buffer | GatewayError) => void;

/** The whole body, or why not, once. Nothing is read before there is room for all of it. */
function collect(request: Request, { limit, hold }: Collecting, done: Collected): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  const admitted = announced > limit ? tooLarge(limit) : hold.admit(announced);
  const receive = (refusal: GatewayError | undefined): void => {
    if (refusal === undefined) receiveBody(request, { limit, hold }, done);
    else done(refusal);
  };
  if (admitted instanceof Promise) void admitted.then(receive);
  else receive(admitted);
}

function receiveBody(request: Request, { limit, hold }: Collecting, done: Collected): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let large: Buffer | undefined;
  let size = 0;
  let isDone = false;
  const finish = (bytes: Buffer | GatewayError): void => {
    if (isDone) return;
    isDone = true;
    done(bytes);
  };
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    const refused = size > limit ? tooLarge(limit) : hold.take(chunk.length);
    if (refused !== undefined) {
      request.removeAllListeners('data').resume();
      chunks.length = 0;
      large = undefined;
      finish(refused);
      return;
    }
    if (size < SLICED_FROM) chunks.push(chunk);
    else large = appended(large ?? gathered(chunks, announced), chunk, size);
  });
  request.once('end', () => {
    if (isDone) return;
    const bytes =
      large?.subarray(0, size) ??
      (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
    atEndOfTurn(() => finish(bytes));
  });
  request.once('error', () => finish(new GatewayError('invalid_request', 'the body ended before its content-length')));
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError(
    'body_too_large',
    `the body is larger than ${Math.floor(limit / 1024 / 1024)} MB, the most this gateway takes`,
  );
}

/** Room for a large body, with what came of it. Its memory is taken as it fills: tens of megabytes put together at its end hold everybody up. */
function gathered(chunks: Buffer[], announced: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(Math.max(announced, 4 * SLICED_FROM));
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  chunks.length = 0;
  return whole;
}

/** The chunk behind what came before it, in a larger room where it needs one. */
function appended(into: Buffer, chunk: Buffer, size: number): Buffer {
  let room = into;
  if (size > room.length) {
    room = Buffer.allocUnsafeSlow(Math.max(size, 2 * room.length));
    into.copy(room, 0, 0, size - chunk.length);
  }
  chunk.copy(room, size - chunk.length);
  return room;
}

/** What bytes say that came whole. Throws `invalid_request` for all that the body of a request is refused for. */
export async function parseBody(bytes: Buffer): Promise<unknown> {
  const misread = encodingFault(bytes);
  if (misread !== undefined) throw misread;
  return bytes.length >= SLICED_FROM ? inSlices(parseJsonInSlices(bytes, LIMITS)) : parseJson(bytes);
}

function parseJson(bytes: Buffer): unknown {
  const members = membersIn(bytes);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw notJson(/at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]);
  }
  // Of a member that is there twice JSON.parse keeps the last; the other parser says which it is.
  if (membersOf(value) !== members) for (const _ of parseJsonInSlices(bytes, LIMITS));
  return value;
}

/** Counts the members that are written, and brackets outside strings; strings are skipped by memchr, so megabytes of base64 cost nothing. */
function membersIn(bytes: Buffer): number {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = bytes.indexOf(QUOTE, at + 1);
      if (at === -1) return members;
      if (bytes[at - 1] === BACKSLASH) at = endOfString(bytes, at);
    } else if (byte === COLON) members++;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST) throw tooDeep(DEEPEST);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return members;
}

/** Where the string ends of which this is the next quote, that a backslash stands before: an even number of them escape themselves. */
function endOfString(bytes: Buffer, next: number): number {
  for (let quote = next; quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return bytes.length;
}

/** Counts the members that were kept. */
function membersOf(value: unknown): number {
  let members = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each !== 'object' || each === null) continue;
    if (Array.isArray(each)) {
      for (const one of each) if (typeof one === 'object') left.push(one);
      continue;
    }
    for (const name in each) {
      members++;
      const member = (each as Record<string, unknown>)[name];
      if (typeof member === 'object') left.push(member);
    }
  }
  return members;
}
