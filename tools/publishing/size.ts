/** How large the client's core is: all that createClient reaches, bundled, minified, and then gzipped. Uploads are loaded when first used and are not in it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import swc from '@swc/core';

export interface CoreSize {
  /** Bytes. */
  readonly minified: number;
  /** Bytes of that, compressed. */
  readonly gzipped: number;
}

/** Of the core whose ESM build is in `esm`; its dependencies are found from there. */
export async function coreSize(esm: string): Promise<CoreSize> {
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
    const [bundle] = Object.values(output);
    if (bundle === undefined) throw new Error('the bundler gave nothing');
    const { code } = swc.minifySync(bundle.code, {
      module: true,
      compress: { passes: 3, unused: true, toplevel: true },
      mangle: { toplevel: true },
    });
    return { minified: Buffer.byteLength(code), gzipped: gzipSync(code, { level: 9 }).length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
