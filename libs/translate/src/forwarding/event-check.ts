/**
 * The last look at a forwarded stream: an event that no client could read ends it, and what the gateway adds goes on counting where
 * the vendor stopped.
 */
import { parseJson } from '../shared/read.ts';
import { createSseParser } from '../shared/sse.ts';

export interface EventCheck {
  /** Whole events, up to the first that is broken: that one and all behind it are left out. */
  pass(events: Buffer | string): Buffer | string;
  /** Whether an event was broken before the vendor had finished: half a one behind that hurts nobody. */
  malformed(): boolean;
  /** An event of ours, with the number that follows the last one where events are numbered. */
  numbered(event: string): string;
}

const NUMBER = /"sequence_number": ?(\d+)/;
const NUMBER_NAME = '"sequence_number":';

/** The finish may stand some chunks before the end. */
const LAST_CHUNKS = 8;

/** Makes the check of one stream; `finished` matches events in which the vendor says that it has finished. */
export function createEventCheck(finished: RegExp): EventCheck {
  let broken = false;
  let unfinished = false;
  const before: string[] = [];
  return {
    pass(events) {
      if (broken || events.length === 0) return '';
      // One character a byte: where an event begins is the same in both.
      const text = typeof events === 'string' ? events : events.toString('latin1');
      const start = brokenAt(text);
      before.push(start === undefined ? text : text.slice(0, start));
      if (before.length > LAST_CHUNKS) before.shift();
      if (start === undefined) return events;
      broken = true;
      unfinished = !before.some((said) => finished.test(said));
      return typeof events === 'string' ? events.slice(0, start) : events.subarray(0, start);
    },
    malformed: () => unfinished,
    numbered(event) {
      const last = lastNumber(before);
      return last === undefined ? event : event.replace(NUMBER, `${NUMBER_NAME}${last + 1}`);
    },
  };
}

/** The last number that was given on; looked for only when one of ours follows it. */
function lastNumber(before: readonly string[]): number | undefined {
  for (const text of [...before].reverse()) {
    const at = text.lastIndexOf(NUMBER_NAME);
    const found = at === -1 ? null : NUMBER.exec(text.slice(at));
    if (found !== null) return Number(found[1]);
  }
  return undefined;
}

/** Where the first broken event begins. */
function brokenAt(text: string): number | undefined {
  for (let at = text.indexOf('data:'); at !== -1; at = text.indexOf('data:', at)) {
    const isLine = at === 0 || text[at - 1] === '\n' || text[at - 1] === '\r';
    at += 5;
    if (!isLine) continue;
    let end = text.indexOf('\n', at);
    if (end === -1) end = text.length;
    const data = text.slice(at, end).trim();
    if (data === '' || data === '[DONE]' || parseJson(data) !== undefined) {
      at = end;
      continue;
    }
    return firstUnreadable(text);
  }
  return undefined;
}

/** The same, event by event: data may stand in several lines. */
function firstUnreadable(text: string): number | undefined {
  let start = 0;
  for (const piece of text.split(/(?<=\r\n\r\n|\n\n|\r\r)/)) {
    const found = createSseParser()
      .push(Buffer.from(`${piece}\n\n`, 'latin1'))
      .some(({ data }) => data !== '' && data !== '[DONE]' && parseJson(data) === undefined);
    if (found) return start;
    start += piece.length;
  }
  return undefined;
}
