/** Where a request comes from: the socket's other end, or what proxies of the operator's own say of it. */
import { BlockList, isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

/** The address that counts for ranges of keys, logs and limits; undefined when the connection has gone. */
export type ClientAddress = (request: IncomingMessage) => string | undefined;

const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Nobody has more proxies in a row. */
const MOST_HOPS = 32;

/**
 * Makes the reader. `trusted` are addresses and ranges of proxies: when the connection comes from one of them, the right-most address in `x-forwarded-for`
 * that is none of them is the caller's. What stands left of that anybody may have written.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return (request) => request.socket.remoteAddress;
  const proxies = listOf(trusted);
  const isTrusted = (address: string): boolean => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

  return (request) => {
    const { remoteAddress } = request.socket;
    if (remoteAddress === undefined) return undefined;
    let address = plain(remoteAddress);
    if (address === undefined) return remoteAddress;
    const given = request.headers['x-forwarded-for'];
    const hops = (Array.isArray(given) ? given.join(',') : (given ?? '')).split(',');
    for (let hop = 0; hop < MOST_HOPS && isTrusted(address); hop++) {
      const next = plain(hops.pop() ?? '');
      // What cannot be read was not written by one of the proxies: the last that was is what is known.
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
}

/** An address without port and brackets; IPv4 in its own form. */
function plain(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = WITH_PORT.exec(trimmed)?.[1] ?? IN_BRACKETS.exec(trimmed)?.[1] ?? trimmed;
  const address = MAPPED.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? undefined : address;
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    const family = network.includes(':') ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return list;
}
