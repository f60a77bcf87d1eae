/** A 32-bit number that depends on every character of a text (FNV-1a): what makes the twin's answers, pictures and tunes distinct but repeatable. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A repeatable stream of numbers in [0, 1) (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const FIRST = 860_000_000_000_000n;

/** The id of a reusable subject: eighteen digits, the last three of which depend on the rest, so that a rounded id is found out. */
export function elementId(count: number): string {
  const head = FIRST + BigInt(count);
  return `${head}${check(head)}`;
}

/** Whether some twin gave out this very id. */
export function isElementId(id: string): boolean {
  if (!/^86\d{16}$/.test(id)) return false;
  return check(BigInt(id.slice(0, 15))) === id.slice(15);
}

function check(head: bigint): string {
  return String(((head - FIRST) * 7n + 123n) % 1000n).padStart(3, '0');
}

/** The first so many UTF-16 units of a text, never half a character. */
export function head(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.isWellFormed() || !text.isWellFormed() ? part : part.slice(0, -1);
}

/** The text of a JSON value that should be one; empty when it is not. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Milliseconds since 1970. The twin's only reading of the wall clock; everything else takes the clock it is given. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Unix seconds of a time in milliseconds. */
export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels for a resolution class (`720p`: the short side) and a ratio (`16:9`), both sides even. */
export function sizeFor(resolution: string, ratio: string): Size {
  const short = shortSide(resolution);
  const [across = 16, down = 9] = ratio.split(':').map(Number);
  if (!(across > 0) || !(down > 0)) return sizeFor(resolution, '16:9');
  const long = even((short * Math.max(across, down)) / Math.min(across, down));
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

/** `1280x720`, or with the separator a vendor prefers; undefined for anything else. */
export function pixelSize(text: string, separator: 'x' | '*' = 'x'): Size | undefined {
  const [, width, found, height] = /^(\d{2,5})([x*])(\d{2,5})$/.exec(text) ?? [];
  if (found !== separator) return undefined;
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) };
}

function shortSide(resolution: string): number {
  const digits = Number(/\d+/.exec(resolution)?.[0] ?? '720');
  return /k$/i.test(resolution) ? ({ 1: 1080, 2: 1440, 4: 2160 }[digits] ?? 2160) : even(digits);
}

function even(side: number): number {
  const rounded = Math.round(side);
  return rounded + (rounded % 2);
}
