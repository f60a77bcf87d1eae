/** What a caller without a key, or with a very long name of a model, can cost. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { KeyRecord } from '../ports.ts';
import { createApiKeyAuthenticator, hashKey } from './api-keys.ts';
import { matches } from './pattern.ts';

describe('patterns of models', () => {
  it('mean what the expression with .* means', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '-'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, code) => {
        const pieces = pattern.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
        expect(matches(pattern, code)).toBe(new RegExp(`^${pieces.join('[^]*')}$`).test(code));
      }),
      { numRuns: 20_000 },
    );
  });

  it('are told quickly of a long name', () => {
    // Of this process alone: what else runs on the machine takes time too.
    const began = process.cpuUsage();
    expect(matches('*a*a*a*a*b', 'a'.repeat(1_000_000))).toBe(false);
    expect(matches('*gpt-*-x*-y', 'gpt-'.repeat(250_000))).toBe(false);
    expect(process.cpuUsage(began).user).toBeLessThan(500_000);
  });
});

describe('texts that are no key', () => {
  let clock = 0;
  let asked = 0;
  const authenticator = () => {
    [clock, asked] = [1_000_000, 0];
    return createApiKeyAuthenticator({
      keys: {
        findByHash: () => {
          asked++;
          return Promise.resolve(undefined);
        },
        touch: () => Promise.resolve(),
        version: () => Promise.resolve(1),
      },
      now: () => clock,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      unknownPerMinute: 5,
    });
  };
  const codeOf = async (work: () => unknown): Promise<unknown> => {
    try {
      return await work();
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };

  it('are looked up a bounded number of times for an address, and others are not kept out', async () => {
    const keys = authenticator();
    const outcomes = [];
    for (let guess = 0; guess < 50; guess++) outcomes.push(await codeOf(() => keys.find(`sk-${guess}`, '10.0.0.1')));
    expect(outcomes.slice(0, 5)).toEqual(Array(5).fill('unauthenticated'));
    expect(outcomes.slice(5)).toEqual(Array(45).fill('rate_limited'));
    expect(asked).toBe(5);
    expect(await codeOf(() => keys.find('sk-x', '10.0.0.2'))).toBe('unauthenticated');
    clock += 60_000;
    expect(await codeOf(() => keys.find('sk-y', '10.0.0.1'))).toBe('unauthenticated');
    await keys.close();
  });

  it('count by network where an address is one of very many', async () => {
    const keys = authenticator();
    const outcomes = [];
    for (let guess = 0; guess < 8; guess++)
      outcomes.push(await codeOf(() => keys.find(`sk-${guess}`, `2001:db8:1:2::${guess + 1}`)));
    expect(outcomes).toEqual([...Array<string>(5).fill('unauthenticated'), ...Array<string>(3).fill('rate_limited')]);
    expect(await codeOf(() => keys.find('sk-x', '2001:db8:1:3::1'))).toBe('unauthenticated');
    // The same address, written as IPv6.
    await Promise.all([1, 2, 3, 4, 5].map((guess) => codeOf(() => keys.find(`sk-v4-${guess}`, '10.0.0.9'))));
    expect(await codeOf(() => keys.find('sk-z', '::ffff:10.0.0.9'))).toBe('rate_limited');
    await keys.close();
  });

  it('one wrong key that is sent again and again is looked up once in a while and never limited', async () => {
    const keys = authenticator();
    for (let turn = 0; turn < 100; turn++)
      expect(await codeOf(() => keys.find('sk-old', '10.0.0.1'))).toBe('unauthenticated');
    expect(asked).toBe(1);
    await keys.close();
  });

  it('keep no key out that was right before, not even when all keys are read again', async () => {
    [clock, asked] = [1_000_000, 0];
    let isRevoked = false;
    const right = { id: 1, ownerId: 1, ipRanges: [], models: ['*'] } as unknown as KeyRecord;
    const keys = createApiKeyAuthenticator({
      keys: {
        findByHash: (hash) => Promise.resolve(hash === hashKey('sk-right') && !isRevoked ? right : undefined),
        touch: () => Promise.resolve(),
        version: () => Promise.resolve(1),
      },
      now: () => clock,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      unknownPerMinute: 5,
    });
    await keys.find('sk-right', '10.0.0.1');
    for (let guess = 0; guess < 10; guess++) await codeOf(() => keys.find(`sk-${guess}`, '10.0.0.1'));
    keys.refresh();
    expect(await keys.find('sk-right', '10.0.0.1')).toBe(right);
    isRevoked = true;
    keys.refresh();
    expect(await codeOf(() => keys.find('sk-right', '10.0.0.1'))).toBe('unauthenticated');
    clock += 10_000;
    expect(await codeOf(() => keys.find('sk-right', '10.0.0.1'))).toBe('rate_limited');
    await keys.close();
  });
});
