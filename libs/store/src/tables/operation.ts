/** How the gateway is run: settings, people, changes, work and alerts. */
import type { Generated } from 'kysely';

/** `keys`: the version of all keys; `owners`: the last id given out; `config`: the last change of an entry of the configuration. */
export interface CounterRow {
  name: 'keys' | 'owners' | 'config';
  value: number;
}

export interface SettingRow {
  name: string;
  value: string;
}

export interface AuditRow {
  id: Generated<number>;
  at: number;
  actor: string;
  action: string;
  subject: string;
  before: string | null;
  after: string | null;
  request_id: string | null;
}

export interface MaintenanceJobRow {
  id: Generated<number>;
  kind: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
  parameters: string;
  actor: string;
  done: number;
  total: Generated<number | null>;
  /** Kind and parameters in one word while it waits or runs. */
  open_as: Generated<string | null>;
  /** Which of the places it has while it runs. */
  slot: Generated<number | null>;
  process: Generated<string | null>;
  alive_until: Generated<number | null>;
  cancel_requested_at: Generated<number | null>;
  created_at: number;
  started_at: Generated<number | null>;
  ended_at: Generated<number | null>;
  expires_at: Generated<number | null>;
  error: Generated<string | null>;
  result: Generated<string | null>;
  file: Generated<string | null>;
  file_expires_at: Generated<number | null>;
}

export interface ConsoleSessionRow {
  id: string;
  hash: string;
  admin_key_hash: string | null;
  key_id: number | null;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  ended_at: number | null;
  address: string | null;
  client: string | null;
  issuer: string | null;
  subject: string | null;
  person: string | null;
  role: 'admin' | 'owner' | 'member' | null;
  sealed_id_token: string | null;
}

export interface PersonRow {
  id: Generated<number>;
  issuer: string;
  subject: string;
  name: string;
  role: 'admin' | 'owner' | 'member';
  owner_id: number | null;
  sign_ins: number;
  first_at: number;
  last_at: number;
  blocked_at: number | null;
}

export interface RealtimeSecretRow {
  hash: string;
  key_id: number;
  sealed_session: string;
  created_at: number;
  expires_at: number;
}

export interface ConfigEntryRow {
  section: 'models' | 'accounts' | 'budgets';
  name: string;
  kept: string;
  version: number;
}

export interface ConfigChangeRow {
  id: number;
  at: number;
  actor: string;
  request_id: string | null;
  section: 'models' | 'accounts' | 'budgets';
  name: string;
  before: string | null;
  after: string | null;
  undoes: number | null;
}

/** What has been raised, and whose turn it is: that one has a process, and `at` is its end. */
export interface AlertNameRow {
  name: string;
  at: number;
  process: string | null;
}

export interface AlertMessageRow {
  id: Generated<number>;
  channel: string;
  type: string;
  text: string;
  data: string;
  attempts: number;
  created_at: number;
  due_at: number | null;
  sent_at: number | null;
  /** The first of those that went out together. */
  sent_as: number | null;
  last_error: string | null;
}

/** The tables by name. */
export interface OperationTables {
  readonly counters: CounterRow;
  readonly settings: SettingRow;
  readonly audit_log: AuditRow;
  readonly console_sessions: ConsoleSessionRow;
  readonly people: PersonRow;
  readonly realtime_secrets: RealtimeSecretRow;
  readonly config_entries: ConfigEntryRow;
  readonly config_changes: ConfigChangeRow;
  readonly maintenance_jobs: MaintenanceJobRow;
  readonly alert_names: AlertNameRow;
  readonly alert_messages: AlertMessageRow;
}
