/** /admin/ledger: every movement of money, and whether it adds up. */
import { GatewayError } from '@model-gateway/contracts';
import { present } from '../../present.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import {
  entriesIn,
  idOfText,
  numberIn,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
  type Asked,
} from '../admin-operation.ts';
import { sendCsv } from '../csv.ts';
import { ledgerCsv } from '../jobs/exports.ts';
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

export interface LedgerParts {
  readonly store: Pick<AdminParts['store'], 'ledger' | 'owners' | 'keys'>;
  readonly flush: AdminParts['flush'];
}

/** The lines that a query asks for as a file, whatever their number; undefined where it asks for a page. */
export async function askedLedgerCsv(
  { store, flush }: LedgerParts,
  asked: Asked,
  ownerId: number | undefined,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  if (textIn(asked, 'format') !== 'csv') return undefined;
  const filter = { ...entriesIn(asked), ...present({ ownerId }) };
  await flush();
  return ledgerCsv(store, filter);
}

/** A file of the ledger is sent while it is read; pages are `page`'s. */
export function ledgerRoutes(parts: LedgerParts, page: Handler | undefined): Handlers {
  return {
    async listLedgerEntries(request, response) {
      const csv = await askedLedgerCsv(parts, request, numberIn(request, 'owner_id'));
      if (csv === undefined) await page?.(request, response);
      else await sendCsv(response, 'ledger.csv', csv);
    },
  };
}

/** One verification at a time: who asks while it runs gets its answer, and when all who asked have gone it ends. */
export class Verification {
  readonly #ledger: AdminParts['store']['ledger'];
  readonly #flush: AdminParts['flush'];
  #running:
    | { readonly result: ReturnType<typeof verifyAll>; readonly over: AbortController; asking: number }
    | undefined;

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
