/** /admin/audit: who changed what. */
import { auditView } from '../admin-views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { idOfText, pageOf, textIn, type AdminParts } from '../admin.ts';

/** Handlers of the audit log. */
export function adminAuditRoutes({ store }: AdminParts): Handlers {
  return {
    listAuditEntries: operation<'listAuditEntries'>(async ({ request }) => {
      const { filter, view } = pageOf(request, idOfText);
      const [actor, action, subject] = ['actor', 'action', 'subject'].map((name) => textIn(request, name));
      const entries = await store.audit.list({
        ...filter,
        ...(actor !== undefined && { actor }),
        ...(action !== undefined && { action }),
        ...(subject !== undefined && { subject }),
      });
      return { status: 200, body: view(entries, auditView) };
    }),
  };
}
