// The same chats under three budgets and the cap of a run, against those of a gateway without any.
import { startClosedLoad } from '../load.mjs';
import { chatBytes } from '../requests.mjs';
import { interleave } from '../rounds.mjs';
import { rowOf } from '../table.mjs';
import { CAPPED_KEY, KEY } from '../targets.mjs';
import { perRequest } from './chat.mjs';

const CONNECTIONS = 64;
/** Runs that agents are in at the same time. */
const RUNS = 32;

export async function capRows({ gateways, startFresh, pace }) {
  const plain = gateways.find(({ name }) => name === 'now');
  const capped = await startFresh.now.withCaps();
  try {
    const samples = await interleave(
      [variant(plain, 'now without', KEY), variant(capped, 'now', CAPPED_KEY)],
      pace,
      perRequest,
    );
    const row = (fields) => rowOf({ samples, columns: { now: 'now' }, number: 'cpu', ...fields });
    return [
      row({ what: 'chat under three budgets and the cap of its run, CPU µs/request' }),
      row({ what: '… against a gateway without budgets', base: 'now without', budget: { most: 1.05 } }),
    ];
  } finally {
    await capped.stop();
  }
}

/** Both name their run and their user: only the caps are compared. */
function variant(target, name, key) {
  const requests = Array.from({ length: RUNS }, (_, run) =>
    chatBytes(target.port, 'bench-model', {
      key,
      headers: `x-gateway-run: run-${run}\r\nx-gateway-user: user-${run}\r\n`,
    }),
  );
  let next = 0;
  const bytes = () => requests[next++ % RUNS];
  return { name, target, start: () => startClosedLoad({ port: target.port, connections: CONNECTIONS, bytes }) };
}
