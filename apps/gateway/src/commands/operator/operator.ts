/** What operators' commands ask for, in the words of the document: of the database of this machine, or of a gateway elsewhere. */
import type { EntryInput } from '../../resources/config-entries/service.ts';
import type { components } from '@model-gateway/contracts';
import type { KeyChangeInput, KeyInput } from '../../resources/keys/service.ts';
import type { OwnerInput, TopUpInput } from '../../resources/owners/service.ts';

type Schemas = components['schemas'];

/** An account as its configuration has it; how it fares only its gateway knows. */
export type ConfiguredAccount = Pick<
  Schemas['Account'],
  'id' | 'name' | 'vendor' | 'on' | 'max_concurrency' | 'open_tasks' | 'models'
>;
export type AccountShown = ConfiguredAccount | Schemas['Account'];

/** Of what usage is asked for; without times the last 30 days. */
export interface UsageFilter {
  readonly from?: string;
  readonly to?: string;
  readonly by?: readonly string[];
  readonly mode: 'live' | 'test';
  readonly owner?: number;
  readonly key?: number;
}
export interface LedgerFilter {
  readonly owner?: number;
  readonly key?: number;
  readonly request?: string;
  readonly task?: string;
  readonly kind?: Schemas['LedgerEntry']['kind'];
}
export interface TaskFilter {
  readonly status?: Schemas['AdminTask']['status'];
  readonly owner?: number;
  readonly model?: string;
}
export interface DeliveryFilter {
  readonly task?: string;
  readonly pending?: boolean;
}
export interface RequestLogFilter {
  readonly owner?: number;
  readonly key?: number;
  readonly model?: string;
  /** `2xx`, `4xx` or `5xx`. */
  readonly status?: string;
  readonly error?: string;
  readonly tag?: string;
  readonly from?: string;
  readonly to?: string;
}
export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
}

/** Refusals are GatewayErrors here, and the client's ApiErrors of a gateway elsewhere. Lists are newest first, but owners. */
/** A model or an account. */
export interface EntryName {
  readonly section: Schemas['ConfigSection'];
  readonly name: string;
}

export interface EntryFilter {
  readonly section?: Schemas['ConfigSection'];
  readonly from?: 'builtin' | 'file' | 'database';
}

export interface EntryOptions {
  readonly dryRun: boolean;
}

export interface Operator {
  readonly keys: {
    list(filter: { readonly revoked: boolean; readonly owner?: number }): Promise<readonly Schemas['Key'][]>;
    get(id: number): Promise<Schemas['Key']>;
    create(input: KeyInput): Promise<Schemas['KeyCreated']>;
    update(id: number, change: KeyChangeInput): Promise<Schemas['Key']>;
    revoke(id: number): Promise<Schemas['Key']>;
    rotate(id: number, overlapSeconds: number | undefined): Promise<Schemas['KeyCreated']>;
  };
  readonly owners: {
    list(): Promise<readonly Schemas['Owner'][]>;
    get(id: number): Promise<Schemas['Owner']>;
    create(input: OwnerInput): Promise<Schemas['Owner']>;
    update(id: number, change: Partial<OwnerInput>): Promise<Schemas['Owner']>;
    topUp(id: number, input: TopUpInput): Promise<Schemas['BalanceChange']>;
    adjust(id: number, units: number, note: string): Promise<Schemas['BalanceChange']>;
  };
  usage(filter: UsageFilter): Promise<Schemas['UsageReport']>;
  readonly ledger: {
    list(filter: LedgerFilter, limit: number): Promise<readonly Schemas['LedgerEntry'][]>;
    verify(): Promise<Schemas['LedgerVerification']>;
    replay(requestId: string): Promise<Schemas['LedgerReplay']>;
  };
  readonly tasks: {
    list(filter: TaskFilter, limit: number): Promise<readonly Schemas['AdminTask'][]>;
    get(id: string): Promise<Schemas['AdminTask']>;
    /** Asks the vendor to stop it: only a gateway can. */
    cancel(id: string): Promise<Schemas['AdminTask']>;
  };
  readonly webhooks: {
    list(filter: DeliveryFilter, limit: number): Promise<readonly Schemas['WebhookDelivery'][]>;
    replay(id: string): Promise<Schemas['WebhookDelivery']>;
  };
  readonly requests: {
    list(filter: RequestLogFilter, limit: number): Promise<readonly Schemas['RequestRecord'][]>;
    get(id: string): Promise<Schemas['RequestDetail']>;
  };
  /** Models and accounts of the configuration, and what the database has of them. */
  readonly configuration: {
    entries(filter: EntryFilter): Promise<readonly Schemas['ConfigEntry'][]>;
    get(id: EntryName): Promise<Schemas['ConfigEntry']>;
    put(id: EntryName, input: EntryInput, options: EntryOptions): Promise<Schemas['ConfigChangeResult']>;
    unset(id: EntryName, options: EntryOptions): Promise<Schemas['ConfigChangeResult']>;
    changes(limit: number): Promise<readonly Schemas['ConfigChange'][]>;
    undo(id: number, options: EntryOptions): Promise<Schemas['ConfigChangeResult']>;
  };
  accounts(): Promise<readonly AccountShown[]>;
  audit(filter: AuditFilter, limit: number): Promise<readonly Schemas['AuditEntry'][]>;
  invariants(): Promise<Schemas['InvariantReport']>;
}
