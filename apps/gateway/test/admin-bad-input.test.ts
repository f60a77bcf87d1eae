/** What the admin API refuses: 400 with the path of the field, and nothing changes. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { useAdminGateway } from './admin-gateway.ts';

const bench = useAdminGateway();
const { call, newName, everything } = bench;

describe('bad input: 400 with the path, and nothing changes', () => {
  const past = '2020-01-01T00:00:00Z';
  const bad: readonly (readonly [string, JsonObject | string, string])[] = [
    ['no name', {}, 'name'],
    ['an empty name', { name: '  ' }, 'name'],
    ['a name that another live key has', { name: 'taken', owner_id: 1 }, 'name'],
    ['an unknown model in the scope', { name: 'a', models: ['gpt-*', 'gpt-99'] }, 'models[1]'],
    ['a pattern that fits nothing', { name: 'a', models: ['nothing-*'] }, 'models[0]'],
    ['no model at all', { name: 'a', models: [] }, 'models'],
    ['an expiry in the past', { name: 'a', expires_at: past }, 'expires_at'],
    ['an expiry that is no time', { name: 'a', expires_at: 'tomorrow' }, 'expires_at'],
    ['a negative limit', { name: 'a', limits: { requests_per_minute: -1 } }, 'limits.requests_per_minute'],
    ['a limit of half a request', { name: 'a', limits: { tokens_per_minute: 1.5 } }, 'limits.tokens_per_minute'],
    ['a negative cap', { name: 'a', limits: { spend_total: -0.1 } }, 'limits.spend_total'],
    ['a cap of half a quota unit', { name: 'a', limits: { spend_per_day: 0.000001 } }, 'limits.spend_per_day'],
    ['an unknown limit', { name: 'a', limits: { spend_per_year: 1 } }, 'limits.spend_per_year'],
    ['a bad IP range', { name: 'a', ip_ranges: ['10.0.0.0/8', '10.0.0.0/33'] }, 'ip_ranges[1]'],
    ['an address in the short form of old', { name: 'a', ip_ranges: ['10'] }, 'ip_ranges[0]'],
    ['an unknown owner', { name: 'a', owner_id: 987_654 }, 'owner_id'],
    ['an owner beyond what a number carries', { name: 'a', owner_id: 2 ** 63 }, 'owner_id'],
    ['an owner beyond everything', { name: 'a', owner_id: 1e300 }, 'owner_id'],
    ['a limit beyond it', { name: 'a', limits: { requests_per_minute: 1e19 } }, 'limits.requests_per_minute'],
    ['a test payer as owner', { name: 'a', owner_id: -1 }, 'owner_id'],
    ['an unknown mode', { name: 'a', mode: 'free' }, 'mode'],
    ['a weak webhook secret', { name: 'a', webhook_secret: 'whsec_abc' }, 'webhook_secret'],
    ['a field that there is not', { name: 'a', model: 'gpt-5.2' }, 'model'],
    ['no JSON', '{"name": ', ''],
  ];
  beforeAll(async () => {
    await bench.admin.keys.create({ name: 'taken', owner_id: 1 });
  });

  const refuses = async (method: string, path: string, body: unknown, place: string): Promise<void> => {
    const before = await everything();
    const { status, json } = await call(method, path, body);
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { type: 'invalid_request_error' } } });
    const error = json['error'] as JsonObject;
    if (place !== '') expect({ ...error, param: error['param'] }).toMatchObject({ param: place });
    expect(String(error['message'])).toContain(place);
    expect(await everything()).toEqual(before);
  };

  it.each(bad)('a new key with %s', async (_name, body, place) => {
    await refuses('POST', '/admin/keys', body, place);
  });

  it.each(bad.filter(([name]) => !/no name|owner|mode|no JSON/.test(name)))(
    'a changed key with %s',
    async (_name, body, place) => {
      const { key } = await bench.admin.keys.create({ name: newName(), owner_id: 1 });
      const { owner_id: _owner, ...change } = body as JsonObject;
      await refuses('PATCH', `/admin/keys/${key.id}`, change, place);
    },
  );

  it('a changed key with a secret that nobody would see', async () => {
    const { key } = await bench.admin.keys.create({ name: newName() });
    await refuses('PATCH', `/admin/keys/${key.id}`, { webhook_secret: 'generate' }, 'webhook_secret');
    await refuses('PATCH', `/admin/keys/${key.id}`, {}, '');
  });

  it.each([
    ['a negative overlap', { overlap_seconds: -1 }],
    ['an overlap of a year', { overlap_seconds: 31_536_000 }],
    ['half a second', { overlap_seconds: 0.5 }],
  ])('a rotation with %s', async (_name, body) => {
    const { key } = await bench.admin.keys.create({ name: newName() });
    await refuses('POST', `/admin/keys/${key.id}/rotate`, body, 'overlap_seconds');
  });

  it.each([
    ['topups', 'a negative amount', { amount: -5 }, 'amount'],
    ['topups', 'zero', { amount: 0 }, 'amount'],
    ['topups', 'a fraction of a quota unit', { amount: 1.5 }, 'amount'],
    ['topups', 'what is not exact', { amount: 2 ** 53 }, 'amount'],
    ['topups', 'text', { amount: '5' }, 'amount'],
    ['topups', 'negative dollars', { usd: -1 }, 'usd'],
    ['topups', 'less than a quota unit', { usd: 0.000001 }, 'usd'],
    ['topups', 'both', { amount: 1, usd: 1 }, 'amount'],
    ['topups', 'nothing', {}, ''],
    ['topups', 'a note alone', { note: 'x' }, 'amount'],
    ['adjustments', 'zero', { amount: 0, note: 'why' }, 'amount'],
    ['adjustments', 'a fraction', { amount: 0.5, note: 'why' }, 'amount'],
    ['adjustments', 'no reason', { amount: 5 }, 'note'],
    ['adjustments', 'more than there is', { amount: -5_000_000_000, note: 'why' }, 'amount'],
  ])('%s: %s', async (what, _name, body, place) => {
    const { id } = await bench.admin.owners.create({ name: newName() });
    await bench.admin.owners.topUp(id, { amount: 100 });
    await refuses('POST', `/admin/owners/${id}/${what}`, body, place);
  });

  it.each([
    ['no name', {}, 'name'],
    ['a negative credit limit', { name: 'a', credit_limit: -1 }, 'credit_limit'],
    ['a fraction of a quota unit', { name: 'a', credit_limit: 0.5 }, 'credit_limit'],
    ['what is not exact', { name: 'a', credit_limit: 2 ** 53 }, 'credit_limit'],
    ['a balance', { name: 'a', balance: 5 }, 'balance'],
  ])('an owner with %s', async (_name, body, place) => {
    await refuses('POST', '/admin/owners', body, place);
    if (place !== 'name') await refuses('PATCH', '/admin/owners/1', body, place);
  });

  it.each([
    ['/admin/usage?from=yesterday', 'from'],
    ['/admin/usage?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['/admin/usage?group_by=day,week', 'group_by[1]'],
    ['/admin/usage?mode=free', 'mode'],
    ['/admin/ledger?kind=gift', 'kind'],
    ['/admin/ledger?limit=0', 'limit'],
    ['/admin/ledger?limit=501', 'limit'],
    ['/admin/ledger?after=abc', 'after'],
    ['/admin/tasks?status=DONE', 'status'],
    ['/admin/keys?owner_id=x', 'owner_id'],
    ['/admin/keys/abc', 'key_id'],
    ['/admin/owners/0', 'owner_id'],
  ])('%s', async (path, place) => {
    await refuses('GET', path, undefined, place);
  });

  it.each([
    ['GET', '/admin/keys/987654', undefined],
    ['PATCH', '/admin/keys/987654', { name: 'x' }],
    ['DELETE', '/admin/keys/987654', undefined],
    ['POST', '/admin/keys/987654/rotate', {}],
    ['GET', '/admin/owners/987654', undefined],
    ['PATCH', '/admin/owners/987654', { name: 'x' }],
    ['POST', '/admin/owners/987654/topups', { amount: 5 }],
    ['POST', '/admin/owners/987654/adjustments', { amount: 5, note: 'x' }],
    ['GET', '/admin/ledger/replay/req_unknown', undefined],
    ['POST', '/admin/webhook-deliveries/msg_unknown/replay', undefined],
    ['GET', '/admin/nothing', undefined],
  ])('%s %s is a 404', async (method, path, body) => {
    const before = await everything();
    expect(await call(method, path, body)).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
    expect(await everything()).toEqual(before);
  });
});
