/**
 * Watches a vendor's stream go by in the caller's own dialect: finds the usage without parsing every event, and edits only the
 * events that must change (a usage chunk the caller did not ask for; Responses usage under both sets of names).
 */
import { isJsonObject, type DialectName, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import { firstOutputAt, outputBytes } from './output-bytes.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** An event larger than this is forwarded without being read: usage is then estimated. */
const LARGEST_EVENT = 32 * 1024 * 1024;

/** The name whose object is the usage; `"usage":null` stands in every chunk of some vendors and says nothing. */
const USAGE_NAMES: Readonly<Record<DialectName, string>> = {
  'openai-chat': '"usage":',
  'openai-responses': '"usage":',
  'anthropic-messages': '"usage":',
  'gemini-generate': '"usageMetadata":',
};
/** Chunks at a stream's end that are searched for its terminator: finish, usage and `[DONE]` may come apart. */
const LAST_CHUNKS = 4;
/** So much of a stream is looked at to the byte for its text; only an estimate needs it, and streams are alike from end to end. */
const EXACT_BYTES = 8 * 1024;
/** Bytes that say the vendor has finished: a stream that ends without them was cut. */
const TERMINATORS: Readonly<Record<DialectName, readonly string[]>> = {
  'openai-chat': ['"finish_reason":"', '"finish_reason": "', '[DONE]'],
  'openai-responses': ['response.completed', 'response.incomplete', 'response.failed', 'event: error'],
  'anthropic-messages': ['message_stop', 'event: error'],
  'gemini-generate': ['"finishReason"', '"blockReason"', '"error"'],
};

/** Of these, the ones that say it has failed. */
const FAILURES: Readonly<Record<DialectName, readonly string[]>> = {
  'openai-chat': [],
  'openai-responses': ['response.failed', 'event: error'],
  'anthropic-messages': ['event: error'],
  'gemini-generate': ['"error"'],
};

export interface UsageObserver {
  /** What to send on for this chunk; empty when it is held back to be seen whole. */
  push(chunk: Buffer): Buffer | string;
  /** What was held back when the vendor closed. */
  end(): Buffer | string;
  /** The vendor's usage so far, cumulative counts merged. */
  usage(): Usage | undefined;
  /** Bytes of output text gone by: what is billed when the vendor reports nothing. */
  said(): number;
  /** Whether the vendor said that it had finished, in whatever way. */
  finished(): boolean;
  /** Whether it said that it had failed. */
  failed(): boolean;
}

export interface UsageObserverOptions {
  readonly dialect: DialectName;
  readonly readUsage: (body: Json) => Usage | undefined;
  /** Returns the event's new data, undefined to leave it as it is, or null to leave it out. */
  readonly editUsageEvent?: (data: JsonObject) => JsonObject | null | undefined;
}

/** Makes the tap of one stream. */
export function createUsageObserver({ dialect, readUsage, editUsageEvent }: UsageObserverOptions): UsageObserver {
  let held: Buffer | undefined;
  let usage: Usage | undefined;
  /** Text counted exactly at first, and in how many bytes: what comes later is reckoned at the same share. */
  let counted = 0;
  let countedFrom = 0;
  let later = 0;
  /** The last chunks as one-byte text: searching strings costs a fraction of searching buffers. */
  const last: string[] = [];

  const look = (whole: Buffer): Buffer | string => {
    const text = whole.toString('latin1');
    if (countedFrom < EXACT_BYTES) {
      const said = outputBytes(dialect, text);
      if (counted > 0) countedFrom += text.length;
      else if (said > 0) countedFrom += text.length - firstOutputAt(dialect, text);
      counted += said;
    } else later += text.length;
    last.push(text);
    if (last.length > LAST_CHUNKS) last.shift();
    if (!hasObject(text, USAGE_NAMES[dialect])) return whole;
    return editEvents(whole.toString('utf8')) ?? whole;
  };
  const endsWith = (words: readonly string[]): boolean =>
    last.some((text) => words.some((word) => text.includes(word)));

  const editEvents = (text: string): string | undefined => {
    const pieces = text.split(/(?<=\r\n\r\n|\n\n|\r\r)/);
    const out = pieces.map((piece) => {
      const data = hasObject(piece, USAGE_NAMES[dialect]) ? dataOf(piece) : undefined;
      if (data === undefined) return piece;
      const found = readUsage(data);
      if (found !== undefined) usage = { ...usage, ...found };
      const edited = editUsageEvent?.(data);
      if (edited === undefined) return piece;
      return edited === null ? '' : withData(piece, edited);
    });
    const changed = out.some((piece, index) => piece !== pieces[index]);
    return changed ? out.join('') : undefined;
  };

  return {
    push(chunk) {
      const bytes = held === undefined ? chunk : Buffer.concat([held, chunk]);
      held = undefined;
      const end = lastBoundary(bytes);
      if (end === bytes.length) return look(bytes);
      if (end === 0) {
        if (bytes.length > LARGEST_EVENT) return bytes;
        held = bytes;
        return '';
      }
      held = bytes.subarray(end);
      return look(bytes.subarray(0, end));
    },
    end() {
      if (held === undefined) return '';
      const rest = held;
      held = undefined;
      return look(rest);
    },
    usage: () => usage,
    said: () => Math.round(counted + (countedFrom === 0 ? 0 : (later * counted) / countedFrom)),
    finished: () => endsWith(TERMINATORS[dialect]),
    failed: () => endsWith(FAILURES[dialect]),
  };
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
