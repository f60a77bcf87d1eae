/** Files that drip, stall or are too many: what a stranger's server can do to whoever fetches from it. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFetchTurns, createPaceJudge, type MediaPace } from './fetch-turns.ts';
import { createUntrustedFetcher, type UntrustedFetcher } from './media-url.ts';

const PACE: MediaPace = { graceSeconds: 5, leastBytesPerSecond: 100, deadlineSeconds: 60 };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const LIMITS = { maxBytes: 100_000, types: ['image/png'], param: 'image_urls[0]' };

describe('the judge of a pace', () => {
  /** `[seconds, bytes by then]` */
  it.each<{ name: string; steps: readonly (readonly [number, number])[]; refused: string | undefined }>([
    { name: 'no byte a second within the grace time', steps: [[0, 1], [4.9, 1]], refused: undefined }, // prettier-ignore
    { name: 'a byte a second after it', steps: [[0, 1], [4, 5], [6, 7]], refused: '100 bytes a second' }, // prettier-ignore
    { name: 'exactly as fast as it must be', steps: [[0, 1], [6, 600], [10, 1_000]], refused: undefined }, // prettier-ignore
    { name: 'fast at first, then a drip', steps: [[0, 600], [6, 601], [7, 602]], refused: '100 bytes a second' }, // prettier-ignore
    { name: 'a late first byte is no slow file', steps: [[20, 1], [24, 2]], refused: undefined }, // prettier-ignore
    { name: 'fast enough for too long', steps: [[0, 1], [30, 9e6], [61, 9e7]], refused: 'longer than 60 seconds' }, // prettier-ignore
  ])('$name', ({ steps, refused }) => {
    let now = 1_000;
    const judge = createPaceJudge(PACE, () => now);
    const said = steps.map(([seconds, bytes]) => {
      now = 1_000 + seconds * 1_000;
      return judge(bytes);
    });
    expect(said.slice(0, -1).filter((text) => text !== undefined)).toEqual([]);
    if (refused === undefined) expect(said.at(-1)).toBeUndefined();
    else expect(said.at(-1)).toContain(refused);
  });
});

describe('a server that drips', () => {
  let server: Server;
  let url: string;
  let now = 0;
  let fetcher: UntrustedFetcher;
  let responses: ServerResponse[] = [];
  let answered: (response: ServerResponse) => void = () => undefined;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      responses.push(response);
      response.writeHead(200);
      answered(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
    fetcher = createUntrustedFetcher({ allowPrivate: ['127.0.0.1'], pace: PACE, now: () => now });
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await fetcher.close();
  });
  beforeEach(() => {
    responses = [];
    answered = () => undefined;
  });

  it('is given up, and its connection closed', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    answered = (response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      // Every byte comes a second after the one before, by the clock in hand.
      const drip = (): void => {
        now += 1_000;
        if (!response.destroyed) response.write('x', () => setImmediate(drip));
      };
      drip();
    };
    await expect(fetcher.fetch(url, LIMITS)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'image_urls[0] could not be fetched: it came more slowly than 100 bytes a second',
    });
    await closed;
  });

  it('one that falls silent is given up when its time is over, whatever the clock says', async () => {
    const short = createUntrustedFetcher({ allowPrivate: ['127.0.0.1'], pace: { ...PACE, deadlineSeconds: 0.05 } });
    answered = (response) => response.write('x');
    await expect(short.fetch(url, LIMITS)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'image_urls[0] could not be fetched: it took longer than 0.05 seconds',
    });
    await short.close();
  });

  it('a file that comes in one piece is read, however late', async () => {
    answered = (response) => {
      now += 50_000;
      response.end(PNG);
    };
    expect((await fetcher.fetch(url, LIMITS)).mime).toBe('image/png');
  });

  it('keeps its own caller waiting, and nobody else', async () => {
    const dripping = Array.from({ length: 20 }, () =>
      fetcher.fetch(url, LIMITS, undefined, 'slow').catch(() => 'given up'),
    );
    while (responses.length < 8) await new Promise(setImmediate);
    answered = (response) => response.end(PNG);
    expect((await fetcher.fetch(url, LIMITS, undefined, 'quick')).mime).toBe('image/png');
    // Eight of the slow one's, and the quick one's.
    expect(responses).toHaveLength(9);
    for (const response of responses) response.end(PNG);
    expect((await Promise.all(dripping)).filter((file) => file === 'given up')).toEqual([]);
    expect(responses).toHaveLength(21);
  });
});

describe('turns', () => {
  it('who has gone leaves the queue, and its place is not lost', async () => {
    const turns = createFetchTurns();
    const ends: (() => void)[] = [];
    const held = Array.from({ length: 8 }, () =>
      turns.take('one', () => new Promise<void>((resolve) => ends.push(resolve))),
    );
    const gone = new AbortController();
    let ran = false;
    const left = turns.take('one', async () => (ran = true), gone.signal);
    const stays = turns.take('one', async () => 'done');
    gone.abort();
    await expect(left).rejects.toThrow('the request was cancelled');
    for (const end of ends) end();
    await Promise.all(held);
    expect([await stays, ran]).toEqual(['done', false]);
  });

  it('a failure gives its place back', async () => {
    const turns = createFetchTurns();
    for (let count = 0; count < 20; count++)
      await expect(turns.take('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.take('one', async () => 1)).toBe(1);
  });

  it('too many that wait are refused', async () => {
    const turns = createFetchTurns();
    let end: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (end = resolve));
    const all = Array.from({ length: 8 + 512 }, () => turns.take('one', () => until));
    await expect(turns.take('one', () => until)).rejects.toMatchObject({ code: 'rate_limited' });
    end();
    await Promise.all(all);
  });
});
