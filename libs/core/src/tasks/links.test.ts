import { expect, it } from 'vitest';
import { createSignedLinks, type LinkKind } from './links.ts';

const NOW = 1_790_000_000;
const links = createSignedLinks({
  secret: 's'.repeat(32),
  addressOf: (kind, id) => `https://gateway.example/${kind}/${id}`,
  now: () => NOW * 1000,
});
const queryOf = (kind: LinkKind, expiresAt: number): { readonly [name: string]: string } =>
  Object.fromEntries(new URL(links.link(kind, 'one', expiresAt)).searchParams);

it('opens what it was made for until it expires, and nothing else', () => {
  const query = queryOf('video', NOW + 1);
  expect(links.verify('video', 'one', query)).toBe(true);
  expect(links.verify('file', 'one', query)).toBe(false);
  expect(links.verify('video', 'other', query)).toBe(false);
  expect(links.verify('video', 'one', { ...query, expires: String(NOW + 2) })).toBe(false);
  expect(links.verify('video', 'one', queryOf('video', NOW))).toBe(false);
});
