/** Who connects to a gateway with workers while there is none. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '@model-gateway/testing';
import { makePorts } from './ports.ts';
import type { Slot } from './slots.ts';

/** How a connection ends for who has sent a request on it. */
async function outcome(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const failed = once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code ?? 'failed');
  const ended = once(socket, 'end').then(() => 'hung up on');
  ended.catch(() => undefined);
  failed.catch(() => undefined);
  socket.write('GET / HTTP/1.1\r\n\r\n');
  socket.resume();
  return Promise.race([failed, ended]).finally(() => socket.destroy());
}
const slot = (sent: number[]): Slot => ({
  number: 1,
  isReady: true,
  send: (message, socket) => {
    if (message.kind === 'connection') sent.push(message.id);
    // It is given out paused.
    socket?.resume().end('taken');
  },
});

it('is refused before the first worker takes requests', async () => {
  const port = await freePort();
  const config = { host: '127.0.0.1', port, adminPort: undefined };
  const ports = await makePorts({ config, slots: () => [] });
  expect(ports.port).toBe(port);
  expect(await outcome(port)).toBe('ECONNREFUSED');
  await ports.open();
  const sent: number[] = [];
  const waiting = outcome(port);
  ports.close();
  expect(sent).toEqual([]);
  expect(await waiting).toMatch(/ECONNRE|hung up on/);
});

it('waits for the next worker, and is hung up on when none comes', async () => {
  let slots: readonly Slot[] = [];
  const config = { host: '127.0.0.1', port: 0, adminPort: undefined };
  const impatient = await makePorts({ config, slots: () => slots, longestWaitMs: 300 });
  // A port without a number of its own is open from the start: how else would it have one?
  expect(await outcome(impatient.port)).toMatch(/ECONNRESET|hung up on/);
  impatient.close();
  const ports = await makePorts({ config, slots: () => slots, longestWaitMs: 60_000 });
  const sent: number[] = [];
  const socket = connect(ports.port, '127.0.0.1');
  await once(socket, 'connect');
  slots = [slot(sent)];
  while (sent.length === 0) {
    // It is accepted in a turn of the event loop of its own.
    await new Promise((resolve) => setImmediate(resolve));
    ports.ready();
  }
  expect(sent).toEqual([1]);
  const [said] = (await once(socket, 'data')) as [Buffer];
  expect(String(said)).toBe('taken');
  socket.destroy();
  ports.close();
});
