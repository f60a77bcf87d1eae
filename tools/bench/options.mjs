// What the command line asks for.
import { parseArgs } from 'node:util';

export const FAMILIES = [
  'chat',
  'caps',
  'latency',
  'stream',
  'resumable',
  'translation',
  'embeddings',
  'memory',
  'media',
  'realtime',
  'batches',
  'workers',
  'path',
];

export const USAGE = `npm run bench -- [options]
  --quick             fewer and shorter rounds
  --rounds=<n>        this many rounds: many even out what else a machine does
  --only=chat,stream  some of ${FAMILIES.join(', ')}
  --only=path         which own files and functions a chat runs before its vendor is asked
  --compare=<ref>     another commit beside the working tree and the floor, in the same rounds
  --write             write the table to docs/benchmarks.md (whole runs only)
  --profile=<folder>  write V8 CPU profiles of the gateways there; use with --only`;

/** Throws an Error that says what would be right. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      compare: { type: 'string' },
      write: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const families = values.only?.split(',') ?? FAMILIES;
  const unknown = families.filter((family) => !FAMILIES.includes(family));
  if (unknown.length > 0) throw new Error(`--only takes ${FAMILIES.join(', ')}, not ${unknown.join(', ')}`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0 && rounds <= 100))
    throw new Error(`--rounds takes a number from 1 to 100, not ${values.rounds}`);
  if (
    values.write &&
    (values.quick || values.only !== undefined || values.compare !== undefined || rounds !== undefined)
  )
    throw new Error('--write takes a whole run: leave out --quick, --rounds, --only and --compare');
  return { ...values, rounds, families };
}
