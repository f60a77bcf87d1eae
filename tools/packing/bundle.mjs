// The gateway as plain JavaScript in one folder: `main.mjs`, its chunks, what they read (catalogue, document, the pages of portal and console) and their
// threads. Nothing of the repository is needed beside it but the packages of EXTERNAL.
import { copyFileSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What packages try to load, and do without. */
const ABSENT = ['pg-native', 'supports-color'];
/** What cannot be one file with the rest: native code, what reads files of its own, and what is required late. */
export const EXTERNAL = ['sharp', 'h264-mp4-encoder', 're2js', ...ABSENT];

/** `new URL('./worker.ts', import.meta.url)`, `import.meta.resolve('package/file.json')` */
const FILE_BESIDE = /new URL\(\s*'([^']+)',\s*import\.meta\.url\s*\)/g;
const FILE_OF_PACKAGE = /import\.meta\.resolve\('([^']+)'\)/g;
/** Packages that were written for `require` find it. Only where somebody asks: every `require` that is made takes memory. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`;
const ASKS_FOR_REQUIRE = /(?<!\.)\brequire\b/;

/**
 * Writes the bundle into `folder`, which is replaced when all is done. Gives what it was made of: files of the repository, as absolute paths, and
 * the folders of the packages in it. Rejects when something does not compile.
 */
export async function bundleGateway(folder) {
  const making = `${folder}.making-${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  try {
    const assets = new Map();
    const { metafile, outputFiles } = await build({
      entryPoints: { main: join(ROOT, 'apps/gateway/src/main.ts'), ...threads() },
      absWorkingDir: ROOT,
      outdir: making,
      bundle: true,
      splitting: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      outExtension: { '.js': '.mjs' },
      minifySyntax: true,
      external: EXTERNAL,
      // The licences of all that is in it go along as files (pack-server.mjs).
      legalComments: 'none',
      charset: 'ascii',
      logLevel: 'error',
      metafile: true,
      write: false,
      plugins: [filesOfOurs(assets), portalFromDisk, httpByRequire],
    });
    for (const { path, text } of outputFiles)
      writeFileSync(path, path.endsWith('.mjs') ? withRequire(inAscii(text)) : text);
    for (const [name, from] of assets) {
      copyFileSync(from, join(making, name));
      // What it says, so that no start has to parse it.
      if (name.endsWith('.yaml'))
        writeFileSync(join(making, name.replace('.yaml', '.json')), JSON.stringify(parse(readFileSync(from, 'utf8'))));
    }
    const portal = await writePortal(join(making, 'portal'));
    const pages = await writeConsole(join(making, 'console'));
    rmSync(folder, { recursive: true, force: true });
    renameSync(making, folder);
    const inputs = Object.keys(metafile.inputs).map((path) => resolve(ROOT, path));
    const isOurs = (path) => !path.includes('/node_modules/');
    return {
      sources: [...inputs.filter(isOurs), ...assets.values(), ...portal, ...pages.sources],
      packages: [...new Set([...inputs.filter((path) => !isOurs(path)).map(packageOf), ...pages.packages])].sort(),
    };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** `…/node_modules/@a/b/lib/c.js` → `…/node_modules/@a/b` */
function packageOf(path) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)[0];
}

/** Files that threads are started with, by the names that they get. */
function threads() {
  const sources = globSync('{apps,libs,libs/providers}/*/src/**/*.ts', { cwd: ROOT, exclude: isNotBundled });
  return Object.fromEntries(
    sources.flatMap((source) =>
      [...readFileSync(join(ROOT, source), 'utf8').matchAll(FILE_BESIDE)]
        .map(([, target]) => join(dirname(source), target))
        .filter((path) => path.endsWith('.ts') && !path.startsWith('tools/'))
        .map((path) => [threadName(path), join(ROOT, path)]),
    ),
  );
}

function isNotBundled(path) {
  return /libs\/testing|\.test\.ts$|\/testing\//.test(path);
}

/** `libs/vendor-twin/src/media/worker.ts` → `vendor-twin-media-worker` */
function threadName(path) {
  return path
    .replace(/\.ts$/, '')
    .split('/')
    .filter((part) => !['apps', 'libs', 'providers', 'src'].includes(part))
    .join('-');
}

/** Our sources name files by where they lie beside them; in the bundle all of them lie in its folder. */
function filesOfOurs(assets) {
  return {
    name: 'files of ours',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (path.includes('/node_modules/') || !text.includes('import.meta.')) return undefined;
        const asset = (from) => {
          assets.set(basename(from), from);
          return `./${basename(from)}`;
        };
        const contents = text
          .replace(FILE_BESIDE, (whole, target) => {
            // A folder that is written for the bundle alone.
            if (target.endsWith('/')) return whole;
            const from = resolve(dirname(path), target);
            const name = target.endsWith('.ts') ? `./${threadName(relative(ROOT, from))}.mjs` : asset(from);
            return `new URL('${name}', import.meta.url)`;
          })
          .replace(FILE_OF_PACKAGE, (whole, target) => {
            const from = fileURLToPath(import.meta.resolve(target));
            return `new URL('${asset(from)}', import.meta.url).href`;
          });
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** The pages were made when the bundle was. */
const portalFromDisk = {
  name: 'portal from disk',
  setup({ onResolve }) {
    onResolve({ filter: /\/portal-from-sources\.ts$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, 'portal-from-disk.ts'),
    }));
  },
};

/** An import of `node:http` would load a copy of undici: node-http.mjs. */
const httpByRequire = {
  name: 'http by require',
  setup({ onResolve }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: fileURLToPath(new URL('node-http.mjs', import.meta.url)) } : undefined,
    );
  },
};

/** Writes every page. Gives the files that they are made of. */
async function writePortal(folder) {
  const { createPortal } = await import('../docs/portal/index.ts');
  const document = JSON.parse(readFileSync(join(ROOT, 'libs/contracts/src/generated/openapi.json'), 'utf8'));
  const portal = createPortal({ document, root: ROOT });
  for (const path of [...portal.paths, ...portal.mediaPaths]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    try {
      const { body } = portal.file(path) ?? (await portal.medium(path));
      writeFileSync(join(folder, path), body);
    } catch (error) {
      // The tests of the docs refuse it; the gateway runs without a page.
      console.error(`The portal is without ${path}: ${error.message}`);
    }
  }
  // Under /docs, without a slash, links lead one folder down.
  writeFileSync(join(folder, 'at-mount.html'), portal.file('index.html', '/docs').body);
  const sources = [
    'docs/**/*.{md,json,svg}',
    'tools/docs/portal/**/*',
    'spec/examples/**/*',
    'libs/client/README.md',
    'apps/gateway/config/catalogue.yaml',
  ];
  return globSync(sources, { cwd: ROOT })
    .map((path) => join(ROOT, path))
    .filter((path) => statSync(path).isFile());
}

/** Builds the console. Without it the gateway serves the rest, and says at /console what is missing. */
async function writeConsole(folder) {
  try {
    const { buildConsole } = await import('../../apps/console/build.mjs');
    return await buildConsole(folder);
  } catch (error) {
    console.error(`The console could not be built: ${error.message}`);
    return { sources: [], packages: [] };
  }
}

function withRequire(text) {
  return ASKS_FOR_REQUIRE.test(text) ? `${REQUIRE}\n${text}` : text;
}

/** A source with one character beyond Latin-1 takes two bytes for each of its characters in memory. In literals `\uXXXX` is the same character. */
function inAscii(text) {
  return text.replace(/[^\x00-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
