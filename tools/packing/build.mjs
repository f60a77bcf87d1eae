// npm run build, and npm ci by itself: writes apps/gateway/dist, which `npm start` runs as long as no file that it was made of has changed
// since (apps/gateway/bin/gateway.mjs). The sources run as they stand when it is missing. `--if-changed`: unless it is what they would make.
import '../needs-node-24.mjs';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleGateway, ROOT } from './bundle.mjs';

const DIST = join(ROOT, 'apps/gateway/dist');
const MADE_OF = join(DIST, 'made-of.json');

if (!process.argv.includes('--if-changed') || !isCurrent()) {
  const { sources } = await bundleGateway(DIST);
  writeFileSync(MADE_OF, JSON.stringify([...sources, join(ROOT, 'package-lock.json')].map(stateOf)));
}

function stateOf(path) {
  const { size, mtimeMs } = statSync(path);
  return [relative(ROOT, path), size, mtimeMs];
}

function isCurrent() {
  if (!existsSync(MADE_OF)) return false;
  const made = JSON.parse(readFileSync(MADE_OF, 'utf8'));
  return made.every(
    (state) => existsSync(join(ROOT, state[0])) && String(stateOf(join(ROOT, state[0]))) === String(state),
  );
}
