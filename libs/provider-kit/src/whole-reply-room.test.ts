/** Large replies of vendors share a room: many at once must not fill the memory. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { post, useUpstream } from './testing/upstream.ts';

const { vendor, open } = useUpstream();
const TEXT = Buffer.alloc(1024 * 1024, 'x');

it('beyond it those that grow are refused as too large, and its room is free again afterwards', async () => {
  let size = 60;
  let release = false;
  const waiting: ServerResponse[] = [];
  vendor.answer = (response) => {
    let left = size;
    const more = (): void => {
      while (left-- > 0) if (!response.write(TEXT)) return void response.once('drain', more);
      if (release) response.end();
      else waiting.push(response);
    };
    response.on('error', () => undefined);
    more();
  };
  const upstream = open({});
  // Each has sent its 60 MB and holds the end back: together they are more than the room.
  const asked = Array.from({ length: 6 }, () => upstream.send(post));
  await expect(Promise.race(asked)).rejects.toMatchObject({ code: 'upstream_malformed' });
  release = true;
  for (const response of waiting) response.end();
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
  for (let round = 0; round < 6; round++) expect((await upstream.send(post)).status).toBe(200);
  size = 7;
  const small = await Promise.all(Array.from({ length: 6 }, () => upstream.send(post)));
  expect(small.map(({ status }) => status)).toEqual(Array<number>(6).fill(200));
}, 120_000);
