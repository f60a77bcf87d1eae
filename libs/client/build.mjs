// Builds the package that is published: dist/ with ESM, CommonJS and types, its own package.json, and no trace of the workspace.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
const dist = join(here, 'dist');
const work = join(dist, '.work');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

const { publishConfig, nx: _nx, private: _private, exports: _exports, ...own } = readJson(join(here, 'package.json'));

for (const part of ['.work', 'esm', 'cjs']) rmSync(join(dist, part), { recursive: true, force: true });
try {
  for (const [kind, type] of [
    ['esm', 'module'],
    ['cjs', 'commonjs'],
  ])
    compile(kind, type);
} finally {
  rmSync(work, { recursive: true, force: true });
}
writeJson(join(dist, 'cjs/package.json'), { type: 'commonjs' });
const { access, ...published } = publishConfig;
writeJson(join(dist, 'package.json'), {
  ...own,
  ...published,
  publishConfig: { access },
  // What the workspace was tested with, and what is compatible with it.
  dependencies: Object.fromEntries(Object.entries(own.dependencies).map(([name, version]) => [name, `^${version}`])),
});
cpSync(join(here, 'README.md'), join(dist, 'README.md'));

/** The generated contracts travel as a module of types, so that the package depends on nothing of the house. */
function compile(kind, type) {
  const folder = join(work, kind);
  mkdirSync(folder, { recursive: true });
  cpSync(join(here, 'src'), join(folder, 'src'), {
    recursive: true,
    filter: (path) => !/\.test\.ts$|[\\/]testing$/.test(path),
  });
  cpSync(join(root, 'libs/contracts/src/generated/api.d.ts'), join(folder, 'src/api.ts'));
  for (const file of readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name === 'api.ts') continue;
    const path = join(file.parentPath, file.name);
    const text = readFileSync(path, 'utf8')
      .replace("'@model-gateway/contracts'", "'./api.js'")
      .replace(/((?:from |import\()'\.{1,2}\/[^']+)\.ts'/g, "$1.js'");
    writeFileSync(path, text);
  }
  writeJson(join(folder, 'package.json'), { type });
  writeJson(join(folder, 'tsconfig.json'), {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      rootDir: 'src',
      outDir: join(dist, kind),
      noEmit: false,
      declaration: true,
      allowImportingTsExtensions: false,
      verbatimModuleSyntax: false,
      esModuleInterop: true,
    },
    include: ['src'],
  });
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the ${kind} build failed:\n${stdout.slice(0, 4000)}`);
}
