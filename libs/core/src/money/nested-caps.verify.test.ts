/** A team of agents under three caps within each other, in two processes of which one is killed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import { openTestDatabase, type TestDatabase } from '@model-gateway/testing';
import type { SpendScope, SpendWindow } from '../ports.ts';
import { inScopeOrder } from './spend-scopes.ts';
import { NOON, used, useReplicas } from './testing/replicas.ts';

const OVERDRAFT = 300;
const scope = (name: string, window: SpendWindow, cap: number): SpendScope => ({
  ...{ scope: name, window, cap, name },
  limit: name,
});

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(kind);
  });
  afterAll(async () => {
    await database.close();
  });
  const bench = useReplicas({ overdraft: OVERDRAFT }, () => database.url);

  it('a team of 40 agents of which one process is killed spends at most its caps and the overdraft', async () => {
    const people = [await bench.person(1e7), await bench.person(0, null)];
    const team = scope(`team:${kind}`, 'day', 6_000);
    const users = people.map((_, index) => scope(`user:${kind}-${index}`, 'week', 4_000));
    const runs = Array.from({ length: 40 }, (_, index) => scope(`run:${kind}-${index}`, 'total', 300));
    const [dead, alive] = [bench.replica(), bench.replica()];
    const isDead = { now: false };
    /** What vendors could bill: of the dead process's requests too. */
    let billed = 0;
    const agent = async (index: number): Promise<void> => {
      const user = index % 2;
      const caller = () => people[user]!.callUnder(inScopeOrder([team, users[user]!, runs[index]!]));
      for (let turn = 0; turn < 5; turn++) {
        const onDead = index % 4 < 2;
        if (onDead && isDead.now) return;
        try {
          const reservation = await (onDead ? dead : alive).reserve(caller(), { most: 90, least: 5, model: 'm' });
          if (onDead && isDead.now) return;
          billed += 85;
          if (index === 0 && turn === 2) {
            // In flight and unwritten: whatever the others of the process have begun is at risk too.
            isDead.now = true;
            dead.kill();
            return;
          }
          await new Promise((resolve) => setImmediate(resolve));
          if (!(onDead && isDead.now)) reservation.charge(used(85));
        } catch (error) {
          if (!(error instanceof GatewayError && error.code === 'insufficient_quota')) throw error;
        }
      }
    };
    // Calls into the dead process never come back.
    const all = runs.map((_, index) => agent(index));
    await Promise.all(all.filter((_, index) => index === 0 || index % 4 >= 2));
    await bench.reap(alive);
    await bench.closeAll();
    const scopes = [team, ...users, ...runs];
    const spent = await bench.store.ledger.spentOf(scopes, NOON);
    for (const [index, each] of scopes.entries()) expect(spent[index]).toBeLessThanOrEqual(each.cap + OVERDRAFT);
    // What the dead process had begun is charged, as far as the caps go: nobody pays nothing for what was delivered.
    expect(spent[0]).toBeGreaterThanOrEqual(Math.min(team.cap, billed) / 2);
    expect(await bench.store.ledger.verify()).toEqual([]);
  });
});
