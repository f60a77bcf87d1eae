/** /admin/tasks, /admin/accounts, /admin/webhook-deliveries: what runs, where, and how it fares. */
import type { AccountHealth, TaskKind, TaskState } from '@model-gateway/core';
import { deliveryView, taskView, timeOf } from '../../admin/views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { numberIn, pageOf, servicesFor, textIn, type AdminParts } from './shared.ts';

/** Handlers of the operators' view. */
export function adminWorkRoutes(parts: AdminParts): Handlers {
  const { store, catalogue, router } = parts;
  return {
    listAllTasks: operation<'listAllTasks'>(async ({ request }) => {
      const { filter, view } = pageOf(request, String);
      const ownerId = numberIn(request, 'owner_id');
      const kind = textIn(request, 'kind') as TaskKind | undefined;
      const state = textIn(request, 'status') as TaskState | undefined;
      const model = textIn(request, 'model');
      const tasks = await store.tasks.list({
        ...filter,
        order: 'newest',
        ...(ownerId !== undefined && { ownerId }),
        ...(kind !== undefined && { kind }),
        ...(state !== undefined && { state }),
        ...(model !== undefined && { model }),
      });
      return { status: 200, body: view(tasks, taskView) };
    }),
    listAccounts: operation<'listAccounts'>(async () => {
      const { accounts, models } = catalogue();
      const health = new Map(router.health(accounts).map((each) => [each.accountId, each]));
      const open = await store.tasks.countOpen();
      const data = accounts.map((account) => {
        const found: AccountHealth | undefined = health.get(account.id);
        return {
          object: 'account' as const,
          id: account.id,
          name: account.name,
          vendor: account.vendor,
          on: account.on,
          twin: account.twin,
          state: found?.state ?? 'closed',
          cool_until: found === undefined || found.coolUntil === 0 ? null : timeOf(found.coolUntil),
          failures: found?.failures ?? 0,
          in_flight: found?.inFlight ?? 0,
          queued: found?.queued ?? 0,
          max_concurrency: account.maxConcurrency,
          open_tasks: open.reduce((sum, each) => sum + (each.accountId === account.id ? each.count : 0), 0),
          models: [...models.values()]
            .filter(({ offers }) => offers.some((offer) => offer.account.id === account.id))
            .map(({ code }) => code),
        };
      });
      return { status: 200, body: { object: 'list', data } };
    }),
    listWebhookDeliveries: operation<'listWebhookDeliveries'>(async ({ request }) => {
      const { filter, view } = pageOf(request, String);
      const taskId = textIn(request, 'task_id');
      const pending = textIn(request, 'pending');
      const deliveries = await store.webhooks.list({
        ...filter,
        ...(taskId !== undefined && { taskId }),
        ...(pending !== undefined && { pending: pending === 'true' }),
      });
      return { status: 200, body: view(deliveries, deliveryView) };
    }),
    replayWebhookDelivery: operation<'replayWebhookDelivery'>(async ({ request, response }) => {
      const { replayWebhook } = servicesFor(parts, request, response);
      return { status: 200, body: deliveryView(await replayWebhook(String(request.params['delivery_id']))) };
    }),
  };
}
