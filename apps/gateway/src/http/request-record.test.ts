/** The log of requests whose process stopped. */
import { OPERATIONS, type OperationFacts } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { interruptedRow } from './request-record.ts';

const noKind = (): undefined => undefined;
const paid = Object.entries<OperationFacts>(OPERATIONS).filter(
  ([, { kind, method, socket }]) => kind !== undefined && (method === 'POST' || socket === true),
);

it.each(paid)('names the operation of an interrupted request: %s', (name, { path }) => {
  const request = { id: 'r', ownerId: 1, keyId: 1, charged: 0, units: 0, reserved: 0, basis: 'reserved' } as const;
  expect(interruptedRow({ ...request, endpoint: path }, noKind).operation).toBe(name);
  expect(interruptedRow({ ...request, endpoint: name }, noKind).operation).toBe(name);
});

it('takes a request over a socket for the request that it is', () => {
  const request = { id: 'r', ownerId: 1, keyId: 1, charged: 0, units: 0, reserved: 0, basis: 'reserved' } as const;
  const { path: endpoint } = OPERATIONS.createResponse;
  expect(interruptedRow({ ...request, endpoint }, noKind).operation).toBe('createResponse');
});
