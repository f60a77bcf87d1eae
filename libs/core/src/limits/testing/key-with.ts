import type { KeyLimits, KeyRecord } from '../../ports.ts';

/** A live key for all models with such limits. */
export function keyWith(limits: KeyLimits, id = 1): KeyRecord {
  return {
    id,
    name: 'k',
    hash: '',
    hint: '',
    mode: 'live',
    ownerId: 1,
    group: 'default',
    models: ['*'],
    ipRanges: [],
    limits,
    createdAt: 0,
    declared: false,
  };
}
