import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createClientAddress } from './client-address.ts';

const TRUSTED = ['10.0.0.0/8', '192.168.1.7', 'fd00::/8'];
const read = (trusted: readonly string[], socket: string | undefined, forwarded?: string): string | undefined =>
  createClientAddress(trusted)({
    socket: { remoteAddress: socket },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage);

it.each([
  { name: 'nobody is trusted', trusted: [], socket: '10.0.0.1', says: '6.6.6.6', is: '10.0.0.1' },
  { name: 'a stranger writes the header', socket: '8.8.8.8', says: '10.0.0.1, 6.6.6.6', is: '8.8.8.8' },
  { name: 'a proxy', socket: '10.0.0.1', says: '6.6.6.6', is: '6.6.6.6' },
  { name: 'a proxy of the last single address', socket: '192.168.1.7', says: '6.6.6.6', is: '6.6.6.6' },
  { name: 'its neighbour is no proxy', socket: '192.168.1.8', says: '6.6.6.6', is: '192.168.1.8' },
  { name: 'what the caller wrote is to the left', socket: '10.0.0.1', says: '127.0.0.1, 6.6.6.6', is: '6.6.6.6' },
  { name: 'two proxies', socket: '10.0.0.1', says: '1.1.1.1, 6.6.6.6, 10.2.3.4', is: '6.6.6.6' },
  { name: 'a trusted address left of a stranger', socket: '10.0.0.1', says: '10.9.9.9, 6.6.6.6', is: '6.6.6.6' },
  { name: 'all are trusted', socket: '10.0.0.1', says: '10.0.0.3,10.0.0.2', is: '10.0.0.3' },
  { name: 'no header', socket: '10.0.0.1', is: '10.0.0.1' },
  { name: 'an empty header', socket: '10.0.0.1', says: '', is: '10.0.0.1' },
  { name: 'words', socket: '10.0.0.1', says: '6.6.6.6, unknown', is: '10.0.0.1' },
  { name: 'words before a proxy', socket: '10.0.0.1', says: 'x, 10.0.0.2', is: '10.0.0.2' },
  { name: 'a port', socket: '10.0.0.1', says: '6.6.6.6:1234', is: '6.6.6.6' },
  { name: 'IPv6', socket: 'fd00::1', says: '2001:db8::9', is: '2001:db8::9' },
  { name: 'IPv6 with a port', socket: 'fd00::1', says: '[2001:db8::9]:443', is: '2001:db8::9' },
  { name: 'IPv4 over an IPv6 socket', socket: '::ffff:10.0.0.1', says: '::ffff:6.6.6.6', is: '6.6.6.6' },
  { name: 'a connection that has gone', socket: undefined, says: '6.6.6.6', is: undefined },
])('$name', ({ trusted = TRUSTED, socket, says, is }) => {
  expect(read(trusted, socket, says)).toBe(is);
});

it('a private proxy that is not trusted is told of once; who is trusted, far away or sends no header is not', () => {
  const told = (trusted: readonly string[], ...peers: readonly (readonly [string, string?])[]): readonly string[] => {
    const proxies: string[] = [];
    const address = createClientAddress(trusted, (proxy) => proxies.push(proxy));
    for (const [socket, forwarded] of peers) {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      address({ socket: { remoteAddress: socket }, headers } as unknown as IncomingMessage);
    }
    return proxies;
  };
  const all = [['8.8.8.8', '6.6.6.6'], ['172.18.0.4'], ['::ffff:172.18.0.4', '6.6.6.6'], ['172.18.0.5', '6.6.6.6']] as const; // prettier-ignore
  expect(told([], ...all)).toEqual(['172.18.0.4']);
  expect(told(['10.0.0.0/8'], ...all)).toEqual(['172.18.0.4']);
  expect(told(['172.18.0.0/16'], ...all)).toEqual([]);
  expect(told([], ['fd00::2', '6.6.6.6'])).toEqual(['fd00::2']);
});

it('a header of very many proxies is read to an end', () => {
  expect(read(TRUSTED, '10.0.0.1', Array(3_000).fill('10.0.0.2').join(','))).toBe('10.0.0.2');
});
