import { expect, it } from 'vitest';
import { createRetryBudget } from './retry-budget.ts';

it('a quiet time saves up no more than ten attempts', () => {
  const budget = createRetryBudget();
  for (let request = 0; request < 1000; request++) budget.earn(0.2);
  let attempts = 0;
  while (attempts < 100 && budget.spend()) attempts++;
  expect(attempts).toBe(10);
});

it('what was spent comes back with the share of requests', () => {
  const budget = createRetryBudget();
  while (budget.spend());
  for (let request = 0; request < 3; request++) budget.earn(0.5);
  expect([budget.spend(), budget.spend()]).toEqual([true, false]);
});
