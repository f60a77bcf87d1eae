/** What waits and what is under way: accounts, tasks, webhooks, leases, connections. */
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import {
  accountLabels,
  type Backlog,
  type Catalogue,
  type Router,
  type Store,
  type TaskEngine,
} from '@model-gateway/core';
import type { Reading, ReadingSource } from '../server/meter.ts';

/** However many ask for the page, the database is asked so often. */
const FRESH_MS = 2_000;

export interface WorkGaugesParts {
  readonly catalogue: () => Catalogue;
  readonly router: Pick<Router, 'health' | 'budgetUse'>;
  readonly store: Pick<Store, 'backlog' | 'pool'>;
  readonly tasks: Pick<TaskEngine, 'running'>;
  readonly now: () => number;
}

/** Health of vendor accounts, as this process sees it. */
export function accountGauges({ catalogue, router }: Pick<WorkGaugesParts, 'catalogue' | 'router'>): ReadingSource {
  return () => {
    const accounts = catalogue().accounts.filter(({ on }) => on);
    const health = new Map(router.health(accounts).map((each) => [each.accountId, each]));
    return accounts.flatMap((account): readonly Reading[] => {
      const { id, vendor, maxConcurrency } = account;
      const labels = { vendor, ...accountLabels(account) };
      const { state, cooling = 0, inFlight = 0, queued = 0 } = health.get(id) ?? {};
      return [
        { name: 'gateway_account_cooling', value: state === 'open' ? 1 : 0, labels },
        { name: 'gateway_account_cooling_models', value: cooling, labels },
        { name: 'gateway_account_in_flight', value: inFlight, labels },
        { name: 'gateway_account_queued', value: queued, labels },
        { name: 'gateway_account_capacity', value: maxConcurrency, labels },
        ...router.budgetUse(account).map(({ bound, share }) => ({
          name: 'gateway_account_budget_used',
          value: share,
          labels: { ...labels, budget: bound.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) },
        })),
      ];
    });
  };
}

/** What this process has under way, and what waits in the database. */
export function workGauges({ catalogue, store, tasks, now }: Omit<WorkGaugesParts, 'router'>): ReadingSource {
  let known: { readonly at: number; readonly readings: Promise<readonly Reading[]> } | undefined;
  return async () => {
    const at = now();
    if (known === undefined || at - known.at >= FRESH_MS || at < known.at) {
      const readings = store.backlog(at).then(
        (backlog): readonly Reading[] => [
          { name: 'gateway_database_up', value: 1 },
          ...waiting(backlog, at, catalogue().accounts),
        ],
        (): readonly Reading[] => [{ name: 'gateway_database_up', value: 0 }],
      );
      known = { at, readings };
    }
    const { polls, webhooks } = tasks.running();
    return [
      ...(await known.readings),
      ...connections(store),
      { name: 'gateway_task_polls_running', value: polls },
      { name: 'gateway_webhooks_running', value: webhooks },
    ];
  };
}

function waiting(
  { openTasks, waitingTasks, dueTasks, webhooks, leases }: Backlog,
  now: number,
  accounts: Catalogue['accounts'],
): readonly Reading[] {
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  const lag = (oldestAt: number | undefined): number =>
    oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) / 1000;
  return [
    ...openTasks.map(({ vendor, state, count }) => ({
      name: 'gateway_tasks_open',
      value: count,
      labels: { vendor, state },
    })),
    ...waitingTasks.map(({ vendor, accountId, count }) => ({
      name: 'gateway_tasks_waiting',
      value: count,
      labels: { vendor, ...accountLabels({ id: accountId, name: names.get(accountId) ?? '' }) },
    })),
    { name: 'gateway_tasks_due', value: dueTasks.count },
    { name: 'gateway_task_poll_lag_seconds', value: lag(dueTasks.oldestAt) },
    { name: 'gateway_webhooks_pending', value: webhooks.count },
    { name: 'gateway_webhook_lag_seconds', value: lag(webhooks.oldestAt) },
    { name: 'gateway_leases_open', value: leases.count },
    { name: 'gateway_leases_dollars', value: leases.units / UNITS_PER_DOLLAR },
    { name: 'gateway_leases_expired', value: leases.expired },
  ];
}

function connections({ pool }: Pick<Store, 'pool'>): readonly Reading[] {
  const state = pool();
  if (state === undefined) return [];
  const { size, idle } = state;
  return [
    { name: 'gateway_database_connections', value: size - idle, labels: { state: 'busy' } },
    { name: 'gateway_database_connections', value: idle, labels: { state: 'idle' } },
    { name: 'gateway_database_waiting', value: state.waiting },
  ];
}
