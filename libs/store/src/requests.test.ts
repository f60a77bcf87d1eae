import { expect, it } from 'vitest';
import type { CacheTurn, RequestFilter, RequestRow } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { unique } from './test-rows.ts';

describeDatabases('the log of requests', openStore, ({ store, replica }) => {
  const row = (at: number, given: Partial<RequestRow> = {}): RequestRow => ({
    id: `req_${String(unique()).padStart(6, '0')}`,
    at,
    ownerId: 1,
    mode: 'live',
    keyId: 7,
    operation: 'createChatCompletion',
    status: 200,
    aborted: false,
    streamed: false,
    ms: 12,
    attempts: 1,
    charged: 0,
    ...given,
  });
  const ids = async (filter: Partial<RequestFilter>): Promise<readonly string[]> =>
    (await replica().requests.list({ limit: 100, ...filter })).rows.map(({ id }) => id);

  it('keeps what it is told, absent and zero apart, and once', async () => {
    const whole = row(5, {
      kind: 'chat',
      model: 'm',
      error: 'upstream_timeout',
      status: 503,
      aborted: true,
      streamed: true,
      firstByteMs: 0,
      accountId: 9_000_000_001,
      vendor: 'ark',
      upstreamModel: 'm-1',
      askedMs: 3,
      route: 'own',
      attempts: 2,
      inputTokens: 0,
      cachedInputTokens: 1,
      outputTokens: 2,
      charged: 3,
      address: '::1',
      client: 'openai-python/3 “ü”',
      clientRequestId: 'mine-1',
      dropped: ['top_k'],
      tags: { team: 'a' },
      identity: { user: 'u', session: 's', run: 'r' },
      failures: [
        { accountId: 1, vendor: 'x', model: 'm', upstreamModel: 'm-0', startedMs: 0, ms: 2, status: 500, error: 'e' },
      ],
    });
    const plain = row(5);
    await store().requests.add([whole, plain]);
    await replica().requests.add([{ ...whole, charged: 4 }]);
    expect(await replica().requests.get(whole)).toStrictEqual(whole);
    expect(await store().requests.get(plain)).toStrictEqual(plain);
    expect(await store().requests.get({ at: 6, id: plain.id })).toBeUndefined();
  });

  it('adds what is charged later to its row alone, and says when there is none', async () => {
    const [task, beside] = [row(8, { charged: 2 }), row(8, { charged: 1 })];
    expect(await store().requests.charge(task, 5)).toBe(false);
    await store().requests.add([task, beside]);
    expect(await replica().requests.charge(task, 5)).toBe(true);
    expect(await store().requests.charge(task, 40)).toBe(true);
    expect(await replica().requests.get(task)).toMatchObject({ charged: 47 });
    expect(await replica().requests.get(beside)).toMatchObject({ charged: 1 });
  });

  it('is searched by each filter, alone and with others, newest first', async () => {
    const ownerId = 1000 + unique();
    const keyId = ownerId;
    const model = `model ${keyId}`;
    const base = { ownerId, keyId, model, kind: 'chat' } as const;
    const [oldest, test, failed, tagged, picture] = [
      row(100, base),
      row(200, { ...base, mode: 'test', keyId: keyId + 1 }),
      row(300, { ...base, status: 429, error: `code ${keyId}` }),
      row(300, { ...base, tags: { team: `t${keyId}`, tier: 'gold' } }),
      row(400, { ...base, kind: 'image', status: 502, error: 'other' }),
    ];
    await store().requests.add([oldest, test, failed, tagged, picture]);
    const of = (...rows: readonly RequestRow[]): readonly string[] => rows.map(({ id }) => id);
    const ofOneMoment = (await ids({ ownerId, mode: 'live', from: 300, to: 301 })).toSorted();
    expect(ofOneMoment).toEqual(of(failed, tagged).toSorted());
    const byTime = (found: readonly string[]): readonly string[] => [
      ...found.filter((id) => !ofOneMoment.includes(id)),
      ...found.filter((id) => ofOneMoment.includes(id)).toSorted(),
    ];
    expect(byTime(await ids({ ownerId, mode: 'live' }))).toEqual(of(picture, oldest, failed, tagged));
    expect(byTime(await ids({ ownerId }))).toEqual(of(picture, test, oldest, failed, tagged));
    expect(await ids({ keyId: keyId + 1 })).toEqual(of(test));
    expect(await ids({ model, mode: 'test' })).toEqual(of(test));
    expect(await ids({ model, kind: 'image' })).toEqual(of(picture));
    expect(await ids({ kind: 'image', keyId })).toEqual(of(picture));
    expect(await ids({ kind: 'image', from: 400, to: 401 })).toContain(picture.id);
    expect(await ids({ ownerId, mode: 'live', statusClass: 2 })).toEqual(of(tagged, oldest));
    expect(await ids({ model, statusClass: 4 })).toEqual(of(failed));
    expect(await ids({ errors: [`code ${keyId}`] })).toEqual(of(failed));
    expect(await ids({ tag: `team=t${keyId}` })).toEqual(of(tagged));
    expect(await ids({ tag: `team=t${keyId}`, statusClass: 5 })).toEqual([]);
    expect(await ids({ tag: `team=t${keyId}`, from: 301 })).toEqual([]);
    expect(byTime(await ids({ model, from: 200, to: 400 }))).toEqual(of(test, failed, tagged));
    expect(await ids({ ownerId: ownerId + 5000 })).toEqual([]);
  });

  it.each([{ mode: 'live' as const }, {}, { statusClass: 2 }])(
    'page after page has every row once, several of one moment too (%j)',
    async (filter) => {
      const ownerId = 100_000 + unique();
      const all = Array.from({ length: 23 }, (_, index) =>
        row(1000 + Math.floor(index / 5), { ownerId, mode: index % 3 === 0 && !('mode' in filter) ? 'test' : 'live' }),
      );
      await store().requests.add(all);
      const seen: string[] = [];
      let after: RequestFilter['after'];
      for (let pages = 0; pages < 30; pages++) {
        const page = await replica().requests.list({
          ownerId,
          limit: 4,
          ...filter,
          ...(after !== undefined && { after }),
        });
        seen.push(...page.rows.map(({ id }) => id));
        after = page.next;
        if (after === undefined) break;
        expect(page.rows.length).toBeGreaterThan(0);
      }
      const moments = new Map(all.map(({ id, at }) => [id, at]));
      const inTime = seen.map((id) => moments.get(id) ?? 0);
      expect(inTime).toEqual(inTime.toSorted((a, b) => b - a));
      expect(seen.toSorted()).toEqual(all.map(({ id }) => id));
    },
  );

  it('what is out of date goes in bounded steps, with its tags', async () => {
    const ownerId = 300_000 + unique();
    const before = -1_000_000;
    const old = Array.from({ length: 5 }, (_, index) => row(before - 5 + index, { ownerId, tags: { old: 'x' } }));
    const stays = row(before, { ownerId, tags: { old: 'x' } });
    await store().requests.add([...old, stays]);
    expect(await store().requests.sweep(before, 3)).toBe(3);
    expect(await replica().requests.sweep(before, 3)).toBe(2);
    expect(await store().requests.sweep(before, 3)).toBe(0);
    expect(await ids({ ownerId, mode: 'live' })).toEqual([stays.id]);
    expect(await ids({ tag: 'old=x' })).toEqual([stays.id]);
  });

  it('sums and times are added up, by owner, mode and step', async () => {
    const ownerId = 400_000 + unique();
    const sums = { requests: 1, errors: 0, inputTokens: 2, cachedInputTokens: 1, outputTokens: 3, charged: 4 };
    const total = { ownerId, mode: 'live', size: 'minute', start: 60_000, ...sums } as const;
    const times = { ms: new Map([[4, 1]]), firstByteMs: new Map([[2, 1]]) };
    await store().requests.addTotals([
      { ...total, ...times },
      { ...total, ...times, start: 0 },
      { ...total, ...times, size: 'hour', start: 0 },
    ]);
    await replica().requests.addTotals([{ ...total, errors: 1, ms: new Map([[4, 2], [9, 1]]), firstByteMs: new Map() }]); // prettier-ignore
    const of = { ownerId, mode: 'live', size: 'minute' } as const;
    expect(await replica().requests.totals(of, 60_000, 120_000)).toEqual([
      {
        start: 60_000,
        ...{ requests: 2, errors: 1, inputTokens: 4, cachedInputTokens: 2, outputTokens: 6, charged: 8 },
        ms: new Map([[4, 3], [9, 1]]), // prettier-ignore
        firstByteMs: new Map([[2, 1]]),
      },
    ]);
    expect(await store().requests.totals({ ...of, mode: 'test' }, 0, 120_000)).toEqual([]);
    await store().requests.sweepTotals('minute', 60_000);
    expect(await store().requests.totals(of, 0, 60_000)).toEqual([]);
    expect(await store().requests.totals({ ...of, size: 'hour' }, 0, 60_000)).toHaveLength(1);
  });

  it('adds up dropped parameters over days, the most frequent first, with the reason of the last', async () => {
    const keyId = 5_000 + unique();
    const of = { ownerId: keyId, mode: 'live', keyId, model: 'm', parameter: 'seed' } as const;
    const count = { ...of, day: 10, requests: 2, firstAt: 5, lastAt: 9, reason: 'old' };
    await store().requests.addDropped([count, { ...count, parameter: 'top_k', requests: 9 }]);
    await replica().requests.addDropped([{ ...count, requests: 1, firstAt: 4, lastAt: 7, reason: 'late to come' }]);
    await store().requests.addDropped([{ ...count, day: 11, firstAt: 20, lastAt: 21, reason: 'new' }]);
    const all = { from: 0, to: 99, limit: 10, keyId };
    const sum = { ...of, requests: 5, firstAt: 4, lastAt: 21, reason: 'new' };
    expect(await replica().requests.dropped(all)).toEqual([
      { ...of, parameter: 'top_k', requests: 9, firstAt: 5, lastAt: 9, reason: 'old' },
      sum,
    ]);
    expect(await store().requests.dropped({ ...all, to: 10 })).toMatchObject([{}, { requests: 3, reason: 'old' }]);
    expect(await store().requests.dropped({ ...all, mode: 'test' })).toEqual([]);
    expect(await store().requests.dropped({ ...all, model: 'n' })).toEqual([]);
    expect(await store().requests.dropped({ ...all, ownerId: 1 })).toEqual([]);
    expect(await store().requests.dropped({ ...all, limit: 1 })).toHaveLength(1);
    await store().requests.sweepDays(11);
    expect(await store().requests.dropped(all)).toMatchObject([{ parameter: 'seed', requests: 2 }]);
  });

  it('keeps what prompt caches did by request and key, adds up days, and removes both', async () => {
    const keyId = 9_000 + unique();
    const chain = { count: 1, hashes: 'abcdefgh', tools: [], messagesFrom: 0 };
    const turn = (at: number): CacheTurn => ({
      ...{
        at,
        id: `req_c${unique()}`,
        ownerId: 1,
        mode: 'live',
        keyId,
        model: 'm',
        upstreamModel: 'u',
        accountId: 9_000_000_001,
      },
      ...{
        chain,
        inputTokens: 5,
        readTokens: 1,
        keptTokens: 5,
        couldTokens: 4,
        lostTokens: 3,
        lostUnits: 2,
        charged: 9,
      },
      ...{ minimumTokens: 1, lifetimeMs: 1, needsMarks: false, ms: 3, cause: 'changed', changed: 'system[0]' },
    });
    const [one, two] = [turn(1_000), turn(2_000)];
    const sums = { requests: 1, inputTokens: 5, readTokens: 1, lostTokens: 3, lostUnits: 2, charged: 9 };
    const day = { day: 3, ownerId: 1, mode: 'live', keyId, model: 'm', cause: 'changed', ...sums } as const;
    await store().requests.addCacheTurns([one], [day, { ...day, cause: '', lostUnits: 0 }]);
    await replica().requests.addCacheTurns([one, two], [{ ...day, day: 4, model: 'n' }]);
    expect(await replica().requests.cacheTurn(one)).toStrictEqual(one);
    expect(await store().requests.cacheTurn({ at: 1, id: one.id })).toBeUndefined();
    const of = { keyId, from: 0, to: 9_000, limit: 10 };
    expect(await store().requests.cacheTurns(of)).toStrictEqual([two, one]);
    expect(await store().requests.cacheTurns({ ...of, from: 1_001 })).toStrictEqual([two]);
    expect(await store().requests.cacheTurns({ ...of, to: 2_000, limit: 1 })).toStrictEqual([one]);
    const days = { from: 3, to: 4, limit: 9, keyId };
    expect(await replica().requests.cacheDays(days)).toMatchObject([
      { cause: 'changed', requests: 2, inputTokens: 10, lostUnits: 4, charged: 18 },
      { cause: '', requests: 1, lostUnits: 0 },
    ]);
    expect(await store().requests.cacheDays({ ...days, model: 'n' })).toMatchObject([{ requests: 1 }]);
    expect(await store().requests.sweepCacheTurns(2_000, 1_000)).toBe(1);
    await store().requests.sweepDays(4);
    expect(await store().requests.cacheTurns(of)).toStrictEqual([two]);
    expect(await store().requests.cacheDays(days)).toMatchObject([{ requests: 1 }]);
  });
});
