// Where the resident memory of a process sits, as the kernel tells it of its mappings.
import { readFileSync } from 'node:fs';

const HEAD = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ (\d+)\s*(.*)$/;
const RESIDENT = /^Rss:\s+(\d+) kB/;
/** V8 takes memory for objects in pages that begin at a multiple of this; the C library takes an arena for a thread at a multiple of the other. */
const V8_PAGE = 256n * 1024n;
const ARENA = 64n * 1024n * 1024n;

/**
 * Bytes by kind: `program` (Node itself and libraries: read from files, one copy for all processes), `heap` (objects of JavaScript, sources
 * and byte code, the young generation whole), `code` (compiled), `native` (what compilers, buffers, SQLite and sockets took from the C library).
 */
export function memoryMapOf(pid) {
  const sums = { program: 0, heap: 0, code: 0, native: 0 };
  let kind = 'native';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const head = HEAD.exec(line);
    if (head !== null) kind = kindOf(head);
    const resident = RESIDENT.exec(line)?.[1];
    if (resident !== undefined) sums[kind] += Number(resident) * 1024;
  }
  return sums;
}

function kindOf([, from, to, rights, inode, name]) {
  if (inode !== '0' && !name.startsWith('/dev') && !name.includes('[')) return 'program';
  if (rights.includes('x')) return 'code';
  const start = BigInt(`0x${from}`);
  const length = BigInt(`0x${to}`) - start;
  const isAnonymous = name === '';
  return isAnonymous && start % ARENA !== 0n && start % V8_PAGE === 0n && length % V8_PAGE === 0n ? 'heap' : 'native';
}
