// npm run pack:server [-- --out FOLDER]: the gateway as one folder (dist/server), which needs Node 24 and nothing else: what goes into the image,
// and what is published as @model-gateway/gateway. Nothing is fetched: packages come from node_modules, as npm ci brought them.
import '../needs-node-24.mjs';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleGateway, EXTERNAL, ROOT } from './bundle.mjs';
import { billOfMaterials, closureOf, licencesOf, readPackage } from './packages.mjs';
import { readArguments } from '../read-arguments.mjs';

const values = readArguments(import.meta.url, { out: { type: 'string', default: join(ROOT, 'dist/server') } });
const out = resolve(values.out);
const workspace = readPackage(ROOT);
const { name, version, description, license } = readPackage(join(ROOT, 'apps/gateway'));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { packages } = await bundleGateway(join(out, 'dist'));
cpSync(join(ROOT, 'apps/gateway/bin'), join(out, 'bin'), { recursive: true });
cpSync(join(ROOT, 'tools/packing/README.md'), join(out, 'README.md'));

const needed = EXTERNAL.filter((each) => each in workspace.dependencies);
const installed = closureOf(needed, ROOT);
for (const [each, folder] of installed) cpSync(folder, join(out, 'node_modules', each), { recursive: true });

const manifest = {
  name,
  version,
  description,
  license,
  type: 'module',
  bin: { gateway: 'bin/gateway.mjs' },
  engines: { node: '>=24' },
  files: ['bin', 'dist', 'THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json'],
  dependencies: Object.fromEntries(needed.map((each) => [each, workspace.dependencies[each]])),
};
const inside = [...new Set([...packages, ...installed.values()])].sort();
writeJson('package.json', manifest);
writeJson('sbom.cdx.json', billOfMaterials(manifest, inside));
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licencesOf(inside));
console.log(`${name} ${version}, ${Math.round(sizeOf(out) / 1e6)} MB: ${out}`);

function writeJson(file, value) {
  writeFileSync(join(out, file), `${JSON.stringify(value, null, 2)}\n`);
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0);
}
