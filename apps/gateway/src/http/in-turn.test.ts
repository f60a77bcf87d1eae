import { expect, it } from 'vitest';
import { createTurns } from './in-turn.ts';

/** Work that ends when it is told to. */
function work() {
  const begun: string[] = [];
  const ends = new Map<string, (fails?: boolean) => void>();
  return {
    begun,
    end: async (name: string, fails = false) => {
      ends.get(name)?.(fails);
      await new Promise((resolve) => setImmediate(resolve));
    },
    of: (name: string) => () =>
      new Promise<string>((resolve, reject) => {
        begun.push(name);
        ends.set(name, (fails) => (fails === true ? reject(new Error(name)) : resolve(name)));
      }),
  };
}

it('an owner’s reports are made one after the other, whatever becomes of them; others do not wait', async () => {
  const inTurn = createTurns();
  const { begun, end, of } = work();
  const first = inTurn(1, of('first'));
  const second = inTurn(1, of('second'));
  const other = inTurn(2, of('other'));
  await end('none');
  expect(begun).toEqual(['first', 'other']);
  await Promise.all([expect(first).rejects.toThrow('first'), end('first', true)]);
  expect(begun).toEqual(['first', 'other', 'second']);
  await end('second');
  await end('other');
  expect(await Promise.all([second, other])).toEqual(['second', 'other']);
});

it('too many that wait are refused, and room comes back', async () => {
  const inTurn = createTurns();
  const { end, of } = work();
  const waiting = Array.from({ length: 16 }, (_, index) => inTurn(1, of(String(index))));
  await expect(inTurn(1, of('one more'))).rejects.toMatchObject({ code: 'rate_limited' });
  await end('none');
  await end('0');
  const next = inTurn(1, of('next'));
  for (let index = 1; index < 16; index++) await end(String(index));
  await end('next');
  expect(await Promise.all([...waiting, next])).toHaveLength(17);
});
