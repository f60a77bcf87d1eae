import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import express, { type Response } from 'express';
import { pipeBody, sendJson, sinkOf } from './reply.ts';

const PIECE = 'a'.repeat(64 * 1024);
const MANY = 2_000;

let server: Server;
let client: Socket;
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

/** A caller that asks and reads nothing until it is told to. */
async function asked(answer: (response: Response) => Promise<void>): Promise<void> {
  const app = express();
  app.get('/', (_request, response) => answer(response));
  server = app.listen(0);
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
}

/** Resolves when a count has stood still for some turns of the event loop and a little while. */
async function still(count: () => number): Promise<number> {
  for (let before = -1; before !== count() || before === 0; await new Promise((resolve) => setTimeout(resolve, 50)))
    before = count();
  return count();
}

describe('pipeBody', () => {
  it('takes no more from its source than the reader takes', async () => {
    let taken = 0;
    let listeners = 0;
    let finished = false;
    await asked(async (response) => {
      await pipeBody(source(), response);
      finished = true;
      async function* source(): AsyncGenerator<string> {
        for (; taken < MANY; taken++) {
          listeners = Math.max(listeners, response.listenerCount('close'), response.listenerCount('drain'));
          yield PIECE;
        }
      }
    });
    // What lies in the sockets' buffers, and not 128 MB.
    expect(await still(() => taken)).toBeLessThan(MANY / 2);
    expect(finished).toBe(false);
    let read = 0;
    client.on('data', (chunk: Buffer) => (read += chunk.length)).resume();
    await once(client, 'close');
    expect(read).toBeGreaterThan(MANY * PIECE.length);
    expect(finished).toBe(true);
    expect(listeners).toBeLessThan(10);
  });

  it('leaves its source when the reader goes', async () => {
    let left = false;
    let done: Promise<void> | undefined;
    await asked((response) => (done = pipeBody(endless(), response)));
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield PIECE;
      } finally {
        left = true;
      }
    }
    await once(client.resume(), 'data');
    client.destroy();
    await done;
    expect(left).toBe(true);
  });

  it('gives the error of its source on, the answer unended', async () => {
    let failure: unknown;
    await asked(async (response) => {
      failure = await pipeBody(broken(), response).catch((error: unknown) => error);
      expect(response.writableEnded).toBe(false);
      response.destroy();
    });
    async function* broken(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('the vendor broke off');
    }
    await once(client.resume(), 'close');
    expect(failure).toMatchObject({ message: 'the vendor broke off' });
  });
});

it('waiting for a slow reader again and again leaves no listeners behind', async () => {
  let most = 0;
  await asked(async (response) => {
    const sink = sinkOf(response);
    for (let turn = 0; turn < 200; turn++) {
      most = Math.max(most, response.listenerCount('close'), response.listenerCount('drain'));
      if (!sink.write(PIECE)) await sink.drained();
    }
    response.end();
  });
  await once(client.resume(), 'close');
  expect(most).toBeLessThan(10);
});

describe('sendJson', () => {
  const vector = (length: number): number[] => Array.from({ length }, (_none, at) => Math.sin(at + 1));
  it.each([
    { name: 'a small value', value: { a: [1, 'é', null, { b: [] }], c: {} } },
    {
      name: 'many numbers',
      value: { data: Array.from({ length: 100 }, () => ({ embedding: vector(1000) })), empty: [] },
    },
    { name: 'pairs that stand at every place', value: { a: `x${'😀'.repeat(400_000)}`, b: '😀'.repeat(400_000) } },
    { name: 'long texts', value: { data: [{ b64_json: '"é\\'.repeat(500_000) }, { b64_json: 'b'.repeat(500_000) }] } },
  ])('says of $name what JSON.stringify says', async ({ value }) => {
    await asked((response) => sendJson(response, value));
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await reply.text()).toBe(JSON.stringify(value));
  });
});
