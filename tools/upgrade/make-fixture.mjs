/**
 * Makes the database of an older version, with rows in every table, by that version's own code: what the test of upgrades begins with.
 *
 *   node_modules/.bin/node tools/upgrade/make-fixture.mjs [--commit ef1c4e2d] [--name 0.1.0]
 *
 * Checks the commit out beside this one, starts its gateway and its vendor twin, works with them (`fill.mjs`), kills the process with SIGKILL
 * in the middle of a stream, and writes the database as SQL and the twin's jobs into apps/gateway/test/fixtures. Needs the history of git.
 */
import '../needs-node-24.mjs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../read-arguments.mjs';
import { checkOutLinked } from './check-out.mjs';

/** The last commit whose packages said 0.1.0. */
const LAST_0_1_0 = 'ef1c4e2d2e602a803da23ea662e6dcafdb754d2f';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIXTURES = join(ROOT, 'apps/gateway/test/fixtures');
const FILL = fileURLToPath(new URL('fill.mjs', import.meta.url));

const values = readArguments(import.meta.url, {
  commit: { type: 'string', default: LAST_0_1_0 },
  name: { type: 'string', default: '0.1.0' },
});
const folder = mkdtempSync(join(tmpdir(), 'model-gateway-fixture-'));
const old = checkOutLinked(ROOT, values.commit, join(folder, 'checkout'));
try {
  const child = fork(FILL, [old.root, folder], {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [code, signal] = await once(child, 'exit');
  if (signal !== 'SIGKILL') throw new Error(`the old gateway ended with ${code ?? signal}`);
  mkdirSync(FIXTURES, { recursive: true });
  const { text, tables } = dump(join(folder, 'gateway.db'));
  writeFileSync(join(FIXTURES, `${values.name}.sql`), text);
  if (existsSync(join(folder, 'jobs'))) copyFileSync(join(folder, 'jobs'), join(FIXTURES, `${values.name}-jobs.jsonl`));
  console.table(tables);
  const empty = Object.entries(tables).filter(([, rows]) => rows === 0);
  if (empty.length > 0) throw new Error(`no rows in ${empty.map(([name]) => name).join(', ')}`);
} finally {
  old.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Every table and index, and every row, as statements. */
function dump(file) {
  const database = new DatabaseSync(file);
  const objects = database
    .prepare(
      `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type desc, rootpage`,
    )
    .all();
  const lines = [
    `-- Written by tools/upgrade/make-fixture.mjs from commit ${values.commit}.`,
    'pragma foreign_keys = off;',
    'begin;',
  ];
  const tables = {};
  for (const { type, name, sql } of objects) {
    lines.push(`${sql};`);
    if (type !== 'table') continue;
    const rows = database.prepare(`select * from "${name}"`).all();
    tables[name] = rows.length;
    for (const row of rows) {
      const columns = Object.keys(row);
      lines.push(
        `insert into "${name}" (${columns.join(', ')}) values (${columns.map((column) => literal(row[column])).join(', ')});`,
      );
    }
  }
  for (const { name, seq } of database.prepare('select name, seq from sqlite_sequence').all())
    lines.push(
      `delete from sqlite_sequence where name = '${name}';`,
      `insert into sqlite_sequence (name, seq) values ('${name}', ${seq});`,
    );
  lines.push('commit;', '');
  database.close();
  return { text: lines.join('\n'), tables };
}

function literal(value) {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return `'${value.replaceAll("'", "''")}'`;
}
