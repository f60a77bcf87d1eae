/** The database file is locked, has no room, or is damaged. */
import { spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from '../world.mjs';

const DISK_MB = 24;
const PAGE = 4096;

/** A small file system of its own, for root; undefined elsewhere. */
async function smallDisk(folder, closing) {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk], { encoding: 'utf8' });
  if (mounted.status !== 0) throw new Error(`skipped: a small disk needs root (${mounted.stderr.trim()})`);
  closing.push(() => spawnSync('umount', ['-l', disk]));
  return disk;
}

export const faults = [
  {
    name: 'disk full',
    world: { dataFolder: smallDisk },
    async run({ world, seconds }) {
      const filler = join(world.dataFolder, 'filler');
      const file = openSync(filler, 'w');
      const block = Buffer.alloc(16_384);
      try {
        for (;;) writeSync(file, block);
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
      await sleep(seconds * 1000);
      rmSync(filler);
    },
  },
  {
    name: 'SQLite locked',
    short: true,
    async run({ world, seconds }) {
      const other = new DatabaseSync(world.databaseFile);
      for (;;) {
        try {
          other.exec('begin immediate');
          break;
        } catch {
          await sleep(5);
        }
      }
      await sleep(seconds * 1000);
      other.exec('rollback');
      other.close();
    },
  },
  {
    name: 'SQLite corrupt',
    /** Nothing can help itself here: it must say so, keep what is left as it is, and work on when a good file is put back. */
    needsHelp: 'does not start, and says why; works on with the file put back',
    async run({ world, load }) {
      load.away(true);
      world.gateway.unsupervised();
      world.gateway.signal('SIGTERM');
      await world.gateway.exited();
      const good = `${world.databaseFile}.good`;
      copyFileSync(world.databaseFile, good);
      const faults = [];
      const size = statSync(world.databaseFile).size;
      const damages = {
        'its head': (file) => writeSync(file, Buffer.alloc(PAGE, 0x5a), 0, PAGE, 0),
        'its middle': (file) => writeSync(file, Buffer.alloc(size - 2 * PAGE, 0x5a), 0, size - 2 * PAGE, PAGE),
        'cut to a half': undefined,
      };
      for (const [what, damage] of Object.entries(damages)) {
        if (damage === undefined)
          writeFileSync(world.databaseFile, Buffer.alloc(Math.floor(size / 2 / PAGE) * PAGE, 1));
        else {
          const file = openSync(world.databaseFile, 'r+');
          damage(file);
          closeSync(file);
        }
        const { code, said } = await world.gateway.startOnce();
        if (code === 0 || code === null || !/is damaged, or is not a database: /.test(said))
          faults.push(`with ${what} damaged it ended with ${code} and said: ${said.slice(-300)}`);
        for (const beside of ['-wal', '-shm']) rmSync(`${world.databaseFile}${beside}`, { force: true });
        copyFileSync(good, world.databaseFile);
      }
      await world.gateway.start();
      if (!(await isReady(world, 20_000))) faults.push('it did not come back with the file put back');
      load.away(false);
      return { faults };
    },
  },
];
