#!/usr/bin/env node
// Starts the gateway command with Node 24: this one, or the one in node_modules when this one is older.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../src/main.ts', import.meta.url);
if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(main.href);
} else {
  const newer = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
  if (!existsSync(newer)) {
    console.error(`gateway needs Node 24 and this is ${process.versions.node}. Run npm ci first: it brings one.`);
    process.exit(1);
  }
  const { status } = spawnSync(newer, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
