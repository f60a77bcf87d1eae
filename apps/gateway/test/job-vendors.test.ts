/** Pictures of vendors that queue every request, through the running gateway: waited for, billed as drawn, never asked for twice. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ twinOptions: { seconds: { image: 0.1 } } });
});
afterAll(() => gateway.close());

const draw = (body: JsonObject, signal?: AbortSignal, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });

it.each([
  ['fal/flux-dev', { size: '512x512', n: 2 }, 1],
  ['replicate/flux-schnell', { n: 2 }, 1],
  ['replicate/flux-1.1-pro', { n: 2 }, 2],
  ['flux-pro-1.1', { n: 2, size: '512x512' }, 2],
  ['runway/gen4_image', { n: 2, size: '1024x1024' }, 2],
  ['luma/photon-1', { n: 2 }, 2],
])('%s draws two pictures in one answer, with %j in %i jobs', async (model, more, jobs) => {
  const before = gateway.twin.ledger.totals().jobs;
  const reply = await draw({ model, prompt: 'a fox', ...more });
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({
    data: [{ url: expect.stringMatching(/^http/) }, { url: expect.any(String) }],
  });
  expect(gateway.twin.ledger.totals().jobs - before).toBe(jobs);
});

it('a picture too large for its price, and a picture for a model that takes none, are refused before the vendor is asked', async () => {
  const before = gateway.twin.ledger.totals().jobs;
  for (const more of [{ size: '2048x2048' }, { image: 'https://a.b/c.png' }]) {
    const reply = await draw({ model: 'fal/flux-dev', prompt: 'a fox', ...more });
    expect(reply.status).toBe(400);
  }
  expect(gateway.twin.ledger.totals().jobs).toBe(before);
});

it('a queue that lost its answer is asked once', async () => {
  const before = gateway.twin.ledger.jobs('fal').length;
  gateway.twin.faults.next('fal', 'image', { kind: 'no-answer' });
  const reply = await draw({ model: 'fal/flux-dev', prompt: 'a fox' });
  expect(reply.status).toBe(503);
  expect(gateway.twin.ledger.jobs('fal').length - before).toBe(1);
});

it('who hangs up is charged for the picture that is drawn all the same', async () => {
  // 0.025 dollars; live keys are answered by the twin too while no account is on.
  const price = 12_500;
  const gone = new AbortController();
  const [before, jobs] = [await balance(), gateway.twin.ledger.jobs('fal').length];
  const asked = draw({ model: 'fal/flux-dev', prompt: 'a fox' }, gone.signal).catch(() => undefined);
  await until(() => gateway.twin.ledger.jobs('fal').length > jobs);
  gone.abort();
  await asked;
  await until(async () => (await balance()) === before - price);
});

it('who hung up gets the picture by asking again with the same Idempotency-Key', async () => {
  const gone = new AbortController();
  const jobs = gateway.twin.ledger.jobs('fal').length;
  const headers = { 'idempotency-key': 'lighthouse-1' };
  const asked = draw({ model: 'fal/flux-dev', prompt: 'a fox' }, gone.signal, headers).catch(() => undefined);
  await until(() => gateway.twin.ledger.jobs('fal').length > jobs);
  gone.abort();
  await asked;
  const again = await draw({ model: 'fal/flux-dev', prompt: 'a fox' }, undefined, headers);
  expect(await again.json()).toMatchObject({ data: [{ url: expect.stringMatching(/^http/) }] });
  expect(gateway.twin.ledger.jobs('fal').length).toBe(jobs + 1);
});

async function balance(): Promise<number> {
  return (await gateway.server.parts.store.owners.get(1))?.balance ?? 0;
}
