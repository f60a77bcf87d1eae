/** Carries bytes between one client and the gateway, unchanged, and keeps those of the case that runs: a failure can be read off the wire. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const MOST_KEPT = 60_000;

/**
 * Starts a relay to `target` on a port of its own. `begin` forgets what was carried; `said` returns what went each way since then, and `answers` the
 * status of each answer and when it came.
 */
export async function startRelay(target) {
  const { hostname, port } = new URL(target);
  const sockets = new Set();
  let pieces = [];
  let answers = [];
  let kept = 0;
  let connections = 0;
  const keep = (from, number, bytes) => {
    const [, status] = (from === 'gateway' && /^HTTP\/1\.1 (\d{3}) /.exec(bytes.toString('latin1', 0, 16))) || [];
    if (status !== undefined) answers.push({ status: Number(status), at: Date.now() });
    if (kept > MOST_KEPT) return;
    kept += bytes.length;
    pieces.push({ from, number, bytes });
  };
  const server = createServer((client) => {
    const number = ++connections;
    const gateway = connect(Number(port), hostname);
    for (const [from, here, there] of [
      ['client', client, gateway],
      ['gateway', gateway, client],
    ]) {
      sockets.add(here);
      here.setNoDelay(true);
      here.on('data', (bytes) => {
        keep(from, number, bytes);
        there.write(bytes);
      });
      here.on('end', () => there.end());
      here.on('error', () => there.destroy());
      here.on('close', () => {
        sockets.delete(here);
        there.end();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    begin() {
      pieces = [];
      answers = [];
      kept = 0;
    },
    said: () => joined(pieces),
    answers: () => answers,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One entry for each stretch of bytes in one direction of one connection. */
function joined(pieces) {
  const stretches = [];
  for (const { from, number, bytes } of pieces) {
    const last = stretches.at(-1);
    if (last?.from === from && last.number === number) last.parts.push(bytes);
    else stretches.push({ from, number, parts: [bytes] });
  }
  return stretches.map(({ from, number, parts }) => ({
    from,
    connection: number,
    text: Buffer.concat(parts).toString('utf8'),
  }));
}
