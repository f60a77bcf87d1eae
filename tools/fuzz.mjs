/**
 * Fuzzes a gateway of its own: every operation of the document with valid, mutated and hostile bodies, headers and paths.
 *
 *   npm run verify -- fuzz [--seconds 60] [--seed 1]
 *
 * Law: no 5xx of the gateway's own making, no request without an answer, no growth of memory beyond a bound, and the process lives.
 * Prints what broke it with the seed and the number of the request; exit code 1 when something did.
 */
import './needs-node-24.mjs';
import { fuzz } from './fuzz/run.mjs';
import { readArguments } from './read-arguments.mjs';

const values = readArguments(import.meta.url, {
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
});
const { requests, statuses, grownMb, delayMs, faults } = await fuzz({
  seconds: Number(values.seconds),
  seed: Number(values.seed),
});
console.log(`${requests} requests; statuses ${JSON.stringify(statuses)}`);
console.log(`memory +${grownMb.toFixed(0)} MB; longest delay of the event loop ${delayMs.toFixed(0)} ms`);
for (const fault of faults.slice(0, 30)) console.error(`BROKEN: ${fault}`);
console.log(faults.length === 0 ? 'the law was held' : `${faults.length} faults (seed ${values.seed})`);
process.exit(faults.length === 0 ? 0 : 1);
