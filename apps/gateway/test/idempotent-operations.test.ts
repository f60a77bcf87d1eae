/** Every paid operation of the document, in every way it can be asked: one Idempotency-Key is one bill, and another body under it is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import {
  openTestGateway,
  paidOperations,
  paidRequestsOf,
  sendPaid,
  startModernMcpServer,
  until,
  withOtherText,
  type PaidAnswer,
  type PaidRequest,
  type TestGateway,
  type TestMcpServer,
} from '@model-gateway/testing';

let gateway: TestGateway;
let docs: TestMcpServer;
let asked = 0;

beforeAll(async () => {
  docs = await startModernMcpServer();
  gateway = await openTestGateway({
    yaml: `security: { encryption_key: '${Buffer.alloc(32, 1).toString('base64')}', allow_private: ['${new URL(docs.url).host}'] }
mcp: { servers: [{ name: docs, url: '${docs.url}', test_keys: true }] }`,
    twinOptions: { media: 'tiny', seconds: { video: 0.1, subject: 0.1, image: 0.1 } },
  });
});
afterAll(async () => {
  await gateway.close();
  await docs.close();
});

const send = (request: PaidRequest, idempotencyKey: string): Promise<PaidAnswer> =>
  sendPaid({ url: gateway.url, key: gateway.liveKey }, request, idempotencyKey);

/** How often money was charged or is set aside for a request, and answers that vendors gave; when nothing is under way any more. */
async function spent(): Promise<{ readonly payments: number; readonly answers: number }> {
  const { server, twin } = gateway;
  await server.responses?.workAll();
  const drawn = { kind: 'image', state: 'IN_PROGRESS', limit: 1 } as const;
  await until(async () => (await server.parts.store.tasks.list(drawn)).length === 0);
  await server.own.flush();
  const entries = await server.parts.store.ledger.entries({ ownerId: 1, limit: 100_000 });
  const ended = new Set(entries.flatMap(({ kind, holdId }) => (kind === 'hold' ? [] : [holdId])));
  const begun = entries.filter(
    ({ id, kind, requestId }) => kind === 'capture' || (kind === 'hold' && requestId !== undefined && !ended.has(id)),
  );
  return { payments: begun.length, answers: twin.ledger.totals().answers };
}

describe.each(paidOperations())('%s', (operationId) => {
  it('has examples', () => expect(paidRequestsOf(operationId)).not.toEqual([]));

  it.each(paidRequestsOf(operationId))('$name', async (request) => {
    const key = `operation-${++asked}`;
    const first = await send(request, key);
    expect({ status: first.status, says: first.status === 200 ? '' : first.text }).toEqual({ status: 200, says: '' });
    expect(first.replayed).toBe(false);
    const before = await spent();
    for (const { status, replayed, bytes } of await Promise.all([send(request, key), send(request, key)]))
      expect({ status, replayed, bytes }).toEqual({ status: 200, replayed: true, bytes: first.bytes });
    const other = withOtherText(request);
    expect(other.body).not.toEqual(request.body);
    expect(await send(other, key)).toMatchObject({ status: 409, text: expect.stringContaining('Idempotency-Key') });
    expect(await spent()).toEqual(before);
  });
});

it('the list is that of the document', () => {
  expect(paidOperations().length).toBeGreaterThan(20);
  const names = paidOperations().flatMap((id) => paidRequestsOf(id).map(({ name }) => name));
  expect(names.filter((name) => name.endsWith('streamed')).length).toBeGreaterThan(5);
});

it('an answer in the background has one bill for its key, while it waits and when it is made', async () => {
  const request = paidRequestsOf('createResponse').find(({ name }) => name.endsWith('in the background'))!;
  const before = await spent();
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(request, 'background-twins')));
  expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1);
  const { id } = JSON.parse(answers[0]!.text) as { readonly id: string };
  await until(async () => {
    const reply = await fetch(`${gateway.url}/v1/responses/${id}`, {
      headers: { authorization: `Bearer ${gateway.liveKey}` },
    });
    return ((await reply.json()) as JsonObject)['status'] === 'completed';
  });
  expect(await spent()).toEqual({ payments: before.payments + 1, answers: before.answers + 1 });
  expect((await send(request, 'background-twins')).bytes).toBe(answers[0]!.bytes);
});
