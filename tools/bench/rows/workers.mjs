// What two workers cost for each chat: the CPU time of the primary and its workers together, beside one process in the same rounds.
import { interleave } from '../rounds.mjs';
import { rowOf } from '../table.mjs';
import { chatVariant, perRequest } from './chat.mjs';

export async function workerRows({ gateways, startFresh, columns, pace }) {
  const pairs = [];
  for (const one of gateways) pairs.push({ one, two: await startFresh[one.name].withWorkers() });
  try {
    const variants = pairs.flatMap(({ one, two }) => [
      chatVariant(one),
      chatVariant(two, 'bench-model', `${one.name}, two workers`),
    ]);
    const samples = await interleave(variants, pace, perRequest);
    const names = Object.fromEntries(Object.entries(columns).map(([key, name]) => [key, `${name}, two workers`]));
    return [
      rowOf({
        what: 'chat by two workers, CPU µs/request, against one process',
        number: 'cpu',
        samples,
        columns: names,
        base: columns.now,
      }),
    ];
  } finally {
    for (const { two } of pairs) await two.stop();
  }
}
