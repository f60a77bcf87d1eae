/** Who is asked, in which order, and when somebody else is. */
export const ROUTING = [
  {
    name: 'priority-behind-score',
    subject: 'routing: priorities',
    file: 'libs/core/src/routing/strategy.ts',
    find: `a.choice.priority - b.choice.priority || compare(a.score, b.score) || a.draw - b.draw`,
    replace: `compare(a.score, b.score) || a.choice.priority - b.choice.priority || a.draw - b.draw`,
    tests: ['libs/core routing/strategy', 'libs/core src/routing.test'],
  },
  {
    name: 'weight-turned-round',
    subject: 'routing: weights',
    file: 'libs/core/src/routing/strategy.ts',
    find: `/
      Math.max(choice.weight, 1e-9),`,
    replace: `*
      Math.max(choice.weight, 1e-9),`,
    tests: ['libs/core routing/strategy', 'libs/core src/routing.test'],
  },
  {
    name: 'cooldown-never-half-open-after-a-failed-probe',
    subject: 'routing: cooldown',
    file: 'libs/core/src/routing/health.ts',
    find: `fail(error: GatewayError): void {
    this.release();`,
    replace: `fail(error: GatewayError): void {`,
    tests: ['libs/core routing/cooling', 'libs/core paid/simulation'],
  },
  {
    name: 'fallback-for-the-wrong-cause',
    subject: 'routing: fallback by cause',
    file: 'libs/core/src/paid/attempt-loop.ts',
    find: `content_refused: 'on_content_refusal',`,
    replace: `content_refused: 'on_context_too_long',`,
    tests: ['libs/core paid/paid-request', 'apps/gateway test/routes.test'],
  },
  {
    name: 'hedge-loser-goes-on',
    subject: 'routing: hedging',
    file: 'libs/core/src/paid/hedge.ts',
    find: `if (failures.has(other)) other.failed(failures.get(other));
          else other.giveUp();`,
    replace: `if (failures.has(other)) other.failed(failures.get(other));`,
    tests: ['libs/core paid/hedge', 'apps/gateway test/route-hedging'],
  },
  {
    name: 'affinity-to-a-full-account',
    subject: 'routing: affinity',
    file: 'libs/core/src/routing/strategy.ts',
    find: `affinity !== undefined && isFull(choice) ? 1 : scores[strategy](choice, preferred)`,
    replace: `affinity === undefined && isFull(choice) ? 1 : scores[strategy](choice, preferred)`,
    tests: ['libs/core routing/strategy', 'apps/gateway test/route-affinity'],
  },
  {
    name: 'retry-budget-grows-for-ever',
    subject: 'routing: retry budget',
    file: 'libs/core/src/routing/retry-budget.ts',
    find: `left = Math.min(RESERVE, left + share);`,
    replace: `left = left + share;`,
    tests: ['libs/core routing/retry-budget'],
  },
];
