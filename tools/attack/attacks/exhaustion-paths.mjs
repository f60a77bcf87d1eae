import { inventPaths } from '../exhaustion/paths.mjs';

export const law = 4;
export const name = 'paths that are none, without a key';
export const before = '2,200 paths filled the series; the real route vanished from /metrics';
export const threshold = '≤ 20 routes more, however many are invented; the real one is counted; no file grows';
export const run = inventPaths;
