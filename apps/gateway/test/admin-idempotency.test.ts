/**
 * Keys made under an Idempotency-Key. Nothing is charged here: leases that go back by themselves would change what is compared.
 */
import { describe, expect, it } from 'vitest';
import { useAdminGateway } from './admin-gateway.ts';

const bench = useAdminGateway();
const { call, newName, everything } = bench;

describe('keys', () => {
  it.each(['createKey', 'rotateKey'])(
    '%s twice under one Idempotency-Key: one key, and no secret is kept',
    async (id) => {
      const { key } = await bench.admin.keys.create({ name: newName() });
      const [path, body] =
        id === 'createKey' ? ['/admin/keys', { name: newName() }] : [`/admin/keys/${key.id}/rotate`, {}];
      const headers = { 'idempotency-key': `admin-${newName()}` };
      const both = await Promise.all([call('POST', path, body, { headers }), call('POST', path, body, { headers })]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      const before = await everything();
      const again = await call('POST', path, body, { headers });
      expect(again).toMatchObject({ status: 409, json: { error: { message: expect.stringContaining('shown once') } } });
      expect(await everything()).toEqual(before);
    },
  );
});
