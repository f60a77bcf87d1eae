/** Stands between the gateway and its database: cuts, delays, swallows, and leads elsewhere. */
import { connect, createServer } from 'node:net';

/** `port()` is where connections lead now. */
export async function startTcpProxy(port) {
  let mode = { kind: 'pass' };
  const pairs = new Set();
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (mode.kind === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(port(), '127.0.0.1');
    const pair = { client, upstream };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      from.on('data', (bytes) => {
        if (mode.kind === 'swallow' || pair.lost === true) return;
        if (mode.kind === 'delay') setTimeout(() => to.write(bytes), mode.ms);
        else to.write(bytes);
      });
      from.on('error', end);
      from.on('close', end);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    pass: () => (mode = { kind: 'pass' }),
    /** Open connections are reset, new ones too. */
    cut() {
      mode = { kind: 'cut' };
      for (const { client } of pairs) client.resetAndDestroy();
    },
    delay: (ms) => (mode = { kind: 'delay', ms }),
    /** Every open connection is dead from here on, and nobody is told; new ones work. */
    loseOpen() {
      for (const pair of pairs) pair.lost = true;
    },
    close() {
      for (const { client } of pairs) client.destroy();
      server.close();
    },
  };
}
