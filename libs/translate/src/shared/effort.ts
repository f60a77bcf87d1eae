/** Reasoning effort, token budgets and levels into one another (chat.md §7.8). */
import type { Effort } from '../conversation.ts';

/** The share of the largest output that an effort may think; `max` is all of it. */
const SHARES: readonly (readonly [Effort, number])[] = [
  ['minimal', 0.02],
  ['low', 0.1],
  ['medium', 0.3],
  ['high', 0.6],
  ['xhigh', 0.9],
  ['max', 1],
];

/** Tokens to think with, of `cap` possible output tokens; 0 for `none`. */
export function budgetOfEffort(effort: Effort, cap: number): number {
  const share = SHARES.find(([word]) => word === effort)?.[1] ?? 0;
  return Math.floor(share * cap);
}

/** The least effort whose budget holds that many tokens; `none` for 0. */
export function effortOfBudget(budget: number, cap: number): Effort {
  if (budget <= 0) return 'none';
  return SHARES.find(([, share]) => budget <= Math.floor(share * cap))?.[0] ?? 'max';
}
