import { expect, it } from 'vitest';
import { createDayUse } from './primary.ts';

it('adds up a day of UTC by account and model, and begins anew with the next', () => {
  let at = Date.UTC(2026, 10, 22, 23);
  const used = createDayUse(() => at);
  const use = { accountId: 1, model: 'm', requests: 1, tokens: 10, units: 3 };
  used.add([use, { ...use, model: 'other' }]);
  used.add([{ ...use, requests: 2 }]);
  expect(used.today()).toEqual([
    { ...use, requests: 3, tokens: 20, units: 6 },
    { ...use, model: 'other' },
  ]);
  at += 3_600_000;
  expect(used.today()).toEqual([]);
  used.add([use]);
  // A clock that was set back is no day before.
  at -= 7_200_000;
  expect(used.today()).toEqual([use]);
});
