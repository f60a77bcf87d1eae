/** What a caller without a key, or with a very long name of a model, can cost. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { KeyRecord } from '../ports.ts';
import { createApiKeyAuthenticator, hashKey, type ApiKeyAuthenticator } from './api-keys.ts';
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
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const RIGHT = { id: 1, ownerId: 1, ipRanges: [], models: ['*'], hash: hashKey('sk-right') } as unknown as KeyRecord;
  let clock = 0;
  /** Texts looked up alone, and how many were in each question for several. */
  let alone = 0;
  let together: number[] = [];
  let isRevoked = false;
  let fails = false;
  const authenticator = () => {
    [clock, alone, together, isRevoked, fails] = [1_000_000, 0, [], false, false];
    const find = (hash: string) => (hash === RIGHT.hash && !isRevoked ? RIGHT : undefined);
    return createApiKeyAuthenticator({
      keys: {
        findByHash: async (hash) => {
          alone++;
          return Promise.resolve(find(hash));
        },
        findByHashes: async (hashes) => {
          together.push(hashes.length);
          if (fails) throw new Error('the database is away');
          return Promise.resolve(hashes.flatMap((hash) => find(hash) ?? []));
        },
        touch: async () => Promise.resolve(),
        version: async () => Promise.resolve(1),
      },
      now: () => clock,
      log,
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
  const guess = async (keys: ApiKeyAuthenticator, count: number, address = '10.0.0.1'): Promise<readonly unknown[]> => {
    const outcomes = [];
    for (let each = 0; each < count; each++)
      outcomes.push(await codeOf(() => keys.find(`sk-${clock}-${each}`, address)));
    return outcomes;
  };

  it('are refused after a number of them for an address, and others are not', async () => {
    const keys = authenticator();
    expect(await guess(keys, 20)).toEqual([
      ...Array<string>(5).fill('unauthenticated'),
      ...Array<string>(15).fill('rate_limited'),
    ]);
    expect(alone).toBe(5);
    expect(await codeOf(() => keys.find('sk-x', '10.0.0.2'))).toBe('unauthenticated');
    clock += 60_000;
    expect(await codeOf(() => keys.find('sk-y', '10.0.0.1'))).toBe('unauthenticated');
    await keys.close();
  });

  it('keep out no right key that nobody has seen yet, and are looked up by the hundred', async () => {
    const keys = authenticator();
    await guess(keys, 5);
    const wrong = Array.from({ length: 1_000 }, async (_, each) => codeOf(() => keys.find(`sk-more-${each}`, '10.0.0.1'))); // prettier-ignore
    const right = keys.find('sk-right', '10.0.0.1');
    expect(right).toBeInstanceOf(Promise);
    expect(await right).toBe(RIGHT);
    expect(new Set(await Promise.all(wrong))).toEqual(new Set(['rate_limited']));
    expect(alone).toBe(5);
    expect(together).toEqual([1, 256, 256, 256, 232]);
    await keys.close();
  });

  it('wait in a line with an end, and one that asks again asks once', async () => {
    const keys = authenticator();
    await guess(keys, 5);
    const same = Array.from({ length: 5_000 }, async () => codeOf(() => keys.find('sk-same', '10.0.0.1')));
    expect(new Set(await Promise.all(same))).toEqual(new Set(['rate_limited']));
    expect(together).toEqual([1, 1]);
    await Promise.all(Array.from({ length: 6_000 }, async (_, each) => codeOf(() => keys.find(`sk-line-${each}`, '10.0.0.1')))); // prettier-ignore
    expect(together.slice(2).reduce((sum, each) => sum + each)).toBe(4_097);
    expect(await keys.find('sk-right', '10.0.0.1')).toBe(RIGHT);
    await keys.close();
  });

  it('hear of a database that is away, and are looked up again when it is back', async () => {
    const keys = authenticator();
    await guess(keys, 5);
    fails = true;
    const both = await Promise.allSettled(['sk-right', 'sk-wrong'].map(async (key) => keys.find(key, '10.0.0.1')));
    expect(both.map((each) => each.status === 'rejected' && String(each.reason))).toEqual(
      Array(2).fill('Error: the database is away'),
    );
    fails = false;
    expect(await keys.find('sk-right', '10.0.0.1')).toBe(RIGHT);
    await keys.close();
  });

  it('count by network where an address is one of very many', async () => {
    const keys = authenticator();
    const outcomes = [];
    for (let each = 0; each < 8; each++)
      outcomes.push(await codeOf(() => keys.find(`sk-${each}`, `2001:db8:1:2::${each + 1}`)));
    expect(outcomes).toEqual([...Array<string>(5).fill('unauthenticated'), ...Array<string>(3).fill('rate_limited')]);
    expect(await codeOf(() => keys.find('sk-x', '2001:db8:1:3::1'))).toBe('unauthenticated');
    // The same address, written as IPv6.
    await guess(keys, 5, '10.0.0.9');
    expect(await codeOf(() => keys.find('sk-z', '::ffff:10.0.0.9'))).toBe('rate_limited');
    await keys.close();
  });

  it('one wrong key that is sent again and again is looked up once in a while and never limited', async () => {
    const keys = authenticator();
    for (let turn = 0; turn < 100; turn++)
      expect(await codeOf(() => keys.find('sk-old', '10.0.0.1'))).toBe('unauthenticated');
    expect(alone).toBe(1);
    await keys.close();
  });

  it('do not make a key that was right before wait, not even when all keys are read again', async () => {
    const keys = authenticator();
    await keys.find('sk-right', '10.0.0.1');
    await guess(keys, 10);
    const before = together.length;
    keys.refresh();
    expect(await keys.find('sk-right', '10.0.0.1')).toBe(RIGHT);
    isRevoked = true;
    keys.refresh();
    expect(await codeOf(() => keys.find('sk-right', '10.0.0.1'))).toBe('unauthenticated');
    expect(together.length).toBe(before);
    clock += 10_000;
    expect(await codeOf(() => keys.find('sk-right', '10.0.0.1'))).toBe('rate_limited');
    await keys.close();
  });
});
