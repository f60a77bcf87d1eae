import { afterEach, expect, it } from 'vitest';
import { logWarnings } from './operator-log.ts';

const before = process.listeners('warning');
afterEach(() => {
  process.removeAllListeners('warning');
  for (const listener of before) process.on('warning', listener);
});

it('a warning is one line of the log, and what only a library’s makers can mend is for who asks for details', () => {
  const lines: unknown[] = [];
  logWarnings({
    warn: (line: { code?: string }) => lines.push(['warn', line.code]),
    debug: (line: { code?: string }) => lines.push(['debug', line.code]),
  } as never);
  process.emit('warning', Object.assign(new Error('too many listeners'), { code: 'MANY' }));
  process.emit('warning', Object.assign(new Error('url.parse()'), { code: 'DEP0169' }));
  expect(lines).toEqual([
    ['warn', 'MANY'],
    ['debug', 'DEP0169'],
  ]);
  expect(process.listenerCount('warning')).toBe(1);
});
