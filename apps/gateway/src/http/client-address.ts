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
/** Where an operator's own proxies stand: this machine, a container network, a cluster. */
const PRIVATE = listOf(
  '127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 169.254.0.0/16 ::1 fc00::/7 fe80::/10'.split(' '),
);

/**
 * Makes the reader. `trusted` are addresses and ranges of proxies: when the connection comes from one of them, the right-most address in `x-forwarded-for`
 * that is none of them is the caller's. What stands left of that anybody may have written. `warn` is told once of a private address that
 * sends the header and is none of them: all callers behind it look like one.
 */
export function createClientAddress(trusted: readonly string[], warn?: (proxy: string) => void): ClientAddress {
  const proxies = listOf(trusted);
  let isTold = warn === undefined;

  return (request) => {
    const { remoteAddress } = request.socket;
    const given = request.headers['x-forwarded-for'];
    if (trusted.length === 0 && (isTold || given === undefined)) return remoteAddress;
    const peer = remoteAddress === undefined ? undefined : plain(remoteAddress);
    if (peer === undefined) return remoteAddress;
    if (isIn(proxies, peer)) return callerOf(peer, String(given ?? ''), proxies);
    if (!isTold && given !== undefined && isIn(PRIVATE, peer)) {
      isTold = true;
      warn?.(peer);
    }
    return trusted.length === 0 ? remoteAddress : peer;
  };
}

/** Whom the proxy at `peer` speaks for, by the header that came with the request. */
function callerOf(peer: string, forwarded: string, proxies: BlockList): string {
  const hops = forwarded.split(',');
  let address = peer;
  for (let hop = 0; hop < MOST_HOPS && isIn(proxies, address); hop++) {
    const next = plain(hops.pop() ?? '');
    // What cannot be read was not written by one of the proxies: the last that was is what is known.
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/** An address without port and brackets; IPv4 in its own form. */
function plain(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = WITH_PORT.exec(trimmed)?.[1] ?? IN_BRACKETS.exec(trimmed)?.[1] ?? trimmed;
  const address = MAPPED.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? undefined : address;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
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
