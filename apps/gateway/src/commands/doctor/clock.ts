/** Whether this machine's clock agrees with that of others. */
import type { Catalogue } from '@model-gateway/core';
import { createUntrustedFetcher } from '@model-gateway/provider-kit';
import type { Finding } from './finding.ts';

/** Beyond it vendors refuse signed requests, and links expire at the wrong time. */
const WRONG_MS = 60_000;
const FAR_MS = 5000;
const PATIENCE_SECONDS = 5;
/** The addresses are those of the operator's own configuration. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];

export interface ClockQuestion {
  readonly catalogue: Catalogue;
  readonly now: () => number;
  readonly offline: boolean;
}

/** Compares it with what a vendor says in its answers. */
export async function lookAtClock({ catalogue, now, offline }: ClockQuestion): Promise<readonly Finding[]> {
  const account = catalogue.accounts.find(({ on, twin }) => on && !twin);
  if (offline || account === undefined) return [notCompared(offline ? '--offline' : 'no account is on')];
  const { origin, host } = new URL(account.baseUrl);
  const fetcher = createUntrustedFetcher({ allowPrivate: ANYWHERE });
  try {
    const reply = await fetcher.open(origin, { firstByteSeconds: PATIENCE_SECONDS, followRedirects: false });
    reply.body.destroy();
    const theirs = Date.parse(reply.headers['date'] ?? '');
    return [Number.isNaN(theirs) ? notCompared(`${host} says no time`) : clockFinding(host, theirs - now())];
  } catch {
    return [notCompared(`${host} does not answer`)];
  } finally {
    await fetcher.close();
  }
}

/** `ahead`: milliseconds that the other clock is ahead of this one. */
export function clockFinding(other: string, ahead: number): Finding {
  const off = Math.abs(ahead);
  const seconds = Math.round(off / 1000);
  if (off < FAR_MS) return { name: 'clock', state: 'ok', message: `it agrees with ${other}` };
  return {
    name: 'clock',
    state: off < WRONG_MS ? 'warning' : 'fault',
    message: `it is ${seconds} s ${ahead > 0 ? 'behind' : 'ahead of'} ${other}`,
    advice: 'let it follow a time server: timedatectl set-ntp true',
  };
}

function notCompared(why: string): Finding {
  return { name: 'clock', state: 'ok', message: `not compared with another one: ${why}` };
}
