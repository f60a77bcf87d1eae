// One connection of a caller: a raw socket, one request at a time, counted as it comes.
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const EVENT = Buffer.from('data:');
const OK = 'HTTP/1.1 200';

/** What loads count. */
export function newCounts() {
  return { sent: 0, requests: 0, errors: 0, chunks: 0, chunkReads: 0, latencies: [], firstChunks: [] };
}

/**
 * `send(bytes, done)` sends a request; `done(milliseconds)` is called when its reply is complete.
 * `onChunks` is called for every read with events of a stream in it.
 */
export function openConnection(port, counts, onChunks) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let reply;
  const failed = () => {
    if (reply === undefined) return;
    counts.errors++;
    complete();
  };
  socket.on('error', failed);
  socket.on('close', failed);
  socket.on('data', (data) => {
    const body = reply.left === -1 ? readHead(data) : data;
    if (body === undefined) return;
    if (reply.isChunked) countEvents(body);
    reply.left -= body.length;
    if (reply.isChunked ? endsWith(body, LAST_CHUNK) : reply.left <= 0) complete();
  });

  function readHead(data) {
    reply.head += data.toString('latin1');
    const end = reply.head.indexOf(HEAD_END);
    if (end === -1) return undefined;
    const head = reply.head.slice(0, end);
    if (!head.startsWith(OK)) counts.errors++;
    reply.isChunked = /transfer-encoding: *chunked/i.test(head);
    reply.left = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    return Buffer.from(reply.head.slice(end + HEAD_END.length), 'latin1');
  }

  function countEvents(body) {
    let found = 0;
    for (let at = body.indexOf(EVENT); at !== -1; at = body.indexOf(EVENT, at + EVENT.length)) found++;
    if (found === 0) return;
    if (!reply.hasChunks) {
      reply.hasChunks = true;
      counts.firstChunks.push(performance.now() - reply.sentAt);
    }
    counts.chunks += found;
    counts.chunkReads++;
    onChunks?.();
  }

  function complete() {
    const ms = performance.now() - reply.sentAt;
    const { done } = reply;
    reply = undefined;
    counts.requests++;
    counts.latencies.push(ms);
    done(ms);
  }

  return {
    send(bytes, done) {
      counts.sent++;
      reply = { head: '', left: -1, isChunked: false, hasChunks: false, sentAt: performance.now(), done };
      socket.write(bytes);
    },
    isOpen: () => !socket.destroyed,
    close: () => socket.destroy(),
  };
}

function endsWith(data, tail) {
  return data.length >= tail.length && data.compare(tail, 0, tail.length, data.length - tail.length) === 0;
}
