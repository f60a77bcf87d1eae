/** Events of a forwarded stream that no client could read: half an object, or words that are no JSON. */
import { parseJson } from '../shared/read.ts';
import { createSseParser } from '../shared/sse.ts';

const DATA = 'data:';
/** What an event's data begins and ends with tells what sort of event it is; the end has its blank line with it. */
const HEAD_LENGTH = 24;
const TAIL_LENGTH = 20;
/** The last member, by its name: text that a model writes has its quotation marks escaped. */
const LAST_MEMBER = /[^\\]":[^"]/;

/**
 * Makes the search of one stream. It is given whole events, as one-byte text, and answers where the first that is broken begins.
 *
 * Events of one stream are alike but for a word in their middle, and parsing each costs more than all else that is done with it. One that
 * begins and ends like one that was parsed is taken for whole, where the end is the last member of its data; any other is parsed.
 */
export function createBrokenEventSearch(): (events: string) => number | undefined {
  let head = '';
  let tail = '';
  const isLikeTheLast = (text: string): boolean =>
    head !== '' && text.endsWith(tail) && text.startsWith(head) && text.indexOf('\n', head.length) === text.length - 2;
  const remember = (text: string): void => {
    const headEnd = text.indexOf(DATA) + DATA.length + HEAD_LENGTH;
    const end = text.slice(-TAIL_LENGTH);
    // One event alone, of one line of data, whose beginning and end do not meet.
    const isOne = text.length > headEnd + TAIL_LENGTH && text.indexOf('\n', headEnd) === text.length - 2;
    if (!isOne || !LAST_MEMBER.test(end)) return;
    head = text.slice(0, headEnd);
    tail = end;
  };
  return (text) => {
    if (isLikeTheLast(text)) return undefined;
    const start = brokenAt(text);
    if (start === undefined) remember(text);
    return start;
  };
}

/** Where the first broken event begins. */
function brokenAt(text: string): number | undefined {
  for (let at = text.indexOf(DATA); at !== -1; at = text.indexOf(DATA, at)) {
    const isLine = at === 0 || text[at - 1] === '\n' || text[at - 1] === '\r';
    at += DATA.length;
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

const NUMBER = /"sequence_number": ?(\d+)/;
const NUMBER_NAME = '"sequence_number":';

/** An event of ours, with the number that follows the last one in `before` where events are numbered. */
export function withNextNumber(event: string, before: readonly string[]): string {
  for (const text of [...before].reverse()) {
    const at = text.lastIndexOf(NUMBER_NAME);
    const found = at === -1 ? null : NUMBER.exec(text.slice(at));
    if (found !== null) return event.replace(NUMBER, `${NUMBER_NAME}${Number(found[1]) + 1}`);
  }
  return event;
}
