/**
 * Watches a vendor's stream go by in the caller's own dialect: finds the usage without parsing every event, and edits only the
 * events that must change. Only whole events are given on, so that whatever follows stands on a line of its own, and none that no client
 * could read: such a one ends the stream.
 */
import { isJsonObject, type GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ChatDialect } from '../dialect.ts';
import { createSseParser } from '../shared/sse.ts';
import { createBrokenEventSearch, withNextNumber } from './broken-events.ts';
import { countDrafts, countMedia, nothingDelivered, type Delivered } from './delivered-media.ts';
import { firstOutputAt, outputBytes } from './output-bytes.ts';

const UNREAD_FAILURE = /^error: ?\{/m;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** An event larger than this is forwarded without being read: usage is then estimated. */
const LARGEST_EVENT = 32 * 1024 * 1024;
/** Chunks at a stream's end that are searched for its terminator: finish, usage and `[DONE]` may come apart. */
const LAST_CHUNKS = 8;
/** So much of a stream is looked at to the byte for its text; only an estimate needs it, and streams are alike from end to end. */
const EXACT_BYTES = 8 * 1024;
/** Events with a picture or with sound are larger: those of a word or two are not searched for them. */
const SMALLEST_MEDIUM = 512;

export interface StreamObserver {
  /** What to send on for this chunk; empty when it is held back to be seen whole. */
  push(chunk: Buffer): Buffer | string;
  /** What was held back when the vendor closed, closed as an event; half an event is left out. */
  end(): Buffer | string;
  /** The vendor's usage so far, cumulative counts merged. */
  usage(): Usage | undefined;
  /** What has gone by, by modality: what is billed when the vendor reports nothing. */
  delivered(): Delivered;
  /** Whether the vendor said that it had finished, in whatever way. */
  finished(): boolean;
  /** Whether it said that it had failed. */
  failed(): boolean;
  /** Why the vendor broke off, where it said so in a line that clients do not read. */
  unreadFailure(): GatewayError | undefined;
  /** Whether an event was broken before the vendor had finished: half a one behind that hurts nobody. Nothing behind a broken event is given on. */
  malformed(): boolean;
  /** An event of ours, with the number that follows the last one given on where events are numbered. */
  numbered(event: string): string;
  /** What must be sent before anything else can be: closes an event too large to be held. */
  closing(): string;
}

export interface StreamObserverOptions {
  /** The caller's body. */
  readonly request: JsonObject;
  /** The offer's, for reading its usage. */
  readonly quirks: JsonObject;
  /** Told of the data of events that tell usage, or that have one of the dialect's names of ids. */
  readonly onData?: (data: JsonObject) => void;
}

/** Makes the observer of one stream. */
export function createStreamObserver(
  dialect: ChatDialect,
  { request, quirks, onData }: StreamObserverOptions,
): StreamObserver {
  const idNames = onData === undefined ? [] : dialect.vendorIds.eventNames;
  const hasId = (text: string): boolean => idNames.some((name) => text.includes(name));
  const { usageName, outputNames, mediaNames, draftNames, thinksUnseen, finished, failed } = dialect.forwarding;
  const editUsageEvent = dialect.forwarding.usageEdit?.(request);
  let held: Buffer | undefined;
  /** What came behind it without the end of a line. */
  const more: Buffer[] = [];
  let heldMore = 0;
  /** The beginning of an event has been given on without its end. */
  let open = false;
  let usage: Usage | undefined;
  /** Text counted exactly at first, and in how many bytes: what comes later is reckoned at the same share. */
  let counted = 0;
  let countedFrom = 0;
  let later = 0;
  const delivered = nothingDelivered();
  /** The last chunks as one-byte text: searching strings costs a fraction of searching buffers. */
  const last: string[] = [];
  const searchBroken = createBrokenEventSearch();
  /** The last that was given on when a broken event came; what comes behind it is still read for the bill. */
  let beforeBroken: readonly string[] | undefined;

  const look = (whole: Buffer): Buffer | string => {
    open = false;
    const text = whole.toString('latin1');
    if (beforeBroken === undefined) {
      const start = searchBroken(text);
      if (start === undefined) return observe(whole, text);
      const passed = observe(whole.subarray(0, start), text.slice(0, start));
      beforeBroken = [...last];
      observe(whole.subarray(start), text.slice(start));
      return passed;
    }
    observe(whole, text);
    return '';
  };

  const observe = (whole: Buffer, text: string): Buffer | string => {
    const length = text.length - mediaIn(text);
    if (countedFrom < EXACT_BYTES) {
      const said = outputBytes(outputNames, text);
      if (counted > 0) countedFrom += length;
      else if (said > 0) countedFrom += Math.max(0, length - firstOutputAt(outputNames, text));
      counted += said;
      if (thinksUnseen?.test(text) === true) delivered.thinksUnseen = true;
    } else later += length;
    last.push(text);
    if (last.length > LAST_CHUNKS) last.shift();
    if (!hasObject(text, usageName) && !hasId(text)) return whole;
    return editEvents(whole.toString('utf8')) ?? whole;
  };

  const mediaIn = (text: string): number => {
    if (text.length < SMALLEST_MEDIUM) return 0;
    return (
      (mediaNames === undefined ? 0 : countMedia(delivered, mediaNames, text)) +
      (draftNames === undefined ? 0 : countDrafts(delivered, draftNames, text))
    );
  };

  const editEvents = (text: string): string | undefined => {
    const pieces = text.split(/(?<=\r\n\r\n|\n\n|\r\r)/);
    const out = pieces.map((piece) => {
      const tellsUsage = hasObject(piece, usageName);
      const data = tellsUsage || hasId(piece) ? dataOf(piece) : undefined;
      if (data === undefined) return piece;
      onData?.(data);
      if (!tellsUsage) return piece;
      const found = dialect.readUsage(data, quirks);
      if (found !== undefined) usage = { ...usage, ...found };
      const edited = editUsageEvent?.(data);
      if (edited === undefined) return piece;
      return edited === null ? '' : withData(piece, edited);
    });
    const changed = out.some((piece, index) => piece !== pieces[index]);
    return changed ? out.join('') : undefined;
  };

  const hasFailed = (texts: readonly string[] = last): boolean =>
    texts.some(
      (text) =>
        failed.test(text) &&
        createSseParser()
          .push(Buffer.from(text, 'latin1'))
          .some((event) => dialect.refusalIn(event) !== undefined),
    );

  /** A failure that is told in a line no client reads: llama.cpp's. */
  const unreadFailure = (): GatewayError | undefined => {
    for (const text of last) {
      if (!UNREAD_FAILURE.test(text)) continue;
      for (const event of createSseParser().push(Buffer.from(text, 'latin1'))) {
        const refusal = dialect.refusalIn(event);
        if (refusal !== undefined) return refusal;
      }
    }
    return undefined;
  };

  return {
    push(chunk) {
      // A large event is put together once, not for each of its chunks.
      if (held !== undefined && heldMore + chunk.length < LARGEST_EVENT && !chunk.includes(NEWLINE)) {
        more.push(chunk);
        heldMore += chunk.length;
        return '';
      }
      const bytes = held === undefined ? chunk : Buffer.concat([held, ...more.splice(0), chunk]);
      held = undefined;
      heldMore = 0;
      const end = lastBoundary(bytes);
      if (end === bytes.length) return look(bytes);
      if (end === 0) {
        if (bytes.length > LARGEST_EVENT) {
          open = true;
          return bytes;
        }
        held = bytes;
        return '';
      }
      held = bytes.subarray(end);
      return look(bytes.subarray(0, end));
    },
    end() {
      if (held === undefined) return '';
      const rest = more.length === 0 ? held : Buffer.concat([held, ...more.splice(0)]);
      held = undefined;
      return isWhole(rest) ? look(Buffer.concat([rest, Buffer.from('\n\n')])) : '';
    },
    usage: () => usage,
    delivered() {
      delivered.text = Math.round(counted + (countedFrom === 0 ? 0 : (later * counted) / countedFrom));
      return delivered;
    },
    finished: () => last.some((text) => finished.test(text)) || hasFailed(),
    failed: () => hasFailed(),
    malformed: () =>
      beforeBroken !== undefined && !beforeBroken.some((text) => finished.test(text)) && !hasFailed(beforeBroken),
    unreadFailure,
    numbered: (event) => withNextNumber(event, beforeBroken ?? last),
    closing: () => (open ? '\n\n' : ''),
  };
}

/** Whether only the blank line behind the event is missing: vendors close early. */
function isWhole(event: Buffer): boolean {
  const text = event.toString('utf8');
  return /^data: ?\[DONE\]\s*$/m.test(text) || dataOf(text) !== undefined;
}

/** Whether an object stands behind the name. */
function hasObject(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at)) {
    at += name.length;
    while (text[at] === ' ') at++;
    if (text[at] === '{') return true;
  }
  return false;
}

/** Index after the last blank line, 0 when there is none. */
function lastBoundary(bytes: Buffer): number {
  let at = bytes.length;
  // The usual case: the chunk ends with the event.
  if (
    at >= 2 &&
    bytes[at - 1] === NEWLINE &&
    (bytes[at - 2] === NEWLINE || (at >= 4 && bytes[at - 2] === RETURN && bytes[at - 3] === NEWLINE))
  )
    return at;
  for (;;) {
    const newline = bytes.lastIndexOf(NEWLINE, at - 1);
    if (newline < 1) return 0;
    if (bytes[newline - 1] === NEWLINE) return newline + 1;
    if (newline >= 3 && bytes[newline - 1] === RETURN && bytes[newline - 2] === NEWLINE) return newline + 1;
    at = newline;
  }
}

function dataOf(event: string): JsonObject | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  if (lines.length === 0) return undefined;
  try {
    const data: unknown = JSON.parse(lines.map((line) => line.slice(5).trimStart()).join('\n'));
    return isJsonObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function withData(event: string, data: JsonObject): string {
  const others = event.split(/\r\n|\n|\r/).filter((line) => line !== '' && !line.startsWith('data:'));
  return [...others, `data: ${JSON.stringify(data)}`, '', ''].join('\n');
}
