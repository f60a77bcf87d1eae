/** The log of requests, and what is counted of them. */
import type { Generated } from 'kysely';

/** What queries that are not written in SQL name of a request; libs/store/src/request-rows.ts has all of it. */
export interface RequestPlaceRow {
  place: number;
}

/** `name=value` of a request. */
export interface RequestPlaceTagRow {
  tag: string;
  place: number;
  payer: number;
  caller: number;
  outcome: number;
}

/** What many requests have in common. */
export interface RequestNameRow {
  id: Generated<number>;
  name: string;
  seen_at: number;
}

/** What was asked and answered. */
export interface RequestContentRow {
  at: number;
  id: string;
  owner_id: number;
  mode: 'live' | 'test';
  sealed: Uint8Array;
}

/** Sums of a minute or an hour, by owner and mode; the owner 0 is everybody. */
export interface RequestTotalRow {
  owner_id: number;
  mode: 'live' | 'test';
  size: 'minute' | 'hour';
  start: number;
  requests: number;
  errors: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  charged: number;
}

/** How many requests of them took how long, in bins. */
export interface RequestTimeRow {
  owner_id: number;
  mode: 'live' | 'test';
  size: 'minute' | 'hour';
  start: number;
  measure: 'ms' | 'first_byte';
  bin: number;
  count: number;
}

/** How many requests of a key lost a parameter on a day. */
export interface DroppedParameterRow {
  day: number;
  key_id: number;
  model: string;
  parameter: string;
  owner_id: number;
  mode: 'live' | 'test';
  requests: number;
  first_at: number;
  last_at: number;
  reason: string;
}

/** What a chat request read from its vendor's prompt cache, as JSON. */
export interface CacheTurnRow {
  at: number;
  id: string;
  key_id: number;
  detail: string;
}

/** Sums of a key's chat requests of a day, by the cause of their loss. */
export interface CacheDayRow {
  day: number;
  key_id: number;
  model: string;
  cause: string;
  owner_id: number;
  mode: 'live' | 'test';
  requests: number;
  input_tokens: number;
  read_tokens: number;
  lost_tokens: number;
  lost_units: number;
  charged: number;
}

/** The tables by name. */
export interface RequestTables {
  readonly request_log: RequestPlaceRow;
  readonly request_log_tags: RequestPlaceTagRow;
  readonly request_callers: RequestNameRow;
  readonly request_outcomes: RequestNameRow;
  readonly request_contents: RequestContentRow;
  readonly request_totals: RequestTotalRow;
  readonly request_times: RequestTimeRow;
  readonly dropped_parameters: DroppedParameterRow;
  readonly cache_turns: CacheTurnRow;
  readonly cache_days: CacheDayRow;
}
