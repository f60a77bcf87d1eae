/** A paid task outlives the day on which its account is configured under another vendor's name. */
import { expect, it } from 'vitest';
import type { ProviderAdapter } from '@model-gateway/provider-kit';
import { account, createClock, createHarness, makeKey, videoRow, type Harness } from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';
import { startTestVendor, testAdapter } from './testing/vendor.ts';

it.each([
  { name: 'an adapter that was called so before asks after it', formerIds: ['older', 'plain'], state: 'SUCCESS' },
  { name: 'any other one does not', formerIds: ['older'], state: 'NOT_START' },
])('$name', async ({ formerIds, state }) => {
  const [clock, vendor, store] = [createClock(), await startTestVendor(), await openTestStore()];
  const key = await makeKey(store, { ownerId: 7 });
  const open = (adapter: ProviderAdapter): Harness => {
    const one = account({ id: 1, vendor: adapter.id, baseUrl: vendor.url });
    const models = [videoRow({ code: 'm', videoShape: 'prompt' }, one)];
    return createHarness({ store, clock, adapters: [adapter], accounts: [one], models });
  };
  const before = open(testAdapter('plain'));
  const after = open({ ...testAdapter('renamed'), formerIds });
  try {
    const { task } = await before.engine.createVideo(
      before.caller(key),
      { model: 'm', prompt: 'A kite' },
      { endpoint: 'generations' },
    );
    const id = task?.id ?? '';
    for (let sweep = 0; sweep < 5; sweep++) {
      clock.set(Math.max(clock.now() + 1, (await after.engine.nextDue()) ?? 0));
      await after.engine.runDue();
    }
    expect(await after.engine.get(after.caller(key), id)).toMatchObject({ vendor: 'plain', state });
    expect(vendor.asked.some(({ method }) => method === 'GET')).toBe(state === 'SUCCESS');
  } finally {
    await vendor.close();
    await Promise.all([before.close(), after.close()]);
    await store.close();
  }
});
