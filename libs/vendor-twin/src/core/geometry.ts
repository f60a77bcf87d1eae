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
