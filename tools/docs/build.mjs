// npm run docs:build: writes the portal to dist/docs. It opens from the folder, offline. An argument names another folder.
import '../needs-node-24.mjs';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = process.argv[2] ?? join(root, 'dist/docs');
const { createPortal } = await import('./portal/index.ts');
const document = JSON.parse(readFileSync(join(root, 'libs/contracts/src/generated/openapi.json'), 'utf8'));
const portal = createPortal({ document, root });

rmSync(target, { recursive: true, force: true });
let bytes = 0;
for (const path of [...portal.paths, ...portal.mediaPaths]) {
  const file = portal.file(path) ?? (await portal.medium(path));
  if (file === undefined) throw new Error(`the portal has no ${path}`);
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), file.body);
  bytes += Buffer.byteLength(file.body);
}
console.log(`${portal.paths.length} files, ${Math.round(bytes / 1024)} KB: ${join(target, 'index.html')}`);
