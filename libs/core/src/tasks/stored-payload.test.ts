/** What of a vendor’s payload is kept in the row. */
import { describe, expect, it } from 'vitest';
import { useTwoAccounts } from './testing/two-accounts.ts';

const bench = useTwoAccounts();
const { create, get, inState } = bench;

describe('W11: payloads stay small', () => {
  it('embedded media, endless lists and long texts do not reach the row', async () => {
    bench.vendor.poll = {
      status: 'done',
      video: Buffer.alloc(300_000, 5).toString('base64'),
      image: `data:image/png;base64,${'A'.repeat(50_000)}`,
      story: 'long '.repeat(40_000),
      list: Array.from({ length: 5000 }, (_, index) => ({ index, text: 'x'.repeat(100) })),
      deep: JSON.parse('['.repeat(200) + ']'.repeat(200)) as never,
    };
    const { task } = await create();
    await bench.harness.until(inState(task.id, 'SUCCESS'));
    const { payload } = await get(task.id);
    const text = JSON.stringify(payload);
    expect(text.length).toBeLessThan(66_000);
    expect(text).not.toContain('AAAAAAAAAAAAAAAA');
    expect(payload).toMatchObject({ status: 'done' });
  });
});

describe('W13: no vendor secret in a row', () => {
  it('a vendor that repeats our key in its payload and its reason is not quoted', async () => {
    bench.vendor.poll = {
      status: 'failed',
      reason: 'the key vendor-key-0123456789 is odd',
      echo: 'Bearer vendor-key-0123456789',
    };
    const { task } = await create();
    await bench.harness.until(inState(task.id, 'FAILURE'));
    const row = JSON.stringify(await get(task.id));
    expect(row).not.toContain('vendor-key-0123456789');
    expect((await get(task.id)).failReason).toContain('[hidden]');
  });
});
