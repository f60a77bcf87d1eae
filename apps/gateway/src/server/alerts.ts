/** Alerts as a part of the server: nothing of them is loaded where none are configured. */
import { randomBytes } from 'node:crypto';
import { createUntrustedFetcher, type UntrustedFetcher } from '@model-gateway/provider-kit';
import type { Config } from '../config/config.ts';
import type { AdminParts } from '../resources/admin-operation.ts';
import type { AlertChannels } from '../resources/alerts/channels.ts';
import type { AlertMonitor } from '../resources/alerts/monitor.ts';
import type { Log, Router } from '@model-gateway/core';

export interface AlertChannelParts {
  readonly config: Pick<Config, 'alerts' | 'allowPrivate'>;
  readonly now: () => number;
}

/** The channels of the configuration. They are the operator's, and reach private addresses only where `security.allow_private` opens them. */
export async function openAlertChannels({ config, now }: AlertChannelParts): Promise<AlertChannels> {
  const { AlertChannels: Channels } = await import('../resources/alerts/channels.ts');
  let made: UntrustedFetcher | undefined;
  const fetcher = () => (made ??= createUntrustedFetcher({ allowPrivate: config.allowPrivate }));
  return new Channels({ settings: config.alerts, fetcher, now });
}

export interface AlertParts extends AdminParts {
  readonly config: Pick<Config, 'alerts' | 'allowPrivate'>;
  readonly log: Log;
  readonly router: AdminParts['router'] & Pick<Router, 'health'>;
}

/** Makes the monitor of this process; undefined where no channel is configured. */
export async function openAlerts(
  resources: AsyncDisposableStack,
  parts: AlertParts,
): Promise<AlertMonitor | undefined> {
  const { config, store, now, log, router, catalogue } = parts;
  const { alerts: settings } = config;
  if (settings === undefined) return undefined;
  const [{ AlertMonitor: Monitor }, { AlertSources }, { budgetOperations }] = await Promise.all([
    import('../resources/alerts/monitor.ts'),
    import('../resources/alerts/sources.ts'),
    import('../resources/budgets/routes.ts'),
  ]);
  const { listBudgets } = budgetOperations(parts);
  if (listBudgets === undefined) return undefined;
  const { forecast } = settings;
  const sources = new AlertSources({
    ...{ ...parts, listBudgets, forecast },
    // Every process tells of its own.
    accountHealth: () => Promise.resolve(router.health(catalogue().accounts)),
  });
  const monitor = new Monitor({
    ...{ settings, now, log, alerts: store.alerts },
    channels: await openAlertChannels({ config, now }),
    budgets: (which) => sources.budgets(which),
    own: () => sources.refusedAccounts(),
    others: (raised) => sources.others(raised),
    process: randomBytes(8).toString('hex'),
  });
  resources.defer(() => monitor.stop());
  return monitor;
}
