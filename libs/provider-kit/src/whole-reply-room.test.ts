/** Large replies of vendors share a room: many at once must not fill the memory. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import type { AnsweredHeaders } from './upstream.ts';
import { largeRepliesWait } from './whole-reply.ts';
import { post, useUpstream } from './testing/upstream.ts';

const { vendor, open } = useUpstream();
const TEXT = Buffer.alloc(1024 * 1024, 'x');

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

it('those that find no room wait for it, and all are answered', async () => {
  const size = 30;
  let release = false;
  const sent: ServerResponse[] = [];
  let written = 0;
  vendor.answer = (response) => {
    let left = size;
    const more = (): void => {
      while (left-- > 0) {
        written++;
        if (!response.write(TEXT)) return void response.once('drain', more);
      }
      if (release) response.end();
      else sent.push(response);
    };
    response.on('error', () => undefined);
    more();
  };
  const upstream = open({ idle: 60 });
  // Each sends its 30 MB and holds the end back: together they are more than the room.
  const asked = Array.from({ length: 7 }, () => upstream.send(post));
  let before = -1;
  while (sent.length === 0 || written > before) {
    before = written;
    await turns(500);
  }
  expect(sent.length).toBeLessThan(6);
  release = true;
  for (const response of sent) response.end();
  const replies = await Promise.all(asked);
  expect(replies.map(({ status }) => status)).toEqual(Array<number>(7).fill(200));
  expect(replies.map(({ body }) => body.length)).toEqual(Array<number>(7).fill(size * TEXT.length));
}, 120_000);

it('a caller who leaves gives its room back', async () => {
  vendor.answer = (response) => {
    response.on('error', () => undefined);
    let left = 55;
    const more = (): void => {
      while (left-- > 0) if (!response.write(TEXT)) return void response.once('drain', more);
    };
    more();
  };
  const over = new AbortController();
  const gone = Array.from({ length: 5 }, () => open({ signal: over.signal }).send(post));
  const settled = Promise.allSettled(gone);
  await turns(50);
  over.abort();
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
  vendor.answer = (response) => void response.end(Buffer.alloc(10 * TEXT.length, 'x'));
  const replies = await Promise.all(Array.from({ length: 10 }, () => open({}).send(post)));
  expect(replies.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
}, 120_000);

it('what has been read gives its room back: later ones do not wait for each other', async () => {
  const size = 20;
  let isHeld = false;
  const sent: ServerResponse[] = [];
  vendor.answer = (response) => {
    let left = size;
    const more = (): void => {
      while (left-- > 0) if (!response.write(TEXT)) return void response.once('drain', more);
      if (isHeld) sent.push(response);
      else response.end();
    };
    response.on('error', () => undefined);
    more();
  };
  // More than a payer's part of the room, one after the other.
  for (let reply = 0; reply < 4; reply++) {
    const answered: AnsweredHeaders = { vendorHeaders: undefined, payer: 3 };
    await open({ answered }).send(post);
    answered.releaseReply?.();
  }
  isHeld = true;
  const together = Array.from({ length: 3 }, () =>
    open({ idle: 60, answered: { vendorHeaders: undefined, payer: 3 } }).send(post),
  );
  await expect.poll(() => sent.length, { timeout: 30_000 }).toBe(3);
  expect(largeRepliesWait()).toBe(false);
  for (const response of sent) response.end();
  await Promise.all(together);
}, 120_000);

it('one payer’s replies leave room for another’s', async () => {
  const blocked: ServerResponse[] = [];
  vendor.answer = (response, { url }) => {
    response.on('error', () => undefined);
    let left = 30;
    const more = (): void => {
      while (left-- > 0) if (!response.write(TEXT)) return void response.once('drain', more);
      if (url.includes('other')) response.end();
      else blocked.push(response);
    };
    more();
  };
  const over = new AbortController();
  const of = (payer: number) => open({ idle: 60, signal: over.signal, answered: { vendorHeaders: undefined, payer } });
  const stuck = Promise.allSettled(Array.from({ length: 6 }, () => of(1).send(post)));
  while (blocked.length === 0) await turns(10);
  await turns(500);
  const answered: AnsweredHeaders = { vendorHeaders: undefined, payer: 2 };
  const other = await open({ answered }).send({ ...post, path: '/other' });
  expect(other.body.length).toBe(30 * TEXT.length);
  answered.releaseReply?.();
  over.abort();
  expect((await stuck).every(({ status }) => status === 'rejected')).toBe(true);
}, 120_000);
