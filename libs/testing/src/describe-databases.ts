import { afterAll, beforeAll, describe } from 'vitest';
import { openTestDatabase, type TestDatabase, type TestDatabaseKind } from './database.ts';

export interface StoreUnderTest<S> {
  readonly kind: TestDatabaseKind;
  url(): string;
  store(): S;
  /** A second store over the same PostgreSQL database, as another replica has it; on SQLite, which has one process, the same store. */
  replica(): S;
}

/** Runs the same tests over SQLite and over PostgreSQL, each on a database of its own. */
export function describeDatabases<S extends { close(): Promise<void> }>(
  title: string,
  open: (url: string) => Promise<S>,
  tests: (context: StoreUnderTest<S>) => void,
): void {
  describe.each(['sqlite', 'postgres'] as const)(`${title} on %s`, (kind) => {
    let database: TestDatabase | undefined;
    const stores: S[] = [];

    beforeAll(async () => {
      database = await openTestDatabase(kind);
      stores.push(await open(database.url));
      if (kind === 'postgres') stores.push(await open(database.url));
    });
    afterAll(async () => {
      for (const store of stores) await store.close();
      await database?.close();
    });

    const store = (index: number): S => stores[index] ?? never();
    tests({
      kind,
      url: () => database?.url ?? never(),
      store: () => store(0),
      replica: () => store(stores.length - 1),
    });
  });
}

function never(): never {
  throw new Error('The database is open inside of tests and hooks only.');
}
