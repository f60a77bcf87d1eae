import { describe, expect, it } from 'vitest';
import { toCsv } from './csv.ts';

describe('rows as CSV', () => {
  it.each([
    { name: 'nothing', rows: [], text: '\r\n' },
    { name: 'numbers, nothing, words', rows: [{ a: 0, b: null, c: 'x' }], text: 'a,b,c\r\n0,,x\r\n' },
    { name: 'quotes, commas, lines', rows: [{ a: 'say "hi", twice\n' }], text: 'a\r\n"say ""hi"", twice\n"\r\n' },
    { name: 'what a spreadsheet would compute', rows: [{ a: '=1+1' }, { a: '@sum' }], text: "a\r\n'=1+1\r\n'@sum\r\n" },
    { name: 'a negative number stays one', rows: [{ a: -5 }], text: 'a\r\n-5\r\n' },
  ])('$name', ({ rows, text }) => expect(toCsv(rows)).toBe(text));
});
