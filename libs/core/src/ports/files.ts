/** Webhooks, files, subjects and settings. Units and promises as in ports.ts. */

export interface WebhookDelivery {
  /** `msg_…`, the same over all attempts. */
  readonly id: string;
  readonly taskId: string;
  readonly keyId: number;
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
  readonly nextAttemptAt?: number;
  readonly deliveredAt?: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
  readonly createdAt: number;
}
export interface WebhookStore {
  claimDue(now: number, leaseUntil: number, limit: number): Promise<readonly WebhookDelivery[]>;
  saveAttempt(
    id: string,
    attempt: {
      readonly deliveredAt?: number;
      readonly nextAttemptAt?: number;
      readonly lastStatus?: number;
      readonly lastError?: string;
    },
  ): Promise<void>;
  list(filter: {
    readonly taskId?: string;
    readonly pending?: boolean;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly WebhookDelivery[]>;
  /** Makes it due again now. */
  replay(id: string, now: number): Promise<WebhookDelivery | undefined>;
}

export interface FileRecord {
  /** Random and unguessable. */
  readonly id: string;
  readonly ownerId: number;
  readonly mime: string;
  readonly size: number;
  /** Where the bytes are, in the words of the blob store: a relative file name or an object key. */
  readonly location: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}
/** Who made a reusable subject, and the account it lives in. */
export interface SubjectRecord {
  /** The vendor's id of it (`ElementId`), as text. */
  readonly id: string;
  readonly ownerId: number;
  readonly mode: 'live' | 'test';
  readonly accountId: number;
  readonly taskId: string;
  readonly createdAt: number;
}
export interface SubjectStore {
  /** Idempotent: the first owner of an id stays. */
  remember(subjects: readonly SubjectRecord[]): Promise<void>;
  find(ids: readonly string[]): Promise<readonly SubjectRecord[]>;
}
export interface FileStore {
  create(file: FileRecord): Promise<void>;
  get(id: string): Promise<FileRecord | undefined>;
  takeExpired(now: number, limit: number): Promise<readonly FileRecord[]>;
}

/** A few words that every replica must share and a restart must not change: hashed admin key, secret of links. */
export interface SettingsStore {
  /** The value everybody has: the first one ever given for the name. */
  first(name: string, value: string): Promise<string>;
}
