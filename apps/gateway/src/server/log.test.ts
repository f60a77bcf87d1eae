import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Logger } from 'pino';
import type { RequestLine } from '../http/pipeline/begin.ts';
import { createLog, requestWriter } from './log.ts';

const LINE: RequestLine = {
  request_id: 'req_1',
  client_request_id: undefined,
  method: 'POST',
  path: '/v1/"quoted"\n',
  status: 200,
  ms: 12,
  aborted: undefined,
  key_id: 1,
  model: 'gpt-5.2 “”',
  error: undefined,
  first_byte_ms: 3,
  account_id: 4,
  attempts: 1,
  input_tokens: 5,
  output_tokens: 6,
  units: 7,
};
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What comes out, parsed line by line. */
function written(level: string, write: (log: Logger) => void): readonly Record<string, unknown>[] {
  const file = join(folder, 'log');
  const log = createLog(level, openSync(file, 'w'));
  write(log);
  log.flush();
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('the line of a request is what the logger itself would write, in its place among the others', () => {
  const [first, own, theirs, last] = written('info', (log) => {
    log.info('first');
    requestWriter(log, () => 1_790_000_000_000)(LINE);
    log.info(LINE, 'request');
    log.warn('last');
  });
  expect(own).toEqual({ ...theirs, time: 1_790_000_000_000 });
  expect(Object.keys(own ?? {})).toEqual(Object.keys(theirs ?? {}));
  expect([first?.['msg'], last?.['msg']]).toEqual(['first', 'last']);
});

it('is not written when nobody wants lines of its level', () => {
  expect(written('warn', (log) => requestWriter(log, () => 0)(LINE))).toEqual([]);
});
