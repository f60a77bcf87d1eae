// Loads: as fast as the replies come, at a fixed rate, or open and idle. Each runs until it is stopped.
import { newCounts, openConnection } from './connection.mjs';
import { pause } from './processes.mjs';

/**
 * Keeps `connections` busy, each with its next request as soon as the reply is there.
 * `bytes(index)` is the request of a connection; `onChunks(index)` hears of every chunk that it gets.
 */
export function startClosedLoad({ port, connections, bytes, onChunks, requests = Infinity }) {
  const counts = newCounts();
  let isStopping = false;
  const each = Array.from({ length: connections }, (_, index) => {
    const connection = openConnection(port, counts, onChunks && (() => onChunks(index)));
    const request = bytes(index);
    return new Promise((resolve) => {
      const next = () => {
        if (!isStopping && counts.sent < requests && connection.isOpen()) connection.send(request, next);
        else {
          connection.close();
          resolve();
        }
      };
      next();
    });
  });
  return {
    counts,
    finished: Promise.all(each),
    /** Lets what was asked be answered. */
    async stop() {
      isStopping = true;
      await Promise.all(each);
    },
  };
}

/** Sends `rate` requests a second, evenly, whether or not earlier ones were answered, each on a connection that is free. */
export function startRatedLoad({ port, rate, bytes, onChunks }) {
  const counts = newCounts();
  const free = [];
  const all = [];
  const started = performance.now();
  let asked = 0;
  const connection = () => {
    let open = free.pop();
    // One that waited long may have been closed meanwhile: nobody would answer on it.
    while (open?.isOpen() === false) open = free.pop();
    if (open !== undefined) return open;
    const index = all.length;
    const made = { ...openConnection(port, counts, onChunks && (() => onChunks(index))), request: bytes(index) };
    all.push(made);
    return made;
  };
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - started) * rate) / 1000);
    for (; asked < due; asked++) {
      const used = connection();
      used.send(used.request, () => used.isOpen() && free.push(used));
    }
  }, 1);
  return {
    counts,
    async stop() {
      clearInterval(timer);
      while (counts.requests < counts.sent) await pause(1);
      for (const each of all) each.close();
    },
  };
}

/** Opens streams that stay open; resolves when each has its first chunk. */
export async function openIdleStreams({ port, count, bytes }) {
  const counts = newCounts();
  const connections = Array.from({ length: count }, (_, index) => {
    const connection = openConnection(port, counts);
    connection.send(bytes(index), () => undefined);
    return connection;
  });
  while (counts.firstChunks.length + counts.errors < count) await pause(5);
  if (counts.errors > 0) throw new Error(`${counts.errors} of ${count} streams were refused`);
  return { counts, close: () => connections.forEach((connection) => connection.close()) };
}
