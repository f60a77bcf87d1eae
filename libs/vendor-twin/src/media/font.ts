/**
 * A 5×8 bitmap font, drawn for the twin: machines without fonts (slim images) must still show the prompt. One character per row, top to
 * bottom, in base 32: its five bits are the five pixels, the leftmost first.
 */
const GLYPHS: Readonly<Record<string, string>> = {
  ' ': '00000000',
  '!': '44444040',
  '"': 'aaa00000',
  '#': 'aavavaa0',
  $: '4fke5u40',
  '%': 'op248j30',
  '&': 'cik8lid0',
  "'": '44800000',
  '(': '24888420',
  ')': '84222480',
  '*': '04lel400',
  '+': '044v4400',
  ',': '00000448',
  '-': '000v0000',
  '.': '00000cc0',
  '/': '01248g00',
  0: 'ehjlphe0',
  1: '4c4444e0',
  2: 'eh1248v0',
  3: 'v2421he0',
  4: '26aiv220',
  5: 'vgu11he0',
  6: '68guhhe0',
  7: 'v1248880',
  8: 'ehhehhe0',
  9: 'ehhf12c0',
  ':': '0cc0cc00',
  ';': '0cc0c480',
  '<': '248g8420',
  '=': '00v0v000',
  '>': '84212480',
  '?': 'eh124040',
  '@': 'eh1dlle0',
  A: 'ehhvhhh0',
  B: 'uhhuhhu0',
  C: 'ehggghe0',
  D: 'sihhhis0',
  E: 'vgguggv0',
  F: 'vgguggg0',
  G: 'ehgnhhf0',
  H: 'hhhvhhh0',
  I: 'e44444e0',
  J: '72222ic0',
  K: 'hikokih0',
  L: 'ggggggv0',
  M: 'hrllhhh0',
  N: 'hhpljhh0',
  O: 'ehhhhhe0',
  P: 'uhhuggg0',
  Q: 'ehhhlid0',
  R: 'uhhukih0',
  S: 'fgge11u0',
  T: 'v4444440',
  U: 'hhhhhhe0',
  V: 'hhhhha40',
  W: 'hhhllla0',
  X: 'hha4ahh0',
  Y: 'hhha4440',
  Z: 'v1248gv0',
  '[': 'e88888e0',
  '\\': '0g842100',
  ']': 'e22222e0',
  '^': '4ah00000',
  _: '000000v0',
  '`': '84200000',
  a: '00e1fhf0',
  b: 'ggmphhu0',
  c: '00egghe0',
  d: '11djhhf0',
  e: '00ehvge0',
  f: '698s8880',
  g: '00fhhf1e',
  h: 'ggmphhh0',
  i: '40c444e0',
  j: '206222ic',
  k: 'ggikoki0',
  l: 'c44444e0',
  m: '00qllhh0',
  n: '00mphhh0',
  o: '00ehhhe0',
  p: '00uhhugg',
  q: '00fhhf11',
  r: '00mpggg0',
  s: '00fge1u0',
  t: '88s88960',
  u: '00hhhjd0',
  v: '00hhha40',
  w: '00hhlla0',
  x: '00ha4ah0',
  y: '00hhhf1e',
  z: '00v248v0',
  '{': '24484420',
  '|': '44444440',
  '}': '84424480',
  '~': '008l2000',
};

/** Hexadecimal digits of 3×4 pixels, three bits a row: for the code of a character the font does not have. */
const SMALL_DIGITS = '7557 6227 6247 6316 5571 7416 4757 7122 3757 7571 3575 6657 7447 6556 7647 7644'.split(' ');

export const GLYPH_WIDTH = 6;
export const GLYPH_HEIGHT = 10;

/** How many cells a character takes: those without a glyph show their code and need two. */
export function cellsOf(character: string): number {
  return GLYPHS[character] === undefined ? 2 : 1;
}

/** Calls `dot` for every lit pixel of a character, in a cell of 5×8. A character without a glyph shows its code in four small digits. */
export function eachDot(character: string, dot: (x: number, y: number) => void): void {
  const glyph = GLYPHS[character];
  if (glyph !== undefined) {
    for (let y = 0; y < glyph.length; y += 1) {
      const row = Number.parseInt(glyph.charAt(y), 32);
      for (let x = 0; x < 5; x += 1) if ((row & (16 >> x)) !== 0) dot(x, y);
    }
    return;
  }
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0').slice(-4);
  for (let index = 0; index < 4; index += 1) {
    const rows = SMALL_DIGITS[Number.parseInt(code.charAt(index), 16)] ?? '';
    for (let y = 0; y < 4; y += 1) {
      const row = Number(rows.charAt(y));
      for (let x = 0; x < 3; x += 1) {
        if ((row & (4 >> x)) !== 0) dot((index % 2) * 4 + x, Math.floor(index / 2) * 5 + y);
      }
    }
  }
}

/** Breaks a text into lines of at most so many cells, at blanks where there are any. */
export function wrap(text: string, width: number, mostLines: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const flush = (): void => {
    if (line !== '') lines.push(line);
    line = '';
    used = 0;
  };
  for (const word of text.replace(/\s+/g, ' ').trim().split(' ')) {
    const length = Array.from(word, cellsOf).reduce((sum, cells) => sum + cells, 0);
    if (used + 1 + length > width) flush();
    for (const character of line === '' ? word : ` ${word}`) {
      if (used + cellsOf(character) > width) flush();
      line += character;
      used += cellsOf(character);
    }
  }
  flush();
  return lines.slice(0, mostLines);
}
