import { EventEmitter } from 'node:events';
import { createLimiter, type KeyRecord } from '@model-gateway/core';
import type { Request, Response } from 'express';
import { expect, it } from 'vitest';
import type { Operation } from '../route-table.ts';
import { withinLimits } from './limits.ts';

const quiet = (): void => undefined;
const key: KeyRecord = {
  id: 1,
  name: 'k',
  hash: '',
  hint: '',
  mode: 'live',
  ownerId: 1,
  group: 'default',
  models: ['*'],
  ipRanges: [],
  limits: { concurrentRequests: 1 },
  createdAt: 0,
  declared: false,
};

it.each([
  ['is answered', () => 'done'],
  ['is answered later', async () => 'done'],
  [
    'fails',
    () => {
      throw new Error('it failed');
    },
  ],
  ['fails later', () => Promise.reject(new Error('it failed'))],
])('a request that %s gives its place back', async (_how, handler) => {
  const limiter = createLimiter({
    now: () => 1_000,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  const handle = withinLimits({ limited: true } as Operation, limiter, handler);
  const response = { locals: { exchange: { key } }, setHeader: quiet, once: quiet } as unknown as Response;
  const ask = async (): Promise<unknown> => handle({ body: {} } as unknown as Request, response);
  const outcomes = [];
  for (let request = 0; request < 2; request++)
    outcomes.push(await ask().catch((error: unknown) => (error as Error).message));
  expect(outcomes[1]).toBe(outcomes[0]);
  await limiter.close();
});

it('the place of a caller who has gone is free at once, the tokens when the answer has ended without it', async () => {
  const limiter = createLimiter({
    now: () => 1_000,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  const rest = Promise.withResolvers<undefined>();
  const handle = withinLimits({ limited: true } as Operation, limiter, () => Promise.reject(new Error('too late')));
  const limits = { concurrentRequests: 1, tokensPerMinute: 100_000 };
  const remaining: string[] = [];
  const ask = async (): Promise<{ readonly outcome: string; readonly close: () => void }> => {
    const trace = { late: rest.promise, usage: { inputTokens: 10, outputTokens: 40_000 } };
    const locals = { exchange: { key: { ...key, limits }, trace } };
    const setHeader = (name: string, value: string): void => {
      if (name === 'x-ratelimit-remaining-tokens') remaining.push(value);
    };
    const response = Object.assign(new EventEmitter(), { locals, setHeader });
    try {
      await handle({ body: {} } as unknown as Request, response as unknown as Response);
    } catch (error) {
      return { outcome: String(error), close: () => response.emit('close') };
    }
    throw new Error('it was answered');
  };
  const first = await ask();
  expect(first.outcome).toContain('too late');
  expect((await ask()).outcome).not.toContain('too late');
  first.close();
  const second = await ask();
  expect(second.outcome).toContain('too late');
  first.close();
  expect((await ask()).outcome).not.toContain('too late');
  second.close();
  const [before] = remaining.slice(-1);
  rest.resolve(undefined);
  await rest.promise;
  await ask();
  expect(Number(remaining.at(-1))).toBeLessThan(Number(before) - 60_000);
  await limiter.close();
});
