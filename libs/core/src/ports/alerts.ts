/** Alerts for operators: what has been raised, and the messages that tell of it. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';

export interface AlertMessage {
  readonly id: number;
  /** The name of the channel in the configuration. */
  readonly channel: string;
  /** `budget.threshold`, … */
  readonly type: string;
  readonly text: string;
  /** What programs read of it. */
  readonly data: JsonObject;
  readonly attempts: number;
  readonly createdAt: number;
  /** Absent when it is sent or given up. */
  readonly dueAt?: number;
  readonly sentAt?: number;
  readonly lastError?: string;
}

export interface RaisedAlert extends Pick<AlertMessage, 'type' | 'text' | 'data'> {
  /** What it is raised for, once: the same name is never raised again until it is forgotten. */
  readonly name: string;
  /** Noted with it, so that they are not raised later: lower thresholds of the same budget. */
  readonly implied: readonly string[];
  readonly channels: readonly string[];
  readonly at: number;
}

export interface AlertStore {
  /** Takes a turn that nobody else has, or prolongs one's own; false when another process has it. */
  takeTurn(
    name: string,
    turn: { readonly process: string; readonly now: number; readonly until: number },
  ): Promise<boolean>;
  /** Names the alert and queues its messages, both or neither. False when it was raised before, by whichever process. */
  raise(alert: RaisedAlert): Promise<boolean>;
  /** Names of raised alerts that begin so. */
  raised(prefix: string): Promise<readonly string[]>;
  /** They may be raised again. */
  forget(names: readonly string[]): Promise<void>;
  /** Messages of a channel that are due, the oldest first. */
  due(channel: string, now: number, limit: number): Promise<readonly AlertMessage[]>;
  /** How many messages a channel took since then: several alerts in one message count once. */
  sentSince(channel: string, since: number): Promise<number>;
  /** These went out together, as one message. */
  saveSent(ids: readonly number[], at: number): Promise<void>;
  /** Absent `nextAt`: they are given up. */
  saveFailed(ids: readonly number[], failure: { readonly error: string; readonly nextAt?: number }): Promise<void>;
  /** What open leases hold and have not spent, by their owners and keys: set aside, and not used. */
  leased(): Promise<readonly { readonly ownerId: number; readonly keyId: number; readonly units: number }[]>;
  /** Newest first. */
  list(page: {
    readonly channel?: string;
    /** The last id of the page before. */
    readonly after?: number;
    readonly limit: number;
  }): Promise<readonly AlertMessage[]>;
  /** Removes messages that were made before `messages`, and names that were noted before `names`. */
  removeOld(before: { readonly messages: number; readonly names: number }): Promise<void>;
}
