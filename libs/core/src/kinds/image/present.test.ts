/** What callers get of a vendor's picture: links that are read long after are such as live so long. */
import { GatewayError } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { createPresenter, type Picture, type Presenting } from './present.ts';

const NOON = 1_790_000_000_000;
const HOUR = 3_600_000;
const vendors = 'https://vendor.example/a.png';
const own = 'https://gateway.example/files/1';
const bytes = new Uint8Array([1, 2, 3]);

function shown(expiresAt: number | undefined, readableUntil: number | undefined, isGone = false): Promise<Picture> {
  const present = createPresenter({ keep: () => Promise.resolve(own) });
  const fetchMedia: Presenting['upstream']['fetchMedia'] = () =>
    isGone
      ? Promise.reject(new GatewayError('upstream_unavailable', 'gone'))
      : Promise.resolve({ bytes, mime: 'image/png' });
  return present(
    { url: vendors, mime: 'image/png', ...(expiresAt !== undefined && { expiresAt: expiresAt / 1000 }) },
    {
      wanted: undefined,
      tenant: { ownerId: 1, mode: 'live' },
      upstream: { fetchMedia },
      ...(readableUntil !== undefined && { readableUntil }),
    },
  );
}

it.each([
  ['short', NOON + HOUR, own],
  ['unknown', undefined, own],
  ['long', NOON + 24 * HOUR, vendors],
])('a link of %s life in an answer that is read later', async (_, expiresAt, url) => {
  expect(await shown(expiresAt, NOON + 12 * HOUR)).toEqual({ url });
});

it('a link that is read at once is the vendor’s', async () => {
  expect(await shown(NOON + 1, undefined)).toEqual({ url: vendors });
});

it('a picture that cannot be fetched keeps its vendor’s link', async () => {
  expect(await shown(NOON + HOUR, NOON + 12 * HOUR, true)).toEqual({ url: vendors });
});
