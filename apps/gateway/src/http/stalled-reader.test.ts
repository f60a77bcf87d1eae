/** A reader who never reads is hung up on, and whoever reads in time is not. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Response } from 'express';
import { sinkOf } from './reply.ts';

const STALLED_MS = 120_000;
const PIECE = Buffer.alloc(1024 * 1024, 'a');

let server: Server;
let client: Socket;
/** Time passes when a test says so; sockets go on by themselves. */
beforeEach(() => {
  vi.useFakeTimers({ toNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  client.destroy();
  server.closeAllConnections();
  server.close();
});

/** Writes until the reader is slow, waits for him, and answers whether he is still there when the time is over. */
async function writeTo(read: boolean): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  server = createServer((_request, response) => {
    void (async () => {
      const sink = sinkOf(response as Response, STALLED_MS);
      response.writeHead(200);
      for (let pieces = 0; pieces < 64; pieces++) {
        if (sink.write(PIECE)) continue;
        const drained = sink.drained();
        if (!read) vi.advanceTimersByTime(STALLED_MS);
        await drained;
        if (response.destroyed) break;
      }
      if (read) vi.advanceTimersByTime(STALLED_MS);
      answered.resolve(!response.destroyed && response.socket?.destroyed !== true);
    })();
  });
  server.listen(0);
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  if (read) client.resume();
  else client.pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return answered.promise;
}

it('one who never reads is hung up on', async () => {
  expect(await writeTo(false)).toBe(false);
});

it('one who reads is not', async () => {
  expect(await writeTo(true)).toBe(true);
});
