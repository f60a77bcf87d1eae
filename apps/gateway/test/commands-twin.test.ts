/** `gateway twin`, in this process: what it refuses. What it does as a process of its own is tried with its guide (tools/docs). */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

it.each([
  [['--port', '65536'], 'it must be a port, or 0 for any free one.'],
  [['--port', 'http'], 'it must be a port, or 0 for any free one.'],
  [['--video-seconds', '-1'], 'it must be a number of seconds.'],
  [['--chunk-delay', '1.5'], 'it must be a whole number of milliseconds.'],
])('refuses %j', async (options, why) => {
  const { code, error } = await runCommand(['twin', ...options]);
  expect([code, error]).toEqual([2, expect.stringContaining(why)]);
});

it('says that its port is taken, and what would work', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const { code, error } = await runCommand(['twin', '--port', String(port)]);
  taken.close();
  expect([code, error]).toEqual([69, `port ${port} is in use; --port 0 takes any free one\n`]);
});

it('says where it cannot listen', async () => {
  const { code, error } = await runCommand(['twin', '--port', '0', '--host', '192.0.2.1']);
  expect([code, error]).toEqual([69, 'the twin cannot listen on 192.0.2.1 port 0 (EADDRNOTAVAIL)\n']);
});

it('says which command it cannot start, as a shell would, and leaves no listener behind', async () => {
  const before = process.listenerCount('SIGTERM');
  const { code, error } = await runCommand(['twin', '--', 'no-such-program', '--flag']);
  expect([code, error]).toEqual([127, 'no-such-program cannot be started (ENOENT).\n']);
  expect(process.listenerCount('SIGTERM')).toBe(before);
});
