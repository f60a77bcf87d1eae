import { expect, it } from 'vitest';
import { atEndOfTurn } from './end-of-turn.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('does what waits in one turn, in order, and before what the work itself goes on with', async () => {
  const said: string[] = [];
  for (const name of ['a', 'b'])
    atEndOfTurn(() => {
      said.push(name);
      void Promise.resolve().then(() => said.push(`${name} goes on`));
      if (name === 'a') atEndOfTurn(() => said.push('later'));
    });
  expect(said).toEqual([]);
  await nextTurn();
  await nextTurn();
  expect(said).toEqual(['a', 'b', 'a goes on', 'b goes on', 'later']);
});
