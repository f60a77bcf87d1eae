import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../ports.ts';

/** Named at run time: the store is built on this project's ports, so that a static import would be a circle. */
const STORE = '@model-gateway/store';

interface StoreModule {
  readonly openStore: (url: string, options?: { readonly image?: Uint8Array }) => Promise<Store>;
}

/** The real store; in memory unless told otherwise. */
export async function openTestStore(url?: string): Promise<Store> {
  const { openStore } = (await import(STORE)) as StoreModule;
  if (url !== undefined) return openStore(url);
  return openStore('sqlite::memory:', { image: await (withTables ??= makeTables(openStore)) });
}

/** A database with tables and no rows, made once in a process: making them is most of what a short test does. */
let withTables: Promise<Uint8Array> | undefined;

async function makeTables(openStore: StoreModule['openStore']): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
  const file = join(folder, 'gateway.db');
  try {
    await (await openStore(`sqlite:${file}`)).close();
    const database = new DatabaseSync(file) as DatabaseSync & { serialize(): Uint8Array };
    // Memory has no write-ahead log.
    database.exec('pragma journal_mode = delete');
    const image = database.serialize();
    database.close();
    return image;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
