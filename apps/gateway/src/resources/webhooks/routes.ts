/** /admin/webhook-deliveries: what was sent to the callback addresses of tasks. */
import { GatewayError, type components } from '@model-gateway/contracts';
import type { WebhookDelivery } from '@model-gateway/core';
import { auditedBy, deliveriesIn, pageOf, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { timeOf, timeOrNull } from '../values.ts';

type Schemas = components['schemas'];

/** Operations on deliveries. */
export function webhookOperations(parts: AdminParts): AdminOperations {
  return {
    listWebhookDeliveries: async (call) => {
      const { filter, view } = pageOf(call, String);
      return view(await parts.store.webhooks.list({ ...filter, ...deliveriesIn(call) }), deliveryView);
    },
    replayWebhookDelivery: (call) => {
      const id = String(call.params['delivery_id']);
      return auditedBy(parts, call).change(async ({ webhooks }, record) => {
        const old = await webhooks.get(id);
        const delivery = old === undefined ? undefined : await webhooks.replay(id, parts.now());
        if (old === undefined || delivery === undefined)
          throw new GatewayError('not_found', `there is no webhook delivery '${id.slice(0, 80)}'`, {
            param: 'delivery_id',
          });
        const after = deliveryView(delivery);
        await record({ action: 'webhook.replay', subject: `webhook delivery ${id}`, before: deliveryView(old), after });
        return after;
      });
    },
  };
}

export function deliveryView(delivery: WebhookDelivery): Schemas['WebhookDelivery'] {
  return {
    object: 'webhook_delivery',
    id: delivery.id,
    task_id: delivery.taskId,
    key_id: delivery.keyId,
    url: withoutQuery(delivery.url),
    attempts: delivery.attempts,
    status:
      delivery.deliveredAt !== undefined && delivery.nextAttemptAt === undefined
        ? 'delivered'
        : delivery.nextAttemptAt === undefined
          ? 'given_up'
          : 'pending',
    next_attempt_at: timeOrNull(delivery.nextAttemptAt),
    delivered_at: timeOrNull(delivery.deliveredAt),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
    created_at: timeOf(delivery.createdAt),
  };
}

/** A query may carry a secret of the receiver. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
