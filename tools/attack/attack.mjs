/**
 * Attacks the gateway as a hostile tenant would, and measures each law that it must hold.
 *
 *   npm run verify -- attack [--only money] [--short] [--write]
 *   npm run verify -- attack --database=postgres [--only money] [--short]
 *   npm run verify -- attack --against=<commit or folder> [--only money] [--write]
 *
 * Every file of `attacks/` is one attack: it exports `law` (its number), `name`, `threshold` and `before` (what was reported before the
 * law was held; both in words) and `run({ short, say, until })`, which resolves with `{ measured, faults }`: the numbers in words, and what broke
 * the threshold. `--only` takes the files whose names begin so, or with one of several beginnings with commas between them; `--write` puts what was measured into the table of docs/attacks.md.
 *
 * `--database=postgres` attacks two replicas on PostgreSQL and Redis, whose connections go to them in turn; `money-kills-postgres` always does.
 *
 * `--against` attacks another checkout instead (a commit is checked out; a folder must have its packages), each attack within 2 minutes and
 * 4 GB, and writes the column "Before".
 *
 * Prints a table; exit code 1 when a law was broken, 2 when the arguments are wrong. With `--against` broken laws are no error.
 */
import '../needs-node-24.mjs';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from '../bench/checkout.mjs';
import { runBounded } from './bounded.mjs';
import { writeTable } from './table.mjs';
import { aimAt, attackOn } from './target.mjs';
import { readArguments } from '../read-arguments.mjs';

const SELF = fileURLToPath(import.meta.url);
/** Of another checkout, nothing more is begun then. */
const BEGIN_WITHIN_MS = 80_000;
const FOLDER = new URL('attacks/', import.meta.url);
const values = readArguments(import.meta.url, {
  only: { type: 'string', default: '' },
  short: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  database: { type: 'string', default: 'sqlite' },
  against: { type: 'string' },
  /** One attack on the checkout in this folder; its numbers are the last line. For `--against`. */
  target: { type: 'string' },
});
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.mjs') && values.only.split(',').some((beginning) => name.startsWith(beginning)))
  .toSorted();
if (names.length === 0) {
  console.error(`no attack begins with '${values.only}'`);
  process.exit(2);
}

if (!['sqlite', 'postgres'].includes(values.database) || (values.database !== 'sqlite' && values.write)) {
  console.error('--database is sqlite or postgres; --write is for sqlite');
  process.exit(2);
}
attackOn(values.database);
if (values.target !== undefined) await tellOf(values.target);
else if (values.against !== undefined) await attackOther(values.against);
else await attackThis();

async function attackThis() {
  const rows = [];
  const broken = [];
  for (const name of names) {
    const { law, name: attack, threshold, before: reported, run, isOfOneProcess } = await attackOf(name);
    if (values.database === 'postgres' && isOfOneProcess === true) {
      sayOf(attack)('left out: it is about one process');
      continue;
    }
    const began = Date.now();
    const { measured, faults } = await run({ short: values.short, say: sayOf(attack) });
    const seconds = Math.round((Date.now() - began) / 1000);
    rows.push({ law, attack, threshold, reported, measured, held: faults.length === 0 ? 'yes' : 'NO', seconds });
    broken.push(...faults.map((fault) => `${attack}: ${fault}`));
  }
  // A broken law is written down, too.
  const inWords = ({ held, measured }) =>
    `${held === 'NO' ? `**broken**: ${measured}` : measured}${values.short ? ' (short form)' : ''}`;
  if (values.write) await writeTable(rows.map((row) => ({ ...row, now: inWords(row) })));
  console.table(rows);
  for (const fault of broken.slice(0, 50)) console.error(`BROKEN: ${fault}`);
  console.log(broken.length === 0 ? 'every law was held' : `${broken.length} laws were broken`);
  process.exit(broken.length === 0 ? 0 : 1);
}

/** Every attack on another checkout, one after the other. */
async function attackOther(which) {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-attacked-'));
  const isFolder = existsSync(join(which, 'package.json'));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const checkout = isFolder ? undefined : checkOut(root, which, join(folder, 'checkout'));
  const target = checkout?.root ?? resolve(which);
  try {
    for (const name of names) {
      const { law, name: attack, threshold, before: reported } = await attackOf(name);
      const args = [SELF, `--only=${name}`, `--target=${target}`, ...(values.short ? ['--short'] : [])];
      const before = wordsOf(await runBounded(args), reported);
      console.log(`${attack}: ${before}`);
      if (values.write) await writeTable([{ law, attack, threshold, reported, before }]);
    }
  } finally {
    checkout?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is written of an attack on another checkout. */
function wordsOf({ said, cut }, reported) {
  const last = said.trim().split('\n').at(-1) ?? '';
  if (cut === undefined && last.startsWith('{')) {
    const { measured, faults, error } = JSON.parse(last);
    if (error !== undefined) return `reported: ${reported}`;
    return faults.length === 0 ? `held: ${measured}` : measured;
  }
  return `${cut ?? 'the attack ended without a number'}; reported: ${reported}`;
}

async function tellOf(target) {
  aimAt(target);
  const { name, run } = await attackOf(names[0]);
  const told = await run({ short: values.short, say: sayOf(name), until: Date.now() + BEGIN_WITHIN_MS }).catch(
    (error) => ({ error: String(error) }),
  );
  for (const fault of (told.faults ?? [told.error]).slice(0, 20)) console.error(`BROKEN: ${fault}`);
  console.log(JSON.stringify(told));
  process.exit(0);
}

function attackOf(name) {
  return import(new URL(name, FOLDER).href);
}

function sayOf(attack) {
  return (text) => console.error(`${attack}: ${text}`);
}
