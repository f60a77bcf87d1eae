/** Where the code of each page is: loaded when the page is first opened, and the first one before there is anything to open it in. */
import type { ComponentType } from 'react';
import { connectionChange, isAway } from '../api/connection.ts';

type Load = () => Promise<{ default: ComponentType }>;

export const PAGE_LOADS = {
  '/': () => import('../pages/overview.tsx'),
  '/playground': () => import('../playground/playground.tsx'),
  '/models': () => import('../pages/models.tsx'),
  '/tasks': () => import('../pages/tasks.tsx'),
  '/requests': () => import('../pages/requests.tsx'),
  '/requests/$requestId': () => import('../pages/request.tsx'),
  '/usage': () => import('../pages/usage.tsx'),
  '/insights': () => import('../pages/insights.tsx'),
  '/statement': () => import('../pages/statement.tsx'),
  '/ledger': () => import('../pages/ledger.tsx'),
  '/keys': () => import('../pages/keys.tsx'),
  '/owners': () => import('../pages/owners.tsx'),
  '/people': () => import('../pages/people.tsx'),
  '/budgets': () => import('../pages/budgets.tsx'),
  '/bills': () => import('../pages/bills.tsx'),
  '/alerts': () => import('../pages/alerts.tsx'),
  '/guardrails': () => import('../pages/guardrails.tsx'),
  '/accounts': () => import('../pages/accounts.tsx'),
  '/routes': () => import('../pages/routes.tsx'),
  '/webhooks': () => import('../pages/webhooks.tsx'),
  '/maintenance': () => import('../pages/maintenance.tsx'),
  '/audit': () => import('../pages/audit.tsx'),
  '/configuration': () => import('../pages/configuration.tsx'),
  '/settings': () => import('../pages/settings.tsx'),
} as const satisfies Readonly<Record<string, Load>>;

/** Begins to load the page of an address; whoever opens it waits for the same. */
export function loadAhead(pathname: string): void {
  const path = pathname.replace(/^\/console\/?/, '/').replace(/^\/requests\/.+/, '/requests/$requestId');
  const load: Load | undefined = (PAGE_LOADS as Readonly<Record<string, Load>>)[path];
  void load?.().catch(() => undefined);
}

/** What `load` gives, as soon as the network is there. */
export async function untilLoaded<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      isAway.set(true);
      await connectionChange();
    }
  }
}
