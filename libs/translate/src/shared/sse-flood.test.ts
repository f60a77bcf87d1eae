/** A vendor whose event never ends. */
import { expect, it } from 'vitest';
import { createSseParser } from './sse.ts';

const line = (bytes: number): Buffer => Buffer.alloc(bytes, 'x');

it('an event that does not end is given up as one that cannot be read, and nothing behind it is kept', () => {
  const parser = createSseParser(1_000);
  expect(parser.push(Buffer.from('data: {"a":1}\n\ndata: '))).toEqual([{ event: '', data: '{"a":1}' }]);
  const seen: { readonly data: string }[] = [];
  for (let count = 0; count < 50; count++) seen.push(...parser.push(line(100)));
  expect(seen).toHaveLength(1);
  expect(() => JSON.parse(seen[0]?.data ?? '') as unknown).toThrow();
  expect(parser.push(Buffer.from('\n\ndata: {"b":2}\n\n'))).toEqual([]);
  expect(parser.end()).toEqual([]);
});

it('many events of allowed size are no flood', () => {
  const parser = createSseParser(1_000);
  for (let count = 0; count < 20; count++)
    expect(parser.push(Buffer.concat([Buffer.from('data: '), line(900), Buffer.from('\n\n')]))).toHaveLength(1);
});
