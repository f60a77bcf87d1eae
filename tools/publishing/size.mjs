// How large the client's core is: all that createClient reaches, bundled, minified, gzipped. Uploads are loaded when first used and are not in it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import swc from '@swc/core';

/** Bytes of the core built into `esm`. */
export async function coreSize(esm) {
  const folder = join(esm, '../.size');
  mkdirSync(folder, { recursive: true });
  try {
    const main = join(folder, 'entry.js');
    writeFileSync(main, "export { createClient } from '../esm/client.js';\n");
    const output = await swc.bundle({
      mode: 'production',
      target: 'browser',
      entry: { main },
      output: { name: 'main', path: folder },
      module: {},
      options: { jsc: { target: 'es2022' } },
    });
    const [{ code }] = Object.values(output);
    const minified = swc.minifySync(code, {
      module: true,
      compress: { passes: 3, unused: true, toplevel: true },
      mangle: { toplevel: true },
    });
    return gzipSync(minified.code, { level: 9 }).length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
