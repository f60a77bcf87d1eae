/** What `gateway migrate` does. */
import { openStore } from '@model-gateway/store';
import { readConfig } from '../config/config.ts';
import type { Terminal } from './terminal.ts';

/** Brings the database up to date, and says what was done. */
export async function migrate({ env, out }: Terminal): Promise<void> {
  const done: string[] = [];
  const store = await openStore(readConfig(env).databaseUrl, { onMigrate: (name) => done.push(name) });
  await store.close();
  out(done.length === 0 ? 'The database is up to date.' : `The database was brought up to date: ${done.join(', ')}`);
}
