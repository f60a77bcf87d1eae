import { createHash } from 'node:crypto';

/** A call id for wires that give none: the same history always yields the same ids (docs/wire/chat-translation.md#tool-calls-and-results). */
export function synthesisedCallId(turn: number, part: number): string {
  return `call_${turn}_${part}`;
}

/** Eight hex digits that stand for a text; deterministic. */
export function shortHash(text: string, length = 8): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/**
 * A foreign id in the form a wire takes: kept when it fits, else replaced by a hash, so that equal ids stay equal and different
 * ones different. Calls and their results go through the same function.
 */
export function fittingId(id: string, maxLength: number, pattern: RegExp = /^[A-Za-z0-9_-]+$/): string {
  return id.length <= maxLength && pattern.test(id) ? id : `call_${shortHash(id, 24)}`;
}

/** `prefix` + id unless it starts with it already: `withPrefix('msg_', id)`. */
export function withPrefix(prefix: string, id: string): string {
  return id.startsWith(prefix) ? id : prefix + id;
}
