/** The admin API through sockets: money of owners, usage, the ledger and its proof. */
import { describe, expect, it } from 'vitest';
import { useAdminGateway } from './admin-gateway.ts';

const bench = useAdminGateway();
const { now, chat, newName, secondsFromNow } = bench;

const DAY_MS = 86_400_000;

describe('money', () => {
  it('is added once per Idempotency-Key, in units or dollars, and corrected with a reason', async () => {
    const owner = await bench.admin.owners.create({ name: newName() });
    expect(owner).toMatchObject({ balance: 0, credit_limit: 0 });
    const key = { idempotencyKey: newName() };
    const first = await bench.admin.owners.topUp(owner.id, { usd: 2.5, note: 'Invoice 7' }, key);
    expect(first).toMatchObject({ entry: { kind: 'topup', amount: 1_250_000 }, owner: { balance: 1_250_000 } });
    const again = await bench.admin.owners.topUp(owner.id, { usd: 2.5, note: 'Invoice 7' }, key);
    expect([again.entry.id, again.owner.balance]).toEqual([first.entry.id, 1_250_000]);
    await expect(bench.admin.owners.topUp(owner.id, { usd: 3 }, key)).rejects.toMatchObject({ status: 409 });
    const taken = await bench.admin.owners.adjust(owner.id, { amount: -250_000, note: 'refund' });
    expect(taken).toMatchObject({ entry: { kind: 'adjust', charged: 250_000 }, owner: { balance_usd: 2 } });
    expect((await bench.admin.owners.update(owner.id, { name: 'other', credit_limit: 7 })).credit_limit).toBe(7);
    const entries = await bench.admin.ledger.list({ owner_id: owner.id }).all();
    expect(entries.map(({ kind }) => kind)).toEqual(['adjust', 'topup']);
    expect(await bench.admin.ledger.verify()).toEqual({ object: 'ledger_verification', ok: true, differences: [] });
  });

  it('a prepaid owner without money is refused, and served when there is some', async () => {
    const owner = await bench.admin.owners.create({ name: newName() });
    const { secret } = await bench.admin.keys.create({ name: newName(), owner_id: owner.id });
    expect(await chat(secret)).toMatchObject({ status: 429, json: { error: { code: 'insufficient_quota' } } });
    await bench.admin.owners.topUp(owner.id, { usd: 1 });
    // A refusal is remembered for a moment.
    bench.later += 1_000;
    expect((await chat(secret)).status).toBe(200);
    expect((await bench.admin.owners.get(owner.id)).balance).toBeLessThan(500_000);
  });
});

describe('usage and the ledger', () => {
  it('a chat is in the report at once, by anything, and its bill can be computed again', async () => {
    const owner = await bench.admin.owners.create({ name: newName(), credit_limit: null });
    const { secret, key } = await bench.admin.keys.create({ name: newName(), owner_id: owner.id });
    const test = await bench.admin.keys.create({ name: newName(), owner_id: owner.id, mode: 'test' });
    const answer = await chat(secret, 'How many boats are there?');
    await chat(test.secret);
    const used = answer.json['usage'] as Record<string, number>;
    const report = await bench.admin.usage({
      owner_id: owner.id,
      group_by: ['day', 'model', 'key', 'owner', 'endpoint', 'account'],
    });
    expect(report.data).toHaveLength(1);
    expect(report.data[0]).toMatchObject({
      group: {
        day: new Date(now()).toISOString().slice(0, 10),
        model: 'gpt-5.2',
        key: key.id,
        owner: owner.id,
        endpoint: '/v1/chat/completions',
        account: expect.any(Number),
      },
      requests: 1,
      input_tokens: used['prompt_tokens'],
      output_tokens: used['completion_tokens'],
    });
    expect(report.total.charged).toBeGreaterThan(0);
    expect((await bench.admin.usage({ owner_id: owner.id, to: secondsFromNow(-DAY_MS / 1000) })).total.requests).toBe(
      0,
    );
    expect((await bench.admin.usage({ owner_id: owner.id, mode: 'test' })).total.requests).toBe(1);

    const requestId = String(answer.headers.get('x-request-id'));
    const bill = await bench.admin.ledger.replay(requestId);
    expect(bill).toMatchObject({
      request_id: requestId,
      model: 'gpt-5.2',
      owner_id: owner.id,
      key_id: key.id,
      matches: true,
      charged: report.total.charged,
      recomputed: report.total.charged,
      shortfall: 0,
    });
    // 1.75 and 14 dollars per million tokens, 500,000 units per dollar: computed here by hand.
    const units = ((used['prompt_tokens']! * 1.75 + used['completion_tokens']! * 14) * 500_000) / 1_000_000;
    expect(bill.recomputed).toBe(Math.round(units));
    expect(await bench.admin.ledger.verify()).toMatchObject({ ok: true });
  });

  it('says what does not add up', async () => {
    const answer = await chat(bench.gateway.liveKey);
    const requestId = String(answer.headers.get('x-request-id'));
    await bench.admin.ledger.verify();
    const { ledger, owners } = bench.gateway.server.parts.store;
    const [entry] = await ledger.entries({ requestId, limit: 1 });
    // A charge that its own lines do not explain.
    await ledger.record([
      {
        payer: { ownerId: 1, keyId: entry!.keyId!, limits: {} },
        requestId: 'req_wrong',
        model: 'gpt-5.2',
        endpoint: '/v1/chat/completions',
        charged: entry!.charged + 5,
        shortfall: 0,
        priceVersion: 'x',
        detail: entry!.detail,
        at: now(),
      },
    ]);
    expect(await owners.get(1)).toBeDefined();
    expect(await bench.admin.ledger.verify()).toMatchObject({
      ok: false,
      differences: [{ subject: 'charge of req_wrong', expected: entry!.charged, found: entry!.charged + 5 }],
    });
    expect(await bench.admin.ledger.replay('req_wrong')).toMatchObject({ matches: false });
  });
});
