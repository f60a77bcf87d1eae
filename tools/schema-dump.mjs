#!/usr/bin/env node
/** Writes libs/store/src/schema.sql from the migrations; with --check it only says whether the file is current. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = new URL('../libs/store/src/schema.sql', import.meta.url);

if (Number(process.versions.node.split('.')[0]) < 24) {
  // The sources are TypeScript: Node 24 from node_modules reads them as they are.
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  const { status } = spawnSync(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const { dumpSchema } = await import(new URL('../libs/store/src/schema.ts', import.meta.url).href);
const schema = await dumpSchema();
if (process.argv.includes('--check')) {
  if (read() !== schema) {
    console.error('libs/store/src/schema.sql is not what the migrations make: run tools/schema-dump.mjs');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, schema);
}

function read() {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
