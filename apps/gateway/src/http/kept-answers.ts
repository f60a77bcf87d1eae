/** Bytes of answers that are kept for their Idempotency-Keys: bounded for each owner and mode, so that nobody fills the database with repetitions. */
import type { KeyRecord } from '@model-gateway/core';

const HOUR_MS = 3_600_000;
/** As long as an answer is kept, and the hour that has begun. */
const HOURS = 25;

export interface KeptAnswers {
  /** Counts an answer of so many bytes that is to be kept; false when those of the last day leave no room for it. The admin API has no bound. */
  take(key: Pick<KeyRecord, 'ownerId' | 'mode'> | undefined, bytes: number): boolean;
}

export interface KeptAnswersOptions {
  /** Bytes of one owner and mode, in this process. */
  readonly most: number;
  readonly now: () => number;
}

/** Makes the count of one process. It begins at nothing with each start. */
export function createKeptAnswers({ most, now }: KeptAnswersOptions): KeptAnswers {
  /** By owner and mode: bytes by hour. Those of whom nothing is kept any more go. */
  const tenants = new Map<string, Map<number, number>>();
  let swept = 0;

  const sweep = (hour: number): void => {
    swept = hour;
    for (const [tenant, hours] of tenants) {
      for (const each of hours.keys()) if (each <= hour - HOURS) hours.delete(each);
      if (hours.size === 0) tenants.delete(tenant);
    }
  };

  return {
    take(key, bytes) {
      if (key === undefined) return true;
      const hour = Math.floor(now() / HOUR_MS);
      if (hour !== swept) sweep(hour);
      const name = `${key.ownerId} ${key.mode}`;
      const hours = tenants.get(name) ?? new Map<number, number>();
      let kept = 0;
      for (const each of hours.values()) kept += each;
      if (kept + bytes > most) return false;
      hours.set(hour, (hours.get(hour) ?? 0) + bytes);
      tenants.set(name, hours);
      return true;
    },
  };
}
