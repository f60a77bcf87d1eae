/** /admin/ledger: every movement of money, and whether it adds up. */
import { present } from '../../present.ts';
import { entriesIn, idOfText, numberIn, pageOf, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { entryView, replayBill, verifyAll } from './bills.ts';

/** Operations on the ledger. What chat has journalled is written first. */
export function ledgerOperations({ store, flush }: AdminParts): AdminOperations {
  return {
    listLedgerEntries: async (call) => {
      await flush();
      const { filter, view } = pageOf(call, idOfText);
      const owner = present({ ownerId: numberIn(call, 'owner_id') });
      return view(await store.ledger.entries({ ...filter, order: 'newest', ...owner, ...entriesIn(call) }), entryView);
    },
    verifyLedger: async () => {
      await flush();
      const differences = (await verifyAll(store.ledger)).map((difference) => ({ ...difference }));
      return { object: 'ledger_verification', ok: differences.length === 0, differences };
    },
    replayLedger: async ({ params }) => {
      await flush();
      return replayBill(store.ledger, String(params['request_id']));
    },
  };
}
