import { expect, it } from 'vitest';
import type { StreamLife, StreamLog, StreamLogRow, StreamUpdate } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

const LIFE: StreamLife = { aliveMs: 20_000, keptMs: 600_000 };
const ROOM = { running: 100, bytes: 1_000_000 };
const at = 1_790_000_000_000;

describeDatabases(
  'kept streams',
  (url) => openStore(url, { leaseClock: 'caller' }),
  ({ store, replica }) => {
    let last = 0;
    const newLog = (given: Partial<StreamLog> = {}): StreamLog => ({
      id: `stream_${++last}`,
      ownerId: last,
      mode: 'live',
      format: 'openai-chat',
      ...given,
    });
    const opened = async (given: Partial<StreamLog> = {}, now = at): Promise<StreamLog> => {
      const log = newLog(given);
      expect(await store().streamLogs.open(log, ROOM, LIFE, now)).toBe(true);
      return log;
    };
    const said = (id: string, first: number, end: number, text: string): StreamUpdate => ({
      id,
      batch: { first, last: end, bytes: Buffer.from(text) },
    });
    const alive = (id: string, row: Partial<StreamLogRow> = {}): StreamUpdate => ({
      id,
      row: { state: 'open', events: 0, size: 0, ...row },
    });
    const read = (log: StreamLog, after = 0, now = at) => replica().streamLogs.read(log.id, log, after, now);
    const textOf = (reading: Awaited<ReturnType<typeof read>>): string =>
      (reading?.batches ?? []).map(({ bytes }) => Buffer.from(bytes).toString()).join('|');

    it('are read by every replica, from the batch that has the event behind a number', async () => {
      const log = await opened();
      expect(await read(log)).toMatchObject({ format: 'openai-chat', state: 'open', events: 0, batches: [] });
      await store().streamLogs.append([said(log.id, 1, 3, 'é')], LIFE, at);
      await store().streamLogs.append([said(log.id, 4, 4, 'b'), said('nobody', 1, 1, 'x')], LIFE, at);
      expect(textOf(await read(log))).toBe('é|b');
      expect(textOf(await read(log, 2))).toBe('é|b');
      expect(textOf(await read(log, 3))).toBe('b');
      expect(await read(log, 4)).toMatchObject({ state: 'open', events: 4, batches: [] });
      await store().streamLogs.append([alive(log.id, { state: 'ended', events: 4, size: 2 })], LIFE, at);
      expect(await read(log, 4)).toMatchObject({ state: 'ended' });
    });

    it('are their tenant’s', async () => {
      const log = await opened();
      expect(await read({ ...log, mode: 'test' })).toBeUndefined();
      expect(await read({ ...log, ownerId: log.ownerId + 1 })).toBeUndefined();
    });

    it('are given in parts', async () => {
      const log = await opened();
      const large = 'x'.repeat(700_000);
      for (let batch = 1; batch <= 3; batch++)
        await store().streamLogs.append([said(log.id, batch, batch, large)], LIFE, at);
      expect((await read(log))?.batches.map(({ first }) => first)).toEqual([1]);
      expect((await read(log, 1))?.batches.map(({ first }) => first)).toEqual([2]);
    });

    it('a thousand at once are written together', async () => {
      const logs = [];
      for (let count = 0; count < 40; count++) logs.push(await opened({ ownerId: 5_000 + count }));
      const nobody = Array.from({ length: 1_000 }, (_none, index) => said(`nobody ${index}`, 1, 1, 'x'));
      await store().streamLogs.append([...nobody, ...logs.map(({ id }) => said(id, 1, 1, id))], LIFE, at);
      for (const log of logs) expect(textOf(await read(log))).toBe(log.id);
    });

    it('of a process that says nothing any more are lost, and alive again when it does', async () => {
      const log = await opened();
      expect(await read(log, 0, at + LIFE.aliveMs - 1)).toMatchObject({ state: 'open' });
      expect(await read(log, 0, at + LIFE.aliveMs)).toMatchObject({ state: 'lost' });
      await store().streamLogs.append([alive(log.id)], LIFE, at + LIFE.aliveMs);
      expect(await read(log, 0, at + LIFE.aliveMs)).toMatchObject({ state: 'open' });
    });

    it('live as long as they are told to, however much is said', async () => {
      const log = await opened();
      await store().streamLogs.append([said(log.id, 1, 2, 'x')], LIFE, at + LIFE.aliveMs - 1);
      expect(await read(log, 0, at + LIFE.aliveMs)).toMatchObject({ state: 'lost', events: 2 });
      await store().streamLogs.append([alive(log.id, { events: 1 })], LIFE, at + LIFE.aliveMs);
      // What the row says of its events may be behind.
      expect(await read(log, 1, at + LIFE.keptMs)).toMatchObject({ state: 'lost', events: 2, batches: [{ last: 2 }] });
    });

    it('run within the bound of their tenant, however many come at once', async () => {
      const tenant = { ownerId: 7_000, mode: 'live' } as const;
      const asked = await Promise.all(
        Array.from({ length: 12 }, (_none, index) =>
          (index % 2 === 0 ? store() : replica()).streamLogs.open(newLog(tenant), { ...ROOM, running: 4 }, LIFE, at),
        ),
      );
      expect(asked.filter(Boolean)).toHaveLength(4);
      const bound = { ...ROOM, running: 4 };
      expect(await store().streamLogs.open(newLog({ ...tenant, mode: 'test' }), bound, LIFE, at)).toBe(true);
      // Of a process that died none counts.
      expect(await store().streamLogs.open(newLog(tenant), bound, LIFE, at + LIFE.aliveMs)).toBe(true);
    });

    it('make room for the next one, the oldest that ended first', async () => {
      const tenant = { ownerId: 8_000, mode: 'live' } as const;
      const logs = [];
      for (let count = 0; count < 4; count++) {
        const log = await opened(tenant, at + count);
        await store().streamLogs.append(
          [
            {
              ...said(log.id, 1, 1, 'x'.repeat(100)),
              ...alive(log.id, { state: count === 1 ? 'open' : 'ended', events: 1, size: 100 }),
            },
          ],
          LIFE,
          at,
        );
        logs.push(log);
      }
      expect(await store().streamLogs.open(newLog(tenant), { ...ROOM, bytes: 250 }, LIFE, at)).toBe(true);
      const there = await Promise.all(logs.map(async (log) => (await read(log)) !== undefined));
      expect(there).toEqual([false, true, false, true]);
    });

    it('are forgotten with all that was said when their time is over', async () => {
      const now = at + 10_000_000;
      await store().streamLogs.sweep(now - 1, 10_000);
      const over = [await opened({}, now - LIFE.keptMs), await opened({}, now - LIFE.keptMs)];
      await store().streamLogs.append(
        over.map(({ id }) => said(id, 1, 1, 'x')),
        LIFE,
        now - LIFE.keptMs,
      );
      const stays = await opened({}, now - LIFE.keptMs + 1);
      expect(await read(over[0]!, 0, now)).toBeUndefined();
      expect(await store().streamLogs.sweep(now, 1)).toBe(1);
      expect(await replica().streamLogs.sweep(now, 5)).toBe(1);
      expect(await read(stays, 0, now)).toBeDefined();
      await store().streamLogs.remove(stays.id);
      expect(await read(stays, 0, now)).toBeUndefined();
      const late = await opened({}, now);
      await store().streamLogs.loseAll();
      expect(await read(late, 0, now)).toMatchObject({ state: 'lost' });
    });
  },
);
