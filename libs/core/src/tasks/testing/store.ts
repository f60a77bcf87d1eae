import type { Store } from '../../ports.ts';

/** Named at run time: the store is built on this project's ports, so that a static import would be a circle. */
const STORE = '@model-gateway/store';

/** The real store; in memory unless told otherwise. */
export async function openTestStore(url = 'sqlite::memory:'): Promise<Store> {
  const { openStore } = (await import(STORE)) as { openStore: (url: string) => Promise<Store> };
  return openStore(url);
}
