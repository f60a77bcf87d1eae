/** /admin/usage and /admin/ledger: what was spent, and why. */
import { replayBill, verifyAll } from './bills.ts';
import { usageReport } from '../usage/report.ts';
import { billView, entryView } from '../admin-views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { entriesIn, numberIn, idOfText, pageOf, textIn, type AdminParts } from '../admin.ts';

/** Handlers of the usage and ledger operations. What chat has journalled is written first. */
export function adminLedgerRoutes({ store, now, flush }: AdminParts): Handlers {
  return {
    getUsage: operation<'getUsage'>(async ({ request }) => {
      await flush();
      const ownerId = numberIn(request, 'owner_id');
      const keyId = numberIn(request, 'key_id');
      const body = await usageReport(
        store.ledger,
        {
          from: textIn(request, 'from'),
          to: textIn(request, 'to'),
          groupBy: textIn(request, 'group_by')?.split(','),
          mode: textIn(request, 'mode'),
          ownerId,
          keyId,
        },
        now(),
      );
      return { status: 200, body };
    }),
    listLedgerEntries: operation<'listLedgerEntries'>(async ({ request }) => {
      await flush();
      const { filter, view } = pageOf(request, idOfText);
      const ownerId = numberIn(request, 'owner_id');
      const entries = await store.ledger.entries({
        ...filter,
        order: 'newest',
        ...(ownerId !== undefined && { ownerId }),
        ...entriesIn(request),
      });
      return { status: 200, body: view(entries, entryView) };
    }),
    verifyLedger: operation<'verifyLedger'>(async () => {
      await flush();
      const differences = await verifyAll(store.ledger);
      return {
        status: 200,
        body: {
          object: 'ledger_verification',
          ok: differences.length === 0,
          differences: differences.map((difference) => ({ ...difference })),
        },
      };
    }),
    replayLedger: operation<'replayLedger'>(async ({ request }) => {
      await flush();
      return { status: 200, body: billView(await replayBill(store.ledger, String(request.params['request_id']))) };
    }),
  };
}
