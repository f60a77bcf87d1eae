/** Who changed what, for operators. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';

export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** `admin key admi…cdef` or `command`. */
  readonly actor: string;
  /** `key.create`, `owner.adjust`, … */
  readonly action: string;
  /** `key 12`, `owner 3`, … */
  readonly subject: string;
  /** As the admin API shows it; absent for what was not there. Never a secret. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  readonly requestId?: string;
}

export interface AuditStore {
  add(entry: Omit<AuditEntry, 'id'>): Promise<void>;
  /** Newest first. */
  list(filter: {
    readonly actor?: string;
    readonly action?: string;
    readonly subject?: string;
    /** The last id of the page before. */
    readonly after?: number;
    readonly limit: number;
  }): Promise<readonly AuditEntry[]>;
}
