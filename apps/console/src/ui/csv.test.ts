import { describe, expect, it } from 'vitest';
import { toCsv, wholeCsv } from './csv.ts';

describe('rows as CSV', () => {
  it.each([
    { name: 'nothing', rows: [], text: '\r\n' },
    { name: 'numbers, nothing, words', rows: [{ a: 0, b: null, c: 'x' }], text: 'a,b,c\r\n0,,x\r\n' },
    { name: 'quotes, commas, lines', rows: [{ a: 'say "hi", twice\n' }], text: 'a\r\n"say ""hi"", twice\n"\r\n' },
    { name: 'what a spreadsheet would compute', rows: [{ a: '=1+1' }, { a: '@sum' }], text: "a\r\n'=1+1\r\n'@sum\r\n" },
    { name: 'a negative number stays one', rows: [{ a: -5 }], text: 'a\r\n-5\r\n' },
  ])('$name', ({ rows, text }) => expect(toCsv(rows)).toBe(text));
});

describe('a whole list', () => {
  /** Pages of a search: one of them is empty although there is more. */
  const PAGES = [[1, 2], [], [3]];
  const read = (after = '0') => {
    const at = Number(after);
    return Promise.resolve({
      data: (PAGES[at] ?? []).map((id) => ({ id })),
      next_after: at + 1 < PAGES.length ? String(at + 1) : null,
    });
  };
  const lineOf = ({ id }: { readonly id: number }) => ({ id, twice: 2 * id });

  it('goes on over a page that is empty, with one head, and tells how far it is', async () => {
    const counts: number[] = [];
    const { signal } = new AbortController();
    const parts = await wholeCsv({ read, lineOf, onRows: (count) => counts.push(count), signal });
    expect(parts.join('')).toBe('id,twice\r\n1,2\r\n2,4\r\n3,6\r\n');
    expect(counts).toEqual([2, 2, 3]);
  });
  it('gives nothing when a page cannot be read', async () => {
    const broken = (after?: string) => (after === '1' ? Promise.reject(new Error('away')) : read(after));
    const { signal } = new AbortController();
    await expect(wholeCsv({ read: broken, lineOf, onRows: () => undefined, signal })).rejects.toThrow('away');
  });
  it('gives nothing when it is cancelled', async () => {
    const control = new AbortController();
    const cancelled = wholeCsv({ read, lineOf, onRows: () => control.abort(), signal: control.signal });
    await expect(cancelled).rejects.toThrow(/abort/i);
  });
});
