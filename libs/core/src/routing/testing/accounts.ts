/** Accounts and offers of them, for tests that call no vendor. */
import type { GatewayAccount, Offer } from '../../catalogue.ts';
import type { WaitingCaller } from '../concurrency.ts';

/** An account of a vendor that is not there. */
export function accountOf(id: number, maxConcurrency = 4): GatewayAccount {
  return {
    id,
    name: `account-${id}`,
    vendor: 'openai',
    baseUrl: 'http://127.0.0.1:1',
    credentials: {},
    settings: {},
    on: true,
    twin: false,
    maxConcurrency,
    deadlines: { connect: 1, firstByte: 1, idle: 1 },
    onDisconnect: { chatStreams: 'abort', others: 'abort' },
  };
}

/** An offer of that account, of the first priority if `changes` says nothing else. */
export function offerOf(account: GatewayAccount, changes: Partial<Offer> = {}): Offer {
  return { account, model: 'm', dialects: [], priority: 1, weight: 1, quirks: {}, ...changes };
}

/** Whoever asks for an owner. */
export function callerOf(ownerId: number, group = 'default'): WaitingCaller {
  const key: WaitingCaller['key'] = {
    id: ownerId,
    name: `key-${ownerId}`,
    hash: '',
    hint: '',
    ownerId,
    mode: 'live',
    group,
    models: ['*'],
    ipRanges: [],
    limits: {},
    createdAt: 0,
    declared: false,
  };
  return { key, mode: 'live', signal: new AbortController().signal };
}
