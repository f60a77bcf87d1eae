import { random } from '../core/values.ts';
import { cellsOf, eachDot, GLYPH_HEIGHT, GLYPH_WIDTH, wrap } from './font.ts';

/** A picture in memory: three bytes a pixel, red green blue. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

type Colour = readonly [number, number, number];

/** A picture of its own for every seed, with the text written into it. */
export function paint(width: number, height: number, text: string, seed: number): Picture {
  const roll = random(seed);
  const hue = roll();
  const picture = { width, height, rgb: new Uint8Array(width * height * 3) };
  gradient(picture, colourOf(hue, 0.55, 0.35), colourOf(hue + 0.15 + roll() * 0.3, 0.6, 0.6));
  const short = Math.min(width, height);
  for (let count = 0; count < 5; count += 1) {
    const colour = colourOf(hue + roll(), 0.5, 0.5 + roll() * 0.3);
    disc(picture, { x: roll() * width, y: roll() * height, radius: short * (0.06 + roll() * 0.16) }, colour);
  }
  write(picture, text);
  return picture;
}

/** Blends a filled circle over the picture. */
function disc(
  { width, height, rgb }: Picture,
  circle: { readonly x: number; readonly y: number; readonly radius: number },
  [red, green, blue]: Colour,
): void {
  const top = Math.max(0, Math.floor(circle.y - circle.radius));
  const bottom = Math.min(height - 1, Math.ceil(circle.y + circle.radius));
  for (let y = top; y <= bottom; y += 1) {
    const half = Math.sqrt(Math.max(0, circle.radius ** 2 - (y - circle.y) ** 2));
    const from = Math.max(0, Math.ceil(circle.x - half));
    const to = Math.min(width - 1, Math.floor(circle.x + half));
    for (let at = (y * width + from) * 3; at <= (y * width + to) * 3; at += 3) {
      rgb[at] = ((rgb[at] ?? 0) + red) >> 1;
      rgb[at + 1] = ((rgb[at + 1] ?? 0) + green) >> 1;
      rgb[at + 2] = ((rgb[at + 2] ?? 0) + blue) >> 1;
    }
  }
}

function gradient({ width, height, rgb }: Picture, above: Colour, below: Colour): void {
  for (let y = 0; y < height; y += 1) {
    const share = y / Math.max(1, height - 1);
    const row: Colour = [
      mix(above[0], below[0], share),
      mix(above[1], below[1], share),
      mix(above[2], below[2], share),
    ];
    const start = y * width * 3;
    for (let at = start; at < start + width * 3; at += 3) {
      rgb[at] = row[0];
      rgb[at + 1] = row[1];
      rgb[at + 2] = row[2];
    }
  }
}

/** Writes the text in the lower part, on a darkened band. */
function write(picture: Picture, text: string): void {
  const { width, height, rgb } = picture;
  const scale = Math.max(1, Math.floor(width / (GLYPH_WIDTH * 30)));
  const columns = Math.max(1, Math.floor(width / (GLYPH_WIDTH * scale)) - 2);
  const rows = Math.max(1, Math.floor((height * 0.6) / (GLYPH_HEIGHT * scale)));
  const lines = wrap(text, columns, rows);
  const band = (lines.length + 1) * GLYPH_HEIGHT * scale;
  const top = Math.max(0, height - band);
  for (let at = top * width * 3; at < rgb.length; at += 1) rgb[at] = (rgb[at] ?? 0) >> 2;
  lines.forEach((line, row) => {
    const above = top + Math.floor((row + 0.5) * GLYPH_HEIGHT * scale);
    let left = GLYPH_WIDTH * scale;
    for (const character of line) {
      const from = left;
      eachDot(character, (x, y) => {
        block(picture, { left: from + x * scale, top: above + y * scale, side: scale });
      });
      left += cellsOf(character) * GLYPH_WIDTH * scale;
    }
  });
}

function block(
  { width, height, rgb }: Picture,
  square: { readonly left: number; readonly top: number; readonly side: number },
): void {
  const right = Math.min(width, square.left + square.side);
  for (let y = square.top; y < Math.min(height, square.top + square.side); y += 1) {
    rgb.fill(245, (y * width + square.left) * 3, (y * width + right) * 3);
  }
}

function mix(from: number, to: number, share: number): number {
  return Math.round(from + (to - from) * share);
}

/** Hue, saturation and lightness, each 0 to 1, as red, green and blue. */
function colourOf(hue: number, saturation: number, lightness: number): Colour {
  const strength = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const turn = (offset + hue * 12) % 12;
    return Math.round(255 * (lightness - strength * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
