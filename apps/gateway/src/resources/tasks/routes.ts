/** /admin/tasks, /admin/webhook-deliveries: what runs, and how it fares. */
import { GatewayError } from '@model-gateway/contracts';
import type { TaskKind, TaskRecord, TaskState } from '@model-gateway/core';
import { deliveryView, taskView } from '../admin-views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { deliveriesIn, numberIn, pageOf, servicesFor, textIn, type AdminParts } from '../admin.ts';

/** Handlers of the operators' view. */
export function adminWorkRoutes(parts: AdminParts): Handlers {
  const { store, cancelTask } = parts;
  const taskNamed = async (text: unknown): Promise<TaskRecord> => {
    const id = String(text);
    const task = await store.tasks.get(id);
    if (task !== undefined) return task;
    throw new GatewayError('not_found', `there is no task '${id.slice(0, 80)}'`, { param: 'task_id' });
  };
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
    getAnyTask: operation<'getAnyTask'>(async ({ request }) => ({
      status: 200,
      body: taskView(await taskNamed(request.params['task_id'])),
    })),
    cancelAnyTask: operation<'cancelAnyTask'>(async ({ request, response }) => {
      const before = await taskNamed(request.params['task_id']);
      const after = await cancelTask(before);
      await servicesFor(parts, request, response).taskCancelled(before, after);
      return { status: 200, body: taskView(after) };
    }),
    listWebhookDeliveries: operation<'listWebhookDeliveries'>(async ({ request }) => {
      const { filter, view } = pageOf(request, String);
      const deliveries = await store.webhooks.list({ ...filter, ...deliveriesIn(request) });
      return { status: 200, body: view(deliveries, deliveryView) };
    }),
    replayWebhookDelivery: operation<'replayWebhookDelivery'>(async ({ request, response }) => {
      const { replayWebhook } = servicesFor(parts, request, response);
      return { status: 200, body: deliveryView(await replayWebhook(String(request.params['delivery_id']))) };
    }),
  };
}
