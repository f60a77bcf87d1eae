/** /admin/ledger: every movement of money, and whether it adds up. */
import { GatewayError } from '@model-gateway/contracts';
import { present } from '../../present.ts';
import { entriesIn, idOfText, numberIn, pageOf, type AdminOperations, type AdminParts } from '../admin-operation.ts';
import { entryView, replayBill, verifyAll } from './bills.ts';

/** Operations on the ledger. What chat has journalled is written first. */
export function ledgerOperations({ store, flush }: AdminParts): AdminOperations {
  const verification = new Verification(store.ledger, flush);
  return {
    listLedgerEntries: async (call) => {
      await flush();
      const { filter, view } = pageOf(call, idOfText);
      const owner = present({ ownerId: numberIn(call, 'owner_id') });
      return view(await store.ledger.entries({ ...filter, order: 'newest', ...owner, ...entriesIn(call) }), entryView);
    },
    verifyLedger: async ({ signal }) => {
      const differences = (await verification.result(signal)).map((difference) => ({ ...difference }));
      return { object: 'ledger_verification', ok: differences.length === 0, differences };
    },
    replayLedger: async ({ params }) => {
      await flush();
      return replayBill(store.ledger, String(params['request_id']));
    },
  };
}

/** One verification at a time: who asks while it runs gets its answer, and when all who asked have gone it ends. */
export class Verification {
  readonly #ledger: AdminParts['store']['ledger'];
  readonly #flush: AdminParts['flush'];
  #running:
    { readonly result: ReturnType<typeof verifyAll>; readonly over: AbortController; asking: number } | undefined;

  constructor(ledger: AdminParts['store']['ledger'], flush: AdminParts['flush']) {
    this.#ledger = ledger;
    this.#flush = flush;
  }

  /** What differs; rejects with the signal's reason when all who asked have gone. */
  async result(signal: AbortSignal | undefined): ReturnType<typeof verifyAll> {
    const running = (this.#running ??= this.#begin());
    running.asking++;
    const leave = (): void => {
      if (--running.asking > 0) return;
      if (this.#running === running) this.#running = undefined;
      running.over.abort(new GatewayError('unavailable', 'the caller no longer waits for the verification'));
    };
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    return running.result.finally(() => signal?.removeEventListener('abort', leave));
  }

  #begin() {
    const over = new AbortController();
    const result = this.#flush()
      .then(async () => verifyAll(this.#ledger, { signal: over.signal }))
      .finally(() => {
        if (this.#running?.over === over) this.#running = undefined;
      });
    return { result, over, asking: 0 };
  }
}
