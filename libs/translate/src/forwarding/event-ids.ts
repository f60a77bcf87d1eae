/** Numbers the events of a stream that leaves: 1, 2, 3 … in `id:` lines, so that its reader can say where it stopped. */

export interface NumberedEvents {
  /** What to send: the same events, each with its number, and comments. */
  readonly bytes: Buffer;
  /** What of it has a number, to be kept: without comments. */
  readonly events: Buffer;
  /** How many events that is. */
  readonly count: number;
}

export interface EventNumbering {
  /** Takes whole events, as streams are sent here; bytes without an end belong to the event that goes on with the next ones. */
  push(chunk: Uint8Array | string): NumberedEvents;
}

const NOTHING = Buffer.alloc(0);
const DATA = /(?:^|[\r\n])data/;
const ID_LINE = /^id(?::|[\r\n]*$)/;

/** Makes the numbering of one stream. A vendor's own ids are left out: events have one number, ours. */
export function createEventNumbering(): EventNumbering {
  let last = 0;
  /** The last bytes had no end of an event. */
  let isInside = false;
  return {
    push(chunk) {
      // As one-byte text bytes stay what they are; searching it costs a fraction of searching buffers.
      const encoding = typeof chunk === 'string' ? 'utf8' : 'latin1';
      const text =
        typeof chunk === 'string'
          ? chunk
          : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString(encoding);
      if (!isInside && isPlainEvent(text)) {
        const bytes = Buffer.from(`id: ${++last}\n${text}`, encoding);
        return { bytes, events: bytes, count: 1 };
      }
      const before = last;
      let all = '';
      let kept = '';
      for (const piece of blocksOf(text)) {
        const block = isInside ? piece : piece.slice(firstOfEvent(piece));
        if (isInside) {
          all += block;
          kept += block;
        } else if (DATA.test(block)) {
          const numbered = `id: ${++last}\n${withoutIds(block)}`;
          all += numbered;
          kept += numbered;
        } else all += commentsIn(block);
        isInside = block !== '' && !isEnded(block);
      }
      const bytes = Buffer.from(all, encoding);
      const events = kept === all ? bytes : kept === '' ? NOTHING : Buffer.from(kept, encoding);
      return { bytes, events, count: last - before };
    },
  };
}

/** Where the event behind number `after` begins in whole events that were numbered here; their length when there is none. */
export function eventBehind(events: Uint8Array, after: number): number {
  const bytes = Buffer.from(events.buffer, events.byteOffset, events.length);
  const line = `id: ${after + 1}\n`;
  if (bytes.toString('latin1', 0, line.length) === line) return 0;
  // A line that begins so is ours: data stands behind `data:`.
  const at = bytes.indexOf(`\n${line}`, 0, 'latin1');
  return at === -1 ? bytes.length : at + 1;
}

/** One whole event as nearly all of them are, which needs no other look: data, lines that end in a line feed, no id. */
function isPlainEvent(text: string): boolean {
  return (
    (text.startsWith('data') || (text.startsWith('event') && text.includes('\ndata'))) &&
    text.indexOf('\n\n') === text.length - 2 &&
    text.length > 2 &&
    !text.includes('\r') &&
    !text.includes('\nid')
  );
}

function blocksOf(text: string): readonly string[] {
  if (text.includes('\r')) return text.split(/(?<=\r\n\r\n|\n\n|\r\r)/);
  const first = text.indexOf('\n\n');
  if (first === -1 || first === text.length - 2) return text === '' ? [] : [text];
  return text.split(/(?<=\n\n)/);
}

/**
 * What keeps a stream open, without the empty line behind it: once a client knows a number, OpenAI's SDK for Python takes every empty line
 * for the end of an event.
 */
function commentsIn(block: string): string {
  return block
    .split(/(?<=\r\n|\n|\r(?!\n))/)
    .filter((line) => line.startsWith(':'))
    .join('');
}

function firstOfEvent(piece: string): number {
  let at = 0;
  while (piece[at] === '\n' || piece[at] === '\r') at++;
  return at;
}

function isEnded(block: string): boolean {
  return block.endsWith('\n\n') || block.endsWith('\r\n\r\n') || block.endsWith('\r\r');
}

function withoutIds(block: string): string {
  if (!block.startsWith('id') && !block.includes('\nid') && !block.includes('\rid')) return block;
  return block
    .split(/(?<=\r\n|\n|\r(?!\n))/)
    .filter((line) => !ID_LINE.test(line))
    .join('');
}
