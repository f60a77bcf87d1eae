import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { flushed } from './log.ts';
import { openOperatorLog } from './operator-log.ts';
import { BAD_CONFIGURATION, StartFault } from './start-fault.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-operator-log-'));
const listeners = process.listeners('warning');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  process.removeAllListeners('warning');
  for (const listener of listeners) process.on('warning', listener);
});

const settings = { logLevel: 'info', logFormat: 'auto', telemetry: undefined } as const;

it('lines go to the file as JSON, on a terminal too, behind what is there', async () => {
  const logFile = join(folder, 'gateway.log');
  writeFileSync(logFile, '{"msg":"before"}\n', { mode: 0o600 });
  const { log, begin } = await openOperatorLog({ ...settings, logFile }, { isTerminal: true });
  begin();
  log.info('one');
  log.debug('not this one');
  await flushed(log);
  const lines = readFileSync(logFile, 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['before', 'one']);
  expect(statSync(logFile).mode & 0o077).toBe(0);
});

it('a file that cannot be written stops the start, with its setting', async () => {
  const opening = openOperatorLog({ ...settings, logFile: join(folder, 'none', 'gateway.log') }, {});
  const fault: unknown = await opening.catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(StartFault);
  const { message, exitCode } = fault as StartFault;
  expect(exitCode).toBe(BAD_CONFIGURATION);
  expect(message).toMatch(/^the log cannot be written to .*gateway\.log \(\w+\); see log\.file and LOG_FILE$/);
});
