// Imported first by programs that read TypeScript as it is: run by an older Node, they run again by the one of node_modules.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

if (Number(process.versions.node.split('.')[0]) < 24) {
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  const { status, error } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  if (error !== undefined) console.error(`Node 24 is needed and this is ${process.versions.node}: run npm ci first`);
  process.exit(status ?? 1);
}
