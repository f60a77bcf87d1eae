/** The ways an answer leaves: JSON bytes, event streams, a JSON array in pieces, anything at its reader's pace. */
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { ChatTrace, Sink } from '@model-gateway/core';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { largeRepliesWait } from '@model-gateway/provider-kit';
import type { JsonPieces } from '@model-gateway/translate';
import { writeCost } from './answer-cost.ts';
import { UnreadAnswers } from './unread-answers.ts';

const LONGEST_HEADER = 4000;
const LARGEST_TEXT_WRITE = 64 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';
/** Larger answers leave in pieces. */
const PIECED_FROM = 1024 * 1024;
const PIECE_BYTES = 128 * 1024;
/** Who takes nothing of a large answer for so long is hung up on: it is held in memory. */
const UNREAD_MS = 30_000;
const unread = new UnreadAnswers({ now: () => performance.now(), isRoomWanted: largeRepliesWait });

/** Says what happened without naming secrets: `x-gateway-account`, `-attempts`, `-route`, `-dropped`, `-prompt-truncated`, `-estimated`, `-cost`, `-guardrails`. */
export function writeTrace(response: Response, trace: ChatTrace): void {
  if (trace.accountId !== undefined) response.setHeader('x-gateway-account', String(trace.accountId));
  if (trace.attempts > 0) response.setHeader('x-gateway-attempts', String(trace.attempts));
  if (trace.cache !== undefined) response.setHeader('x-gateway-cache', trace.cache);
  if (trace.saidRefusal?.details.limit !== undefined)
    response.setHeader('x-gateway-limit', trace.saidRefusal.details.limit);
  if (trace.route !== undefined) response.setHeader('x-gateway-route', headerText(trace.route));
  if (trace.usage?.estimated === true) response.setHeader('x-gateway-estimated', 'true');
  writeCost(response, trace);
  if (trace.vendorHeaders !== undefined) writeVendorHeaders(response, trace.vendorHeaders);
  if (trace.guardrails !== undefined)
    response.setHeader('x-gateway-guardrails', headerText(trace.guardrails.join(', ')));
  if (trace.truncatedPrompt !== undefined) {
    const { read, estimated } = trace.truncatedPrompt;
    response.setHeader('x-gateway-prompt-truncated', `read ${read} of about ${estimated} tokens`);
  }
  writeDropped(
    response,
    trace.dropped.map(({ field }) => field),
  );
}

const VENDOR_LIMIT = /^(?:x-|anthropic-)ratelimit-[a-z0-9-]{1,60}$/;
const VENDOR_ID = /^[\w.:-]{1,128}$/;

/** What a vendor tells of its own limits and how it calls the request: under names of ours, since ours are about the key. */
function writeVendorHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) {
    if (!name.includes('ratelimit-') || !VENDOR_LIMIT.test(name)) continue;
    const own = name.startsWith('x-') ? name.slice(2) : name;
    response.setHeader(`x-gateway-upstream-${own}`, headerText(headers[name] ?? '').slice(0, 100));
  }
  const id = headers['x-request-id'] ?? headers['request-id'];
  if (id !== undefined && VENDOR_ID.test(id)) response.setHeader('x-gateway-upstream-request-id', id);
}

/** Headers that name an account of the caller's own at a vendor: the vendor is asked with the gateway's. */
const ACCOUNT_HEADERS = [
  'openai-organization',
  'openai-project',
  'anthropic-workspace-id',
  'anthropic-user-profile-id',
  'x-goog-user-project',
] as const;

/** Names what no vendor was told, in `x-gateway-dropped`: these fields, and headers of the caller's that belong to another account. */
export function writeDropped(response: Response, fields: readonly string[]): void {
  const { headers } = response.req;
  const left = ACCOUNT_HEADERS.filter((name) => headers[name] !== undefined);
  if (left.length + fields.length > 0)
    response.setHeader('x-gateway-dropped', headerText([...fields, ...left].join(', ')));
}

/** Header values are latin-1 and bounded. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_HEADER);
}

interface Leaving {
  readonly response: Response;
  readonly body: Uint8Array | string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

let leaving: Leaving[] = [];

/**
 * Sends JSON bytes that were made elsewhere, and resolves when they have been handed to the response.
 *
 * Answers leave together when nothing else is to be done at once: vendors' replies come many at a time (`atEndOfTurn`). Every write wakes
 * its reader up, which costs more than the write; one that reads many connections is awake already for all but the first.
 */
export function sendJsonBytes(response: Response, body: Uint8Array | string): Promise<void> {
  if (body.length > PIECED_FROM) return sendInPieces(response, body);
  if (leaving.length === 0) process.nextTick(leave);
  return new Promise((resolve, reject) => {
    leaving.push({ response, body, resolve, reject });
  });
}

/** A large answer at the pace of its reader, who is hung up on when he takes nothing of it. */
function sendInPieces(response: Response, body: Uint8Array | string): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': bytes.length });
  return pipeLarge(piecesOfBytes(bytes), response);
}

/** Sends an answer that is in memory, which it leaves as it is read. */
async function pipeLarge(pieces: AsyncIterable<Uint8Array | string>, response: Response): Promise<void> {
  const answer = unread.begin(response);
  const counted = async function* (): AsyncGenerator<Uint8Array | string> {
    for await (const piece of pieces) {
      yield piece;
      answer.sent(piece.length);
    }
  };
  try {
    await pipeBody(counted(), response, UNREAD_MS);
  } finally {
    answer.end();
  }
}

async function* piecesOfBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
    // A reader on the same machine takes them as fast as they come.
    await nextTurn();
  }
}

/** Sends a JSON value, one that would be a large text in pieces: it is never one text, and does not hold the event loop up. */
export function sendJson(response: Response, value: JsonObject): Promise<void> {
  if (lettersOf(value) <= PIECED_FROM) return sendJsonBytes(response, JSON.stringify(value));
  response.writeHead(200, { 'content-type': JSON_TYPE });
  return pipeLarge(textsOfJson(value), response);
}

/** About how long its text is: numbers of vectors have 20 letters. */
function lettersOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (Array.isArray(value) && typeof value[0] === 'number') return value.length * 20;
  let letters = 0;
  for (const each of Object.values(value)) letters += lettersOf(each);
  return letters;
}

async function* textsOfJson(value: JsonObject): AsyncGenerator<string> {
  let text = '';
  for (const piece of piecesOfJson(value)) {
    text += piece;
    if (text.length < PIECE_BYTES) continue;
    yield text;
    text = '';
    await nextTurn();
  }
  yield text;
}

/** What JSON.stringify makes of it: numbers and lists of numbers each by themselves, strings in slices. */
function* piecesOfJson(value: Json | undefined): Generator<string> {
  if (typeof value === 'string' && value.length > PIECE_BYTES) {
    yield* piecesOfString(value);
    return;
  }
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && typeof value[0] === 'number')) {
    yield JSON.stringify(value ?? null);
    return;
  }
  const isList = Array.isArray(value);
  let isFirst = true;
  yield isList ? '[' : '{';
  for (const [name, each] of Object.entries<Json | undefined>(value)) {
    if (each === undefined && !isList) continue;
    yield `${isFirst ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
    yield* piecesOfJson(each);
    isFirst = false;
  }
  yield isList ? ']' : '}';
}

/** A picture is one string of megabytes: it is never written down twice. */
function* piecesOfString(value: string): Generator<string> {
  yield '"';
  for (let at = 0; at < value.length;) {
    const end = at + PIECE_BYTES;
    // Halves of a pair stay together.
    const isCut = end < value.length && /[\ud800-\udbff]/.test(value[end - 1] ?? '');
    const slice = value.slice(at, isCut ? end + 1 : end);
    yield JSON.stringify(slice).slice(1, -1);
    at += slice.length;
  }
  yield '"';
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function leave(): void {
  const all = leaving;
  leaving = [];
  for (const { response, body, resolve, reject } of all) {
    try {
      writeJson(response, body);
      resolve();
    } catch (error) {
      reject(error);
    }
  }
}

function writeJson(response: Response, body: Uint8Array | string): void {
  const isText = typeof body === 'string';
  const length = isText ? Buffer.byteLength(body) : body.byteLength;
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': length });
  if (isText) {
    // Of one-byte letters alone, as vectors are, it is written without being turned into anything.
    response.end(body, length === body.length ? 'latin1' : 'utf8');
    return;
  }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // As latin-1 text the bytes stay what they are and leave in one write together with the head.
  if (bytes.length <= LARGEST_TEXT_WRITE) response.end(bytes.toString('latin1'), 'latin1');
  else response.end(bytes);
}

/** The head of a server-sent-event answer; sent at once. */
export function startEventStream(response: Response): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
}

/** The head of a JSON array that comes in pieces. */
export function startJsonArray(response: Response): void {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
}

/** A reader who has not taken in this time what was written to him is hung up on: his answer holds money and a place at a vendor. */
const STALLED_MS = 120_000;

/** A response as the end of a chat stream, which writes what it has and looks at the answer only when the reader is slow. */
export function sinkOf(response: Response, stalledMs = STALLED_MS): Sink {
  return { write: (chunk) => response.write(chunk), drained: () => drained(response, stalledMs) };
}

/**
 * Writes a body at the pace of its reader and ends the answer. Resolves early, and leaves the source, when the reader has gone; rejects
 * with the source's error, the answer unended.
 */
export async function pipeBody(
  source: AsyncIterable<Uint8Array | string>,
  response: Response,
  stalledMs = STALLED_MS,
): Promise<void> {
  try {
    await pipeline(source, writerOf(response, stalledMs));
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error;
  }
}

class ReaderGone extends Error {}

/**
 * A response as the end of a pipeline. Not the response itself: an answer that is kept for a repetition (Idempotency-Key) goes on being
 * written when its reader has gone, and says so by not being destroyed.
 */
function writerOf(response: Response, stalledMs: number): Writable {
  const fault = (): Error | null => (response.destroyed ? new ReaderGone('nobody reads the answer') : null);
  const writer = new Writable({
    decodeStrings: false,
    write(chunk: Uint8Array | string, _encoding, done) {
      if (response.destroyed || response.write(chunk)) done(fault());
      else void drained(response, stalledMs).then(() => done(fault()));
    },
    final(done) {
      response.end();
      done();
    },
    destroy(error, done) {
      response.off('close', onClose);
      done(error);
    },
  });
  const onClose = (): void => {
    const error = fault();
    if (error !== null) writer.destroy(error);
  };
  response.on('close', onClose);
  return writer;
}

/** Resolves when more can be written, or when nobody reads any more. */
function drained(response: Response, stalledMs = STALLED_MS): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => response.socket?.destroy(), stalledMs).unref();
    const done = (): void => {
      clearTimeout(stalled);
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (response.destroyed) done();
  });
}

/** A sink whose events leave as pieces of one JSON body; the caller of it sends what `pieces.end` gives. */
export function piecesSink(sink: Sink, pieces: JsonPieces): Sink {
  return {
    write(chunk) {
      const text = pieces.push(chunk);
      return text === '' || sink.write(text);
    },
    drained: () => sink.drained(),
  };
}
