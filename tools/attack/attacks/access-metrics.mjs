import { readMetrics } from '../access/metrics.mjs';

export const law = 4;
export const name = 'the metrics, by any spelling of their path';
export const before = '/metrics/ passed a balancer that blocks /metrics; nobody was asked for a key';
export const threshold =
  '0 pages where others reach the port and there is no key; 0 spellings but /metrics show them; 0 operations have a second spelling';
export const run = readMetrics;
