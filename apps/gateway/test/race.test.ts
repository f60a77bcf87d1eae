/** Clients race for the last money of an owner and of a key through running gateways; the books must come out right on every database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

/** More than a balance can serve at once, and each of them until it is refused. */
const CLIENTS = 32;
const CENT = 5_000;
/** Answers of 100 tokens at 10 dollars a million: 500 units each, and a little for the question. */
const QUESTION = '[[twin:long=100]] Tell me of the sea.';
const MOST_OUTPUT = 120;

interface Outcome {
  readonly served: number;
  readonly refused: number;
  readonly others: readonly number[];
}

describe.each([
  { kind: 'sqlite', replicas: 1, overdraft: 0 },
  { kind: 'postgres', replicas: 2, overdraft: 0 },
  { kind: 'postgres', replicas: 2, overdraft: 2 * CENT },
] as const)('on $kind, $replicas gateway(s), an overdraft of $overdraft', ({ kind, replicas, overdraft }) => {
  let twin: VendorTwin;
  let database: TestDatabase;
  let gateways: TestGateway[];
  let admin: Admin;
  let names = 0;

  beforeAll(async () => {
    twin = await startVendorTwin({ media: 'tiny', seconds: { video: 0.2 } });
    database = await openTestDatabase(kind);
    gateways = [];
    for (let count = 0; count < replicas; count++)
      gateways.push(
        await openTestGateway({
          twin,
          databaseUrl: database.url,
          yaml: `money: { overdraft: ${overdraft / UNITS_PER_DOLLAR} }`,
        }),
      );
    admin = createAdmin({ baseUrl: gateways[0]!.url, apiKey: gateways[0]!.adminKey, maxRetries: 0 });
  });
  afterAll(async () => {
    for (const each of gateways) await each.close();
    await twin.close();
    await database.close();
  });

  /** Every client asks until it is refused for want of money, `stream` every other one. */
  async function race(
    key: string,
    body: (client: number, round: number) => { path: string; json: object },
  ): Promise<Outcome> {
    let [served, refused] = [0, 0];
    const others: number[] = [];
    const client = async (number: number): Promise<void> => {
      for (let round = 0; ; round++) {
        const { path, json } = body(number, round);
        const reply = await fetch(`${gateways[number % gateways.length]!.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(json),
        });
        const text = await reply.text();
        if (reply.status === 200) {
          served++;
          continue;
        }
        if (text.includes('insufficient_quota')) refused++;
        else others.push(reply.status);
        return;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    return { served, refused, others };
  }
  const chat = (client: number, round: number) => ({
    path: '/v1/chat/completions',
    json: {
      model: 'gpt-5.2',
      max_completion_tokens: MOST_OUTPUT,
      stream: (client + round) % 2 === 0,
      messages: [{ role: 'user', content: QUESTION }],
    },
  });
  const video = () => ({
    path: '/v1/video/generations',
    json: { model: 'MiniMax-Hailuo-02', prompt: 'a paper boat on a pond' },
  });

  /** All journals written, all leases given back as far as they are idle. */
  async function settled(): Promise<void> {
    for (let round = 0; round < 1_200; round++) {
      const open = await Promise.all(gateways.map(async ({ server }) => server.parts.store.tasks.countOpen()));
      const { data } = await admin.accounts();
      if (open.flat().every(({ count }) => count === 0) && data.every(({ in_flight: running }) => running === 0)) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await new Promise((resolve) => setTimeout(resolve, 400));
    for (const { server } of gateways) await server.own.flush();
  }
  async function captures(filter: { owner_id?: number; key_id?: number }) {
    return admin.ledger.list({ ...filter, kind: 'capture', limit: 500 }).all();
  }
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

  it('many clients race for the last cent of a balance: it is spent, passed by no more than the overdraft, and the ledger adds up', async () => {
    const owner = await admin.owners.create({ name: `cent ${++names}` });
    await admin.owners.topUp(owner.id, { amount: CENT });
    const { secret } = await admin.keys.create({ name: 'racer', owner_id: owner.id });
    let lowest = Infinity;
    const over = new AbortController();
    const watching = (async () => {
      while (!over.signal.aborted) {
        lowest = Math.min(lowest, (await admin.owners.get(owner.id)).balance);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const outcome = await race(secret, chat);
    over.abort();
    await watching;
    await settled();
    expect(outcome).toMatchObject({ refused: CLIENTS, others: [] });
    const entries = await captures({ owner_id: owner.id });
    const charged = sum(entries.map((entry) => entry.charged));
    expect(entries).toHaveLength(outcome.served);
    expect(lowest).toBeGreaterThanOrEqual(-overdraft);
    expect(charged).toBeLessThanOrEqual(CENT + overdraft);
    // Who begins with the last units may need more than there are: the house's loss, never the owner's debt.
    expect(sum(entries.map(({ shortfall }) => shortfall))).toBeLessThan(CENT);
    expect(outcome.served).toBeGreaterThanOrEqual(5);
    expect(charged).toBeGreaterThan(CENT / 2);
    expect(await admin.ledger.verify()).toEqual({ object: 'ledger_verification', ok: true, differences: [] });
  }, 120_000);

  it.each(['spend_per_day', 'spend_per_month', 'spend_total'] as const)(
    'many clients race for the last cent of a %s cap: never over it but for the overdraft',
    async (cap) => {
      const owner = await admin.owners.create({ name: `cap ${++names}`, credit_limit: null });
      const { secret, key } = await admin.keys.create({
        name: 'racer',
        owner_id: owner.id,
        limits: { [cap]: CENT / 500_000 },
      });
      const outcome = await race(secret, chat);
      await settled();
      expect(outcome).toMatchObject({ refused: CLIENTS, others: [] });
      const entries = await captures({ key_id: key.id });
      expect(entries).toHaveLength(outcome.served);
      expect(outcome.served).toBeGreaterThanOrEqual(5);
      expect(sum(entries.map((entry) => entry.charged))).toBeLessThanOrEqual(CENT + overdraft);
      expect(await admin.ledger.verify()).toMatchObject({ ok: true });
    },
    120_000,
  );

  it('tasks and chat race for the same balance: holds and leases pass it by no more than the overdraft together', async () => {
    const owner = await admin.owners.create({ name: `both ${++names}` });
    const price = (await quote(gateways[0]!, video())) * 3 + CENT;
    await admin.owners.topUp(owner.id, { amount: price });
    const { secret } = await admin.keys.create({ name: 'racer', owner_id: owner.id });
    const outcome = await race(secret, (client, round) => (client % 2 === 0 ? chat(client, round) : video()));
    await settled();
    expect(outcome.others).toEqual([]);
    expect(outcome.refused).toBe(CLIENTS);
    const after = await admin.owners.get(owner.id);
    expect(after.balance).toBeGreaterThanOrEqual(-overdraft);
    const entries = await captures({ owner_id: owner.id });
    expect(sum(entries.map((entry) => entry.charged))).toBeLessThanOrEqual(price + overdraft);
    expect(entries.filter(({ task_id: id }) => id !== null).length).toBeGreaterThanOrEqual(1);
    expect(await admin.ledger.verify()).toMatchObject({ ok: true, differences: [] });
  }, 120_000);
});

async function quote(gateway: TestGateway, { path, json }: { path: string; json: object }): Promise<number> {
  const reply = await fetch(`${gateway.url}/v1/estimate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: path, body: json }),
  });
  return ((await reply.json()) as { quota: number }).quota;
}
