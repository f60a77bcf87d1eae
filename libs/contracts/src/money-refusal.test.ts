import { expect, it } from 'vitest';
import { moneyLimitOf } from './money-refusal.ts';

it.each([
  { name: 'the cap of the key', headers: { 'x-gateway-limit': 'spend_total' }, limit: 'spend_total' },
  { name: 'the balance, in a format without the code', headers: { 'x-gateway-limit': 'balance' }, limit: 'balance' },
  { name: 'a budget above keys', headers: { 'x-gateway-limit': 'budget:red' }, limit: 'budget:red' },
  { name: 'a limit of requests', headers: { 'x-gateway-limit': 'requests_per_minute' }, limit: undefined },
  { name: 'money that others hold', headers: {}, body: '{"error":{"code":"insufficient_quota"}}', limit: 'balance' },
  {
    name: 'a vendor whose own money is used',
    headers: { 'x-gateway-error-source': 'upstream' },
    body: 'insufficient_quota',
    limit: undefined,
  },
  { name: 'something else', headers: {}, body: '{"error":{"code":"invalid_request"}}', limit: undefined },
])('of $name', ({ headers, body = '{}', limit }) => {
  expect(moneyLimitOf({ headers: new Headers(headers as Record<string, string>) }, body)).toBe(limit);
});
