/** What is sent to addresses that a vendor gives. */
import { describe, expect, it } from 'vitest';
import type { UpstreamPools } from './upstream-pools.ts';
import { SECRET, useUpstream, refusal, post } from './testing/upstream.ts';

const { vendor, elsewhere, pools, open } = useUpstream();

describe('addresses the vendor gives', () => {
  it('on its own origin are asked with the key', async () => {
    await open().send({ method: 'GET', path: '', url: `${vendor.url}/files/1?alt=media` });
    expect(vendor.received[0]).toMatchObject({ url: '/files/1?alt=media' });
    expect(vendor.received[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  it('elsewhere are strangers: no key, and no private address', async () => {
    const request = {
      method: 'GET',
      path: '',
      url: `${elsewhere.url}/files/1`,
      headers: { range: 'bytes=0-1' },
    } as const;
    await refusal(open().send(request));
    expect(elsewhere.received).toEqual([]);
    await open({ strangersMayBePrivate: true }).send(request);
    expect(elsewhere.received[0]?.headers).not.toHaveProperty('authorization');
    expect(elsewhere.received[0]?.headers['range']).toBe('bytes=0-1');
  });

  it('elsewhere get no pool of their own, which would be kept for good', async () => {
    const asked: string[] = [];
    const watched: UpstreamPools = {
      ...pools,
      for: (origin, seconds) => {
        asked.push(origin);
        return pools.for(origin, seconds);
      },
    };
    const upstream = open({ strangersMayBePrivate: true, pools: watched });
    await upstream.send({ method: 'GET', path: '', url: `${elsewhere.url}/files/1` });
    await upstream.send({ method: 'GET', path: '', url: `${vendor.url}/files/2` });
    expect(elsewhere.received).toHaveLength(1);
    expect(asked).toEqual([vendor.url]);
  });

  it('elsewhere are only read', async () => {
    const error = await refusal(
      open({ strangersMayBePrivate: true }).send({ ...post, url: `${elsewhere.url}/things` }),
    );
    expect(error).toMatchObject({ code: 'upstream_malformed', details: { taken: 'no' } });
    expect(elsewhere.received).toEqual([]);
  });

  it('are followed: at home with the key, elsewhere without', async () => {
    vendor.answer = (response, { url }) => {
      if (url === '/files/1') response.writeHead(302, { location: '/files/2' }).end();
      else if (url === '/files/2') response.writeHead(302, { location: `${elsewhere.url}/signed` }).end();
      else response.end();
    };
    elsewhere.answer = (response) => response.end('bytes');
    const upstream = open({ strangersMayBePrivate: true });
    const reply = await upstream.send({ method: 'GET', path: '', url: `${vendor.url}/files/1` });
    expect(Buffer.from(reply.body).toString()).toBe('bytes');
    expect(vendor.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${SECRET}`,
      `Bearer ${SECRET}`,
    ]);
    expect(elsewhere.received[0]?.headers).not.toHaveProperty('authorization');
    // Not into the house.
    await refusal(open().send({ method: 'GET', path: '', url: `${vendor.url}/files/2` }));
    expect(elsewhere.received).toHaveLength(1);
  });

  it('lead somewhere in the end', async () => {
    vendor.answer = (response) => response.writeHead(302, { location: '/round' }).end();
    expect((await refusal(open().send({ method: 'GET', path: '', url: `${vendor.url}/files/1` }))).code).toBe(
      'upstream_malformed',
    );
    expect(vendor.received).toHaveLength(6);
  });
});
