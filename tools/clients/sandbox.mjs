/** An empty home for a client, and an environment without anything of the user's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE = dirname(process.execPath);
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

/** A new folder, the environment that makes it the home, and how to remove it. */
export function emptyHome() {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-client-home-'));
  return {
    folder,
    env: {
      HOME: folder,
      TMPDIR: folder,
      XDG_CONFIG_HOME: join(folder, '.config'),
      XDG_CACHE_HOME: join(folder, '.cache'),
      PATH: [NODE, BIN, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
      CI: 'true',
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
