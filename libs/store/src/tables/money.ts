/** Who pays, with which keys, and what was paid. */
import type { SpendWindow } from '@model-gateway/core';
import type { Generated } from 'kysely';

export interface OwnerRow {
  id: number;
  name: string;
  group_name: string;
  /** null = no limit. */
  credit_limit: number | null;
  monthly_budget: number | null;
  low_balance: number | null;
  organization: string | null;
  balance: number;
  created_at: number;
  /** Until then every request of this owner's is written down before it is begun: a process with its money has died. */
  careful_until: Generated<number>;
  /** 1 for those of the configuration file. */
  declared: Generated<number>;
}

export interface KeyRow {
  id: Generated<number>;
  name: string;
  hash: string;
  hint: string;
  mode: 'live' | 'test';
  owner_id: number;
  group_name: string;
  models: string;
  ip_ranges: string;
  limits: string;
  /** JSON of names and values. */
  tags: string;
  webhook_secret: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  last_used_at: number | null;
  declared: number;
  rotated_from: number | null;
  keep_bodies: Generated<number>;
  /** 1 when another key may bear the name: this one expired, or was replaced by rotation. */
  name_free: number;
}

export interface EntryRow {
  id: Generated<number>;
  owner_id: number;
  key_id: number | null;
  kind: 'hold' | 'capture' | 'release' | 'topup' | 'adjust';
  amount: number;
  charged: number;
  shortfall: number;
  hold_id: number | null;
  /** 1 for the one entry that closes `hold_id`; 0 for charges drawn from it (leases). */
  closes: number;
  /** Of a hold: 1 when the key had a spend cap. */
  capped: number;
  /** Of a hold, and of a charge that no lease paid: the further caps that it counts in (`scopeText`). */
  scopes: string | null;
  request_id: string | null;
  task_id: string | null;
  model: string | null;
  endpoint: string | null;
  account_id: number | null;
  price_version: string | null;
  input_tokens: number;
  output_tokens: number;
  detail: string;
  idempotency_key: string | null;
  created_at: number;
}

export type WindowKind = 'day' | 'month' | 'total';

/** What a key has charged and set aside in one UTC day, one UTC month, or ever (`start` 0). */
export interface WindowRow {
  key_id: number;
  kind: WindowKind;
  start: number;
  used: number;
}

/** What all who name a scope have charged and set aside in one UTC window. */
export interface ScopeWindowRow {
  scope: string;
  kind: SpendWindow;
  start: number;
  used: number;
  /** As the last one who took from it knew it. */
  cap: number;
  /** When it was first used: after it was removed for being idle, a scope begins anew. */
  since: number;
  /** When it last changed: those that nobody uses any more are removed. */
  changed_at: number;
}

/** A run of a key that limits its runs. */
export interface RunRow {
  key_id: number;
  run: string;
  requests: number;
  started_at: number;
  seen_at: number;
  last_request: Generated<string | null>;
  answers: Generated<number>;
}

/** `id` is the lease's hold entry. */
export interface LeaseRow {
  id: number;
  owner_id: number;
  key_id: number;
  amount: number;
  spent: number;
  process: string;
  expires_at: number;
  closed_at: number | null;
  created_at: number;
  /** 1 when another process has found nothing left. */
  recalled: number;
  /** What the process may have had in flight, and finished without having written it, when it last wrote. */
  at_risk: number;
  /** The requests of `at_risk`, as JSON. */
  at_risk_requests: string | null;
  /** After a crash: charged for what was at risk, and not yet made up for by charges that came late. */
  settled: number;
  /** How much more than `amount` its request may cost, as long as the lease is open. */
  overdraft: number;
  /** As in its hold entry. */
  scopes: string | null;
}

/** The tables by name. */
export interface MoneyTables {
  readonly owners: OwnerRow;
  readonly keys: KeyRow;
  readonly ledger_entries: EntryRow;
  readonly key_windows: WindowRow;
  readonly scope_windows: ScopeWindowRow;
  readonly runs: RunRow;
  readonly leases: LeaseRow;
}
