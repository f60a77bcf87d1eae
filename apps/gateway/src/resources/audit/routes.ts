/** /admin/audit: who changed what. */
import type { components } from '@model-gateway/contracts';
import type { AuditEntry } from '@model-gateway/core';
import { present } from '../../present.ts';
import { idOfText, pageOf, textIn, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { timeOf } from '../values.ts';

type Schemas = components['schemas'];

/** Operations of the audit log. */
export function auditOperations({ store }: AdminParts): AdminOperations {
  return {
    listAuditEntries: async (call) => {
      const { filter, view } = pageOf(call, idOfText);
      const [actor, action, subject] = ['actor', 'action', 'subject'].map((name) => textIn(call, name));
      return view(await store.audit.list({ ...filter, ...present({ actor, action, subject }) }), auditView);
    },
  };
}

function auditView(entry: AuditEntry): Schemas['AuditEntry'] {
  return {
    object: 'audit_entry',
    id: entry.id,
    at: timeOf(entry.at),
    actor: entry.actor,
    action: entry.action as Schemas['AuditAction'],
    subject: entry.subject,
    before: entry.before === undefined ? null : { ...entry.before },
    after: entry.after === undefined ? null : { ...entry.after },
    request_id: entry.requestId ?? null,
  };
}
