import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { linePrinter, readLog } from './log-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function last(text: string, lines: number): Promise<readonly string[]> {
  const file = join(folder, 'whole');
  writeFileSync(file, text);
  const read: string[] = [];
  for await (const line of readLog(file, { last: lines, follow: false })) read.push(line);
  return read;
}

describe('the end of a log', () => {
  const long = Array.from({ length: 9000 }, (_, index) => `line ${index} ${'ü'.repeat(10)}`);
  it.each([
    { name: 'fewer than there are', text: 'a\nb\nc\n', lines: 2, are: ['b', 'c'] },
    { name: 'all of them', text: 'a\nb\n', lines: 5, are: ['a', 'b'] },
    { name: 'none', text: 'a\nb\n', lines: 0, are: [] },
    { name: 'a last line without its end', text: 'a\nb', lines: 1, are: ['b'] },
    { name: 'an empty file', text: '', lines: 3, are: [] },
    { name: 'across pieces of a long one', text: `${long.join('\n')}\n`, lines: 4000, are: long.slice(-4000) },
  ])('$name', async ({ text, lines, are }) => expect(await last(text, lines)).toEqual(are));
});

it('what is added comes, also of the file that takes its place, and of an emptied one', async () => {
  const file = join(folder, 'log');
  writeFileSync(file, 'old\n');
  const stop = new AbortController();
  const lines = readLog(file, { last: 1, follow: true, signal: stop.signal });
  const next = async (): Promise<unknown> => (await lines.next()).value;
  expect(await next()).toBe('old');
  appendFileSync(file, 'half');
  appendFileSync(file, ' and half\n');
  expect(await next()).toBe('half and half');
  renameSync(file, `${file}.1`);
  writeFileSync(file, 'rotated\n');
  expect(await next()).toBe('rotated');
  truncateSync(file);
  appendFileSync(file, 'e\n');
  expect(await next()).toBe('e');
  stop.abort();
  expect(await lines.next()).toMatchObject({ done: true });
});

it('a log that is not there is said', async () => {
  await expect(readLog(join(folder, 'none'), { last: 1, follow: false }).next()).rejects.toThrow(
    /none cannot be read \(ENOENT\)/,
  );
});

it('lines are told in words, and what is no line of a log stays', async () => {
  const print = await linePrinter(false, false);
  const line = { level: 30, time: 0, msg: 'request', method: 'GET', path: '/v1/models', status: 200, ms: 3 };
  expect(print(JSON.stringify(line))).toMatch(/INFO: GET \/v1\/models 200 3 ms\n$/);
  expect(print('Model gateway listens')).toBe('Model gateway listens\n');
  expect((await linePrinter(true, false))('{"a":1}')).toBe('{"a":1}\n');
});
