/** PostgreSQL and Redis of one run alone, so that they can be stopped, moved and emptied. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPostgres, makeDataFolder, serverUser } from '../../libs/testing/src/postgres-programs.ts';
import { freePort } from './world.mjs';

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'max_connections=60',
];

/** A server with data of its own; `start` after `stop` takes another port, as a standby that was promoted has another address. */
export async function startPostgres() {
  const user = serverUser();
  const folder = makeDataFolder(user);
  const programs = findPostgres(process.env.TEST_POSTGRES ?? '', user, folder);
  const data = join(folder, 'data');
  const options = { ...(user ?? {}), cwd: '/', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' } };
  const made = spawnSync(
    programs.initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    {
      ...options,
      encoding: 'utf8',
    },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  let child;
  let port;
  const start = async () => {
    port = await freePort();
    child = spawn(
      programs.postgres,
      ['-D', data, '-p', String(port), ...SETTINGS.flatMap((setting) => ['-c', setting])],
      {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    await new Promise((resolve, reject) => {
      let said = '';
      child.once('exit', () => reject(new Error(`postgres ended: ${said}`)));
      child.stderr.on('data', (bytes) => {
        said += String(bytes);
        if (said.includes('ready to accept connections')) resolve();
      });
    });
  };
  /** SIGQUIT: nothing is finished and nothing said, as in a crash. */
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGQUIT');
    await once(child, 'exit');
  };
  await start();
  return {
    port: () => port,
    start,
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Redis that keeps nothing: after a restart on the same port it is empty. */
export async function startRedis() {
  const port = await freePort();
  let child;
  const start = async () => {
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
    await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error('redis-server ended')));
      child.stdout.on('data', (bytes) => String(bytes).includes('Ready to accept') && resolve());
    });
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await start();
  return { port, start, stop, close: stop };
}
