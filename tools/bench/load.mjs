// A load that costs next to nothing: raw sockets, prepared requests, one request at a time per connection.
import { connect } from 'node:net';

/** The bytes of one POST. */
export function requestBytes(port, path, key, body) {
  const text = JSON.stringify(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/**
 * Keeps `connections` busy for `seconds` (or `requests` in all) and reports what came back.
 * Replies end by content-length, or by the last chunk. `rate` (per second) spaces requests out for latency runs.
 */
export function runLoad({ port, bytes, connections, seconds, requests = Infinity, rate }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const until = started + seconds * 1000;
    const report = { requests: 0, bytes: 0, chunks: 0, latencies: [], firstBytes: [], badStatus: 0 };
    let sent = 0;
    let open = connections;
    const done = () => {
      if (--open > 0) return;
      report.seconds = (performance.now() - started) / 1000;
      resolve(report);
    };
    for (let index = 0; index < connections; index++) worker(index);

    function worker(index) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let from = 0;
      let first = 0;
      let head = '';
      let left = -1;
      let chunked = false;
      const send = () => {
        if (performance.now() >= until || sent >= requests) {
          socket.end();
          return;
        }
        sent++;
        head = '';
        left = -1;
        first = 0;
        from = performance.now();
        socket.write(bytes);
      };
      const finished = () => {
        const now = performance.now();
        report.requests++;
        report.latencies.push(now - from);
        report.firstBytes.push(first - from);
        if (rate === undefined) send();
        else setTimeout(send, Math.max(0, (connections / rate) * 1000 - (now - from)));
      };
      socket.on('connect', () => (rate === undefined ? send() : setTimeout(send, (index / rate) * 1000)));
      socket.on('data', (data) => {
        report.bytes += data.length;
        if (first === 0) first = performance.now();
        let body = data;
        if (left === -1) {
          head += data.toString('latin1');
          const end = head.indexOf('\r\n\r\n');
          if (end === -1) return;
          if (!head.startsWith('HTTP/1.1 200')) report.badStatus++;
          chunked = /transfer-encoding: *chunked/i.test(head.slice(0, end));
          left = Number(/content-length: *(\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
          body = Buffer.from(head.slice(end + 4), 'latin1');
        }
        if (chunked) {
          for (let at = body.indexOf('data:'); at !== -1; at = body.indexOf('data:', at + 5)) report.chunks++;
          if (body.subarray(-5).toString('latin1') === '0\r\n\r\n') finished();
          return;
        }
        left -= body.length;
        if (left <= 0) finished();
      });
      socket.on('error', reject);
      socket.on('close', done);
    }
  });
}

/** The value below which `share` of the numbers lie. */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Opens streams and leaves them open; resolves when each has its first byte. */
export function openStreams({ port, bytes, count }) {
  const sockets = [];
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1' });
          sockets.push(socket);
          socket.on('connect', () => socket.write(bytes));
          socket.once('data', resolve);
          socket.on('error', reject);
        }),
    ),
  ).then(() => () => sockets.forEach((socket) => socket.destroy()));
}
