/** What is paid for: reserved before the vendor is asked, charged after it answered. */
import { randomBytes } from 'node:crypto';
import { createSpending, type InterruptedRequest, type Log, type Spending } from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import type { Storage } from './storage.ts';

export interface MoneyOptions {
  readonly storage: Pick<Storage, 'soleProcess'> & { readonly store: Pick<Storage['store'], 'ledger' | 'owners'> };
  readonly config: Pick<Config, 'durability' | 'overdraft'>;
  readonly now: () => number;
  readonly log: Log;
  /** Told of each request that a process which died was charged for. */
  readonly interrupted?: (request: InterruptedRequest) => void;
}

/** Makes the spending of this process; what is journalled is written when it closes. */
export function openMoney(
  resources: AsyncDisposableStack,
  { storage, config, now, log, interrupted }: MoneyOptions,
): Spending {
  const spending = createSpending({
    ledger: storage.store.ledger,
    owners: storage.store.owners,
    now,
    log,
    process: randomBytes(8).toString('hex'),
    durability: config.durability,
    overdraft: config.overdraft,
    soleProcess: storage.soleProcess,
    ...(interrupted !== undefined && { interrupted }),
  });
  resources.defer(() => spending.close());
  return spending;
}
