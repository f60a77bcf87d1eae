import { killWhileStreaming } from '../money/kills.mjs';

export const law = 1;
export const name = 'long streams, killed, on sqlite';
export const threshold = 'billed by vendors − cap ≤ one worst case; ledger adds up';
export const run = (options) => killWhileStreaming({ ...options, database: 'sqlite', replicas: 1 });
