import { expect, it } from 'vitest';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

describeDatabases('alerts', openStore, ({ store, replica }) => {
  const raise = async (
    name: string,
    { at = 10, implied = [], to = ['ops'] }: { at?: number; implied?: string[]; to?: string[] } = {},
    by = store,
  ) => by().alerts.raise({ name, implied, channels: to, at, type: 'test', text: `about ${name}`, data: { name } });

  it('an alert is raised once in all processes, also at the same moment, with a message for each channel', async () => {
    const raised = await Promise.all(
      [store, replica, store, replica].map((by) => raise('once', { to: ['a', 'b'] }, by)),
    );
    expect(raised.filter(Boolean)).toHaveLength(1);
    expect(await store().alerts.due('a', 10, 9)).toMatchObject([
      { text: 'about once', data: { name: 'once' }, attempts: 0 },
    ]);
    expect(await store().alerts.due('b', 10, 9)).toHaveLength(1);
    expect(await store().alerts.due('a', 9, 9)).toEqual([]);
  });

  it('what an alert implies is not raised later; what is forgotten is raised again', async () => {
    expect(await raise('open x:1', { implied: ['open x:0.8'], to: ['c'] })).toBe(true);
    expect(await raise('open x:0.8', { to: ['c'] })).toBe(false);
    expect(await replica().alerts.raised('open ')).toEqual(['open x:0.8', 'open x:1']);
    await replica().alerts.forget(['open x:0.8']);
    expect(await raise('open x:0.8', { to: ['c'] })).toBe(true);
    expect(await store().alerts.due('c', 10, 9)).toHaveLength(2);
  });

  it('many names and channels are written and forgotten together', async () => {
    const implied = Array.from({ length: 600 }, (_, index) => `many:${index}`);
    await raise('many:7', { to: [] });
    const to = ['g', 'h', 'i'];
    expect(await raise('many:all', { implied: [...implied, 'many:8'], to })).toBe(true);
    for (const channel of to) expect(await store().alerts.due(channel, 10, 9)).toHaveLength(1);
    expect(await store().alerts.raised('many:')).toHaveLength(601);
    await store().alerts.forget([...implied, 'many:none']);
    expect(await store().alerts.raised('many:')).toEqual(['many:all']);
    await store().alerts.forget([]);
  });

  it('names are found by their first characters, whatever follows them', async () => {
    for (const name of ['open', 'shut y:1', 'open_y:1', 'OPEN Y:1', 'open y:1', 'open y\u{1f30a}:1'])
      await raise(name, { to: ['f'] });
    expect(await store().alerts.raised('open y')).toEqual(['open y:1', 'open y\u{1f30a}:1']);
  });

  it('a turn belongs to one process until it ends; one of a clock that was wrong ends at once', async () => {
    const take = (process: string, now: number, until: number, by = store) =>
      by().alerts.takeTurn('turn', { process, now, until });
    const taken = await Promise.all([take('p', 100, 200), take('q', 100, 200, replica)]);
    expect(taken.filter(Boolean)).toHaveLength(1);
    const [mine, other] = taken[0] ? ['p', 'q'] : ['q', 'p'];
    expect(await take(mine, 150, 250)).toBe(true);
    expect(await take(other, 249, 400)).toBe(false);
    expect(await take(other, 250, 400)).toBe(true);
    await take(other, 260, 10_000_000);
    expect(await take(mine, 270, 300)).toBe(true);
  });

  it('messages are sent, fail and are given up; those that went out together count as one', async () => {
    for (const name of ['one', 'two', 'three', 'four']) await raise(name, { to: ['d'] });
    const ids = (await store().alerts.due('d', 10, 9)).map(({ id }) => id);
    await store().alerts.saveSent([ids[0]!, ids[1]!], 20);
    await store().alerts.saveFailed([ids[2]!], { error: 'no', nextAt: 30 });
    await store().alerts.saveFailed([ids[3]!], { error: 'never' });
    expect(await replica().alerts.sentSince('d', 19)).toBe(1);
    expect(await replica().alerts.sentSince('d', 20)).toBe(0);
    expect(await store().alerts.due('d', 29, 9)).toEqual([]);
    expect(await store().alerts.due('d', 30, 9)).toMatchObject([{ id: ids[2], attempts: 1, lastError: 'no' }]);
    const [newest, next] = await store().alerts.list({ channel: 'd', limit: 2 });
    expect([newest?.id, newest?.dueAt, newest?.sentAt]).toEqual([ids[3], undefined, undefined]);
    expect(await store().alerts.list({ channel: 'd', after: next!.id, limit: 9 })).toMatchObject([{ id: ids[1], sentAt: 20 }, { id: ids[0] }]); // prettier-ignore
  });

  it('old messages and old names are removed apart', async () => {
    await raise('old', { at: 5, to: ['e'] });
    await raise('new', { at: 50, to: ['e'] });
    await store().alerts.removeOld({ messages: 6, names: 5 });
    expect(await store().alerts.list({ channel: 'e', limit: 9 })).toMatchObject([{ text: 'about new' }]);
    expect(await raise('old', { at: 60, to: ['e'] })).toBe(false);
    await store().alerts.removeOld({ messages: 0, names: 6 });
    expect(await raise('old', { at: 60, to: ['e'] })).toBe(true);
  });
});
