/** Alerts as a part of the server: nothing of them is loaded where none are configured. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { AdminParts } from '../resources/admin-operation.ts';
import type { AlertChannels } from '../resources/alerts/channels.ts';
import type { AlertMonitor } from '../resources/alerts/monitor.ts';
import type { Log, Router } from '@model-gateway/core';
import { openUntrustedFetcher } from './upstreams.ts';

export interface AlertChannelParts {
  readonly config: Pick<Config, 'alerts' | 'allowPrivate'>;
  readonly now: () => number;
}

/**
 * The channels of the configuration, loaded when they are asked for. They are the operator's, and reach private addresses only where
 * `security.allow_private` opens them: not the gateway's own, which vendors' files may be at.
 */
export function openAlertChannels(
  resources: AsyncDisposableStack,
  { config, now }: AlertChannelParts,
): () => Promise<AlertChannels> {
  const fetcher = openUntrustedFetcher(resources, () => config.allowPrivate);
  let channels: Promise<AlertChannels> | undefined;
  return () =>
    (channels ??= import('../resources/alerts/channels.ts').then(
      ({ AlertChannels: Channels }) => new Channels({ settings: config.alerts, fetcher: () => fetcher, now }),
    ));
}

export interface AlertParts extends Omit<AdminParts, 'alertChannels'> {
  readonly config: Pick<Config, 'alerts'>;
  readonly log: Log;
  readonly router: AdminParts['router'] & Pick<Router, 'health'>;
  readonly alertChannels: () => Promise<AlertChannels>;
}

/** Makes the monitor of this process; undefined where no channel is configured. */
export async function openAlerts(
  resources: AsyncDisposableStack,
  parts: AlertParts,
): Promise<AlertMonitor | undefined> {
  const { config, store, now, log, router, catalogue } = parts;
  const { alerts: settings } = config;
  if (settings === undefined) return undefined;
  const [{ AlertMonitor: Monitor }, { AlertSources }, { listBudgets }] = await Promise.all([
    import('../resources/alerts/monitor.ts'),
    import('../resources/alerts/sources.ts'),
    import('../resources/budgets/routes.ts'),
  ]);
  const { forecast } = settings;
  const sources = new AlertSources({
    ...{ ...parts, forecast },
    listBudgets: (asked) => listBudgets(parts, asked),
    // Every process tells of its own.
    accountHealth: () => Promise.resolve(router.health(catalogue().accounts)),
  });
  const monitor = new Monitor({
    ...{ settings, now, log, alerts: store.alerts },
    channels: await parts.alertChannels(),
    budgets: (which) => sources.budgets(which),
    own: () => sources.refusedAccounts(),
    others: (raised) => sources.others(raised),
    process: randomBytes(8).toString('hex'),
  });
  resources.defer(() => monitor.stop());
  return monitor;
}
