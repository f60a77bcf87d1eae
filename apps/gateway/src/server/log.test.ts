import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Logger } from 'pino';
import type { RequestLine } from '../http/steps/begin.ts';
import { createLog, flushed, requestWriter } from './log.ts';

const LINE: RequestLine = {
  request_id: 'req_1',
  trace_id: undefined,
  span_id: undefined,
  client_request_id: undefined,
  method: 'POST',
  address: '127.0.0.1',
  path: '/v1/"quoted"\n',
  status: 200,
  ms: 12,
  aborted: undefined,
  key_id: 1,
  model: 'gpt-5.2 “”',
  answered_model: undefined,
  error: undefined,
  first_byte_ms: 3,
  account_id: 4,
  attempts: 1,
  input_tokens: 5,
  output_tokens: 6,
  units: 7,
};
const NOW = Date.UTC(2026, 0, 1);
type Line = Readonly<Record<string, unknown>>;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

/** What comes out, parsed line by line. */
async function written(level: string, write: (log: Logger) => void): Promise<readonly Line[]> {
  const file = join(folder, 'log');
  const log = createLog(level, openSync(file, 'w'));
  write(log);
  await flushed(log);
  return linesOf(readFileSync(file, 'utf8'));
}

it('the line of a request stands in its place among the others, without what is not known', async () => {
  const [first, request, last] = await written('info', (log) => {
    log.info('first');
    requestWriter(log, () => NOW)(LINE);
    log.warn('last');
  });
  expect([first?.['msg'], request?.['msg'], last?.['msg']]).toEqual(['first', 'request', 'last']);
  const { level, time, pid, hostname, msg, ...members } = request ?? {};
  expect([level, time, pid, hostname, msg]).toEqual([30, NOW, last?.['pid'], last?.['hostname'], 'request']);
  expect([typeof pid, typeof hostname]).toEqual(['number', 'string']);
  expect(members).toEqual(JSON.parse(JSON.stringify(LINE)));
});

const FAILED = { ...LINE, model: 'gpt-5.2' };
it.each<{ readonly name: string; readonly line: RequestLine; readonly level: number }>([
  { name: 'a vendor that does not answer', line: { ...FAILED, status: 503, error: 'upstream_timeout' }, level: 40 },
  { name: 'a limit of the vendor, a 429 to OpenAI’s SDK', line: { ...FAILED, status: 429, error: 'upstream_rate_limited' }, level: 40 }, // prettier-ignore
  { name: 'a stream that broke behind its 200', line: { ...FAILED, error: 'upstream_malformed' }, level: 40 },
  { name: 'a fault of our own', line: { ...FAILED, status: 500, error: 'internal' }, level: 40 },
  { name: 'a 5xx that has no code', line: { ...FAILED, status: 502 }, level: 40 },
  { name: 'a limit of the key', line: { ...FAILED, status: 429, error: 'rate_limited' }, level: 30 },
  { name: 'a body that is wrong', line: { ...FAILED, status: 400, error: 'invalid_request' }, level: 30 },
  { name: 'a key that is none', line: { ...FAILED, status: 401, error: 'unauthenticated' }, level: 30 },
  {
    name: 'what this deployment does not serve',
    line: { ...FAILED, status: 501, error: 'not_implemented' },
    level: 30,
  },
  { name: 'a caller who hung up', line: { ...FAILED, aborted: true }, level: 30 },
])('the line of a request: $name is told at level $level', async ({ line, level }) => {
  const [told] = await written('info', (log) => requestWriter(log, () => NOW)(line));
  expect(told).toMatchObject({ level, msg: 'request' });
  // An operator who reads warnings alone reads these, and no others.
  expect(await written('warn', (log) => requestWriter(log, () => NOW)(line))).toHaveLength(level === 40 ? 1 : 0);
});

it('is not written when nobody wants lines of its level', async () => {
  expect(await written('warn', (log) => requestWriter(log, () => NOW)(LINE))).toEqual([]);
});

it('a reader who stops reading stops nobody; what does not fit into 4 MiB is dropped, and the number is told', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const log = createLog('info', openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
  const MANY = 10_000;
  // 10 MB: the pipe takes 64 kB of them.
  for (let index = 0; index < MANY; index++) log.info({ index, padding: 'x'.repeat(900) }, 'line');

  let text = '';
  const buffer = Buffer.alloc(1024 * 1024);
  const read = (): void => {
    try {
      for (;;) text += buffer.toString('utf8', 0, readSync(reader, buffer));
    } catch {
      // Nothing there at the moment.
    }
  };
  const reading = setInterval(read, 5);
  await flushed(log);
  await flushed(log);
  clearInterval(reading);
  read();
  const lines = linesOf(text);
  const kept = lines.filter(({ msg }) => msg === 'line').map(({ index }) => index);
  const told = lines.filter(({ dropped }) => dropped !== undefined).map(({ dropped }) => Number(dropped));
  expect(kept.length).toBeGreaterThan(3_000);
  expect(kept.length).toBeLessThan(5_000);
  expect(kept).toEqual([...kept].sort((a, b) => Number(a) - Number(b)));
  expect(told.reduce((sum, each) => sum + each, 0)).toBe(MANY - kept.length);
});
