/** The answer to one message over a socket: its events, its pace, and when the socket is cut. */
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { UpstreamSocket } from './adapter.ts';
import { SocketAnswer } from './upstream-socket.ts';

const SECOND = 1000;

class Socket extends EventEmitter {
  readonly sent: string[] = [];
  readonly done: string[] = [];
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  send(text: string): void {
    this.sent.push(text);
  }
  pause(): void {
    this.done.push('pause');
  }
  resume(): void {
    this.done.push('resume');
  }
  terminate(): void {
    this.done.push('terminate');
  }
  say(...events: string[]): void {
    for (const event of events) this.emit('message', Buffer.from(event));
  }
}

let socket: Socket;
beforeEach(() => {
  vi.useFakeTimers();
  socket = new Socket();
});
afterEach(() => vi.useRealTimers());

const answerOf = (signal?: AbortSignal): SocketAnswer =>
  new SocketAnswer(
    socket as unknown as UpstreamSocket,
    {
      text: 'ask',
      isLast: (event) => event === 'last',
      refusalIn: (event) =>
        event === 'no' ? { status: 429, headers: {}, body: Buffer.from(event), json: undefined } : undefined,
    },
    { deadlines: { firstByte: 5, idle: 2 }, ...(signal !== undefined && { signal }) },
  );
async function textOf(answer: SocketAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const isCut = (): boolean => socket.done.includes('terminate');

describe('an answer', () => {
  it('is the events up to the last, and leaves the socket open for the next', async () => {
    const answer = answerOf();
    expect(socket.sent).toEqual(['ask']);
    socket.say('one', 'two', 'last', 'of somebody else');
    expect(await answer.begun()).toBeUndefined();
    expect(await textOf(answer)).toBe('data: one\n\ndata: two\n\ndata: last\n\n');
    vi.advanceTimersByTime(60 * SECOND);
    socket.emit('close');
    expect([isCut(), socket.listenerCount('message'), socket.listenerCount('close')]).toEqual([false, 0, 0]);
    const next = answerOf();
    socket.say('last');
    expect(await textOf(next)).toBe('data: last\n\n');
  });

  it('is a refusal where its first event is one, which leaves the socket open, too', async () => {
    const answer = answerOf();
    socket.say('no');
    expect(await answer.begun()).toMatchObject({ status: 429 });
    expect(isCut()).toBe(false);
    const next = answerOf();
    socket.say('one', 'no', 'last');
    expect(await textOf(next)).toContain('data: no');
  });

  it('is read no faster than its reader reads', async () => {
    const answer = answerOf();
    const large = 'x'.repeat(300 * 1024);
    socket.say(large);
    expect(socket.done.at(-1)).toBe('pause');
    socket.say('last');
    expect((await textOf(answer)).length).toBeGreaterThan(large.length);
    expect(socket.done.at(-1)).toBe('resume');
  });
});

describe('the socket is cut', () => {
  it.each([
    ['when nothing comes at first', [], 5, 'before it answered'],
    ['when it falls silent', ['one'], 2, 'in the middle'],
  ])('%s', async (_name, said, seconds, words) => {
    const answer = answerOf();
    socket.say(...said);
    if (said.length > 0) answer.resume();
    const failed = new Promise((resolve) => answer.once('error', resolve));
    await vi.advanceTimersByTimeAsync((seconds - 1) * SECOND);
    expect(isCut()).toBe(false);
    await vi.advanceTimersByTimeAsync(SECOND);
    const error = (await failed) as GatewayError;
    expect([error.code, error.message]).toEqual(['upstream_timeout', expect.stringContaining(words)]);
    expect(isCut()).toBe(true);
    if (said.length === 0) expect(await errorOf(answer.begun())).toBe(error);
  });

  it('when nobody wants the answer any more, before it and in the middle of it', async () => {
    for (const said of [[], ['one']]) {
      socket = new Socket();
      const leave = new AbortController();
      const answer = answerOf(leave.signal);
      answer.on('error', () => undefined);
      socket.say(...said);
      leave.abort();
      await vi.advanceTimersByTimeAsync(0);
      expect([isCut(), answer.destroyed]).toEqual([true, true]);
    }
    socket = new Socket();
    const late = answerOf(AbortSignal.abort());
    late.on('error', () => undefined);
    expect(await errorOf(late.begun())).toBeInstanceOf(GatewayError);
    expect(socket.sent).toEqual([]);
  });

  it('when its stream is given up before the end', async () => {
    const answer = answerOf();
    socket.say('one');
    answer.destroy();
    await vi.advanceTimersByTimeAsync(0);
    expect(isCut()).toBe(true);
  });
});

it('a socket that closes ends its answer as one that broke off', async () => {
  const answer = answerOf();
  const failed = new Promise((resolve) => answer.once('error', resolve));
  socket.say('one');
  socket.emit('close');
  expect(await failed).toMatchObject({
    code: 'upstream_unavailable',
    message: expect.stringContaining('in the middle'),
  });
});
