#!/usr/bin/env node
/** Writes libs/store/src/schema.sql from the migrations; with --check it only says whether the file is current. */
import './needs-node-24.mjs';
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../libs/store/src/schema.sql', import.meta.url);

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
