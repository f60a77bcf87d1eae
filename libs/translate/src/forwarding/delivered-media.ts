/** What a stream has brought its reader, by modality, in constant memory: what a cut answer is billed by when its vendor has not reported. */

export interface Delivered {
  /** Bytes of text, arguments and shown reasoning. */
  text: number;
  /** Bytes of sound, decoded. */
  audio: number;
  pictures: number;
  /** Drafts of pictures; the pictures themselves are counted apart. */
  drafts: number;
  /** The model has thought more than it showed. */
  thinksUnseen: boolean;
}

/** Nothing so far. */
export function nothingDelivered(): Delivered {
  return { text: 0, audio: 0, pictures: 0, drafts: 0, thinksUnseen: false };
}

/** How far around a value its kind is looked for: `"mimeType":"audio/L16"`, `"audio":{"data":`. */
const AROUND = 160;
/** A shorter value is an address or an id. */
const SHORTEST = 32;

/** Adds the pictures and sounds of whole events, given as one-byte text, to `delivered`; answers how much of the text they are. */
export function countMedia(delivered: Delivered, names: readonly string[], events: string): number {
  let length = 0;
  for (const name of names) {
    for (let at = events.indexOf(name); at !== -1; at = events.indexOf(name, at)) {
      at += name.length;
      const from = valueAt(events, at);
      if (from === undefined) continue;
      // Neither base64 nor an address has a quote in it.
      const end = endOf(events, from);
      if (end - from >= SHORTEST && isMedia(events, from)) {
        if (isSound(events, from, end)) delivered.audio += Math.floor(((end - from) * 3) / 4);
        else delivered.pictures++;
        length += end - from;
      }
      at = end;
    }
  }
  return length;
}

/** Adds the drafts; answers how much of the text they are. */
export function countDrafts(delivered: Delivered, names: readonly string[], events: string): number {
  const found = { ...nothingDelivered() };
  const length = countMedia(found, names, events);
  delivered.drafts += found.pictures;
  return length;
}

/** Index behind the opening quote. */
function valueAt(text: string, after: number): number | undefined {
  if (text[after] !== ':') return undefined;
  const at = text[after + 1] === ' ' ? after + 2 : after + 1;
  return text[at] === '"' ? at + 1 : undefined;
}

function endOf(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  return quote === -1 ? text.length : quote;
}

/** Base64 or a data URL, no address of the web. */
function isMedia(text: string, from: number): boolean {
  return !text.startsWith('http', from);
}

function isSound(text: string, from: number, end: number): boolean {
  const before = text.slice(Math.max(0, from - AROUND), from + 16);
  return /audio/i.test(before) || /audio\//.test(text.slice(end, end + AROUND));
}
