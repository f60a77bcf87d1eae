// A vendor that costs next to nothing: raw sockets, prepared bytes.
//
// A request whose text holds `[stream 7: 300 chunks, 1 ms]` is answered as stream 7: its first events at once, then 300 chunks, each at least
// 1 ms after the one before and not before that has reached the caller (`arrived`). So every read of the gateway finds one chunk, as with
// vendors, however busy the gateway is: chunks that pile up in a socket and are read together would make it look cheaper than it is.
import { createServer } from 'node:net';
import { HEAD_END, repliesFor } from './upstream-replies.mjs';

const TICK_MS = 1;
/** A chunk that the gateway keeps back must not stop the stream. */
const LONGEST_WAIT_MS = 100;
const STREAM = /\[stream (\d+): (\d+) chunks, (\d+) ms\]/;
/** The mark is near the beginning of a body. */
const LOOKED_AT = 4096;

/** Starts it on a free port. */
export function startUpstream() {
  const streams = new Map();
  let isEnding = false;
  const timer = setInterval(() => {
    const now = performance.now();
    for (const stream of streams.values()) advance(stream, now);
  }, TICK_MS);

  function advance(stream, now) {
    if (stream.socket.destroyed) {
      streams.delete(stream.id);
      return;
    }
    const quiet = now - stream.sentAt;
    if (!isEnding && (quiet < stream.everyMs || (stream.awaited && quiet < LONGEST_WAIT_MS))) return;
    stream.sentAt = now;
    stream.awaited = true;
    if (isEnding || stream.left-- === 0) {
      streams.delete(stream.id);
      stream.socket.write(stream.replies.last);
    } else stream.socket.write(stream.replies.piece);
  }

  function answer(socket, path, text) {
    const replies = repliesFor(path);
    const [, id, count, everyMs] = STREAM.exec(text) ?? [];
    if (id === undefined) {
      socket.write(replies.whole);
      return;
    }
    socket.write(replies.first);
    streams.set(Number(id), {
      id: Number(id),
      socket,
      replies,
      left: Number(count),
      everyMs: Number(everyMs),
      sentAt: performance.now(),
      awaited: true,
    });
  }

  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on(
      'data',
      requestReader((path, text) => answer(socket, path, text)),
    );
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        port: server.address().port,
        /** The caller has the last chunk of this stream. */
        arrived(id) {
          const stream = streams.get(id);
          if (stream === undefined || !stream.awaited) return;
          stream.awaited = false;
          advance(stream, performance.now());
        },
        /** Ends all streams that run. */
        async endStreams() {
          isEnding = true;
          while (streams.size > 0) await new Promise((done) => setTimeout(done, TICK_MS));
          isEnding = false;
        },
        close() {
          clearInterval(timer);
          server.close();
        },
      }),
    );
  });
}

/** Reads requests off a socket; of a long body it keeps the beginning only. */
function requestReader(take) {
  let head = Buffer.alloc(0);
  let left = -1;
  let path = '';
  let text = '';
  return function read(data) {
    if (left === -1) {
      head = head.length === 0 ? data : Buffer.concat([head, data]);
      const end = head.indexOf(HEAD_END);
      if (end === -1) return;
      const lines = head.toString('latin1', 0, end);
      path = lines.slice(lines.indexOf(' ') + 1, lines.indexOf(' HTTP/'));
      left = Number(/content-length: *(\d+)/i.exec(lines)?.[1] ?? 0);
      data = head.subarray(end + 4);
      head = Buffer.alloc(0);
      text = '';
    }
    if (text.length < LOOKED_AT) text += data.toString('latin1', 0, Math.min(data.length, LOOKED_AT));
    left -= data.length;
    if (left > 0) return;
    left = -1;
    take(path, text);
  };
}
