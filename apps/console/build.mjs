// The console's pages, built by Vite: index.html, and files whose names change with what is in them. The portal lends its colours, logo and choice
// of theme, so that both look alike.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PORTAL = fileURLToPath(new URL('../../tools/docs/portal/assets/', import.meta.url));

/**
 * Writes the pages into `folder`, which is emptied first. Gives what they were made of: files of the repository, as absolute paths, and the folders
 * of the packages in them. Rejects when something does not compile.
 */
export async function buildConsole(folder) {
  const modules = new Set();
  // React asks for it; a test or a developer's shell may say otherwise.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  await build({
    configFile: false,
    root: HERE,
    base: '/console/',
    publicDir: false,
    logLevel: 'error',
    plugins: [react(), lookOfThePortal(), noted(modules)],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      // Nothing is written into the page itself: its policy takes files of the gateway alone.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
    },
  }).finally(() => {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  });
  const inputs = [...modules].filter((id) => id.startsWith('/')).map((id) => id.replace(/\?.*$/, ''));
  const isOurs = (path) => !path.includes('/node_modules/');
  const shared = ['portal.css', 'icon.svg', 'theme.js'].map((name) => join(PORTAL, name));
  const own = globSync(['index.html', 'build.mjs', 'src/**/*'], { cwd: HERE, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    sources: [...new Set([...inputs.filter(isOurs), ...shared, ...own])],
    packages: [...new Set(inputs.filter((path) => !isOurs(path)).map(packageOf))].sort(),
  };
}

/** `…/node_modules/@a/b/lib/c.js` → `…/node_modules/@a/b` */
function packageOf(path) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)[0];
}

function noted(modules) {
  return {
    name: 'what it is made of',
    moduleParsed: ({ id }) => void modules.add(id),
  };
}

/** `virtual:portal.css`: the rules of the portal's style sheet for `:root`. Its logo and its script for the theme are files beside index.html. */
function lookOfThePortal() {
  const NAME = 'virtual:portal.css';
  return {
    name: 'look of the portal',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => {
      if (id !== `\0${NAME}`) return undefined;
      const css = readFileSync(join(PORTAL, 'portal.css'), 'utf8');
      return [...css.matchAll(/^:root[^{]*\{[^}]*\}/gm)].map(([rule]) => rule).join('\n');
    },
    generateBundle() {
      for (const name of ['icon.svg', 'theme.js'])
        this.emitFile({ type: 'asset', fileName: name, source: readFileSync(join(PORTAL, name)) });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { sources } = await buildConsole(resolve(process.argv[2] ?? join(HERE, 'dist')));
  console.log(`The console is built from ${sources.length} files`);
}
