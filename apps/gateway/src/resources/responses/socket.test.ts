/** The bounds of a socket's life: its time, the time without a question, readers who are gone or do not read. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VendorSocketAccounts } from '@model-gateway/core';
import { pino } from 'pino';
import { SocketDouble } from '../../../test/socket-double.ts';
import { MemoryBudget, SocketMemory } from './socket-memory.ts';
import { ResponseSocket } from './socket.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const ACCOUNTS = new VendorSocketAccounts({ now: () => Date.now(), log: pino({ enabled: false }) });

let line: SocketDouble;
beforeEach(() => {
  vi.useFakeTimers();
  line = new SocketDouble();
  let id = 0;
  const parts = {
    budget: new MemoryBudget(1024),
    randomId: () => String(id++),
    now: () => Date.now(),
    accounts: ACCOUNTS,
  };
  const ask = (): never => {
    throw new Error('nobody is asked here');
  };
  new ResponseSocket({ webSocket: line.line, ask, came: () => () => undefined }, parts);
});
afterEach(() => {
  line.emit('close', 1006);
  vi.useRealTimers();
});

const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
/** Time in which every ping is answered. */
function passAlive(ms: number): void {
  for (let left = ms; left > 0; left -= 30 * SECOND) {
    pass(30 * SECOND);
    line.emit('pong');
  }
}

it('is closed when nothing was asked for 30 minutes, not before', async () => {
  passAlive(29 * MINUTE);
  expect(line.done).not.toContain('close 1000');
  await line.hear({ type: 'response.create', model: 'm', generate: false });
  passAlive(29 * MINUTE);
  expect(line.done).not.toContain('close 1000');
  passAlive(2 * MINUTE);
  expect(line.done).toContain('close 1000');
  const { length } = line.done;
  passAlive(10 * MINUTE);
  expect(line.done).toHaveLength(length);
});

it('is closed after 60 minutes, by an event that says so', async () => {
  for (let minutes = 0; minutes < 59; minutes++) {
    await line.hear({ type: 'response.create', model: 'm', generate: false });
    passAlive(MINUTE);
  }
  expect(line.done).not.toContain('close 1000');
  passAlive(MINUTE);
  expect(line.sent.at(-1)).toMatchObject({ type: 'error', error: { code: 'websocket_connection_limit_reached' } });
  expect(line.done).toContain('close 1000');
});

it('whose client answers no ping is hung up on', () => {
  pass(30 * SECOND);
  expect(line.done).toEqual(['ping']);
  pass(30 * SECOND);
  expect(line.done).toEqual(['ping', 'terminate']);
});

it('whose client takes nothing is not read, and is hung up on after two minutes', async () => {
  line.bufferedAmount = 256 * 1024;
  await line.hear({ type: 'nothing' });
  expect(line.done).toEqual(['pause']);
  pass(119 * SECOND);
  expect(line.done).toEqual(['pause']);
  pass(SECOND);
  expect(line.done).toEqual(['pause', 'terminate']);
});

it('is read again when its client has taken what waited', async () => {
  line.bufferedAmount = 256 * 1024;
  await line.hear({ type: 'nothing' });
  line.bufferedAmount = 0;
  line.flush?.();
  expect(line.done).toEqual(['pause', 'resume']);
  pass(10 * MINUTE);
  expect(line.done.filter((each) => each === 'terminate')).toHaveLength(1);
});

it('remembers within what all sockets may remember, the oldest goes first', () => {
  const budget = new MemoryBudget(4000);
  const [one, other] = [new SocketMemory(budget), new SocketMemory(budget)];
  const said = { store: false, input: 'x'.repeat(1000) };
  const knows = (memory: SocketMemory, id: string): boolean =>
    memory.continued({ previous_response_id: id }).previousId !== undefined;
  one.remember({ id: 'a', output: [] }, said);
  expect(knows(one, 'a')).toBe(true);
  expect(knows(other, 'a')).toBe(false);
  other.remember({ id: 'b', output: [] }, said);
  expect([knows(one, 'a'), knows(other, 'b')]).toEqual([false, true]);
  other.clear();
  one.remember({ id: 'c', output: [] }, said);
  expect([knows(other, 'b'), knows(one, 'c')]).toEqual([false, true]);
  one.remember({ id: 'kept', output: [] }, { input: 'hi' });
  expect(knows(one, 'kept')).toBe(false);
});
