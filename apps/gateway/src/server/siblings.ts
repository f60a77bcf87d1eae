/** What the workers of one gateway do for each other. A process that is alone has none of it. */
import type { Socket } from 'node:net';
import type { AccountHealth, SharedCounts, SharedHealth, SharedUse } from '@model-gateway/core';

/** The ports of a gateway, which one process has open for all its workers. */
export interface SharedPorts {
  readonly port: number;
  /** Undefined when the admin API has no port of its own. */
  readonly adminPort: number | undefined;
  /** Connections of this port that are for this worker go to `take` from now on; `hangUp` closes all of them at once. */
  accept(which: 'public' | 'admin', take: (socket: Socket) => void, hangUp: () => void): void;
  /** Resolves when no connection comes any more; called when this worker begins to close. */
  closed(): Promise<void>;
}

/** The other workers of this machine, as one of them sees them. */
export interface Siblings {
  /** Limits of keys, counted for all workers. */
  readonly counts: SharedCounts;
  readonly ports: SharedPorts;
  /** Which accounts cool, known to all workers. */
  readonly health: SharedHealth;
  /** What accounts with a budget are used for, by all workers. */
  readonly use: SharedUse;
  /** This worker's part of a number that holds for all of them together; one at least. */
  readonly shareOf: (most: number) => number;
  /** A text that is no key came from this address. */
  readonly guessed: (address: string) => void;
  /** Every worker does it, this one too; resolves when all have, or soon when one does not answer. */
  readonly everywhere: (what: 'forgetKeys' | 'flush' | 'takeEntries') => Promise<void>;
  /** The metrics of all workers as one page. */
  readonly metricsPage: () => Promise<string>;
  /** The accounts as all workers see them, one list for each. */
  readonly accounts: () => Promise<readonly (readonly AccountHealth[])[]>;
}

/** What the others ask of one worker. */
export interface OwnPart {
  readonly forgetKeys: () => void;
  /** Rows of the configuration in the database have changed. */
  readonly takeEntries: () => Promise<void>;
  readonly flush: () => Promise<void>;
  readonly metricsPage: () => Promise<string>;
  readonly accounts: () => readonly AccountHealth[];
  /** Counts a guess that another worker has seen. */
  readonly guessed: (address: string) => void;
}

/** The accounts of several workers as one list: calls are added up, what cools anywhere cools. */
export function accountsOfAll(lists: readonly (readonly AccountHealth[])[]): readonly AccountHealth[] {
  const [first = []] = lists;
  return first.map((own) => {
    const all = lists.flatMap((list) => list.filter(({ accountId }) => accountId === own.accountId));
    const worst = all.reduce((found, each) => (each.coolUntil > found.coolUntil ? each : found), own);
    const lastFault = all
      .flatMap((each) => each.lastFault ?? [])
      .reduce<AccountHealth['lastFault']>(
        (last, each) => (last === undefined || each.at > last.at ? each : last),
        undefined,
      );
    return {
      ...worst,
      ...(lastFault !== undefined && { lastFault }),
      failures: Math.max(...all.map(({ failures }) => failures)),
      inFlight: all.reduce((sum, { inFlight }) => sum + inFlight, 0),
      queued: all.reduce((sum, { queued }) => sum + queued, 0),
    };
  });
}
