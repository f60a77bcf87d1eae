import { killWhileStreaming } from '../money/kills.mjs';

export const law = 1;
export const name = 'long streams, killed, on postgres';
export const before = '$2.22 delivered on a cap of $1, $0.00 in the ledger (SQLite, 20 kills)';
export const threshold = 'billed by vendors − cap ≤ the overdraft; ledger adds up';
export const run = (options) => killWhileStreaming({ ...options, database: 'postgres', replicas: 2 });
