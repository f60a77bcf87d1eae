import type { AccountUse } from '../ports.ts';

/** Adds up what a turn of the event loop uses, by account and model, and sends it at the turn's end. */
export function batchUses(send: (uses: readonly AccountUse[]) => void): (use: AccountUse) => void {
  let waiting = new Map<string, AccountUse>();
  return (use) => {
    if (waiting.size === 0) {
      setImmediate(() => {
        const uses = [...waiting.values()];
        waiting = new Map();
        send(uses);
      });
    }
    addUse(waiting, use);
  };
}

/** Adds a use to sums by account and model. */
export function addUse(sums: Map<string, AccountUse>, use: AccountUse): void {
  const name = `${use.accountId} ${use.model}`;
  const { requests = 0, tokens = 0, units = 0 } = sums.get(name) ?? {};
  sums.set(name, {
    ...use,
    requests: requests + use.requests,
    tokens: tokens + use.tokens,
    units: units + use.units,
  });
}
