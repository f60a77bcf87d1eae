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

it('a request whose answer goes on without its caller keeps its place until that has ended', async () => {
  const limiter = createLimiter({
    now: () => 1_000,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  const rest = Promise.withResolvers<undefined>();
  const handle = withinLimits({ limited: true } as Operation, limiter, () => Promise.reject(new Error('too late')));
  const locals = { exchange: { key, trace: { late: rest.promise } } };
  const response = { locals, setHeader: quiet } as unknown as Response;
  const ask = async (): Promise<unknown> =>
    Promise.resolve(handle({ body: {} } as unknown as Request, response)).catch((error: unknown) => error);
  const refused = async (): Promise<string> => {
    try {
      return String(await ask());
    } catch (error) {
      return String(error);
    }
  };
  expect(await refused()).toContain('too late');
  expect(await refused()).not.toContain('too late');
  rest.resolve(undefined);
  await rest.promise;
  expect(await refused()).toContain('too late');
  await limiter.close();
});
