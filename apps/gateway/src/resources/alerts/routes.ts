/** /admin/alerts: what operators were told, and whether they can be told. */
import type { components } from '@model-gateway/contracts';
import type { AlertMessage } from '@model-gateway/core';
import { present } from '../../present.ts';
import { auditedBy, idOfText, pageOf, textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { timeOf, timeOrNull } from '../values.ts';

type Schemas = components['schemas'];

/** Operations on alerts. */
export function alertOperations(parts: AdminParts): AdminOperations {
  return {
    listAlerts: async (call) => {
      const { filter, view } = pageOf(call, idOfText);
      const channel = textIn(call, 'channel');
      return view(await parts.store.alerts.list({ ...filter, ...present({ channel }) }), deliveryView);
    },
    testAlerts: async (call) => {
      const { channel } = call.body;
      const tested = await (await parts.alertChannels()).test(channel);
      const after = { channels: tested.channels.map(({ name, ok }) => ({ name, ok })) };
      await auditedBy(parts, call).record({ action: 'alert.test', subject: 'alerts', after });
      return tested;
    },
  };
}

function deliveryView(message: AlertMessage): Schemas['AlertDelivery'] {
  const { id, channel, text, attempts, dueAt, sentAt } = message;
  return {
    object: 'alert_delivery',
    id,
    type: message.type as Schemas['AlertType'],
    channel,
    text,
    status: sentAt !== undefined ? 'sent' : dueAt === undefined ? 'given_up' : 'pending',
    attempts,
    created_at: timeOf(message.createdAt),
    next_attempt_at: timeOrNull(dueAt),
    sent_at: timeOrNull(sentAt),
    last_error: message.lastError ?? null,
  };
}
