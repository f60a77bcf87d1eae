import { PassThrough } from 'node:stream';
import { nothingDelivered } from '@model-gateway/translate';
import { expect, it } from 'vitest';
import type { StreamTranslator } from './chat-stream.ts';
import { pipeStream } from './stream-pipe.ts';

const untouched: StreamTranslator = {
  push: (chunk) => chunk,
  end: () => '',
  usage: () => undefined,
  delivered: nothingDelivered,
  finished: () => true,
  failed: () => false,
  fail: () => '',
  keepAlive: () => '',
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('reads no more of a vendor while the caller is slow', async () => {
  const raw = new PassThrough();
  const drained = Promise.withResolvers<void>();
  let written = 0;
  const sink = { write: () => ++written > 1, drained: () => drained.promise };
  const end = pipeStream({
    raw,
    first: [],
    translator: untouched,
    sink,
    signal: new AbortController().signal,
    onDisconnect: 'drain',
  });
  raw.write('one');
  await turn();
  expect([written, raw.isPaused()]).toEqual([1, true]);
  raw.write('two');
  await turn();
  expect(written).toBe(1);
  drained.resolve();
  raw.end();
  await end;
  expect(written).toBe(2);
});
