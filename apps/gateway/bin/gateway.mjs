#!/usr/bin/env node
// The gateway command: the bundle of `npm run build` where it is what the sources would make today, the sources themselves otherwise.
// With Node 24: this one, or the one of node_modules when this one is older.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Those of `npm start`: room for a young generation that is collected seldom (docs/decisions/0035-flags-of-v8.md). */
const FLAGS = ['--max-semi-space-size=32', '--expose-gc'];

const root = new URL('../../../', import.meta.url);
const bundle = new URL('../dist/', import.meta.url);
const source = new URL('../src/main.ts', import.meta.url);
const newer = fileURLToPath(new URL('node_modules/.bin/node', root));

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import((isCurrent() ? new URL('main.mjs', bundle) : source).href);
} else if (existsSync(newer)) {
  await runWith(newer);
} else {
  console.error(
    `The gateway needs Node 24 and this is ${process.versions.node}. On Linux npm ci brings one; elsewhere install it from https://nodejs.org.`,
  );
  process.exit(1);
}

/** Nobody ever runs the bundle of other sources: any file of another size or time is enough to leave it alone. As a package there are none. */
function isCurrent() {
  if (!existsSync(source)) return true;
  try {
    const madeOf = JSON.parse(readFileSync(new URL('made-of.json', bundle), 'utf8'));
    return madeOf.every(([path, size, mtimeMs]) => {
      const now = statSync(new URL(path, root));
      return now.size === size && now.mtimeMs === mtimeMs;
    });
  } catch {
    return false;
  }
}

/** Runs this command with another Node, hands on the signals that it gets, and ends as that one ends. */
async function runWith(program) {
  const { spawn } = await import('node:child_process');
  const args = [...FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(program, args, { stdio: 'inherit' });
  const handOn = (signal) => child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, handOn);
  // A terminal tells both of its interrupt; a second one would end the gateway without its last answers.
  process.on('SIGINT', (signal) => process.stdin.isTTY || handOn(signal));
  child.once('error', (error) => {
    console.error(`${program} cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
