/** A process that reads a resumable stream is killed: what it had written down is there, then the stream ends with an error, and it is charged as every crash is. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '@model-gateway/store';
import { LIVE_KEY, openTestGateway } from '@model-gateway/testing';
import { ASK, heldYaml, openHeldGateway, openReading, type HeldGateway } from './held-vendor.ts';

let held: HeldGateway;
beforeAll(async () => {
  held = await openHeldGateway();
});
afterAll(() => held.close());

it('kill -9 in the middle of a stream', async () => {
  const { vendor, databaseUrl } = held;
  const gateway = await held.start();
  const [path, body] = ASK['anthropic-messages']('held', 'Tell me');
  const headers = {
    authorization: `Bearer ${LIVE_KEY}`,
    'content-type': 'application/json',
    'x-gateway-resumable': 'true',
  };
  const reading = await openReading(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const stream = await vendor.next();
  stream.say(' upon', ' a', ' time');
  await reading.until(({ text }) => text.includes(' time'));
  // Read again, so that it is known to be written down.
  const again = await openReading(`${gateway.url}/v1/streams/${reading.id}`, { headers });
  await again.until(({ text }) => text.includes(' time'));
  await gateway.kill();

  const next = await openTestGateway({ databaseUrl, yaml: heldYaml(vendor) });
  const reply = await fetch(`${next.url}/v1/streams/${reading.id}`, {
    headers: { ...headers, 'last-event-id': '1' },
  });
  const text = await reply.text();
  await next.close();
  const kept = reading.events.map(({ block }) => block).slice(1);
  expect(text.startsWith(kept.join(''))).toBe(true);
  expect(text.slice(kept.join('').length)).toMatch(/^event: error\ndata: \{.*"type":"error".*has stopped.*\}\n\n$/);

  const store = await openStore(databaseUrl, { beside: true });
  await store.ledger.closeExpiredLeases(Date.now() + 3_600_000, { process: 'nobody' });
  const entries = await store.ledger.entries({ kind: 'capture', limit: 10 });
  expect(await store.ledger.verify()).toEqual([]);
  await store.close();
  expect(entries).toHaveLength(1);
  expect(entries[0]?.detail['crashSettlement']).toBe(true);
  expect(vendor.asked).toHaveLength(1);
});
