/**
 * Watches a vendor's stream go by in the caller's own dialect: finds the usage without parsing every event, and edits only the
 * events that must change. Only whole events are given on, so that whatever follows stands on a line of its own, and none that no client
 * could read: such a one ends the stream.
 */
import { isJsonObject, type GatewayError, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ChatDialect, EventEdit, SseEvent } from '../dialect.ts';
import { createSseParser } from '../shared/sse.ts';
import { createBrokenEventSearch, withNextNumber } from './broken-events.ts';
import { DeliveredCount } from './delivered-count.ts';
import type { Delivered } from './delivered-media.ts';

const UNREAD_FAILURE = /^error: ?\{/m;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** An event larger than this is forwarded without being read: usage is then estimated. */
const LARGEST_EVENT = 32 * 1024 * 1024;
/** Chunks at a stream's end that are searched for its terminator: finish, usage and `[DONE]` may come apart. */
const LAST_CHUNKS = 8;

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
export function createStreamObserver(dialect: ChatDialect, options: StreamObserverOptions): StreamObserver {
  return new ForwardedStream(dialect, options);
}

class ForwardedStream implements StreamObserver {
  private readonly dialect: ChatDialect;
  private readonly quirks: JsonObject;
  private readonly onData: StreamObserverOptions['onData'];
  private readonly idNames: readonly string[];
  private readonly usageEdit: EventEdit | undefined;
  private readonly count: DeliveredCount;
  private readonly searchBroken = createBrokenEventSearch();
  /** The beginning of an event whose end has not come. */
  private held: Buffer | undefined;
  /** What came behind it without the end of a line. */
  private readonly more: Buffer[] = [];
  private heldMore = 0;
  /** The beginning of an event has been given on without its end. */
  private isOpen = false;
  private found: Usage | undefined;
  /** The last chunks as one-byte text: searching strings costs a fraction of searching buffers. */
  private readonly last: string[] = [];
  /** The last that was given on when a broken event came; what comes behind it is still read for the bill. */
  private beforeBroken: readonly string[] | undefined;

  constructor(dialect: ChatDialect, { request, quirks, onData }: StreamObserverOptions) {
    this.dialect = dialect;
    this.quirks = quirks;
    this.onData = onData;
    this.idNames = onData === undefined ? [] : dialect.vendorIds.eventNames;
    this.usageEdit = dialect.forwarding.usageEdit?.(request);
    this.count = new DeliveredCount(dialect.forwarding);
  }

  push(chunk: Buffer): Buffer | string {
    // A large event is put together once, not for each of its chunks.
    if (this.held !== undefined && this.heldMore + chunk.length < LARGEST_EVENT && !chunk.includes(NEWLINE)) {
      this.more.push(chunk);
      this.heldMore += chunk.length;
      return '';
    }
    const bytes = this.held === undefined ? chunk : Buffer.concat([this.held, ...this.more.splice(0), chunk]);
    this.held = undefined;
    this.heldMore = 0;
    const end = lastBoundary(bytes);
    if (end === bytes.length) return this.look(bytes);
    if (end === 0) {
      if (bytes.length > LARGEST_EVENT) {
        this.isOpen = true;
        return bytes;
      }
      this.held = bytes;
      return '';
    }
    this.held = bytes.subarray(end);
    return this.look(bytes.subarray(0, end));
  }

  end(): Buffer | string {
    if (this.held === undefined) return '';
    const rest = this.more.length === 0 ? this.held : Buffer.concat([this.held, ...this.more.splice(0)]);
    this.held = undefined;
    return isWhole(rest) ? this.look(Buffer.concat([rest, Buffer.from('\n\n')])) : '';
  }

  usage(): Usage | undefined {
    return this.found;
  }

  delivered(): Delivered {
    return this.count.total();
  }

  finished(): boolean {
    return this.hasFinished(this.last) || this.hasFailed(this.last);
  }

  failed(): boolean {
    return this.hasFailed(this.last);
  }

  malformed(): boolean {
    const { beforeBroken } = this;
    return beforeBroken !== undefined && !this.hasFinished(beforeBroken) && !this.hasFailed(beforeBroken);
  }

  /** llama.cpp tells a failure in a line no client reads. */
  unreadFailure(): GatewayError | undefined {
    for (const text of this.last) {
      if (!UNREAD_FAILURE.test(text)) continue;
      for (const event of eventsIn(text)) {
        const refusal = this.dialect.refusalIn(event);
        if (refusal !== undefined) return refusal;
      }
    }
    return undefined;
  }

  numbered(event: string): string {
    return withNextNumber(event, this.beforeBroken ?? this.last);
  }

  closing(): string {
    return this.isOpen ? '\n\n' : '';
  }

  /** Whole events: what of them may be given on. */
  private look(whole: Buffer): Buffer | string {
    this.isOpen = false;
    const text = whole.toString('latin1');
    if (this.beforeBroken === undefined) {
      const start = this.searchBroken(text);
      if (start === undefined) return this.observe(whole, text);
      const passed = this.observe(whole.subarray(0, start), text.slice(0, start));
      this.beforeBroken = [...this.last];
      this.observe(whole.subarray(start), text.slice(start));
      return passed;
    }
    this.observe(whole, text);
    return '';
  }

  private observe(whole: Buffer, text: string): Buffer | string {
    this.count.add(text);
    this.last.push(text);
    if (this.last.length > LAST_CHUNKS) this.last.shift();
    if (!hasObject(text, this.dialect.forwarding.usageName) && !this.hasId(text)) return whole;
    return this.editEvents(whole.toString('utf8')) ?? whole;
  }

  private hasId(text: string): boolean {
    return this.idNames.some((name) => text.includes(name));
  }

  private editEvents(text: string): string | undefined {
    const pieces = text.split(/(?<=\r\n\r\n|\n\n|\r\r)/);
    const out = pieces.map((piece) => this.editEvent(piece));
    const changed = out.some((piece, index) => piece !== pieces[index]);
    return changed ? out.join('') : undefined;
  }

  private editEvent(piece: string): string {
    const tellsUsage = hasObject(piece, this.dialect.forwarding.usageName);
    const data = tellsUsage || this.hasId(piece) ? dataOf(piece) : undefined;
    if (data === undefined) return piece;
    this.onData?.(data);
    if (!tellsUsage) return piece;
    const found = this.dialect.readUsage(data, this.quirks);
    if (found !== undefined) this.found = { ...this.found, ...found };
    const edited = this.usageEdit?.(data);
    if (edited === undefined) return piece;
    return edited === null ? '' : withData(piece, edited);
  }

  private hasFinished(texts: readonly string[]): boolean {
    return texts.some((text) => this.dialect.forwarding.finished.test(text));
  }

  private hasFailed(texts: readonly string[]): boolean {
    const { failed } = this.dialect.forwarding;
    return texts.some(
      (text) => failed.test(text) && eventsIn(text).some((event) => this.dialect.refusalIn(event) !== undefined),
    );
  }
}

/** One-byte text as events. */
function eventsIn(text: string): SseEvent[] {
  return createSseParser().push(Buffer.from(text, 'latin1'));
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
