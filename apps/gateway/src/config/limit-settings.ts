import { KEY_LIMITS } from '../resources/keys/limits.ts';

/** What the limits at a path mean; `whose` stands before each sentence. */
export function limitSettings(
  path: string,
  whose = '',
): Readonly<Record<string, { readonly about: string; readonly default: string | number }>> {
  return Object.fromEntries(
    Object.entries(KEY_LIMITS).map(([limit, { about }]) => [
      `${path}.${limit}`,
      { about: `${whose}${about}`, default: limit === 'max_priority' ? 0 : 'no limit' },
    ]),
  );
}
