/** Whether the database can be had, and whether what is in it is from the past. */
import { existsSync } from 'node:fs';
import { GatewayError } from '@model-gateway/contracts';
import { openStore } from '@model-gateway/store';
import type { Config } from '../../config/config.ts';
import type { Finding } from './finding.ts';

const SKEW_MS = 60_000;

/** Opens the database beside a running gateway. One that is not there yet is not made. */
export async function lookAtDatabase({ databaseUrl }: Config, now: () => number): Promise<readonly Finding[]> {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  const shown = databaseUrl.replace(/\/\/[^@/]*@/, '//…@');
  if (file !== undefined && file !== ':memory:' && !existsSync(file))
    return [{ name: 'database', state: 'ok', message: `${shown} is not there yet; the first start makes it` }];
  try {
    const store = await openStore(databaseUrl, { beside: true });
    try {
      const begun = performance.now();
      await store.ping();
      const took = Math.round(performance.now() - begun);
      const [newest] = await store.audit.list({ limit: 1 });
      const [line] = await store.ledger.entries({ order: 'newest', limit: 1 });
      const ahead = Math.max(newest?.at ?? 0, line?.createdAt ?? 0) - now();
      return [
        { name: 'database', state: 'ok', message: `${shown} answers in ${took} ms` },
        ...(ahead > SKEW_MS ? [fromTheFuture(ahead)] : []),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [{ name: 'database', state: 'fault', message: error.message, advice: adviceFor(file, shown) }];
  }
}

function fromTheFuture(ahead: number): Finding {
  return {
    name: 'clock',
    state: 'fault',
    message: `the database has lines that are ${Math.round(ahead / 1000)} s ahead of this machine's clock`,
    advice: 'set the clock (timedatectl set-ntp true); it ran ahead before, or runs behind now',
  };
}

function adviceFor(file: string | undefined, shown: string): string {
  return file === undefined
    ? `see that a server answers at ${shown} and takes user and password of DATABASE_URL (or database.url)`
    : `see that ${file} is a database of the gateway, and DATABASE_URL (or database.url) means it`;
}
